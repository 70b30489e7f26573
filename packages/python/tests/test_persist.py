"""`persist_result`: a function of the host's that keeps originals, also an asynchronous one; and the clocks of sessions."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import enfold

RESULT = "\n".join(f"src/file.rs:{line}: unused value_{line}" for line in range(400))


def commands(count: int) -> list[dict[str, Any]]:
    """So many commands, each with a long output of its own."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Make the tests pass."}]
    for nth in range(count):
        function = {"name": "Bash", "arguments": json.dumps({"command": f"make {nth}"})}
        call = {"id": f"c{nth}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{nth}", "content": f"{nth}\n{RESULT}"})
    return messages


class Keeper:
    def __init__(self) -> None:
        self.kept: list[tuple[str, enfold.PersistedFrom]] = []

    def now(self, content: str, place: enfold.PersistedFrom) -> str:
        self.kept.append((content, place))
        return f"/results/{len(self.kept)}.txt"

    async def later(self, content: str, place: enfold.PersistedFrom) -> str:
        await asyncio.sleep(0)
        return self.now(content, place)


def shown(view: enfold.View) -> str:
    return "".join(view.texts)


def test_fold_is_told_the_path_of_each_original() -> None:
    keeper, messages = Keeper(), commands(20)
    view = enfold.fold(messages, budget=60_000, policy="microcompact", persist_result=keeper.now)
    assert len(keeper.kept) > 3 and "full text: /results/1.txt" in shown(view)
    for content, place in keeper.kept:
        assert (place["tool_name"], place["category"]) == ("Bash", "non-reproducible")
        assert place["message_index"] is not None and messages[place["message_index"]]["content"] == content


def test_an_asynchronous_one_runs_in_the_loop_that_waits() -> None:
    keeper, loops = Keeper(), set()

    async def keep(content: str, place: enfold.PersistedFrom) -> str:
        loops.add(asyncio.get_running_loop())
        return await keeper.later(content, place)

    async def fold() -> tuple[enfold.View, enfold.View]:
        view = await enfold.fold_async(
            commands(20), budget=60_000, policy="microcompact", persist_result=keep
        )
        assert loops == {asyncio.get_running_loop()}
        session = enfold.Session(budget=60_000, policy="microcompact", persist_result=keep)
        return view, await session.aprepare(commands(20), cold=True)

    for view in asyncio.run(fold()):
        assert "full text: /results/" in shown(view)


def test_without_a_loop_an_asynchronous_one_is_waited_for() -> None:
    keeper = Keeper()
    view = enfold.fold(commands(20), budget=60_000, policy="microcompact", persist_result=keeper.later)
    assert "full text: /results/1.txt" in shown(view)


def test_a_session_asks_once_for_each() -> None:
    keeper, messages = Keeper(), commands(20)
    session = enfold.Session(budget=60_000, policy="microcompact", persist_result=keeper.now)
    first = session.prepare(messages, cold=True)
    asked = len(keeper.kept)
    second = session.prepare([*messages, {"role": "user", "content": "And now?"}])
    assert asked > 3 and len(keeper.kept) == asked
    assert second.texts[: len(first.texts)] == first.texts


def test_a_stored_session_asks_too_and_tells_by_the_hosts_clock_when_the_cache_is_cold(tmp_path: Path) -> None:
    keeper, time = Keeper(), [1_767_225_600.0]
    stored = enfold.StoredSession(
        str(tmp_path / "sessions.db"), "s", format="openai-chat", budget=200_000, policy="microcompact",
        cache_seconds=300, now=lambda: time[0], persist_result=keeper.now,
    )  # fmt: skip
    messages = commands(20)
    assert stored.prepare(messages[:3]).opened is None
    time[0] += 299
    assert stored.prepare(messages[:-2]).opened is None and keeper.kept == []
    time[0] += 301
    view = stored.prepare(messages)
    assert view.opened == "cold" and "/results/1.txt" in shown(view)


def test_a_session_with_a_clock_knows_when_the_cache_is_cold() -> None:
    time = [0.0]
    session = enfold.Session(
        budget=200_000, policy="microcompact", cache_seconds=300, now=lambda: time[0]
    )
    messages = commands(20)
    assert session.prepare(messages[:3]).opened is None
    time[0] += 200
    session.answered()
    time[0] += 299
    assert session.prepare(messages[:-2]).opened is None
    time[0] += 301
    assert session.prepare(messages).opened == "cold"


def test_one_that_keeps_nothing_leaves_the_handle_alone() -> None:
    view = enfold.fold(
        commands(20), budget=60_000, policy="microcompact", persist_result=lambda content, place: None
    )
    assert "full text" not in shown(view) and "tokens trimmed #" in shown(view)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_one_that_raises_leaves_the_handle_alone() -> None:
    def full(content: str, place: enfold.PersistedFrom) -> str:
        raise OSError("the disk is full")

    view = enfold.fold(commands(20), budget=60_000, policy="microcompact", persist_result=full)
    assert "full text" not in shown(view) and "tokens trimmed #" in shown(view)


def test_what_is_no_function_is_told() -> None:
    with pytest.raises(enfold.BadOption, match="expected a function"):
        enfold.Session(budget=5, persist_result="/results")  # type: ignore[arg-type]


def test_many_may_wait_at_once_for_a_function_that_needs_the_threads_of_the_loop(tmp_path: Path) -> None:
    async def keep(content: str, place: enfold.PersistedFrom) -> str:
        file = tmp_path / f"{place['message_index']}.txt"
        await asyncio.to_thread(file.write_text, content)
        return str(file)

    async def fold() -> list[enfold.View]:
        folds = (
            enfold.fold_async(commands(20), budget=60_000, policy="microcompact", persist_result=keep)
            for _ in range(50)
        )
        return await asyncio.wait_for(asyncio.gather(*folds), timeout=60)

    for view in asyncio.run(fold()):
        assert f"full text: {tmp_path}/" in shown(view)
