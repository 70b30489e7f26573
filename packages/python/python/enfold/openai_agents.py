"""OpenAI Agents SDK: folds what a run sends to the model, never what its session keeps.

    from agents import RunConfig, Runner
    from enfold.openai_agents import fold_input

    await Runner.run(agent, task, run_config=RunConfig(call_model_input_filter=fold_input(budget="100k")))

Items that no fold touches are the very dicts of the run, which the SDK tracks by identity. `fold_model` wraps a model instead: it
counts the tools too, and answers a provider's overflow with a harder fold and one more try. With `conversation_id` or
`previous_response_id` the server holds the history: then neither has anything to do.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from agents.models.interface import Model
from agents.run import CallModelData, ModelInputData

from enfold._folder import Folder, awaiting_answer, prepare
from enfold._session import HookOptions, Session

if TYPE_CHECKING:
    from typing_extensions import Unpack


def fold_input(
    *, session: Session | None = None, **options: Unpack[HookOptions]
) -> Callable[[CallModelData[Any]], Any]:
    """A filter for `RunConfig(call_model_input_filter=…)`. Options are those of `enfold.Session`."""
    folder = Folder(session=session, format="openai-responses", **options)

    async def filter(data: CallModelData[Any]) -> ModelInputData:
        items, instructions = list(data.model_data.input), data.model_data.instructions
        running = folder.session(None, items)
        running.surround(instructions, None)
        view = await prepare(running, items)
        return ModelInputData(input=view.messages, instructions=view.system or instructions)

    return filter


def fold_model(model: Model, /, *, session: Session | None = None, **options: Unpack[HookOptions]) -> Model:
    """A model that folds what it is asked. For `Agent(model=…)`."""
    return _FoldingModel(model, Folder(session=session, format="openai-responses", **options))


class _FoldingModel(Model):
    def __init__(self, inner: Model, folder: Folder) -> None:
        self._inner = inner
        self._folder = folder

    async def get_response(self, system_instructions: Any, input: Any, *rest: Any, **more: Any) -> Any:
        if isinstance(input, str) or _is_elsewhere(more):
            return await self._inner.get_response(system_instructions, input, *rest, **more)
        session, items = self._session(system_instructions, input, rest, more)
        view = await prepare(session, items)
        try:
            with awaiting_answer(session):
                return await self._inner.get_response(view.system or system_instructions, view.messages, *rest, **more)
        except Exception as error:
            if not _is_overflow(error):
                raise
            session.overflowed()
            view = await session.aprepare(items)
            with awaiting_answer(session):
                return await self._inner.get_response(view.system or system_instructions, view.messages, *rest, **more)

    async def stream_response(
        self, system_instructions: Any, input: Any, *rest: Any, **more: Any
    ) -> AsyncIterator[Any]:
        if not isinstance(input, str) and not _is_elsewhere(more):
            session, items = self._session(system_instructions, input, rest, more)
            view = await prepare(session, items)
            with awaiting_answer(session):
                system = view.system or system_instructions
                async for event in self._inner.stream_response(system, view.messages, *rest, **more):
                    yield event
            return
        async for event in self._inner.stream_response(system_instructions, input, *rest, **more):
            yield event

    def _session(self, instructions: Any, input: Any, rest: Any, more: Any) -> tuple[Session, list[Any]]:
        items = list(input)
        session = self._folder.session(None, items)
        tools = more.get("tools", rest[1] if len(rest) > 1 else [])
        session.surround(instructions, [_definition(tool) for tool in tools] or None)
        return session, items


def _is_elsewhere(more: dict[str, Any]) -> bool:
    """Whether the server holds the history."""
    return bool(more.get("previous_response_id") or more.get("conversation_id"))


def _is_overflow(error: Exception) -> bool:
    """The SDK has no type for it; OpenAI's client has a code."""
    code = getattr(error, "code", None)
    return code == "context_length_exceeded" or "context_length_exceeded" in str(error)


def _definition(tool: Any) -> dict[str, Any]:
    schema = getattr(tool, "params_json_schema", None)
    described = {"type": "function", "name": tool.name, "description": getattr(tool, "description", "")}
    return {**described, "parameters": schema} if schema is not None else described
