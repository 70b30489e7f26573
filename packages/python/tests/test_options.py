"""Settings by name: what cannot be meant is refused in Python's words, and what should be known is warned of."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from histories import chat

import enfold


def test_an_unknown_option_is_a_type_error_that_says_what_was_meant() -> None:
    misspelt: dict[str, Any] = {"max_file_read": 3}
    for call in (enfold.fold, lambda messages, **how: enfold.Session(**how)):
        with pytest.raises(TypeError, match="no option `max_file_read`; did you mean `max_file_reads`"):
            call(chat(2), budget=1_000, **misspelt)
    assert issubclass(enfold.UnknownOption, enfold.BadOption)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"max_file_reads": "many"}, '`max_file_reads`: invalid type: string "many", expected a whole number'),
    ({"threshold": "high"}, '`threshold`: invalid type: string "high", expected a number'),
    ({"threshold": 0}, "`threshold` is 0; it is a share between 0.05 and 1"),
    ({"reserves": {"out": 1}}, "`reserves`: unknown field `out`"),
    ({"reserves": {"output": "most"}}, '`reserves.output` is `most`; it is a number of tokens or "model"'),
    ({"own_tools": [{"name": "peek", "does": "reed"}]}, "`reed` is no kind of tool; did you mean `read`?"),
    ({"bash_truncate": 1_000}, "`bash_truncate` is for `truncate_output`, which it does not use; these do: retention"),
    ({"tokenizer": "words"}, "tokenizer `words`: there are o200k, cl100k and heuristic"),
    ({"cache": "lukewarm"}, "cache `lukewarm`: it is `warm` or `cold`"),
]


@pytest.mark.parametrize(("options", "why"), WRONG)
def test_a_wrong_value_is_refused_by_the_name_of_its_option(options: dict[str, Any], why: str) -> None:
    with pytest.raises(enfold.BadOption) as error:
        enfold.fold(chat(2), budget=1_000, **options)
    assert why in str(error.value)


def test_an_unknown_model_is_warned_of_where_it_was_named() -> None:
    with pytest.warns(enfold.EnfoldWarning, match="`somebodys-own` is not in the model table") as warned:
        enfold.fold(chat(2), model="somebodys-own")
        enfold.Session(model="somebodys-own")
        enfold.count(chat(2), model="somebodys-own")
        enfold.model_budget("somebodys-own")
    assert len(warned) == 4
    assert {warning.filename for warning in warned} == {__file__}


def test_a_model_that_is_known_or_has_its_window_said_is_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        enfold.fold(chat(2), model="openai/gpt-4o")
        enfold.fold(chat(2), model="somebodys-own", window=32_000)


def test_a_session_takes_settings_too(tmp_path: Path) -> None:
    own: dict[str, Any] = {"policy": "prune", "prune_protect": 1_000, "prune_minimum": 500, "min_turns_to_keep": 0}
    session = enfold.Session(budget=8_000, **own)
    view = session.prepare(chat(20))
    stored = enfold.StoredSession(str(tmp_path / "s.db"), "s", budget=8_000, format="openai-chat", **own)
    assert {cut["fold"] for cut in view.shortened} == {"clear"}
    kept = stored.prepare(chat(20))
    assert [cut["message"] for cut in view.shortened] == [cut["message"] for cut in kept.shortened]
    assert stored.prepare().shortened == kept.shortened, "what is not whole stays known"


def test_a_session_is_told_of_the_cache_with_each_request() -> None:
    once: dict[str, Any] = {"cache": "warm"}
    with pytest.raises(enfold.BadOption, match="`cache` is for one fold"):
        enfold.Session(budget=8_000, **once)


def test_a_threshold_in_tokens_is_where_a_session_folds() -> None:
    session = enfold.Session(model="gpt-4o", threshold=5_000)
    assert session.prepare(chat(40)).tokens <= 5_000
