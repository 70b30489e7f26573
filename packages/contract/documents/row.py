"""How rows are written down."""

from __future__ import annotations

from typing import Any


def row(name: str, call: str, session: str | None, *checks: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A row: what is called on which session (`options`, and `beside` for the call's own arguments), and what must be so."""
    given = {"session": session, "options": more.get("options"), "with": more.get("beside")}
    said = {key: value for key, value in given.items() if value is not None}
    return {"name": name, "call": call, **said, "checks": list(checks)}


def equals(at: str, value: Any) -> dict[str, Any]:
    return {"at": at, "is": value}


def has(at: str, text: str) -> dict[str, Any]:
    return {"at": at, "has": text}


def lacks(at: str, text: str) -> dict[str, Any]:
    return {"at": at, "lacks": text}


def count(at: str, number: int) -> dict[str, Any]:
    return {"at": at, "count": number}


def most(at: str, number: float) -> dict[str, Any]:
    return {"at": at, "at_most": number}


def least(at: str, number: float) -> dict[str, Any]:
    return {"at": at, "at_least": number}
