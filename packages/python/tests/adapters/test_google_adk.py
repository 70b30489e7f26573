"""The ADK's own runner with a model of its own: 40 steps through a small window."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("google.adk.plugins.base_plugin", reason="google-adk is not installed here")
sys.path.insert(0, str(Path(__file__).parents[1]))

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from histories import output

import enfold
from enfold.google_adk import EnfoldPlugin

STEPS = 40
BUDGET = 8_000


def read(path: str) -> dict[str, str]:
    """Reads a file."""
    return {"content": output(int(path))}


class Script(BaseLlm):
    """Reads file after file, refuses once if told to, and remembers what it was sent."""

    seen: list[list[dict[str, Any]]] = []
    own: list[list[types.Content]] = []
    refuse_at: int = -1
    refused: int = 0

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        sent = [it.model_dump(mode="json", by_alias=True, exclude_none=True) for it in llm_request.contents]
        if len(self.seen) == self.refuse_at and self.refused == 0:
            self.refused = enfold.count(sent, format="gemini")
            raise RuntimeError("The input token count exceeds the maximum number of tokens allowed")
        nth = len(self.seen)
        self.seen.append(sent)
        self.own.append(list(llm_request.contents))
        call = types.Part.from_function_call(name="read", args={"path": str(nth)})
        part = call if nth < STEPS else types.Part.from_text(text="done")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def run(plugin: EnfoldPlugin, **script: Any) -> tuple[Script, Any]:
    model = Script(model="script", seen=[], own=[], **script)
    agent = LlmAgent(name="a", model=model, instruction="Be brief.", tools=[read])

    async def work() -> Any:
        runner = InMemoryRunner(app=App(name="app", root_agent=agent, plugins=[plugin]))
        session = await runner.session_service.create_session(app_name="app", user_id="u")
        said = types.Content(role="user", parts=[types.Part.from_text(text="Read everything.")])
        async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=said):
            pass
        return await runner.session_service.get_session(app_name="app", user_id="u", session_id=session.id)

    return model, asyncio.run(work())


def results(session: Any) -> list[int]:
    found = [it.get_function_responses() for it in session.events]
    return [len(response.response["content"]) for responses in found for response in responses]


def test_an_agent_of_forty_steps_fits_and_its_session_is_whole() -> None:
    model, session = run(EnfoldPlugin(budget=BUDGET))
    assert len(model.seen) == STEPS + 1
    rewritten = 0
    for nth, sent in enumerate(model.seen):
        assert [it for it in enfold.validate(sent, format="gemini") if it["severity"] == "error"] == []
        assert enfold.count(sent, format="gemini") <= BUDGET
        before = model.seen[nth - 1] if nth else []
        rewritten += sent[: len(before)] != before
    assert 0 < rewritten <= 12, f"{rewritten} of {STEPS} requests changed what was sent before"
    assert results(session) == [len(output(nth)) for nth in range(STEPS)]


def test_a_refusal_is_answered_with_a_harder_fold_once() -> None:
    model, session = run(EnfoldPlugin(budget=30_000), refuse_at=30)
    assert len(model.seen) == STEPS + 1
    assert enfold.count(model.seen[30], format="gemini") < model.refused * 3 // 4 + 1
    assert len(results(session)) == STEPS


def test_another_error_is_the_callers() -> None:
    plugin = EnfoldPlugin(budget=BUDGET)

    class Broken(Script):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
            raise RuntimeError("mine")
            yield

    agent = LlmAgent(name="a", model=Broken(model="script"), tools=[read])

    async def work() -> None:
        runner = InMemoryRunner(app=App(name="app", root_agent=agent, plugins=[plugin]))
        session = await runner.session_service.create_session(app_name="app", user_id="u")
        said = types.Content(role="user", parts=[types.Part.from_text(text="go")])
        async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=said):
            pass

    with pytest.raises(Exception, match="mine"):
        asyncio.run(work())
