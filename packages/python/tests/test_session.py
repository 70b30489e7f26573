"""Sessions in memory and in a database."""

from __future__ import annotations

import asyncio
import copy
from pathlib import Path
from typing import Any

import pytest
from histories import anthropic, chat

import enfold


def test_views_fit_and_within_an_epoch_only_grow() -> None:
    messages = chat(60)
    session = enfold.Session(budget=8_000)
    before: list[str] = []
    for end in range(1, len(messages) + 1, 2):
        view = session.prepare(messages[:end])
        assert view.tokens <= 8_000
        assert view.texts[: view.unchanged] == before[: view.unchanged]
        if view.opened is None:
            assert view.unchanged == len(before)
        before = view.texts
    assert session.epoch > 1
    assert len(session) == len(messages)


def test_a_list_that_comes_again_as_equal_objects_is_the_same_list() -> None:
    """A checkpointer reloads a thread: equal, new objects."""
    messages = chat(40)
    kept, reloaded = enfold.Session(budget=8_000), enfold.Session(budget=8_000)
    for end in range(1, len(messages) + 1, 2):
        one, other = kept.prepare(messages[:end]), reloaded.prepare(copy.deepcopy(messages[:end]))
        assert (one.texts, one.epoch, one.unchanged) == (other.texts, other.epoch, other.unchanged)
    assert kept.epoch > 0


def test_a_dict_changed_in_place_is_noticed() -> None:
    messages = chat(5)
    session = enfold.Session(budget=50_000)
    session.prepare(messages)
    messages[4]["content"] = "changed"
    view = session.prepare(messages)
    assert (view.opened, view.unchanged) == ("rewritten", 4)
    assert '"changed"' in view.texts[4]
    messages[3]["tool_calls"][0]["function"]["name"] = "sh"
    assert session.prepare(messages).unchanged == 3


def test_a_changed_view_does_not_change_the_next_one() -> None:
    """A client that writes into what it is given (cache markers, say) must not spoil what comes after."""
    messages = chat(40)
    session = enfold.Session(budget=8_000)
    view = session.prepare(messages[:-2])
    texts = view.texts
    for message, (kind, _) in zip(view.messages, view.origins, strict=True):
        if kind != "same":
            message["content"] = "spoiled"
    again = session.prepare(messages[:-2])
    assert again.texts == texts
    assert not any(message["content"] == "spoiled" for message in again.messages)


def test_pushing_is_syncing() -> None:
    messages = chat(30)
    pushed, synced = enfold.Session(budget=8_000), enfold.Session(budget=8_000)
    for message in messages:
        pushed.push(message)
    assert synced.sync(messages) is True
    assert pushed.prepare().texts == synced.prepare().texts
    assert pushed.prepare().messages[0] is messages[0]


def test_recall_overflow_settle_and_checkpoint() -> None:
    messages = chat(40)
    session = enfold.Session(budget=20_000, format="openai-chat")
    view = session.prepare(messages)
    handle, original = next(iter(view.originals.items()))
    assert session.recall(handle) == original
    assert session.recall("#000000000") is None
    with pytest.raises(enfold.BadOption, match="nine digits"):
        session.recall("that one")
    session.overflowed()
    smaller = session.prepare()
    assert smaller.tokens < view.tokens
    checkpoint = session.checkpoint()
    assert checkpoint is not None
    other = enfold.Session(budget=20_000, format="openai-chat")
    other.sync(messages)
    other.reopen(checkpoint)
    assert other.prepare().texts == smaller.texts
    session.report(smaller.tokens)
    session.settle()


def test_a_model_may_be_asked() -> None:
    session = enfold.Session(budget=8_000, policy="summarize", asks=True)
    view = session.prepare(chat(40))
    asked = session.ask(view, window=30_000)
    assert asked is not None and "make 3" in asked["user"]
    with pytest.raises(enfold.BadInput, match="not used"):
        session.answer(asked["key"], "")
    session.give_up(asked["key"])
    assert session.prepare().texts == view.texts


def test_system_and_tools_of_a_session() -> None:
    session = enfold.Session(budget=20_000, format="anthropic", system="Be brief.")
    assert session.prepare(anthropic(3)).system == "Be brief."
    session.surround("Be kind.", None)
    assert session.prepare(anthropic(3)).system == "Be kind."


def test_async_twins_give_the_same() -> None:
    messages = chat(40)
    view = asyncio.run(enfold.Session(budget=8_000).aprepare(messages))
    assert view.texts == enfold.Session(budget=8_000).prepare(messages).texts


def test_a_stored_session_goes_on_in_another_process(tmp_path: Path) -> None:
    path = str(tmp_path / "sessions.db")
    messages = chat(40)
    heard: list[enfold.Event] = []
    with enfold.StoredSession(path, "s", budget=8_000, format="openai-chat", on_event=heard.append) as first:
        view = first.prepare(messages)
        assert view.messages[0] is messages[0]
    assert heard[0]["type"] == "compaction:start"
    second = enfold.StoredSession(path, "s", budget=8_000)
    assert (len(second), second.format, second.id) == (len(messages), "openai-chat", "s")
    again = second.prepare(copy.deepcopy(messages))
    assert again.epoch >= view.epoch
    handle, original = next(iter(view.originals.items()))
    assert second.recall(handle) == original
    assert second.find("make")[0]["message"] > 0
    assert asyncio.run(second.aprepare()).texts == again.texts


def test_a_session_called_from_its_own_event_is_told_so(tmp_path: Path) -> None:
    codes: list[str] = []

    def call(_: enfold.Event) -> None:
        try:
            len(session)
        except enfold.Reentered as error:
            codes.append(error.code)

    session = enfold.StoredSession(
        str(tmp_path / "s.db"), "s", budget=8_000, format="openai-chat", on_event=call
    )
    session.prepare(chat(40))
    assert codes and set(codes) == {"reentered"}


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    with pytest.raises(enfold.BadOption, match="say its format"):
        enfold.StoredSession(str(tmp_path / "s.db"), "s", budget=8_000)
    with pytest.raises(enfold.StoreError):
        enfold.StoredSession("/proc/nowhere/s.db", "s", budget=8_000, format="openai-chat")
