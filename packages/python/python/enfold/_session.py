"""Sessions: what to send, request after request."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypedDict

from enfold import _native
from enfold._native import View
from enfold._persist import PersistResult, is_asynchronous, keeping, on_another_thread
from enfold._settings import Settings
from enfold._warmth import Clock, Warmth

if TYPE_CHECKING:
    from typing_extensions import Unpack

# Messages as a provider takes them, or the text of a whole session file.
Messages = Iterable[Any] | str | bytes
Budget = int | float | str


class CommonOptions(Settings, total=False):
    """What is the same wherever something is folded."""

    budget: Budget | None
    model: str | None
    policy: str | None
    system: Any
    tools: list[Any] | None
    name: str | None
    secret: str | None
    persist_result: PersistResult | None


class HookOptions(CommonOptions, total=False):
    """How a hook folds: as `Session`, in the format that its framework has."""

    cache_seconds: float | None
    now: Clock | None


class FoldOptions(CommonOptions, total=False):
    """How `fold` folds."""

    format: str | None


class SessionOptions(FoldOptions, total=False):
    """How a `Session` folds."""

    asks: bool
    cache_seconds: float | None
    now: Clock | None


class Event(TypedDict):
    """Something that happened in a session: `prune:complete`, `compaction:start`, …"""

    type: str
    data: dict[str, Any]


class Question(TypedDict):
    """What a model may be asked for a summary."""

    key: str
    system: str
    user: str
    max_tokens: int
    temperature: float


class Prunable(TypedDict):
    """What clearing old outputs of tools would bring."""

    is_worth_it: bool
    outputs: int
    tokens: int
    tools: list[str]


class Session(_native.Session):
    """A running session in memory. Give it what happened, send what it prepares.

    Between epochs a view only grows at its end, so the provider's prompt cache holds. Many threads may call one session; they
    wait for each other. Methods that begin with `a` are the same for `async` code: the work is done on another thread.
    """

    _warmth: Warmth | None
    _is_asynchronous: bool

    def __new__(
        cls,
        *,
        budget: Budget | None = None,
        model: str | None = None,
        policy: str | None = None,
        format: str | None = None,
        system: Any = None,
        tools: list[Any] | None = None,
        name: str | None = None,
        secret: str | None = None,
        asks: bool = False,
        persist_result: PersistResult | None = None,
        cache_seconds: float | None = None,
        now: Clock | None = None,
        **settings: Unpack[Settings],
    ) -> Session:
        options = {
            "budget": budget,
            "model": model,
            "policy": policy,
            "format": format,
            "system": system,
            "tools": tools,
            "name": name,
            "secret": secret,
            "asks": asks,
            "cache_seconds": cache_seconds,
            **settings,
        }
        session = super().__new__(cls, options, keeping(persist_result))
        session._warmth = None if now is None else Warmth(session.cache_seconds, now)
        session._is_asynchronous = is_asynchronous(persist_result)
        return session

    def prepare(self, messages: Iterable[Any] | None = None, cold: bool | None = None) -> View:
        """What to send now. With a list, what is new in it is taken in first; only that is converted.

        `cold` says that the provider has forgotten the last request: then folding costs nothing. A session with a clock (`now`)
        knows by itself.
        """
        if cold is None:
            cold = self._warmth is not None and self._warmth.is_cold()
        view = super().prepare(messages, cold)
        self.answered()
        return view

    def begin_clock(self, now: Clock | None) -> None:
        """Gives a session without a clock one: `time.time`, or yours. Hooks do."""
        if self._warmth is None:
            self._warmth = Warmth(self.cache_seconds, now)

    def answered(self) -> None:
        """The answer to the last view is here: from now on the provider's cache grows cold. For sessions with a clock."""
        if self._warmth is not None:
            self._warmth.use()

    async def aprepare(self, messages: Iterable[Any] | None = None, cold: bool | None = None) -> View:
        """`prepare` on another thread. The list may go on growing meanwhile: it is copied first."""
        given = None if messages is None else list(messages)
        return await on_another_thread(self.prepare, given, cold)

    async def asettle(self) -> View | None:
        """`settle` on another thread."""
        return await on_another_thread(self.settle)

    def ask(self, view: View, window: int = 128_000) -> Question | None:
        """What a model may be asked before this view is sent.

        The view is good without. Hand the answer to `answer` and prepare again for a better one.
        """
        if view.question is None:
            return None
        asked = self.question(view.question, window)
        if asked is None:
            return None
        read: Question = json.loads(asked)
        return read

    def pruning(self) -> Prunable:
        """What clearing old outputs of tools would bring now. Nothing is changed."""
        found: Prunable = json.loads(self.pruning_json())
        return found

    def needs_pruning(self) -> bool:
        """Whether clearing old outputs of tools would save enough to be worth it."""
        return self.pruning()["is_worth_it"]


