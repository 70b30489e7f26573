"""001: microcompaction."""

from __future__ import annotations

from documents.row import count, equals, has, most, row
from sessions import Talk, lines

# Small numbers in place of the document's, so that a session of a few thousand tokens has all its zones.
SMALL = {"hot_zone_tokens": 400, "bookend_max_chars": 400, "bookend_min_chars": 60, "window": 4_000}
MICRO = {"policy": "microcompact", "budget": 4_000, "tokenizer": "heuristic"}


def aged() -> Talk:
    """Results of four kinds, from far back to just now."""
    talk = Talk().user("Find out why it fails")
    talk.step("SubAgent", {"task": "look"}, lines("agent", 25)).step("Grep", {"pattern": "fail"}, lines("hit", 25))
    talk.step("Forecast", {"for": "rain"}, lines("cloud", 25)).step("Read", {"file_path": "/a.rs"}, lines("far", 25))
    talk.step("Bash", {"command": "make"}, lines("make", 25)).step("Read", {"file_path": "/b.rs"}, lines("near", 25))
    talk.step("Read", {"file_path": "/short.rs"}, "short")
    return talk.step("Bash", {"command": "make"}, lines("hot", 8)).step("Read", {"file_path": "/c.rs"}, lines("last", 4))


def pushed() -> Talk:
    """One result, and much that was said since."""
    talk = Talk().user("go").step("Read", {"file_path": "/a.rs"}, lines("far", 25))
    return talk.said("I have thought about it. " * 220)


