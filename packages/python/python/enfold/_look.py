"""Functions: folding once, and looking without folding."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from enfold import _native
from enfold._native import View
from enfold._persist import PersistResult, keeping, on_another_thread
from enfold._session import Budget, FoldOptions, Messages
from enfold._settings import Counting, Settings

if TYPE_CHECKING:
    from typing_extensions import Unpack


def fold(
    messages: Messages,
    *,
    budget: Budget | None = None,
    model: str | None = None,
    policy: str | None = None,
    format: str | None = None,
    system: Any = None,
    tools: list[Any] | None = None,
    name: str | None = None,
    secret: str | None = None,
    cache: Literal["warm", "cold"] | None = None,
    persist_result: PersistResult | None = None,
    **settings: Unpack[Settings],
) -> View:
    """Folds messages into a budget: what the model should see of them.

    `messages` is a list of dicts as a provider takes them (OpenAI Chat or Responses, Anthropic, Gemini, AI SDK), or the bytes or
    text of a whole session file. What fits comes back as it is, the very same objects.

    `budget` is a number of tokens (`16000`, `"16k"`) or a share of the model's usable window (`0.8`); without one, `model` says
    how much there is, and they are folded from its threshold on. `system` and `tools` are counted within it. `cache` says whether
    the provider still holds the last request. Everything else is a setting of the policy (`Settings`): `max_file_reads`,
    `bash_truncate`, `categories`, `reserves`, `threshold`, `preserve_recent_turns`, …

    `persist_result(content, {"tool_name", "category", "message_index"})` keeps what is about to be hidden and returns its path, which
    the fold then names.
    """
    options = {
        "budget": budget,
        "model": model,
        "policy": policy,
        "format": format,
        "system": system,
        "tools": tools,
        "name": name,
        "secret": secret,
        "cache": cache,
        **settings,
    }
    return _native.fold(messages, options, keeping(persist_result))


async def fold_async(messages: Messages, **options: Unpack[FoldOptions]) -> View:
    """`fold` on another thread, for `async` code. A list is copied first."""
    given = messages if isinstance(messages, str | bytes) else list(messages)
    return await on_another_thread(partial(fold, **options), given)


def inspect(
    messages: Messages, *, model: str | None = None, format: str | None = None, **counting: Unpack[Counting]
) -> dict[str, Any]:
    """Where the tokens are, by role, part, tool, file and step: what `enfold inspect --json` prints."""
    return _read(_native.inspect(messages, {"model": model, "format": format, **counting}))


def count(
    messages: Messages,
    *,
    model: str | None = None,
    format: str | None = None,
    system: Any = None,
    tools: list[Any] | None = None,
    **counting: Unpack[Counting],
) -> int:
    """How many tokens messages take, with what stands beside them. `tokenizer="heuristic"`: four characters are one."""
    options = {"model": model, "format": format, "system": system, "tools": tools, **counting}
    tokens: int = _read(_native.count(messages, options))["tokens"]
    return tokens


def count_text(text: str, *, model: str | None = None, **counting: Unpack[Counting]) -> int:
    """How many tokens a text takes; in o200k if neither a model nor a tokenizer is named."""
    return _native.count_text(text, {"model": model, **counting})


def validate(
    messages: Messages,
    *,
    model: str | None = None,
    format: str | None = None,
    system: Any = None,
    tools: list[Any] | None = None,
) -> list[dict[str, Any]]:
    """What a provider would object to, rule by rule, with remedies. Those of severity `error` it refuses."""
    options = {"model": model, "format": format, "system": system, "tools": tools}
    findings: list[dict[str, Any]] = _read(_native.check(messages, options))["findings"]
    return findings


def ledger(messages: Messages, *, format: str | None = None, tokens: int = 1_500) -> dict[str, Any]:
    """What a session is about and how far it has come: `ledger`, and as `text` in at most so many tokens."""
    return _read(_native.ledger(messages, {"format": format}, tokens))


@dataclass(frozen=True)
class Converted:
    """Messages in another format."""

    format: str
    system: Any
    tools: list[Any] | None
    messages: list[Any]
    text: str
    losses: list[dict[str, Any]]


def convert(
    messages: Messages,
    to: str,
    *,
    format: str | None = None,
    system: Any = None,
    tools: list[Any] | None = None,
) -> Converted:
    """Messages in another format, and what that loses. `to="notation"` gives a text for people, and no messages."""
    options = {"format": format, "system": system, "tools": tools}
    head, defined, written, text, losses = _native.convert(messages, to, options)
    return Converted(
        format=to,
        system=None if head is None else json.loads(head),
        tools=None if defined is None else json.loads(defined),
        messages=[json.loads(message) for message in written],
        text=text,
        losses=json.loads(losses),
    )


def _read(text: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(text)
    return read
