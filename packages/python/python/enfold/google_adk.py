"""Google's Agent Development Kit: folds each request of an app's agents, never its session.

    from google.adk.apps import App
    from enfold.google_adk import EnfoldPlugin

    app = App(name="app", root_agent=agent, plugins=[EnfoldPlugin(budget="100k")])

Contents and parts that no fold touches are the session's own objects; what is folded is a copy. A provider's overflow is answered
with a harder fold and one more try.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

from enfold._folder import MOST, Folder, is_overflow, prepare, restored
from enfold._native import View
from enfold._session import HookOptions, Session

if TYPE_CHECKING:
    from google.adk.agents.callback_context import CallbackContext
    from google.adk.models.llm_request import LlmRequest
    from google.adk.models.llm_response import LlmResponse
    from typing_extensions import Unpack


class EnfoldPlugin(BasePlugin):
    """Folds what the agents of an app send. Options are those of `enfold.Session`."""

    def __init__(self, *, session: Session | None = None, **options: Unpack[HookOptions]) -> None:
        super().__init__(name="enfold")
        self._folder = Folder(session=session, format="gemini", **options)
        # What the last request of a conversation was made of, in case it is refused.
        self._whole: dict[Hashable, list[types.Content]] = {}

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Puts the contents of a view in place of the request's."""
        own = list(llm_request.contents)
        if len(self._whole) >= MOST:
            self._whole.clear()
        self._whole[_conversation(callback_context)] = own
        await self._fold(callback_context, llm_request, own, harder=False)
        return None

    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> LlmResponse | None:
        """Once more where the provider says that it was too long."""
        own = self._whole.pop(_conversation(callback_context), None)
        agent: Any = callback_context.get_invocation_context().agent
        if own is None or not is_overflow(error) or not hasattr(agent, "canonical_model"):
            return None
        await self._fold(callback_context, llm_request, own, harder=True)
        answer: LlmResponse | None = None
        async for answer in agent.canonical_model.generate_content_async(llm_request, stream=False):
            pass
        return answer

    async def _fold(
        self, context: CallbackContext, request: LlmRequest, own: list[types.Content], harder: bool
    ) -> None:
        written = [_written(content) for content in own]
        session = self._folder.session(_conversation(context), written)
        tools = [_written(tool) for tool in request.config.tools or [] if isinstance(tool, types.Tool)]
        session.surround(_instruction(request.config.system_instruction), tools or None)
        if harder:
            session.overflowed()
        request.contents = _read(own, written, await prepare(session, written))


def _conversation(context: CallbackContext) -> Hashable:
    """Agents of one session see parts of it, each its own."""
    return (context.session.id, context.agent_name, context.get_invocation_context().branch)


def _written(value: types.Content | types.Tool) -> dict[str, Any]:
    """As Gemini is sent it."""
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def _instruction(given: Any) -> Any:
    return _written(given) if isinstance(given, types.Content) else given if isinstance(given, str) else None


def _read(own: list[types.Content], written: list[dict[str, Any]], view: View) -> list[types.Content]:
    contents: list[types.Content] = []
    for message, (kind, place) in zip(view.messages, view.origins, strict=True):
        if place is None:
            contents.append(types.Content.model_validate(message))
        elif kind == "same":
            contents.append(own[place])
        else:
            before, parts = written[place].get("parts", []), own[place].parts or []
            kept = restored(message.get("parts", []), before, parts, types.Part.model_validate)
            contents.append(own[place].model_copy(update={"parts": kept}))
    return contents
