"""LiteLLM: folds the messages of each call, whichever provider it goes to.

    import litellm
    from enfold.litellm import EnfoldCallback

    litellm.callbacks = [EnfoldCallback(budget="100k")]      # reaches acompletion and Router.acompletion

LiteLLM calls no such hook for `litellm.completion`, and none when a provider refuses: `completion` and `acompletion` of this module
fold too, and answer an overflow (`ContextWindowExceededError`) with a harder fold and one more try.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import litellm
from litellm.exceptions import ContextWindowExceededError
from litellm.integrations.custom_logger import CustomLogger

from enfold._folder import Folder, awaiting_answer, prepare
from enfold._session import HookOptions, Session

if TYPE_CHECKING:
    from typing_extensions import Unpack


class EnfoldCallback(CustomLogger):
    """Folds the messages of asynchronous calls. Options are those of `enfold.Session`."""

    def __init__(self, *, session: Session | None = None, **options: Unpack[HookOptions]) -> None:
        super().__init__()
        self._folder = Folder(session=session, **options)

    async def async_pre_call_deployment_hook(
        self, kwargs: dict[str, Any], call_type: Any
    ) -> dict[str, Any] | None:
        """What LiteLLM is to send instead."""
        messages = kwargs.get("messages")
        if not isinstance(messages, list) or not messages:
            return None
        running = self._folder.session(_conversation(kwargs), messages)
        running.surround(None, kwargs.get("tools"))
        view = await prepare(running, messages)
        return {**kwargs, "messages": view.messages}


class Completions:
    """`completion` and `acompletion` that fold. Options are those of `enfold.Session`.

        llm = enfold.litellm.Completions(budget="100k")
        llm.completion(model="gpt-4o", messages=messages)
    """

    def __init__(self, *, session: Session | None = None, **options: Unpack[HookOptions]) -> None:
        self._folder = Folder(session=session, **options)

    def completion(self, *, messages: list[Any], **kwargs: Any) -> Any:
        """`litellm.completion` of the folded messages."""
        session = self._session(messages, kwargs)
        view = session.prepare(messages)
        try:
            with awaiting_answer(session):
                return litellm.completion(messages=view.messages, **kwargs)
        except ContextWindowExceededError:
            session.overflowed()
            view = session.prepare(messages)
            with awaiting_answer(session):
                return litellm.completion(messages=view.messages, **kwargs)

    async def acompletion(self, *, messages: list[Any], **kwargs: Any) -> Any:
        """`litellm.acompletion` of the folded messages."""
        session = self._session(messages, kwargs)
        view = await prepare(session, messages)
        try:
            with awaiting_answer(session):
                return await litellm.acompletion(messages=view.messages, **kwargs)
        except ContextWindowExceededError:
            session.overflowed()
            view = await session.aprepare(messages)
            with awaiting_answer(session):
                return await litellm.acompletion(messages=view.messages, **kwargs)

    def _session(self, messages: list[Any], kwargs: dict[str, Any]) -> Session:
        session = self._folder.session(_conversation(kwargs), messages)
        session.surround(None, kwargs.get("tools"))
        return session


def _conversation(kwargs: dict[str, Any]) -> str | None:
    metadata = kwargs.get("metadata") or kwargs.get("litellm_metadata") or {}
    found = kwargs.get("litellm_session_id") or metadata.get("session_id")
    return None if found is None else str(found)
