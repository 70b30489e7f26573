"""The OpenAI Agents SDK's own runner with its own scripted model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("agents.testing", reason="openai-agents is not installed here")

from agents import Agent, RunConfig, Runner, SQLiteSession, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call

import enfold
from enfold.openai_agents import fold_input, fold_model

STEPS = 40
BUDGET = 8_000


@function_tool
def read(path: str) -> str:
    """Reads a file."""
    return "".join(f"{path}:{line}: unused value_{line}\n" for line in range(60))


def script(steps: int = STEPS) -> ScriptedModel:
    calls = [[function_call("read", {"path": f"src/f{nth}.rs"}, call_id=f"c{nth}")] for nth in range(steps)]
    return ScriptedModel([*calls, [assistant_message("done")]])


def outputs(items: Any) -> list[int]:
    return [len(it["output"]) for it in items if it.get("type") == "function_call_output"]


def faults(items: Any) -> set[str]:
    """What a provider would refuse. The scripted model's own ids are among it."""
    found = enfold.validate(items, format="openai-responses")
    return {f"{it['rule']} {it['remedy']}" for it in found if it["severity"] == "error"}


def check(model: ScriptedModel, kept: Any) -> None:
    for call in model.calls:
        items = [it for it in call.input]
        assert enfold.count(items, format="openai-responses") <= BUDGET
        assert faults(items) <= faults(kept), "nothing is wrong with a view that is not with the history"
    assert len(outputs(kept)) == STEPS and min(outputs(kept)) > 1_500
    assert min(outputs(model.calls[-1].input)) < 1_500, "something was folded"


def test_forty_steps_fit_and_the_session_is_whole() -> None:
    async def run() -> None:
        model, session = script(), SQLiteSession("s")
        config = RunConfig(call_model_input_filter=fold_input(budget=BUDGET), tracing_disabled=True)
        agent = Agent(name="a", instructions="Be brief.", model=model, tools=[read])
        await Runner.run(agent, "go", session=session, run_config=config, max_turns=100)
        check(model, await session.get_items())

    asyncio.run(run())


def test_a_wrapped_model_folds_and_answers_an_overflow_once() -> None:
    class TooLong(Exception):
        code = "context_length_exceeded"

    class Refusing(ScriptedModel):
        refused: list[int] = []

        async def get_response(self, system_instructions: Any, input: Any, *rest: Any, **more: Any) -> Any:
            if len(self.calls) == 20 and not self.refused:
                self.refused.append(enfold.count(list(input), format="openai-responses"))
                raise TooLong("too long")
            return await super().get_response(system_instructions, input, *rest, **more)

    async def run() -> None:
        calls = [[function_call("read", {"path": f"src/f{nth}.rs"}, call_id=f"c{nth}")] for nth in range(STEPS)]
        inner = Refusing([*calls, [assistant_message("done")]])
        session = SQLiteSession("s")
        agent = Agent(name="a", model=fold_model(inner, budget=BUDGET), tools=[read])
        await Runner.run(agent, "go", session=session, run_config=RunConfig(tracing_disabled=True), max_turns=100)
        check(inner, await session.get_items())
        again = enfold.count(list(inner.calls[20].input), format="openai-responses")
        assert again < inner.refused[0] * 3 // 4 + 1

    asyncio.run(run())
