"""LangChain and LangGraph: folds each request of an agent, never its state.

    from langchain.agents import create_agent
    from enfold.langchain import EnfoldMiddleware

    agent = create_agent(model, tools, middleware=[EnfoldMiddleware(budget="100k")])

Messages that no fold touches reach the model as the very objects of the state, with ids, artifacts and metadata. A provider's
overflow (`ContextOverflowError`) is answered with a harder fold and one more try.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.tools import ToolRuntime
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from langchain_core.utils.function_calling import convert_to_openai_tool

from enfold._folder import Folder, awaiting_answer, prepare
from enfold._native import View
from enfold._session import HookOptions, Session

if TYPE_CHECKING:
    from typing_extensions import Unpack

# Blocks in the content of an answer that repeat what its `tool_calls` say.
_CALLS = ("tool_use", "tool_call", "function_call", "server_tool_use")


class EnfoldMiddleware(AgentMiddleware[Any, Any]):
    """Folds what an agent sends. Options are those of `enfold.Session`; `recall=True` gives the agent a tool that opens folds."""

    def __init__(self, *, recall: bool = False, session: Session | None = None, **options: Unpack[HookOptions]) -> None:
        super().__init__()
        self._folder = Folder(session=session, format="openai-chat", **options)
        self._written = _Written()
        self.tools = [self._recall_tool()] if recall else []

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Folds, and once more if the provider says that it was too long."""
        session, messages = self._session(request)
        try:
            view = session.prepare(messages)
            with awaiting_answer(session):
                return handler(_answer(request, view))
        except ContextOverflowError:
            session.overflowed()
            view = session.prepare(messages)
            with awaiting_answer(session):
                return handler(_answer(request, view))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """The same for `async` agents; long work is done on another thread."""
        session, messages = self._session(request)
        try:
            view = await prepare(session, messages)
            with awaiting_answer(session):
                return await handler(_answer(request, view))
        except ContextOverflowError:
            session.overflowed()
            view = await session.aprepare(messages)
            with awaiting_answer(session):
                return await handler(_answer(request, view))

    def _session(self, request: ModelRequest[Any]) -> tuple[Session, list[Any]]:
        """The session of the thread, and the request's messages as OpenAI Chat has them."""
        own = _own(request)
        messages = [self._written.of(message) for message in own]
        session = self._folder.session(_thread(request.runtime), messages)
        tools = self._written.tools(request.tools)
        if tools is not None:
            session.surround(None, tools)
        return session, messages

    def _recall_tool(self) -> BaseTool:
        folder = self._folder

        @tool
        def unfold(handle: str, runtime: ToolRuntime) -> str:
            """Opens what was folded away. `handle` is the number after # in a note such as [12 lines #482913077]."""
            original = folder.recall(_thread(runtime), handle)
            return original if original is not None else f"There is nothing behind {handle}."

        return unfold


def _thread(runtime: Any) -> str | None:
    """The thread that a request or a call belongs to, where there is a checkpointer."""
    info = getattr(runtime, "execution_info", None)
    thread = getattr(info, "thread_id", None)
    if thread is None:
        config = getattr(runtime, "config", None) or {}
        thread = config.get("configurable", {}).get("thread_id")
    return None if thread is None else str(thread)


def _own(request: ModelRequest[Any]) -> list[BaseMessage]:
    system = [] if request.system_message is None else [request.system_message]
    return [*system, *request.messages]


def _answer(request: ModelRequest[Any], view: View) -> ModelRequest[Any]:
    """The request with the messages of a view."""
    own = _own(request)
    sent: list[Any] = []
    for message, (kind, place) in zip(view.messages, view.origins, strict=True):
        if place is None:
            sent.append(HumanMessage(content=message["content"]))
        elif kind == "same":
            sent.append(own[place])
        else:
            sent.append(_patched(own[place], message))
    system = request.system_message
    if system is not None and sent and isinstance(sent[0], SystemMessage):
        system = sent.pop(0)
    return request.override(messages=sent, system_message=system)


def _patched(own: BaseMessage, message: dict[str, Any]) -> BaseMessage:
    """A copy of the host's message that says what the folded one says; everything else stays."""
    content = message.get("content") or ""
    if isinstance(own.content, list) and isinstance(content, list):
        calls = [block for block in own.content if isinstance(block, dict) and block.get("type") in _CALLS]
        content = [*content, *calls]
    return own.model_copy(update={"content": content})


class _Written:
    """Messages as OpenAI Chat has them. A message that was written before and is the same is not written again."""

    # Messages that are remembered; beyond that everything is written again.
    MOST = 20_000

    def __init__(self) -> None:
        self._known: dict[int, tuple[BaseMessage, Any, Any, dict[str, Any]]] = {}
        self._tools: tuple[list[Any], list[Any]] | None = None

    def of(self, message: BaseMessage) -> dict[str, Any]:
        calls = getattr(message, "tool_calls", None)
        known = self._known.get(id(message))
        if known is not None and known[0] is message and known[1] is message.content and known[2] == calls:
            return known[3]
        written = _written(message)
        if len(self._known) >= self.MOST:
            self._known.clear()
        self._known[id(message)] = (message, message.content, list(calls or []), written)
        return written

    def tools(self, tools: list[Any]) -> list[Any] | None:
        """Tool definitions; None if they are those of the last time."""
        if self._tools is not None and self._tools[0] == tools:
            return None
        written = [it if isinstance(it, dict) else convert_to_openai_tool(it) for it in tools]
        self._tools = (list(tools), written)
        return written


def _written(message: BaseMessage) -> dict[str, Any]:
    content: Any = message.content
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": content}
    if isinstance(message, AIMessage):
        if isinstance(content, list):
            content = [it for it in content if not (isinstance(it, dict) and it.get("type") in _CALLS)]
        if not message.tool_calls:
            return {"role": "assistant", "content": content}
        return {"role": "assistant", "content": content or None, "tool_calls": [_call(it) for it in message.tool_calls]}
    role = "system" if isinstance(message, SystemMessage) else "user"
    return {"role": role, "content": content}


def _call(call: Any) -> dict[str, Any]:
    arguments = json.dumps(call["args"], ensure_ascii=False, separators=(",", ":"), default=str)
    return {"id": call["id"] or "", "type": "function", "function": {"name": call["name"], "arguments": arguments}}
