"""Whatever is given: a clear exception that names the message, never a panic."""

from __future__ import annotations

import enum
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from histories import chat

import enfold


class Odd:
    """No JSON value."""


class Model:
    """Something like a pydantic model."""

    def model_dump(self) -> dict[str, Any]:
        return {}


def cycle() -> dict[str, Any]:
    message: dict[str, Any] = {"role": "user", "content": []}
    message["content"].append(message)
    return message


def deep() -> dict[str, Any]:
    value: Any = "bottom"
    for _ in range(100_000):
        value = [value]
    return {"role": "user", "content": value}


BAD = {
    "a number": (5, "a message is a dict, not a `int`"),
    "a text": ("hello", "a message is a dict, not a `str`"),
    "none": (None, "a message is a dict"),
    "not a number": ({"role": "user", "content": float("nan")}, "content: NaN is no JSON number"),
    "infinite": ({"role": "user", "n": [float("inf")]}, r"n\[0\]: inf is no JSON number"),
    "bytes": ({"role": "user", "content": b"x"}, "content: a `bytes` is no JSON value; decode it"),
    "an object": ({"role": "user", "content": [{"a": Odd()}]}, r"content\[0\].a: a `Odd` is no JSON value"),
    "a model": (Model(), "give its .model_dump"),
    "a set": ({"role": "user", "content": {1}}, "content: a `set` is no JSON value"),
    "a key": ({"role": "user", 1: 2}, "a key is a `int`"),
    "half a pair": ({"role": "user", "content": "\ud800"}, "content: the text holds half of a surrogate pair"),
    "half a pair in a key": ({"role": "user", "\udfff": 1}, "half of a surrogate pair"),
    "a cycle": (cycle(), "deeper than 200 values, or it holds itself"),
    "deep": (deep(), "deeper than 200 values"),
    "a huge number": ({"role": "user", "content": 10**5_000}, "more digits than Python writes"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_message_is_named(name: str) -> None:
    message, why = BAD[name]
    messages = [*chat(1), message]
    for call in (
        lambda: enfold.fold(messages, budget=5_000),
        lambda: enfold.Session(budget=5_000).prepare(messages),
        lambda: enfold.count(messages),
    ):
        with pytest.raises(enfold.BadInput, match=why) as raised:
            call()
        assert raised.value.message_index == 3
        assert str(raised.value).startswith("message 3: ")


@pytest.mark.parametrize("given", [None, 5, {"role": "user"}, object()])
def test_what_is_no_list_is_a_type_error(given: Any) -> None:
    with pytest.raises(TypeError):
        enfold.fold(given, budget=5_000)


def test_a_session_is_as_good_as_before_after_an_error() -> None:
    session = enfold.Session(budget=8_000)
    view = session.prepare(chat(10))
    with pytest.raises(enfold.BadInput):
        session.prepare([*chat(10), 5])
    with pytest.raises(enfold.BadInput):
        session.push({"role": float("nan")})
    assert session.prepare(chat(10)).texts == view.texts
    assert len(session) == 21


def test_numbers_of_any_size_and_kind_go_through() -> None:
    class Level(enum.IntEnum):
        HIGH = 3

    message = {"role": "user", "content": "x", "n": [2**70, -1, 1.5, 1e300, True, Level.HIGH, None]}
    view = enfold.fold([message], budget=500)
    assert view.texts == [
        '{"role":"user","content":"x","n":[1180591620717411303424,-1,1.5,1e300,true,3,null]}'
    ]
    assert view.messages[0] is message


def test_texts_are_written_as_they_are() -> None:
    message = {"role": "user", "content": 'a"b\\c\n\t\x00\x1f\x7f é 中 😀 \u2028 /'}
    view = enfold.fold([message], budget=500)
    assert view.texts == [
        '{"role":"user","content":"a\\"b\\\\c\\n\\t\\u0000\\u001f\x7f é 中 😀 \u2028 /"}'
    ]


def test_a_generator_that_fails_says_its_own_error() -> None:
    def messages() -> Iterator[dict[str, Any]]:
        yield chat(0)[0]
        raise LookupError("the host's own")

    with pytest.raises(LookupError, match="the host's own"):
        enfold.fold(messages(), budget=500)


def test_a_list_that_changes_during_a_call_is_the_list_it_was() -> None:
    """Another thread appends, removes and empties while views are made."""
    messages = chat(30)
    done = threading.Event()

    def disturb() -> None:
        spare = chat(30)
        turn = 0
        while not done.is_set():
            turn += 1
            messages.append(spare[0])
            messages.pop()
            messages[4]["content"] = f"turn {turn}"
            messages[4].pop("extra", None) or messages[4].update(extra=turn)
            messages[5] = dict(spare[5])
            time.sleep(0)

    other = threading.Thread(target=disturb)
    other.start()
    try:
        session = enfold.Session(budget=8_000)
        for _ in range(20):
            view = session.prepare(messages)
            assert view.tokens <= 8_000
            assert len(enfold.fold(messages, budget=8_000)) > 0
    finally:
        done.set()
        other.join()


def test_rubbish_as_bytes_is_refused_with_its_place() -> None:
    for rubbish in (b"", b"\xff\xfe", "not json", b"{", "[1,2"):
        with pytest.raises(enfold.BadInput):
            enfold.fold(rubbish, budget=500)


def test_a_file_without_a_message_is_no_session() -> None:
    with pytest.raises(enfold.BadInput, match="an empty array"):
        enfold.fold("[]", budget=500)
