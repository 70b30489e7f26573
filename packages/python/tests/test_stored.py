"""What a database knows of a session, and what happens while a model is asked."""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from histories import chat

import enfold

SUMMARIZE: dict[str, Any] = {"policy": "summarize", "budget": 8_000, "format": "openai-chat"}


def test_what_was_compacted_is_marked_with_its_time_and_listed(tmp_path: Path) -> None:
    heard: list[enfold.Event] = []
    stored = enfold.StoredSession(str(tmp_path / "s.db"), "s", on_event=heard.append, **SUMMARIZE)
    view = stored.prepare(chat(30))
    stored.prepare(chat(31))
    about = stored.about()
    assert (about["compactions"], about["epochs"][0]["opened"]) == (1, "overflow")
    assert about["compacted"] is not None and about["lease"] is None
    fates = stored.compacted()
    hidden = [fate["number"] - 1 for fate in fates["messages"] if fate["hidden"]]
    assert hidden == [gone["message"] for gone in view.dropped]
    assert [fate["number"] for fate in stored.compacted(since_compaction=True)["messages"]] == [62, 63]
    event = next(event["data"] for event in heard if event["type"] == "compaction:complete")
    assert event["compacted"] == hidden
    assert event["summary"] in view.messages[1]["content"]


def test_what_was_sent_last_comes_back_in_another_process(tmp_path: Path) -> None:
    path = str(tmp_path / "s.db")
    view = enfold.StoredSession(path, "s", **SUMMARIZE).prepare(chat(30))
    again = enfold.StoredSession(path, "s", **SUMMARIZE)
    assert again.last_view() == view.messages
    assert len(again) == 61


def test_rounds_go_on_from_the_store(tmp_path: Path) -> None:
    path = str(tmp_path / "s.db")
    first = enfold.StoredSession(path, "s", **SUMMARIZE).prepare(chat(20))
    second = enfold.StoredSession(path, "s", **SUMMARIZE).prepare(chat(40))
    assert (first.report["summary"]["round"], second.report["summary"]["round"]) == (1, 2)


def test_what_is_pushed_is_stored_when_the_call_returns(tmp_path: Path) -> None:
    path = str(tmp_path / "s.db")
    agent = (
        "import enfold, os, sys\n"
        "session = enfold.StoredSession(sys.argv[1], 's', budget=8000, format='openai-chat')\n"
        "for nth in range(7): session.push({'role': 'user', 'content': f'message {nth}'})\n"
        "os._exit(1)\n"
    )
    subprocess.run([sys.executable, "-c", agent, path], check=False)
    assert len(enfold.StoredSession(path, "s", budget=8_000)) == 7


def test_what_the_provider_charged_is_kept(tmp_path: Path) -> None:
    stored = enfold.StoredSession(str(tmp_path / "s.db"), "s", **SUMMARIZE)
    stored.prepare(chat(3))
    stored.report(900, cache_read=100, cache_write=50, output_tokens=20)
    stored.prepare(chat(4))
    usage = stored.about()["usage"]
    assert (usage["input"], usage["cache_read"], usage["cache_write"], usage["output"]) == (900, 100, 50, 20)


def test_a_stored_session_needs_pruning_or_not(tmp_path: Path) -> None:
    stored = enfold.StoredSession(str(tmp_path / "s.db"), "s", budget=50_000, format="openai-chat")
    stored.prepare(chat(20))
    assert stored.needs_pruning() is False
    assert stored.pruning()["outputs"] == 0


def test_originals_become_files_that_the_view_names(tmp_path: Path) -> None:
    blobs = tmp_path / "originals"
    stored = enfold.StoredSession(
        str(tmp_path / "s.db"), "s", budget=12_000, format="openai-chat", policy="microcompact", blobs=str(blobs)
    )
    view = stored.prepare(chat(30))
    named = [text for text in view.texts if str(blobs) in text]
    files = {file.read_text() for file in blobs.iterdir()}
    assert named and {message["content"] for message in chat(30)[2::2][:5]} <= files


def test_originals_become_files_whatever_their_category(tmp_path: Path) -> None:
    read = json.loads(json.dumps(chat(30)).replace('"bash"', '"read_file"').replace("command", "path"))
    blobs = tmp_path / "originals"
    stored = enfold.StoredSession(
        str(tmp_path / "s.db"), "s", budget=12_000, format="openai-chat", policy="microcompact", blobs=str(blobs)
    )
    stored.prepare(read)
    files = {file.read_text() for file in blobs.iterdir()}
    assert {message["content"] for message in read[2::2][:5]} <= files


def test_where_originals_cannot_be_written_the_fold_is_the_plain_one(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("no folder")
    stored = enfold.StoredSession(
        str(tmp_path / "s.db"), "s", budget=12_000, format="openai-chat", policy="microcompact", blobs=str(taken)
    )
    view = stored.prepare(chat(30))
    assert view.tokens <= 12_000 and view.originals
    assert not any(str(taken) in text for text in view.texts)


def test_pruning_runs_when_the_work_ends_also_by_an_error(tmp_path: Path) -> None:
    path = str(tmp_path / "s.db")
    settings: dict[str, Any] = {"policy": "prune", "prune_protect": 1_000, "prune_minimum": 500, "min_turns_to_keep": 0}
    options = {"budget": 20_000, "format": "openai-chat", "target": 0.2, **settings}
    with pytest.raises(RuntimeError), enfold.StoredSession(path, "s", **options) as stored:
        stored.prepare(chat(15))
        raise RuntimeError("the agent failed")
    about = enfold.StoredSession(path, "s", **options).about()
    assert about["epochs"][-1]["opened"] == "settled"


@contextmanager
def model() -> Iterator[tuple[str, threading.Event, threading.Event]]:
    """A server of a model that refuses, once it may. Its address, that it was asked, and that it may answer."""
    asked, may = threading.Event(), threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.set()
            may.wait(30)
            self.send_response(401)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked, may
    finally:
        may.set()
        server.shutdown()


def test_who_prepares_during_a_compaction_waits_and_is_then_told(tmp_path: Path) -> None:
    path = str(tmp_path / "s.db")
    heard: list[str] = []
    with model() as (url, asked, may):
        asking: dict[str, Any] = {"summarizer": "openai:gpt-4o-mini", "summarizer_url": url}
        first = enfold.StoredSession(path, "s", on_event=lambda event: heard.append(event["type"]), **asking, **SUMMARIZE)
        views: list[enfold.View] = []
        work = threading.Thread(target=lambda: views.append(first.prepare(chat(30))))
        work.start()
        assert asked.wait(30)
        second = enfold.StoredSession(path, "s", patience_seconds=0.1, **SUMMARIZE)
        assert second.about()["lease"] is not None, "it says that it is being compacted"
        with pytest.raises(enfold.Busy):
            second.prepare(chat(30))
        may.set()
        work.join()
    assert "summary:failed" in heard
    assert "<enfold-ledger>" in views[0].messages[1]["content"], "the agent goes on without the model"
