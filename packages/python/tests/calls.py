"""What a case of the contract calls, by name, and what comes back as plain data."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import enfold

Call = Callable[[list[Any], dict[str, Any], dict[str, Any]], Any]


def answer(case: dict[str, Any], messages: list[Any]) -> Any:
    """What the call gives, or what is wrong."""
    try:
        return CALLS[case["call"]](messages, case.get("options", {}), case.get("with", {}))
    except enfold.EnfoldError as error:
        return {"error": error.code, "text": str(error)}


def folded(view: enfold.View) -> dict[str, Any]:
    return {
        "format": view.format,
        "tokens": view.tokens,
        "epoch": view.epoch,
        "opened": view.opened,
        "question": view.question,
        "unchanged": view.unchanged,
        "messages": view.messages,
        "texts": view.texts,
        "origins": [list(origin) for origin in view.origins],
        "originals": view.originals,
        "dropped": view.dropped,
        "shortened": view.shortened,
        "report": view.report,
    }


def in_session(messages: list[Any], options: dict[str, Any], beside: dict[str, Any]) -> Any:
    """Request after request; `do` is done before the last one."""
    session = enfold.Session(**options)
    views: list[Any] = []
    last = None
    for nth, end in enumerate(beside["ends"]):
        for path in beside.get("modified", []):
            session.mark_modified(path)
        cold = nth in beside.get("cold", [])
        last = session.prepare(messages[:end], cold=cold)
        views.append(folded(last))
    asked = session.ask(last, window=beside["window"]) if last and "window" in beside else None
    if asked is not None and "answer" in beside:
        session.answer(asked["key"], beside["answer"])
        views.append(folded(session.prepare()))
    pruning = session.pruning()
    settled = session.settle() if beside.get("settle") else None
    return {
        "views": views,
        "question": asked,
        "pruning": pruning,
        "needs_pruning": session.needs_pruning(),
        "settled": None if settled is None else folded(settled),
    }


def converted(messages: list[Any], options: dict[str, Any], beside: dict[str, Any]) -> Any:
    made = enfold.convert(messages, beside["to"], **options)
    return {"messages": made.messages, "losses": made.losses, "text": made.text}


def folded_again(messages: list[Any], options: dict[str, Any], _: dict[str, Any]) -> Any:
    once = enfold.fold(messages, **options)
    again = enfold.fold(once.messages, **{**options, "name": "again"})
    return {"once": folded(once), "again": folded(again)}


CALLS: dict[str, Call] = {
    "fold": lambda messages, options, _: folded(enfold.fold(messages, **options)),
    "fold_again": folded_again,
    "session": in_session,
    "convert": converted,
    "count": lambda messages, options, _: enfold.count(messages, **options),
    "count_text": lambda _, options, beside: enfold.count_text(beside["text"], **options),
    "inspect": lambda messages, options, _: enfold.inspect(messages, **options),
    "validate": lambda messages, options, _: enfold.validate(messages, **options),
    "ledger": lambda messages, options, beside: enfold.ledger(messages, **options, **beside),
    "changelog": lambda messages, options, _: enfold.changelog(messages, **options),
    "files": lambda messages, options, beside: enfold.files(messages, **options, **beside),
    "file_at": lambda messages, options, beside: enfold.file_at(messages, **options, **beside),
    "priorities": lambda messages, options, _: enfold.priorities(messages, **options),
    "pruning": lambda messages, options, _: enfold.pruning(messages, **options),
    "model_budget": lambda _, options, beside: enfold.model_budget(**options, **beside),
    "add_intent": lambda _, options, beside: enfold.add_intent(beside["tools"], beside.get("names")),
    "fold_text": lambda _, options, beside: folded(enfold.fold(beside["text"], **options)),
}  # fmt: skip


def found(answer: Any, path: str) -> Any:
    """What stands at a path: keys and places, `*` for each of a list or object."""
    seen = answer
    for nth, step in enumerate(steps := [step for step in path.split(".") if step]):
        if step == "*":
            rest = ".".join(steps[nth + 1 :])
            return [found(one, rest) for one in (seen.values() if isinstance(seen, dict) else seen)]
        seen = seen[int(step)] if isinstance(seen, list) else seen[step]
    return seen


def holds(seen: Any, check: dict[str, Any]) -> bool:
    """Whether what was found is as the check says."""
    (kind,) = check.keys() - {"at"}
    wanted = check[kind]
    text = seen if isinstance(seen, str) else json.dumps(seen, ensure_ascii=False, separators=(",", ":"))
    fits: dict[str, Callable[[], bool]] = {
        "is": lambda: bool(seen == wanted),
        "has": lambda: wanted in text,
        "lacks": lambda: wanted not in text,
        "count": lambda: len(seen) == wanted,
        "at_most": lambda: bool(seen <= wanted),
        "at_least": lambda: bool(seen >= wanted),
    }
    return fits[kind]()
