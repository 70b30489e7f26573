"""LiteLLM's own calls with a custom model of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
pytest.importorskip("litellm", reason="litellm is not installed here")
sys.path.insert(0, str(Path(__file__).parents[1]))

import litellm
from histories import chat
from litellm import CustomLLM
from litellm.exceptions import ContextWindowExceededError

import enfold
from enfold.litellm import Completions, EnfoldCallback

BUDGET = 8_000


class Script(CustomLLM):
    """Answers, refuses once if told to, and remembers what it was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []
        self.refuse = False

    def completion(self, *_: Any, **more: Any) -> Any:
        messages = more["messages"]
        if self.refuse:
            self.refuse = False
            self.refused = enfold.count(messages, format="openai-chat")
            raise ContextWindowExceededError("too long", "script", "script")
        self.seen.append(messages)
        return litellm.completion(model="gpt-4o", messages=messages[:1], mock_response="done")

    async def acompletion(self, *rest: Any, **more: Any) -> Any:
        return self.completion(*rest, **more)


@pytest.fixture
def script() -> Any:
    script = Script()
    litellm.custom_provider_map = [{"provider": "script", "custom_handler": script}]
    litellm.utils.custom_llm_setup()
    yield script
    litellm.callbacks = []


def check(sent: Any) -> int:
    assert [it for it in enfold.validate(sent, format="openai-chat") if it["severity"] == "error"] == []
    return enfold.count(sent, format="openai-chat")


def test_asynchronous_calls_are_folded(script: Script) -> None:
    litellm.callbacks = [EnfoldCallback(budget=BUDGET)]
    messages = chat(40)

    async def run() -> None:
        for end in (21, 41, 61, 81):
            await litellm.acompletion(model="script/m", messages=messages[:end])

    asyncio.run(run())
    assert len(script.seen) == 4
    assert all(check(sent) <= BUDGET for sent in script.seen)
    assert len(messages[2]["content"]) > 1_500, "the caller's list is whole"


def test_completions_fold_and_answer_an_overflow_once(script: Script) -> None:
    messages = chat(40)
    llm = Completions(budget=30_000)
    script.refuse = True
    llm.completion(model="script/m", messages=messages)
    assert check(script.seen[-1]) < script.refused * 3 // 4 + 1
    script.refuse = True
    other = Completions(budget=30_000)
    asyncio.run(other.acompletion(model="script/m", messages=messages))
    assert check(script.seen[-1]) < script.refused * 3 // 4 + 1
