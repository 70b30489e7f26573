"""pydantic-ai: folds each request of an agent, never its history.

    from pydantic_ai import Agent
    from enfold.pydantic_ai import Enfold

    agent = Agent(model, capabilities=[Enfold(budget="100k")])

Parts that no fold touches are the history's own objects. A provider's overflow (`ModelContextWindowExceededError`) is answered with a
harder fold and one more try. For versions before 2.66, which have no such capability, `FoldingModel` wraps the model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from pydantic_ai.models.wrapper import WrapperModel

from enfold._folder import Folder, prepare
from enfold._native import View
from enfold._session import HookOptions, Session

if TYPE_CHECKING:
    from typing_extensions import Unpack

try:
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.exceptions import ModelContextWindowExceededError, RetryModelRequest
except ImportError:  # before 2.66
    AbstractCapability = None  # type: ignore[assignment,misc,unused-ignore]


class FoldingModel(WrapperModel):
    """A model that folds what it is asked. Options are those of `enfold.Session`."""

    def __init__(self, wrapped: Any, *, session: Session | None = None, **options: Unpack[HookOptions]) -> None:
        super().__init__(wrapped)
        self._folder = Folder(session=session, format="openai-chat", **options)

    async def request(self, messages: list[ModelMessage], *rest: Any, **more: Any) -> ModelResponse:
        """Folds, then asks."""
        return await super().request(await _folded(self._folder, None, messages), *rest, **more)


if AbstractCapability is not None:

    class Enfold(AbstractCapability[Any]):
        """Folds what an agent sends. Options are those of `enfold.Session`."""

        def __init__(self, *, session: Session | None = None, **options: Unpack[HookOptions]) -> None:
            self._folder = Folder(session=session, format="openai-chat", **options)

        async def prepare_model_request(self, ctx: Any, request_context: Any) -> Any:
            """The request with the messages of a view."""
            conversation = getattr(ctx, "conversation_id", None)
            harder = getattr(request_context, "attempt", 1) > 1
            request_context.messages = await _folded(
                self._folder, conversation, request_context.messages, harder=harder
            )
            return request_context

        async def on_model_request_error(self, ctx: Any, *, request_context: Any, error: Exception) -> Any:
            """Once more where the provider says that it was too long."""
            if isinstance(error, ModelContextWindowExceededError) and request_context.attempt == 1:
                raise RetryModelRequest()
            raise error


async def _folded(
    folder: Folder, conversation: str | None, messages: Sequence[ModelMessage], harder: bool = False
) -> list[ModelMessage]:
    written, places = _written(messages)
    session = folder.session(conversation, written)
    if harder:
        session.overflowed()
    view = await prepare(session, written)
    return _read(messages, view, places)


# A message of OpenAI Chat stands for a whole response, or for one part of a request.
Place = tuple[int, int | None]


def _written(messages: Sequence[ModelMessage]) -> tuple[list[dict[str, Any]], list[Place]]:
    """The messages as OpenAI Chat has them, and where each comes from."""
    written: list[dict[str, Any]] = []
    places: list[Place] = []
    for nth, message in enumerate(messages):
        if isinstance(message, ModelResponse):
            written.append(_answer(message))
            places.append((nth, None))
            continue
        for at, part in enumerate(message.parts):
            written.append(_asked(part))
            places.append((nth, at))
    return written, places


def _answer(message: ModelResponse) -> dict[str, Any]:
    texts = [{"type": "text", "text": part.content} for part in message.parts if isinstance(part, TextPart)]
    calls = [_call(part) for part in message.parts if isinstance(part, ToolCallPart)]
    written: dict[str, Any] = {"role": "assistant", "content": texts or None}
    return {**written, "tool_calls": calls} if calls else written


def _call(part: ToolCallPart) -> dict[str, Any]:
    arguments = part.args if isinstance(part.args, str) else json.dumps(part.args or {}, ensure_ascii=False)
    return {"id": part.tool_call_id, "type": "function", "function": {"name": part.tool_name, "arguments": arguments}}


def _asked(part: Any) -> dict[str, Any]:
    if isinstance(part, SystemPromptPart):
        return {"role": "system", "content": part.content}
    if isinstance(part, ToolReturnPart):
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response_str()}
    if isinstance(part, UserPromptPart):
        return {"role": "user", "content": _said(part.content)}
    # A retry prompt answers a call if it names one.
    text = part.model_response() if hasattr(part, "model_response") else str(part)
    if getattr(part, "tool_name", None) is not None:
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": text}
    return {"role": "user", "content": text}


def _said(content: Any) -> Any:
    if isinstance(content, str):
        return content
    # What is no text (images, files) is not folded: a note of its kind stands in for it in the count.
    return [{"type": "text", "text": it if isinstance(it, str) else f"[{type(it).__name__}]"} for it in content]


def _read(messages: Sequence[ModelMessage], view: View, places: list[Place]) -> list[ModelMessage]:
    """The view as messages: the history's own parts where nothing changed."""
    made: list[ModelMessage] = []
    parts: dict[int, list[Any]] = {}
    for message, (kind, place) in zip(view.messages, view.origins, strict=True):
        if place is None:
            made.append(ModelRequest(parts=[UserPromptPart(content=_text(message))]))
            continue
        nth, at = places[place]
        own = messages[nth]
        if isinstance(own, ModelResponse):
            made.append(own if kind == "same" else _response(own, message))
            continue
        part = own.parts[at or 0]
        if nth not in parts:
            parts[nth] = []
            made.append(own)
        parts[nth].append(part if kind == "same" else _part(part, message))
    own_parts = {id(messages[nth]): kept for nth, kept in parts.items()}
    return [_request(it, own_parts.get(id(it))) for it in made]


def _request(message: ModelMessage, parts: list[Any] | None) -> ModelMessage:
    if parts is None or not isinstance(message, ModelRequest):
        return message
    is_same = len(parts) == len(message.parts) and all(a is b for a, b in zip(parts, message.parts, strict=True))
    return message if is_same else replace(message, parts=parts)


def _part(part: Any, message: dict[str, Any]) -> Any:
    return replace(part, content=_text(message))


def _response(own: ModelResponse, message: dict[str, Any]) -> ModelResponse:
    """The response with the texts that are left of it. Its calls are never edited."""
    content = message.get("content") or []
    texts = iter([content] if isinstance(content, str) else [block["text"] for block in content])
    parts: list[Any] = []
    for part in own.parts:
        if not isinstance(part, TextPart):
            parts.append(part)
            continue
        text = next(texts, None)
        if text is not None:
            parts.append(part if text == part.content else replace(part, content=text))
    return replace(own, parts=parts)


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(block.get("text", "") for block in content)


__all__ = ["Enfold", "FoldingModel"] if AbstractCapability is not None else ["FoldingModel"]
