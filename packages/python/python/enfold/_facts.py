"""Functions: what is known of messages without folding them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypedDict, cast

from enfold import _native
from enfold._session import Messages, Prunable
from enfold._settings import Pruning, Reserves, Understanding

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Change(TypedDict):
    """A change of a file."""

    step: int
    path: str
    to: str | None
    verb: str
    intent: str | None
    added: int | None
    removed: int | None


class Changelog(TypedDict):
    """What was changed, and the same as text."""

    changes: list[Change]
    text: str


class File(TypedDict):
    """What is known of a file."""

    path: str
    last_step: int
    operation: str | None
    modified: bool
    deleted: bool
    reads: int
    changes: int
    added: int
    removed: int
    lines: int | None
    preview: str | None
    intents: list[str]


class Files(TypedDict):
    """The files of a session: all, and those that were changed, touched lately (the latest first), or not lately."""

    step: int
    files: list[File]
    modified: list[str]
    recent: list[str]
    stale: list[str]


class Classified(TypedDict):
    """How much a message matters: from system 100 to summarized 20."""

    message: int
    role: str
    turn: int | None
    step: int | None
    priority: int
    tokens: int


def changelog(messages: Messages, *, format: str | None = None, **known: Unpack[Understanding]) -> Changelog:
    """What a session changed, file by file, in the words of its calls: what `enfold changelog` prints."""
    return cast(Changelog, _asked("changelog", {}, messages, {"format": format, **known}))


def files(
    messages: Messages, *, max_age: int = 5, preview: int = 100, format: str | None = None, **known: Unpack[Understanding]
) -> Files:
    """Which files a session touched, when and how.

    `recent` are those of the last `max_age` steps, the latest first; `stale` the others. `preview` is how many characters of a
    file's beginning are shown.
    """
    return cast(Files, _asked("files", {"max_age": max_age, "preview": preview}, messages, {"format": format, **known}))


def file_at(
    messages: Messages,
    path: str,
    *,
    turn: int | None = None,
    step: int | None = None,
    format: str | None = None,
    **known: Unpack[Understanding],
) -> dict[str, Any]:
    """What a file held after a turn or a step, as far as the session shows it; at the end, if neither is said.

    `content` is `whole` (then `text` is there), `partial` (then `runs` are), `absent` or `unknown`.
    """
    asked = {"path": path, "turn": turn, "step": step}
    return cast("dict[str, Any]", _asked("file_at", asked, messages, {"format": format, **known}))


def priorities(
    messages: Messages,
    *,
    model: str | None = None,
    format: str | None = None,
    tokenizer: str | None = None,
    **known: Unpack[Understanding],
) -> list[Classified]:
    """How much each message matters, and what it takes."""
    options = {"model": model, "format": format, "tokenizer": tokenizer, **known}
    return cast("list[Classified]", _asked("priorities", {}, messages, options))


def pruning(
    messages: Messages,
    *,
    model: str | None = None,
    policy: str | None = None,
    format: str | None = None,
    tokenizer: str | None = None,
    **settings: Unpack[Pruning],
) -> Prunable:
    """What clearing old outputs of tools would bring. Nothing is changed."""
    options = {"model": model, "policy": policy, "format": format, "tokenizer": tokenizer, **settings}
    return cast(Prunable, _asked("pruning", {}, messages, options))


def needs_pruning(
    messages: Messages,
    *,
    model: str | None = None,
    policy: str | None = None,
    format: str | None = None,
    tokenizer: str | None = None,
    **settings: Unpack[Pruning],
) -> bool:
    """Whether clearing old outputs of tools would save enough to be worth it."""
    found = pruning(messages, model=model, policy=policy, format=format, tokenizer=tokenizer, **settings)
    return found["is_worth_it"]


def model_budget(
    model: str,
    *,
    tokens: int | None = None,
    policy: str | None = None,
    reserves: Reserves | None = None,
    threshold: float | None = None,
    target: float | None = None,
    window: int | None = None,
) -> dict[str, Any]:
    """A model's window and every number that follows from it: what `enfold models MODEL --json` prints.

    With `tokens`, `history` says whether messages of that size are over the threshold or near the end.
    """
    options = {
        "model": model,
        "policy": policy,
        "reserves": reserves,
        "threshold": threshold,
        "target": target,
        "window": window,
    }
    told: dict[str, Any] = json.loads(_native.model_budget(options, tokens))
    return told


def add_intent(tools: Any, names: list[str] | None = None) -> Any:
    """Tool definitions with an optional field `intent`, in which the model says why it changes something.

    A definition, a list of them or a whole request, in any of the wire formats. Those of these names; without names, those that
    are known to change files.
    """
    return json.loads(_native.add_intent(json.dumps(tools, ensure_ascii=False), names or []))


def _asked(what: str, own: dict[str, Any], messages: Messages, options: dict[str, Any]) -> Any:
    said = {name: value for name, value in own.items() if value is not None}
    return json.loads(_native.facts(what, json.dumps(said), messages, options))
