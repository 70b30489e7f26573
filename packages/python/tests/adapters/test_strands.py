"""Strands' own agent with a model of its own: 40 steps through a small window."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("strands.middleware", reason="strands-agents is not installed here")
sys.path.insert(0, str(Path(__file__).parents[1]))

from histories import output
from strands import Agent, tool
from strands.agent.conversation_manager import NullConversationManager
from strands.models.model import Model
from strands.types.exceptions import ContextWindowOverflowException

import enfold
from enfold.strands import EnfoldPlugin, _written

STEPS = 40
BUDGET = 8_000


@tool
def read(path: str) -> str:
    """Reads a file."""
    return output(int(path))


class Script(Model):
    """Reads file after file, refuses once if told to, and remembers what it was sent."""

    def __init__(self, refuse_at: int = -1, error: Exception | None = None) -> None:
        self.seen: list[Any] = []
        self.refuse_at = refuse_at
        self.error = error or ContextWindowOverflowException("too long")
        self.refused: list[Any] | None = None

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> Any:
        return {}

    async def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError
        yield

    async def stream(self, messages: Any, *_: Any, **__: Any) -> Any:
        if len(self.seen) == self.refuse_at and self.refused is None:
            self.refused = messages
            raise self.error
        nth = len(self.seen)
        self.seen.append(messages)
        yield {"messageStart": {"role": "assistant"}}
        if nth < STEPS:
            use = {"toolUseId": f"t{nth}", "name": "read"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"path": "%d"}' % nth}}}}
        else:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if nth < STEPS else "end_turn"}}


def count(messages: Any) -> int:
    written = [_written(it) for it in messages]
    assert [it for it in enfold.validate(written, format="anthropic") if it["severity"] == "error"] == []
    return enfold.count(written, format="anthropic")


def run(model: Script, budget: int) -> Agent:
    agent = Agent(
        model=model, tools=[read], system_prompt="Be brief.", callback_handler=None,
        conversation_manager=NullConversationManager(), plugins=[EnfoldPlugin(budget=budget)],
    )
    agent("Read everything.")
    return agent


def results(messages: Any) -> list[int]:
    blocks = [block["toolResult"] for it in messages for block in it["content"] if "toolResult" in block]
    return [len(result["content"][0]["text"]) for result in blocks]


def test_an_agent_of_forty_steps_fits_and_its_messages_are_whole() -> None:
    model = Script()
    agent = run(model, BUDGET)
    assert len(model.seen) == STEPS + 1
    assert all(count(sent) <= BUDGET for sent in model.seen)
    rewritten = sum(
        [_written(it) for it in later[: len(before)]] != [_written(it) for it in before]
        for before, later in zip(model.seen, model.seen[1:], strict=False)
    )
    assert 0 < rewritten <= 12, f"{rewritten} of {STEPS} requests changed what was sent before"
    assert results(agent.messages) == [len(output(nth)) for nth in range(STEPS)]
    assert min(results(model.seen[-1])) < len(output(0)), "what the model sees is folded"


def test_a_refusal_is_answered_with_a_harder_fold_once() -> None:
    model = Script(refuse_at=30)
    agent = run(model, 30_000)
    assert len(model.seen) == STEPS + 1
    assert model.refused is not None
    assert count(model.seen[30]) < count(model.refused) * 3 // 4 + 1
    assert results(agent.messages) == [len(output(nth)) for nth in range(STEPS)]


def test_another_error_is_the_callers() -> None:
    with pytest.raises(Exception, match="mine"):
        run(Script(refuse_at=3, error=RuntimeError("mine")), BUDGET)
