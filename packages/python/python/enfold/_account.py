"""What is not whole in a view."""

from __future__ import annotations

from typing import TypedDict


class Dropped(TypedDict):
    """A message that is not in a view."""

    message: int
    """Its place in your list."""
    role: str
    priority: int
    """How much it matters: from system 100 to summarized 20."""
    tokens: int
    """Tokens it took."""
    step: int | None
    fold: str | None
    """How it left: `drop`, `told`, `summary`, …"""
    handles: list[str]
    """What opens it."""


class Shortened(TypedDict):
    """A text, call or result that is shorter in a view than it was."""

    message: int
    """The place of its message in your list."""
    tool: str | None
    """The tool that it is a result of."""
    priority: int
    original_tokens: int
    """Tokens it took."""
    tokens: int
    """Tokens it takes."""
    fold: str | None
    """What was done: `placeholder`, `bookend`, …"""
    handles: list[str]
    """What opens it."""
