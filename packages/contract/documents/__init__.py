"""The rows of the five documents."""

from __future__ import annotations

from typing import Any

from documents import d000, d001, d002, d003, d004

Document = tuple[dict[str, list[Any]], list[dict[str, Any]]]


def five() -> dict[str, Document]:
    return {name[1:]: (it.SESSIONS, it.ROWS) for name, it in globals().items() if name[0] == "d" and hasattr(it, "ROWS")}
