"""A host's function that keeps originals where its agent can read them. It may be asynchronous."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import partial
from typing import TypedDict, TypeVar

from enfold._errors import BadOption


Done = TypeVar("Done")

# Not the loop's own threads: a function that is waited for may need those.
_threads = ThreadPoolExecutor(thread_name_prefix="enfold")


class PersistedFrom(TypedDict):
    """Where an original comes from."""

    # "unknown" where it is no tool's.
    tool_name: str
    # "rereadable", "non-reproducible", "ephemeral", "computational"; None for tools without one.
    category: str | None
    # The place of its message in your list.
    message_index: int | None


# Returns the path that the agent can read, or None where nothing was kept.
PersistResult = Callable[[str, PersistedFrom], "str | None | Awaitable[str | None]"]

# The loop that waits for the thread that folds: an asynchronous function runs there.
waiting_loop: ContextVar[asyncio.AbstractEventLoop | None] = ContextVar("waiting_loop", default=None)


def keeping(persist_result: PersistResult | None) -> Callable[[str, str], str | None] | None:
    """The function as the native part calls it: with a text, and with where that comes from as JSON."""
    if persist_result is None:
        return None
    if not callable(persist_result):
        raise BadOption(f"persist_result: expected a function, not a `{type(persist_result).__name__}`")

    def keep(content: str, place: str) -> str | None:
        found = json.loads(place)
        origin: PersistedFrom = {
            "tool_name": found["tool_name"] or "unknown",
            "category": found["category"],
            "message_index": found["message_index"],
        }
        path = persist_result(content, origin)
        return _awaited(path) if inspect.isawaitable(path) else path

    return keep


def is_asynchronous(persist_result: PersistResult | None) -> bool:
    """Whether calling it here would have to wait for the event loop that runs here."""
    return inspect.iscoroutinefunction(persist_result)


async def on_another_thread(call: Callable[..., Done], *words: object) -> Done:
    """Does it on another thread, while this loop goes on and runs what is asynchronous."""
    loop = asyncio.get_running_loop()
    context = copy_context()
    context.run(waiting_loop.set, loop)
    return await loop.run_in_executor(_threads, partial(context.run, call, *words))


def _awaited(path: Awaitable[str | None]) -> str | None:
    async def wait() -> str | None:
        return await path

    loop = waiting_loop.get()
    if loop is not None:
        return asyncio.run_coroutine_threadsafe(wait(), loop).result()
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait())
    if inspect.iscoroutine(path):
        path.close()
    raise BadOption("persist_result is asynchronous and cannot run in a loop that waits for it: call `aprepare`")
