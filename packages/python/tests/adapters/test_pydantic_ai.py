"""pydantic-ai's own agent with its own function model."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed here")

from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelContextWindowExceededError
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import UsageLimits

import enfold
from enfold.pydantic_ai import Enfold, FoldingModel, _written

STEPS = 40
BUDGET = 8_000
LIMITS = UsageLimits(request_limit=200)


class Script:
    """Calls `read` so often, then is done; remembers what it was sent."""

    def __init__(self, steps: int = STEPS) -> None:
        self.steps, self.seen, self.asked, self.refuse = steps, [], 0, -1

    def __call__(self, messages: Any, info: Any) -> ModelResponse:
        if self.asked == self.refuse:
            self.refuse = -1
            self.refused = tokens(messages)
            raise ModelContextWindowExceededError("function", "too long")
        self.seen.append(list(messages))
        self.asked += 1
        if self.asked > self.steps:
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart("read", {"path": f"src/f{self.asked}.rs"})])


def read(path: str) -> str:
    """Reads a file."""
    return "".join(f"{path}:{line}: unused value_{line}\n" for line in range(60))


def tokens(messages: Any) -> int:
    written, _ = _written(messages)
    assert [it for it in enfold.validate(written, format="openai-chat") if it["severity"] == "error"] == []
    return enfold.count(written, format="openai-chat")


def sizes(messages: Any) -> list[int]:
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    return [len(str(part.content)) for part in parts if isinstance(part, ToolReturnPart)]


def check(script: Script, history: Any) -> None:
    assert len(script.seen) == STEPS + 1
    assert all(tokens(sent) <= BUDGET for sent in script.seen)
    assert len(sizes(history)) == STEPS and min(sizes(history)) > 1_500
    assert min(sizes(script.seen[-1])) < 1_500, "something was folded"
    own = {id(part) for message in history for part in message.parts}
    same = [part for message in script.seen[-1] for part in message.parts if id(part) in own]
    assert len(same) > 10, "unchanged parts are the history's own"


def test_forty_steps_fit_and_the_history_is_whole() -> None:
    script = Script()
    agent = Agent(FunctionModel(script), tools=[read], capabilities=[Enfold(budget=BUDGET)], instructions="Be brief.")
    check(script, agent.run_sync("go", usage_limits=LIMITS).all_messages())


def test_older_versions_wrap_the_model() -> None:
    script = Script()
    agent = Agent(FoldingModel(FunctionModel(script), budget=BUDGET), tools=[read])
    check(script, agent.run_sync("go", usage_limits=LIMITS).all_messages())


def test_an_overflow_is_answered_with_a_harder_fold_and_one_more_try() -> None:
    script = Script(12)
    script.refuse = 10
    agent = Agent(FunctionModel(script), tools=[read], capabilities=[Enfold(budget=100_000)])
    agent.run_sync("go", usage_limits=LIMITS)
    assert tokens(script.seen[10]) < script.refused * 3 // 4 + 1
