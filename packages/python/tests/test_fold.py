"""Folding once."""

from __future__ import annotations

import asyncio
import copy
import json

import pytest
from histories import FORMATS, anthropic, chat

import enfold


@pytest.mark.parametrize("format", FORMATS)
def test_what_fits_comes_back_as_the_very_same_objects(format: str) -> None:
    messages = FORMATS[format](3)
    view = enfold.fold(messages, budget=16_000)
    assert view.format == format
    assert all(sent is own for sent, own in zip(view.messages, messages, strict=True))
    assert view.origins == [("same", nth) for nth in range(len(messages))]


@pytest.mark.parametrize("format", FORMATS)
def test_what_does_not_fit_is_folded_valid_and_the_list_is_left_alone(format: str) -> None:
    messages = FORMATS[format](30)
    before = copy.deepcopy(messages)
    view = enfold.fold(messages, budget="6k")
    assert view.tokens <= 6_000
    assert messages == before
    assert enfold.count(view.messages, format=format) <= 6_000
    errors = [it for it in enfold.validate(view.messages, format=format) if it["severity"] == "error"]
    assert errors == []
    for sent, (kind, nth) in zip(view.messages, view.origins, strict=True):
        if nth is not None:
            assert (sent is messages[nth]) == (kind == "same")


def test_every_fold_opens() -> None:
    messages = chat(30)
    view = enfold.fold(messages, budget=6_000)
    whole = json.dumps(messages)
    assert view.originals
    for handle, original in view.originals.items():
        assert handle.startswith("#")
        assert json.dumps(original)[1:-1] in whole or original.startswith("{")


def test_a_file_is_read_as_it_is() -> None:
    messages = chat(30)
    lines = "\n".join(json.dumps(message, separators=(",", ":")) for message in messages)
    views = [enfold.fold(given, budget=6_000) for given in (messages, lines, lines.encode())]
    assert views[0].texts == views[1].texts == views[2].texts


def test_system_and_tools_count() -> None:
    messages = anthropic(3)
    tools = [{"name": "bash", "description": "Runs a command.", "input_schema": {"type": "object"}}]
    plain = enfold.fold(messages, budget=16_000)
    view = enfold.fold(messages, budget=16_000, system="Be brief.", tools=tools)
    assert view.system == "Be brief."
    assert view.tokens > plain.tokens


def test_the_trace_says_what_was_done_and_why() -> None:
    view = enfold.fold(chat(30), budget=6_000, policy="microcompact")
    assert view.trace["policy"] == "microcompact"
    assert any(step["folds"] for step in view.trace["passes"])
    assert view.report["tokens"] == view.tokens


def test_what_cannot_fit_is_its_own_exception() -> None:
    with pytest.raises(enfold.CannotFit, match="allow a larger budget") as raised:
        enfold.fold(chat(3), budget=3)
    assert raised.value.code == "cannot_fit"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({}, "say budget="),
        ({"budget": "much"}, "16k"),
        ({"budget": 0.5}, "no model is given"),
        ({"budget": float("nan")}, "NaN"),
        ({"budget": 5_000, "policy": "balancd"}, "did you mean `balanced`"),
        ({"budget": 5_000, "format": "gpt"}, "there are openai-chat"),
        ({"budget": 5_000, "format": "openai-chat", "system": "x"}, "put it first"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, object], why: str) -> None:
    with pytest.raises(enfold.BadOption, match=why.replace("=", "=")):
        enfold.fold(chat(1), **options)  # type: ignore[arg-type]


def test_async_code_is_not_held_up() -> None:
    async def both() -> tuple[enfold.View, int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.001)
                ticks += 1

        beside = asyncio.create_task(tick())
        view = await enfold.fold_async(chat(300), budget=20_000)
        beside.cancel()
        return view, ticks

    view, ticks = asyncio.run(both())
    assert view.texts == enfold.fold(chat(300), budget=20_000).texts
    assert ticks > 0


def test_looking_without_folding() -> None:
    messages = chat(4)
    seen = enfold.inspect(messages)
    assert seen["totals"]["tokens"] == enfold.count(messages)
    assert seen["totals"]["calls"] == 4
    assert enfold.count_text("Hello, world") == 3
    assert "Make the tests pass." in enfold.ledger(messages)["text"]
    there = enfold.convert(messages, "anthropic")
    assert there.messages[1]["content"][0]["type"] == "tool_use"
    assert enfold.convert(there.messages, "openai-chat").messages[2] == messages[2]