class StoredSession(_native.StoredSession):
    """A session in a SQLite database: every original is stored before a view hides it, and another process can go on with it.

    `on_event` hears each event when it happens. It must not call the session.
    """

    _now: Clock | None
    _is_asynchronous: bool

    def __new__(
        cls,
        path: str,
        id: str,
        *,
        budget: Budget | None = None,
        model: str | None = None,
        policy: str | None = None,
        format: str | None = None,
        system: Any = None,
        tools: list[Any] | None = None,
        secret: str | None = None,
        summarizer: str | None = None,
        summarizer_url: str | None = None,
        blobs: str | None = None,
        cache_seconds: float | None = None,
        patience_seconds: float | None = None,
        on_event: Callable[[Event], object] | None = None,
        persist_result: PersistResult | None = None,
        now: Clock | None = None,
        **settings: Unpack[Settings],
    ) -> StoredSession:
        options = {
            "budget": budget,
            "model": model,
            "policy": policy,
            "format": format,
            "system": system,
            "tools": tools,
            "secret": secret,
            "summarizer": summarizer,
            "summarizer_url": summarizer_url,
            "blobs": blobs,
            "cache_seconds": cache_seconds,
            "patience_seconds": patience_seconds,
            **settings,
        }
        session = super().__new__(cls, str(path), id, options, on_event, keeping(persist_result))
        session._now = now
        session._is_asynchronous = is_asynchronous(persist_result)
        return session

    def prepare(self, messages: Iterable[Any] | None = None) -> View:
        """What to send now; of this list, if one is given. What it hides is stored when this returns."""
        if self._now is not None:
            self.at(self._now() * 1_000)
        return super().prepare(messages)

    async def aprepare(self, messages: Iterable[Any] | None = None) -> View:
        """`prepare` on another thread, for `async` code."""
        given = None if messages is None else list(messages)
        return await on_another_thread(self.prepare, given)

    async def asettle(self) -> View | None:
        """`settle` on another thread."""
        return await on_another_thread(self.settle)

    def find(self, query: str, limit: int = 20) -> list[dict[str, Any]]:
        """Messages that hold all words of a query, newest first: `message` and `snippet`."""
        found: list[dict[str, Any]] = json.loads(self.search(query, limit))
        return found

    def pruning(self) -> Prunable:
        """What clearing old outputs of tools would bring now. Nothing is changed."""
        found: Prunable = json.loads(self.pruning_json())
        return found

    def needs_pruning(self) -> bool:
        """Whether clearing old outputs of tools would save enough to be worth it."""
        return self.pruning()["is_worth_it"]

    def last_view(self) -> list[Any]:
        """The messages that were sent last, by another process too. Empty while nothing was folded."""
        return [json.loads(text) for text in self.last_texts()]

    def about(self) -> dict[str, Any]:
        """The session in figures: how often and when it was compacted, and who compacts it now (`lease`).

        What `enfold sessions show ID --json` prints.
        """
        figures: dict[str, Any] = json.loads(self.figures())
        return figures

    def compacted(self, since_compaction: bool = False) -> dict[str, Any]:
        """What became of each message: hidden or shortened, how, and the handles that open it.

        Of all, or of those since the last compaction. What `enfold sessions messages ID --json` prints.
        """
        fates: dict[str, Any] = json.loads(self.fates(since_compaction))
        return fates

    def __enter__(self) -> StoredSession:
        return self

    def __exit__(self, *_: object) -> None:
        """The work is done, also by an exception: what the next request need not hold is folded."""
        self.settle()
