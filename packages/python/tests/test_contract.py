"""The contract: the same bytes as Rust gives. `packages/contract/README.md` says how cases look."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from calls import answer

import enfold

CASES = Path(__file__).parents[2] / "contract" / "cases"
NAMES = sorted(path.name[:-5] for path in CASES.glob("*.json") if not path.name.endswith(".expected.json"))


def run(case: dict[str, Any]) -> Any:
    messages, options = case["messages"], case["options"]
    if case["call"] == "fold":
        return whole(enfold.fold(messages, **options))
    if case["call"] == "session":
        session = enfold.Session(**options)
        return [grown(session.prepare(messages[:end])) for end in case["ends"]]
    if case["call"] != "look":
        return answer(case, messages)
    converted = enfold.convert(messages, case["to"])
    return {
        "tokens": enfold.count(messages),
        "inspect": enfold.inspect(messages),
        "findings": enfold.validate(messages),
        "ledger": enfold.ledger(messages, tokens=500),
        "converted": [json.dumps(it, ensure_ascii=False, separators=(",", ":")) for it in converted.messages],
        "losses": converted.losses,
    }


def whole(view: enfold.View) -> dict[str, Any]:
    return {
        "format": view.format,
        "system": view.system,
        "tokens": view.tokens,
        "texts": view.texts,
        "origins": [list(origin) for origin in view.origins],
        "originals": view.originals,
        "trace": view.trace,
        "dropped": view.dropped,
        "shortened": view.shortened,
    }


def grown(view: enfold.View) -> dict[str, Any]:
    return {
        "format": view.format,
        "tokens": view.tokens,
        "epoch": view.epoch,
        "opened": view.opened,
        "unchanged": view.unchanged,
        "texts": view.texts[view.unchanged :],
        "origins": [list(origin) for origin in view.origins],
        "events": view.report["events"],
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_case_gives_what_rust_gives(name: str) -> None:
    case = json.loads((CASES / f"{name}.json").read_text())
    assert run(case) == json.loads((CASES / f"{name}.expected.json").read_text())


def test_there_are_cases() -> None:
    assert len(NAMES) >= 29
