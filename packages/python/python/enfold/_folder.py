"""What the hooks for frameworks share: a session per conversation."""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from enfold import _native
from enfold._native import View
from enfold._session import Session, SessionOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

# Conversations that are remembered. One that was forgotten begins again: valid, with a new epoch.
MOST = 256


class Folder:
    """Sessions by conversation. Many threads may call it."""

    def __init__(
        self, *, session: Session | None = None, most: int = MOST, **options: Unpack[SessionOptions]
    ) -> None:
        # Hooks have a clock: a cache that grew cold is a chance to fold.
        self._options: SessionOptions = {"now": time.time, **options}
        self._session = session
        if session is not None:
            session.begin_clock(options.get("now"))
        self._most = most
        self._sessions: OrderedDict[Hashable, Session] = OrderedDict()
        self._lock = threading.Lock()
        if session is None:
            # A wrong option is told now, not with the first request.
            Session(**self._options)

    def session(self, conversation: Hashable, messages: list[Any]) -> Session:
        """The session of a conversation. One without a name is known by its first message."""
        if self._session is not None:
            return self._session
        key = conversation if conversation is not None else ("first", repr(messages[0]) if messages else "")
        with self._lock:
            session = self._sessions.pop(key, None) or Session(**self._options)
            self._sessions[key] = session
            while len(self._sessions) > self._most:
                self._sessions.popitem(last=False)
        return session

    def recall(self, conversation: Hashable, handle: str) -> str | None:
        """The original behind a handle, in that conversation; in any, if it has no name."""
        with self._lock:
            known = list(self._sessions.items())
        if self._session is not None:
            return self._session.recall(handle)
        sessions = [it for key, it in known if conversation is None or key == conversation]
        found = (session.recall(handle) for session in sessions)
        return next((original for original in found if original is not None), None)


@contextmanager
def awaiting_answer(session: Session) -> Iterator[None]:
    """Around a call of the model: when it returns, the provider has just looked at its cache."""
    try:
        yield
    finally:
        session.answered()


def is_long(messages: list[Any], session: Session) -> bool:
    """Whether much is new, so that `async` code had better fold on another thread."""
    is_asked = session._is_asynchronous
    return is_asked or session.is_full() or len(messages) - len(session) > 50


async def prepare(session: Session, messages: list[Any]) -> View:
    """What to send, without holding up the event loop."""
    if is_long(messages, session):
        return await session.aprepare(messages)
    return session.prepare(messages)


def is_overflow(error: BaseException) -> bool:
    """Whether an error of a client says that the request was too long."""
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    said = json.dumps({"error": {"message": str(error)}})
    return _native.is_overflow(status if isinstance(status, int) and 0 < status < 1_000 else 400, said)


def restored(
    view: Iterable[Any], written: Iterable[Any], own: Iterable[Any], make: Callable[[Any], Any]
) -> list[Any]:
    """Parts of a folded message as the host has them: its own where they are as they were written, else made anew."""
    left = list(zip(written, own, strict=True))
    found: list[Any] = []
    for part in view:
        place = next((nth for nth, (text, _) in enumerate(left) if text == part), None)
        found.append(make(part) if place is None else left.pop(place)[1])
    return found
