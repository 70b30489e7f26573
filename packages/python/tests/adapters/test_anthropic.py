"""Anthropic's own client against a transport of its own."""

from __future__ import annotations

import asyncio
import copy
import json
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("anthropic", reason="anthropic is not installed here")
sys.path.insert(0, str(Path(__file__).parents[1]))

import anthropic as sdk
import httpx2
from histories import anthropic

import enfold
from enfold.anthropic import EnfoldMiddleware

BUDGET = 8_000
TOOLS: Any = [{"name": "bash", "description": "Runs a command.", "input_schema": {"type": "object"}}]
ANSWER = {
    "id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-5", "stop_reason": "end_turn",
    "stop_sequence": None, "content": [{"type": "text", "text": "done"}], "usage": {"input_tokens": 1, "output_tokens": 1},
}


class Provider:
    """Answers, refuses the first if told to, and remembers what it was sent."""

    def __init__(self, refuse: str | None = None) -> None:
        self.refuse = refuse
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.bodies.append(json.loads(request.content))
        if self.refuse is not None and len(self.bodies) == 1:
            error = {"type": "invalid_request_error", "message": self.refuse}
            return httpx2.Response(400, json={"type": "error", "error": error})
        return httpx2.Response(200, json=ANSWER)

    def client(self, middleware: EnfoldMiddleware) -> sdk.Anthropic:
        http = httpx2.Client(transport=httpx2.MockTransport(self))
        return sdk.Anthropic(api_key="k", http_client=http, middleware=[middleware], max_retries=0)

    def async_client(self, middleware: EnfoldMiddleware) -> sdk.AsyncAnthropic:
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(self))
        return sdk.AsyncAnthropic(api_key="k", http_client=http, middleware=[middleware], max_retries=0)


def asked(messages: Any) -> dict[str, Any]:
    return {"model": "claude-sonnet-5", "max_tokens": 100, "messages": messages, "system": "Be brief.", "tools": TOOLS}


def check(body: dict[str, Any]) -> int:
    sent = body["messages"]
    findings = enfold.validate(sent, format="anthropic", system=body["system"], tools=body["tools"])
    assert [it for it in findings if it["severity"] == "error"] == []
    return enfold.count(sent, format="anthropic", system=body["system"], tools=body["tools"])


def test_requests_are_folded_and_grow_within_an_epoch() -> None:
    provider, messages = Provider(), anthropic(40)
    whole = copy.deepcopy(messages)
    client = provider.client(EnfoldMiddleware(budget=BUDGET))
    for end in range(1, len(messages) + 1, 2):
        client.messages.create(**asked(messages[:end]))
    assert all(check(body) <= BUDGET for body in provider.bodies)
    sent = [body["messages"] for body in provider.bodies]
    rewritten = sum(later[: len(before)] != before for before, later in zip(sent, sent[1:], strict=False))
    assert 0 < rewritten <= 12, f"{rewritten} of {len(sent)} requests changed what was sent before"
    assert messages == whole, "the caller's list is whole"
    assert provider.bodies[0]["messages"] == messages[:1]


def test_the_asynchronous_client_and_streams_get_the_same() -> None:
    bodies = []
    for kind in ("sync", "async", "stream"):
        provider, messages = Provider(), anthropic(30)
        if kind == "async":
            client = provider.async_client(EnfoldMiddleware(budget=BUDGET))
            asyncio.run(client.messages.create(**asked(messages)))
        elif kind == "stream":
            provider.client(EnfoldMiddleware(budget=BUDGET)).messages.create(**asked(messages), stream=True)
        else:
            provider.client(EnfoldMiddleware(budget=BUDGET)).messages.create(**asked(messages))
        bodies.append(provider.bodies[0]["messages"])
    assert bodies[0] == bodies[1] == bodies[2]


def test_a_refusal_as_too_long_is_answered_with_a_harder_fold_once() -> None:
    said = "prompt is too long: 40000 tokens > 30000 maximum"
    provider = Provider(refuse=said)
    provider.client(EnfoldMiddleware(budget=30_000)).messages.create(**asked(anthropic(40)))
    assert len(provider.bodies) == 2
    assert check(provider.bodies[1]) < check(provider.bodies[0]) * 3 // 4 + 1
    provider = Provider(refuse=said)
    client = provider.async_client(EnfoldMiddleware(budget=30_000))
    asyncio.run(client.messages.create(**asked(anthropic(40))))
    assert len(provider.bodies) == 2


def test_another_refusal_is_the_callers() -> None:
    provider = Provider(refuse="messages: at least one message is required")
    with pytest.raises(sdk.BadRequestError, match="at least one message"):
        provider.client(EnfoldMiddleware(budget=BUDGET)).messages.create(**asked(anthropic(3)))
    assert len(provider.bodies) == 1


def test_cache_markers_wander_and_cost_no_epoch() -> None:
    provider, messages = Provider(), anthropic(40)
    middleware = EnfoldMiddleware(budget=BUDGET)
    for end in range(3, len(messages) + 1, 2):
        marked = copy.deepcopy(messages[:end])
        marked[-1]["content"][-1]["cache_control"] = {"type": "ephemeral"}
        provider.client(middleware).messages.create(**asked(marked))
    plain = Provider()
    bare = EnfoldMiddleware(budget=BUDGET)
    for end in range(3, len(messages) + 1, 2):
        plain.client(bare).messages.create(**asked(messages[:end]))
    for body, unmarked in zip(provider.bodies, plain.bodies, strict=True):
        markers = [block for it in body["messages"] for block in it["content"] if "cache_control" in block]
        assert len(markers) == 1
        del markers[0]["cache_control"]
        assert body == unmarked


def test_what_only_counts_is_left_alone() -> None:
    provider, messages = Provider(), anthropic(40)
    client = provider.client(EnfoldMiddleware(budget=BUDGET))
    client.messages.count_tokens(model="claude-sonnet-5", messages=messages)  # type: ignore[arg-type]
    assert len(provider.bodies[0]["messages"]) == len(messages)
