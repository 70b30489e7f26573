"""Many threads on one session, and many sessions on many threads."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from histories import chat

import enfold


def test_many_threads_on_one_session_wait_for_each_other() -> None:
    messages = chat(30)
    session = enfold.Session(budget=8_000)

    def prepare(nth: int) -> int:
        view = session.prepare(messages[: 1 + 2 * (nth % 30)])
        assert len(view.messages) == len(view.texts)
        session.recall("#000000000")
        return view.tokens

    with ThreadPoolExecutor(8) as pool:
        assert all(tokens <= 8_000 for tokens in pool.map(prepare, range(120)))


def test_many_sessions_on_many_threads_give_what_one_gives() -> None:
    messages = chat(40)

    def run(_: int) -> list[str]:
        session = enfold.Session(budget=8_000)
        for end in range(1, len(messages) + 1, 8):
            view = session.prepare(messages[:end])
        return view.texts

    alone = run(0)
    with ThreadPoolExecutor(8) as pool:
        assert all(texts == alone for texts in pool.map(run, range(16)))


def test_the_interpreter_is_free_while_a_session_folds() -> None:
    """A thread that only counts goes on counting."""
    messages = chat(600)
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    beside = threading.Thread(target=tick)
    beside.start()
    start = time.perf_counter()
    enfold.fold(messages, budget=30_000)
    took = time.perf_counter() - start
    done.set()
    beside.join()
    during = [at for at in ticks if start < at < start + took]
    assert len(during) >= 3, f"{len(during)} ticks in {took:.3f} s"
