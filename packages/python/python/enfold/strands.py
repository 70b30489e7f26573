"""Strands Agents: folds each request of an agent, never its messages.

    from strands import Agent
    from strands.agent.conversation_manager import NullConversationManager
    from enfold.strands import EnfoldPlugin

    agent = Agent(plugins=[EnfoldPlugin(budget="100k")], conversation_manager=NullConversationManager())

A provider's overflow (`ContextWindowOverflowException`) is answered with a harder fold and one more try. Conversation managers other than
the null one rewrite the agent's messages: leave them out.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Any

from strands.middleware import InvokeModelStage
from strands.plugins import Plugin
from strands.types.exceptions import ContextWindowOverflowException

from enfold._folder import Folder, prepare, restored
from enfold._native import View
from enfold._session import HookOptions, Session

if TYPE_CHECKING:
    from typing_extensions import Unpack


class EnfoldPlugin(Plugin):
    """Folds what an agent sends. Options are those of `enfold.Session`."""

    name = "enfold"

    def __init__(self, *, session: Session | None = None, **options: Unpack[HookOptions]) -> None:
        super().__init__()
        self._folder = Folder(session=session, format="anthropic", **options)

    def init_agent(self, agent: Any) -> None:
        """Stands around each call of the agent's model."""
        agent.add_middleware(InvokeModelStage, self._around)

    async def _around(
        self, context: Any, call: Callable[[Any], AsyncGenerator[Any, None]]
    ) -> AsyncGenerator[Any, None]:
        own = context.messages
        written = [_written(message) for message in own]
        session = self._folder.session(id(context.agent), written)
        session.surround(_prompt(context.system_prompt), [_tool(spec) for spec in context.tool_specs] or None)
        view = await prepare(session, written)
        said = False
        try:
            async for event in call(context.replace(messages=_read(own, written, view))):
                said = said or "event" in event
                yield event
            return
        except ContextWindowOverflowException:
            if said:
                raise
            session.overflowed()
        view = await session.aprepare(written)
        async for event in call(context.replace(messages=_read(own, written, view))):
            yield event


def _written(message: Any) -> dict[str, Any]:
    """A message as Anthropic has it, block by block."""
    return {"role": message["role"], "content": [_block(block) for block in message["content"]]}


def _block(block: Any) -> dict[str, Any]:
    if "text" in block:
        return {"type": "text", "text": block["text"]}
    if "toolUse" in block:
        use = block["toolUse"]
        return {"type": "tool_use", "id": use["toolUseId"], "name": use["name"], "input": use["input"]}
    if "toolResult" in block:
        result = block["toolResult"]
        content = [{"type": "text", "text": _told(item)} for item in result["content"]]
        written = {"type": "tool_result", "tool_use_id": result["toolUseId"], "content": content}
        return {**written, "is_error": True} if result.get("status") == "error" else written
    reasoning = block.get("reasoningContent", {}).get("reasoningText")
    if reasoning is not None:
        return {"type": "thinking", "thinking": reasoning["text"], "signature": reasoning.get("signature") or ""}
    # What is no text stays as it is: its kind stands in for it.
    return {"type": "text", "text": f"[{next(iter(block), 'nothing')}]"}


def _told(item: Any) -> str:
    """What a tool's result says."""
    if "text" in item:
        return str(item["text"])
    if "json" in item:
        return json.dumps(item["json"], ensure_ascii=False, default=str)
    return f"[{next(iter(item), 'nothing')}]"


def _read(own: list[Any], written: list[dict[str, Any]], view: View) -> list[Any]:
    messages: list[Any] = []
    for message, (kind, place) in zip(view.messages, view.origins, strict=True):
        if place is None:
            messages.append({"role": message["role"], "content": [{"text": text} for text in _texts(message)]})
        elif kind == "same":
            messages.append(own[place])
        else:
            content = _content(message, written[place], own[place])
            messages.append({**own[place], "content": content})
    return messages


def _content(message: dict[str, Any], written: dict[str, Any], own: Any) -> list[Any]:
    """The blocks of a folded message; those that nothing changed are the agent's own."""
    results = {it["toolResult"]["toolUseId"]: it["toolResult"] for it in own["content"] if "toolResult" in it}

    def made(block: dict[str, Any]) -> dict[str, Any]:
        if block["type"] != "tool_result":
            return {"text": block.get("text", "")}
        result = results[block["tool_use_id"]]
        before = [{"type": "text", "text": _told(item)} for item in result["content"]]
        said = block.get("content") or []
        items = [{"type": "text", "text": said}] if isinstance(said, str) else said
        content = restored(items, before, result["content"], lambda item: {"text": item.get("text", "")})
        return {"toolResult": {**result, "content": content}}

    blocks = message["content"]
    if isinstance(blocks, str):
        blocks = [{"type": "text", "text": blocks}]
    return restored(blocks, written["content"], own["content"], made)


def _texts(message: dict[str, Any]) -> list[str]:
    content = message["content"]
    return [content] if isinstance(content, str) else [str(block.get("text", "")) for block in content]


def _prompt(given: Any) -> str | None:
    if given is None or isinstance(given, str):
        return given
    return "\n".join(block["text"] for block in given if "text" in block) or None


def _tool(spec: Any) -> dict[str, Any]:
    schema = spec["inputSchema"]
    return {
        "name": spec["name"],
        "description": spec["description"],
        "input_schema": schema.get("json", schema),
    }
