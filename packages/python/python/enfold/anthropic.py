"""Anthropic's client: folds each request to `messages`, whoever makes it: your code, a tool runner, a framework that holds the client.

    import anthropic
    from enfold.anthropic import EnfoldMiddleware

    client = anthropic.Anthropic(middleware=[EnfoldMiddleware(budget="100k")])      # AsyncAnthropic alike

A provider's overflow is answered with a harder fold and one more try. Cache markers (`cache_control`) stay where the request has them, as
far as their messages do, and one stays at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anthropic import Middleware

from enfold._errors import CannotFit
from enfold._folder import Folder, awaiting_answer, prepare
from enfold._native import View, is_overflow
from enfold._session import HookOptions, Session

if TYPE_CHECKING:
    from typing_extensions import Unpack

_MARK = "cache_control"


class EnfoldMiddleware(Middleware):
    """Folds what a client sends. Options are those of `enfold.Session`."""

    def __init__(self, *, session: Session | None = None, **options: Unpack[HookOptions]) -> None:
        self._folder = Folder(session=session, format="anthropic", **options)

    def handle(self, request: Any, call_next: Any) -> Any:
        """Folds, and once more if the provider says that it was too long."""
        messages = _messages(request)
        if messages is None:
            return call_next(request)
        session, bare = self._session(request, messages)
        view = session.prepare(bare)
        with awaiting_answer(session):
            response = call_next(_answer(request, messages, view))
        if response.status_code != 400 or not is_overflow(400, response.text()):
            return response
        session.overflowed()
        try:
            view = session.prepare(bare)
        except CannotFit:
            return response
        with awaiting_answer(session):
            return call_next(_answer(request, messages, view))

    async def handle_async(self, request: Any, call_next: Any) -> Any:
        """The same for the asynchronous client; long work is done on another thread."""
        messages = _messages(request)
        if messages is None:
            return await call_next(request)
        session, bare = self._session(request, messages)
        view = await prepare(session, bare)
        with awaiting_answer(session):
            response = await call_next(_answer(request, messages, view))
        if response.status_code != 400 or not is_overflow(400, await response.text()):
            return response
        session.overflowed()
        try:
            view = await session.aprepare(bare)
        except CannotFit:
            return response
        with awaiting_answer(session):
            return await call_next(_answer(request, messages, view))

    def _session(self, request: Any, messages: list[Any]) -> tuple[Session, list[Any]]:
        """The conversation's session, and its messages without cache markers, which wander from request to request."""
        bare = [_unmarked(message) for message in messages]
        session = self._folder.session(None, bare)
        session.surround(request.json.get("system"), request.json.get("tools"))
        return session, bare


def _messages(request: Any) -> list[Any] | None:
    """The messages of a request that asks a model; not those that only count, or go in batches."""
    is_asked = request.method.lower() == "post" and request.url.partition("?")[0].endswith("/v1/messages")
    messages = request.json.get("messages") if is_asked and isinstance(request.json, dict) else None
    return messages if isinstance(messages, list) and messages else None


def _answer(request: Any, messages: list[Any], view: View) -> Any:
    """The request with the messages of a view: the caller's own, with their markers, where nothing changed."""
    sent = [
        messages[place] if kind == "same" and place is not None else message
        for message, (kind, place) in zip(view.messages, view.origins, strict=True)
    ]
    markers = [mark for message in messages for mark in _markers(message)]
    if markers and not any(_markers(message) for message in sent):
        sent[-1] = _marked(sent[-1], markers[-1])
    return request.copy(body={**request.json, "messages": sent})


def _blocks(message: Any) -> list[Any]:
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, list) else []


def _markers(message: Any) -> list[Any]:
    return [block[_MARK] for block in _blocks(message) if isinstance(block, dict) and _MARK in block]


def _unmarked(message: Any) -> Any:
    if not _markers(message):
        return message
    return {**message, "content": [_without(block) for block in message["content"]]}


def _without(block: Any) -> Any:
    return {key: it for key, it in block.items() if key != _MARK} if isinstance(block, dict) else block


def _marked(message: dict[str, Any], marker: Any) -> dict[str, Any]:
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    if not blocks or blocks[-1].get("type") in ("thinking", "redacted_thinking"):
        return message
    return {**message, "content": [*blocks[:-1], {**blocks[-1], _MARK: marker}]}