def parts() -> list:
    """A result in parts, as Anthropic has it."""
    texts = [{"type": "text", "text": lines("first", 60)}, {"type": "text", "text": lines("second", 60)}]
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    call = {"type": "tool_use", "id": "t1", "name": "Grep", "input": {"pattern": "fail"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [texts[0], picture, texts[1]]}
    talk = [{"role": "user", "content": "go"}, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return [*talk, {"role": "assistant", "content": "I see. " * 600}]


SESSIONS = {
    "aged": aged().messages,
    "pushed": pushed().messages,
    "parts": parts(),
    "large": Talk().user("go").step("bash", {"command": "cat all"}, "a line of a log that never ends\n" * 700).messages,
}
ZONES = {**SMALL, "degradation_span": 0.15}
AGENT, GREP, FORECAST, FAR, MAKE, NEAR, SHORT, HOT, LAST = range(2, 19, 2)


def fold(name: str, session: str, *checks: dict, **options: object) -> dict:
    return row(name, "fold", session, *checks, options={**MICRO, **options})


ROWS = [
    fold(
        "what_a_view_hides_is_handed_out_byte_for_byte",
        "aged",
        has("originals.*", lines("agent", 25).replace("\n", "\\n")),
        has("originals.*", lines("far", 25).replace("\n", "\\n")),
        **ZONES,
    ),
    row(
        "a_result_over_the_cap_keeps_2000_characters_at_either_end",
        "fold",
        "large",
        equals("shortened.*.fold", ["cap"]),
        equals("shortened.*.original_tokens", [6_300]),
        has("messages.2.content", "tokens trimmed #"),
        has("messages.2.content", "never ends\n... [~5184 tokens trimmed"),
        options={"policy": "microcompact", "budget": 40_000, "max_result_tokens": 5_000},
    ),
    row(
        "a_result_under_the_cap_of_50000_tokens_comes_in_whole",
        "fold",
        "large",
        count("shortened", 0),
        options={"policy": "microcompact", "budget": 40_000},
    ),
    fold(
        "results_in_the_hot_zone_stay_whole",
        "aged",
        equals(f"messages.{NEAR}.content", lines("near", 25)),
        equals(f"messages.{LAST}.content", lines("last", 4)),
        **ZONES,
    ),
    fold(
        "the_hot_zone_is_16000_tokens_where_nothing_is_said",
        "aged",
        count("shortened", 0),
        window=4_000,
    ),
    fold(
        "the_hot_zone_may_be_a_share_of_the_window",
        "aged",
        equals("shortened.*.message", [AGENT]),
        **{**ZONES, "hot_zone_tokens": 0, "hot_zone_share": 0.3},
    ),
    fold(
        "ends_shrink_the_further_back_a_result_stands",
        "aged",
        equals("shortened.*.message", [AGENT, GREP, FORECAST, FAR]),
        equals("shortened.*.fold", ["bookend"] * 4),
        equals("shortened.*.tokens", [96, 121, 152, 172]),
        **{**SMALL, "degradation_span": 0.4},
    ),
    fold(
        "beyond_the_span_a_line_with_the_first_words_remains",
        "aged",
        has(f"messages.{GREP}.content", "[Grep result trimmed, 214 tokens: \"hit 1: the value of hit_1 is 856 hit 2"),
        **ZONES,
    ),
    fold(
        "ephemeral_results_are_cleared_in_the_end",
        "aged",
        has(f"messages.{AGENT}.content", "[SubAgent result cleared #"),
        **ZONES,
    ),
    fold(
        "built_in_tools_have_their_categories",
        "aged",
        equals("shortened.*.tool", ["SubAgent", "Grep", "Forecast", "Read"]),
        equals("shortened.*.fold", ["clear", "placeholder", "bookend", "bookend"]),
        equals(f"messages.{MAKE}.content", lines("make", 25)),
        **ZONES,
    ),
    fold(
        "categories_of_ones_own_win",
        "aged",
        has(f"messages.{AGENT}.content", "[SubAgent result trimmed"),
        has(f"messages.{GREP}.content", "[Grep result cleared #"),
        categories={"SubAgent": "rereadable", "Grep": "ephemeral"},
        **ZONES,
    ),
    fold(
        "what_is_no_category_is_refused_with_those_that_are",
        "aged",
        equals("error", "bad_option"),
        has("text", "rereadable, non-reproducible, ephemeral, computational"),
        categories={"SubAgent": "forever"},
    ),
    fold(
        "what_cannot_be_had_again_stays_half_as_long_again",
        "aged",
        equals(f"messages.{MAKE}.content", lines("make", 25)),
        **ZONES,
    ),
    fold(
        "how_long_it_stays_can_be_said",
        "aged",
        has(f"messages.{MAKE}.content", "tokens trimmed #"),
        extended_retention=1.0,
        **ZONES,
    ),
    fold(
        "nothing_is_shrunk_while_the_cache_is_warm",
        "aged",
        count("shortened", 0),
        has("report.trace.passes", "the cache is warm"),
        cache="warm",
        **ZONES,
    ),
    row(
        "a_cold_cache_lets_a_session_shrink_its_results",
        "session",
        "aged",
        count("views.0.shortened", 0),
        count("views.1.shortened", 0),
        equals("views.2.epoch", 1),
        equals("views.2.opened", "cold"),
        has("views.2.shortened", "SubAgent"),
        options={**MICRO, **ZONES},
        beside={"ends": [7, 18, 19], "cold": [2]},
    ),
    fold(
        "nothing_is_shrunk_below_a_quarter_of_the_window",
        "aged",
        count("shortened", 0),
        has("report.trace.passes", "less than 25 % of the window is used"),
        **{**ZONES, "window": 40_000},
    ),
    fold(
        "where_that_floor_is_can_be_said",
        "aged",
        has("report.trace.passes", "less than 90 % of the window is used"),
        trim_floor=0.9,
        **ZONES,
    ),
    fold(
        "without_a_window_nothing_is_trimmed",
        "aged",
        count("shortened", 0),
        **{**ZONES, "window": 0},
    ),
    fold(
        "everything_that_was_said_pushes_a_result_back",
        "pushed",
        equals("shortened.*.message", [2]),
        **ZONES,
    ),
    fold(
        "a_result_as_short_as_its_ends_stays",
        "aged",
        equals(f"messages.{SHORT}.content", "short"),
        equals(f"messages.{NEAR}.content", lines("near", 25)),
        **{**ZONES, "hot_zone_tokens": 0, "bookend_max_chars": 3_000, "bookend_min_chars": 3_000, "degradation_span": 1.0},
    ),
    fold(
        "between_the_ends_stands_how_much_was_trimmed",
        "aged",
        has(f"messages.{FAR}.content", "tokens trimmed #"),
        has(f"messages.{FAR}.content", "... [~"),
        has(f"messages.{FAR}.content", "] ..."),
        **ZONES,
    ),
    fold(
        "a_result_keeps_its_parts_and_each_text_its_own_ends",
        "parts",
        equals("messages.2.content.0.tool_use_id", "t1"),
        equals("messages.2.content.0.content.*.type", ["text", "image", "text"]),
        has("messages.2.content.0.content.0.text", "first 1: "),
        has("messages.2.content.0.content.0.text", "tokens trimmed #"),
        has("messages.2.content.0.content.2.text", "second 60: "),
        **SMALL,
    ),
    row(
        "what_nothing_was_added_to_is_sent_again_as_it_was",
        "session",
        "aged",
        equals("views.1.unchanged", 19),
        equals("views.1.epoch", 1),
        equals("views.0.epoch", 1),
        options={**MICRO, **ZONES},
        beside={"ends": [19, 19]},
    ),
    row(
        "a_view_that_is_folded_again_stays_as_it_is",
        "fold_again",
        "aged",
        equals("again.origins.*.0", ["same"] * 19),
        count("again.shortened", 0),
        options={**MICRO, **ZONES},
    ),
    row(
        "after_a_compaction_decisions_are_made_anew",
        "session",
        "aged",
        equals("views.0.epoch", 1),
        equals("views.0.shortened.*.fold", ["clear", "bookend", "bookend", "bookend"]),
        equals("views.1.epoch", 2),
        equals("views.1.shortened.*.fold", ["clear", "placeholder", "bookend", "bookend"]),
        options={**MICRO, **ZONES},
        beside={"ends": [13, 19], "cold": [1]},
    ),
    fold(
        "what_does_not_fit_is_folded_although_the_cache_is_warm",
        "aged",
        most("tokens", 1_300),
        has("shortened", "SubAgent"),
        cache="warm",
        budget=1_300,
        **ZONES,
    ),
]
