"""003: the compaction system."""

from __future__ import annotations

from documents.row import count, equals, has, lacks, least, most, row
from sessions import Talk, lines

SUMMARY = '<enfold-summary round="1" messages="3">\n[3 earlier messages are not shown #249859711]\n</enfold-summary>'
NARRATIVE = """### What Was Accomplished
- The five pages were read.

### Current State
- The last page is open.

### User Preferences
- None were said.

### What Comes Next
- [ ] Page 7.

### Technical Context
- Page ids 1 to 6."""
PRUNE = {"policy": "prune", "prune_protect": 400, "prune_minimum": 300}


def turns(number: int, before: Talk | None = None) -> Talk:
    """Turns of one read and one command each."""
    talk = before or Talk()
    for nth in range(1, number + 1):
        talk.user(f"Look at page {nth}.").step("get_page", {"page": nth}, lines(f"page{nth}", 20)).run("make", "ok")
        talk.said(f"I have seen page {nth}.")
    return talk


def failing() -> list:
    """Answers that failed or were stopped, among turns."""
    failed = {"role": "assistant", "content": "", "refusal": None, "tool_calls": []}
    talk = turns(6)
    talk.messages.insert(1, failed)
    return talk.messages


def v4() -> list:
    about = {"toolCallId": "c1", "toolName": "read"}
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool-call", **about, "args": {"path": "a"}}]},
        {"role": "tool", "content": [{"type": "tool-result", **about, "result": {"a": 1}}]},
    ]


def ui() -> list:
    tool = {"type": "tool-read", "toolCallId": "c1", "state": "output-available", "input": {"path": "a"}, "output": "x"}
    parts = [{"type": "step-start"}, tool, {"type": "step-start"}, {"type": "text", "text": "done"}]
    return [
        {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "go"}]},
        {"id": "m2", "role": "assistant", "parts": parts},
    ]


def all_parts() -> list:
    about = {"toolCallId": "c1", "toolName": "bash"}
    said = [{"type": "reasoning", "text": "I think."}, {"type": "text", "text": "I run it."}]
    call = {"type": "tool-call", **about, "input": {"command": "make"}}
    result = {"type": "tool-result", **about, "output": {"type": "text", "value": "all went well"}}
    return [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [*said, call]},
        {"role": "tool", "content": [result]},
    ]


def rows_of_a_table() -> str:
    import json

    def compact(value: object) -> str:
        return json.dumps(value, separators=(",", ":"))

    kept = [
        {"id": 1, "role": "user", "content": compact("go")},
        {"id": 2, "role": "assistant", "content": compact([{"type": "text", "text": "I will."}])},
        {"id": 3, "role": "user", "content": "plain text, no JSON"},
    ]
    return "\n".join(compact(row) for row in kept) + "\n"


SESSIONS = {
    "turns": turns(6).messages,
    "after a summary": turns(4, turns(2).user(SUMMARY)).messages,
    "failing": failing(),
    "version 4": v4(),
    "ui": ui(),
    "all parts": all_parts(),
    "orphan": [{"role": "user", "content": "go"}, {"role": "tool", "tool_call_id": "c1", "content": "ok"}],
    "one call": Talk().user("go").run("make", "ok").messages,
}
SMALL = {**PRUNE, "budget": 1_500}
THEN = {**PRUNE, "policy": "prune_then_summarize", "budget": 1_000}
ASKED = {"ends": [9, 36], "window": 100_000}
CLEARED = [2, 8, 14]


def fold(name: str, session: str, *checks: dict, **options: object) -> dict:
    return row(name, "fold", session, *checks, options={**SMALL, **options})


def model(name: str, *checks: dict, beside: dict | None = None, **options: object) -> dict:
    return row(name, "model_budget", None, *checks, options=options, beside=beside)


def windows() -> list[dict]:
    """The models that the document names, with what they take and write."""
    known = {
        "openai/gpt-4o": (128_000, 16_384),
        "openai/gpt-4o-mini": (128_000, 16_384),
        "openai/gpt-4-turbo": (128_000, 4_096),
        "openai/gpt-4": (8_192, None),
        "openai/gpt-3.5-turbo": (16_385, 4_096),
        "anthropic/claude-3.5-sonnet": (200_000, 8_192),
        "anthropic/claude-3-opus": (200_000, 4_096),
        "anthropic/claude-3-haiku": (200_000, 4_096),
        "google/gemini-1.5-pro": (1_000_000, 8_192),
    }
    return [
        model(
            f"the_window_of_{name.split('/')[1].replace('-', '_').replace('.', '_')}_is_known",
            least("context", context),
            *([equals("max_output", output)] if output else []),
            equals("known", True),
            model=name,
        )
        for name, (context, output) in known.items()
    ]


ROWS = [
    *windows(),
    row(
        "a_few_large_messages_overflow_and_many_small_ones_do_not",
        "session",
        "turns",
        equals("views.0.opened", None),
        equals("views.1.opened", "overflow"),
        options={"policy": "prune", "budget": 1_500},
        beside={"ends": [12, 36]},
    ),
    model(
        "a_model_is_known_with_and_without_its_provider",
        equals("id", "gpt-4o"),
        equals("context", 128_000),
        model="gpt-4o",
    ),
    model(
        "a_model_with_its_provider_is_the_same",
        equals("id", "gpt-4o"),
        equals("context", 128_000),
        model="openai/gpt-4o",
    ),
    model(
        "a_model_nobody_knows_gets_a_window_of_128000",
        equals("known", False),
        equals("context", 128_000),
        model="somebodys-own",
    ),
    model(
        "the_window_of_a_model_nobody_knows_can_be_said",
        equals("context", 32_000),
        equals("budget.usable.tokens", 32_000 - 4_096 - 2_000 - 5_000),
        model="somebodys-own",
        window=32_000,
    ),
    model(
        "4096_tokens_are_kept_for_the_answer",
        equals("budget.output_reserve.tokens", 4_096),
        equals("budget.usable.tokens", 116_904),
        model="gpt-4o",
    ),
    model(
        "as_much_as_the_model_can_write_may_be_kept",
        equals("budget.usable.tokens", 128_000 - 16_384 - 7_000),
        model="gpt-4o",
        reserves={"output": "model"},
    ),
    model(
        "in_a_window_of_8192_tokens_reserves_shrink_to_half",
        equals("budget.usable.tokens", 4_097),
        has("budget.output_reserve.formula", "shrunk to"),
        model="gpt-4",
    ),
    model(
        "every_number_of_a_budget_says_where_it_comes_from",
        equals("budget.usable.formula", "128000 - 4096 - 2000 - 5000"),
        equals("budget.threshold.formula", "0.80 x 116904"),
        equals("budget.target.formula", "min(0.60 x 116904, 93523)"),
        model="gpt-4o",
    ),
    model(
        "an_overflow_is_told_with_what_is_left",
        equals("history", {"tokens": 110_000, "is_over": True, "is_approaching": True, "available": 6_904}),
        beside={"tokens": 110_000},
        model="gpt-4o",
    ),
    model(
        "from_90_percent_on_an_overflow_approaches",
        equals("budget.approaching.tokens", 105_213),
        equals("history.is_approaching", False),
        equals("history.is_over", True),
        beside={"tokens": 105_213},
        model="gpt-4o",
    ),
    model(
        "every_reserve_and_threshold_can_be_set",
        equals("budget.usable.tokens", 94_000),
        equals("budget.threshold.tokens", 47_000),
        equals("budget.target.tokens", 37_600),
        model="gpt-4o",
        reserves={"system": 10_000, "output": 20_000, "safety": 4_000},
        threshold=0.5,
        target=0.4,
    ),
    model(
        "a_threshold_in_tokens_binds_too",
        equals("budget.threshold.tokens", 50_000),
        model="gpt-4o",
        threshold=50_000,
    ),
    row("four_tokens_a_message_four_a_call_and_its_parts_are_counted", "count", "one call", equals("", 24)),
    row(
        "a_cleared_output_counts_as_its_marker",
        "fold",
        "turns",
        equals("shortened.*.original_tokens", [320, 320, 320]),
        equals("shortened.*.tokens", [13, 13, 13]),
        equals("tokens", 2_274 - 3 * 320 + 3 * 13),
        options=SMALL,
    ),
    row(
        "models_that_are_not_openai_s_count_at_least_a_tenth_more",
        "count_text",
        None,
        least("", 11),
        options={"model": "claude-sonnet-4-5"},
        beside={"text": "one two three four five six seven eight nine ten"},
    ),
    fold(
        "the_newest_outputs_are_protected_and_older_ones_cleared",
        "turns",
        equals("shortened.*.message", CLEARED),
        equals("shortened.*.fold", ["clear"] * 3),
        equals("messages.20.content", lines("page4", 20)),
    ),
    fold(
        "where_clearing_saves_less_than_20000_tokens_nothing_is_cleared",
        "turns",
        has("report.trace.passes", "less than 20000"),
        count("shortened", 0),
        budget=2_200,
        policy="prune_then_summarize",
        prune_minimum=None,
    ),
    fold(
        "how_much_is_protected_can_be_said",
        "turns",
        equals("shortened.*.message", [2]),
        budget=2_200,
        prune_protect=1_000,
    ),
    fold(
        "the_newest_two_turns_are_left_alone",
        "turns",
        equals("messages.26.content", lines("page5", 20)),
        equals("messages.32.content", lines("page6", 20)),
        prune_protect=0,
    ),
    row(
        "how_many_turns_are_left_alone_can_be_said",
        "pruning",
        "turns",
        equals("outputs", 1),
        options={**PRUNE, "min_turns_to_keep": 4, "prune_minimum": 100},
    ),
    fold(
        "calls_stay_where_outputs_are_cleared",
        "turns",
        equals("origins.*.1", [*range(36)]),
        has("messages.2.content", "[get_page output cleared, 320 tokens #"),
        equals("messages.2.tool_call_id", "c1"),
    ),
    row(
        "pruning_ends_at_a_summary",
        "pruning",
        "after a summary",
        equals("outputs", 1),
        options=PRUNE,
    ),
    row(
        "what_was_cleared_is_not_cleared_again",
        "fold_again",
        "turns",
        equals("once.shortened.*.message", CLEARED),
        count("again.shortened", 0),
        options=SMALL,
    ),
    row(
        "pruning_tells_outputs_tokens_and_tools",
        "session",
        "turns",
        equals("views.1.report.events.1.type", "prune:complete"),
        equals("views.1.report.events.1.data.outputsPruned", 3),
        equals("views.1.report.events.1.data.tokensSaved", 921),
        equals("views.1.report.events.1.data.prunedTools", ["get_page"]),
        options=SMALL,
        beside={"ends": [18, 36]},
    ),
    row(
        "whether_pruning_is_worth_it_can_be_asked",
        "pruning",
        "turns",
        equals("", {"is_worth_it": True, "outputs": 3, "tokens": 921, "tools": ["get_page"]}),
        options=PRUNE,
    ),
    row(
        "by_the_document_s_own_numbers_a_short_session_needs_no_pruning",
        "pruning",
        "turns",
        equals("is_worth_it", False),
    ),
    row(
        "a_session_knows_whether_it_needs_pruning",
        "session",
        "turns",
        equals("needs_pruning", True),
        equals("pruning.outputs", 3),
        options={**PRUNE, "budget": 4_000},
        beside={"ends": [36]},
    ),
    row(
        "text_calls_results_and_reasoning_are_told_apart",
        "inspect",
        "all parts",
        equals("parts.*.part", ["system", "user", "assistant", "reasoning", "calls", "results", "overhead"]),
        equals("parts.*.items", [1, 1, 1, 1, 1, 1, 4]),
    ),
    row(
        "rows_whose_content_is_a_json_string_are_read",
        "fold_text",
        None,
        equals(
            "messages",
            [
                {"role": "user", "content": "go"},
                {"role": "assistant", "content": [{"type": "text", "text": "I will."}]},
                {"role": "user", "content": "plain text, no JSON"},
            ],
        ),
        options={"budget": 1_000},
        beside={"text": rows_of_a_table()},
    ),
    row(
        "a_summary_comes_only_where_pruning_is_not_enough",
        "fold",
        "turns",
        equals("shortened.*.message", CLEARED),
        lacks("texts", "enfold-summary"),
        options={**THEN, "budget": 1_500},
    ),
    row(
        "a_summary_leaves_the_two_newest_turns",
        "fold",
        "turns",
        has("texts", "enfold-summary"),
        has("messages.*.content", "page5 20: "),
        has("messages.*.content", "page6 20: "),
        lacks("messages.*.content", "page4 20: "),
        options=THEN,
    ),
    row(
        "a_summarizer_is_asked_for_the_sections_of_a_site",
        "session",
        "turns",
        has("question.user", "### What Was Accomplished"),
        has("question.user", "Pages and posts created or changed, each with id and slug"),
        has("question.user", "### User Preferences"),
        has("question.user", "### What Comes Next"),
        options={**THEN, "asks": True},
        beside=ASKED,
    ),
    row(
        "a_summarizer_gets_a_transcript",
        "session",
        "turns",
        has("question.user", "<transcript>\n[2] ASSISTANT:\ncall get_page: {\"page\":1}"),
        has("question.user", "[6] ASSISTANT:\nI have seen page 1."),
        options={**THEN, "asks": True},
        beside=ASKED,
    ),
    row(
        "in_a_transcript_long_results_keep_their_ends",
        "session",
        "turns",
        has("question.user", "[305 characters left out]"),
        has("question.user", "page1 20: the value"),
        options={**THEN, "asks": True},
        beside=ASKED,
    ),
    row(
        "messages_that_say_nothing_are_not_in_the_transcript",
        "session",
        "failing",
        lacks("question.user", "[2] ASSISTANT"),
        has("question.user", "[3] ASSISTANT:\ncall get_page"),
        options={**THEN, "asks": True},
        beside={"ends": [10, 37], "window": 100_000},
    ),
    row(
        "what_a_model_told_stands_in_the_next_view",
        "session",
        "turns",
        has("views.2.texts", "The five pages were read."),
        equals("views.1.report.summary.narrative", None),
        has("views.2.report.summary.narrative", "The five pages were read."),
        options={**THEN, "asks": True, "budget": 1_250},
        beside={**ASKED, "answer": NARRATIVE},
    ),
    row(
        "before_each_response_the_view_fits",
        "session",
        "turns",
        most("views.0.tokens", 1_000),
        most("views.1.tokens", 1_000),
        most("views.2.tokens", 1_000),
        options=THEN,
        beside={"ends": [15, 27, 36]},
    ),
    row(
        "when_the_work_ends_a_session_can_settle",
        "session",
        "turns",
        equals("settled.opened", "settled"),
        equals("settled.shortened.*.fold", ["clear"] * 3),
        options={**PRUNE, "budget": 2_400, "target": 0.5},
        beside={"ends": [18, 36], "settle": True},
    ),
    row(
        "tokens_are_told_before_after_each_pass_and_in_the_end",
        "fold",
        "turns",
        equals("report.trace.before", 2_274),
        equals("report.trace.passes.0.pass", "prune_outputs"),
        equals("report.trace.passes.0.after", 1_353),
        equals("report.trace.passes.1.pass", "summarize"),
        most("report.trace.passes.1.after", 1_000),
        most("report.trace.after", 1_000),
        options=THEN,
    ),
    row(
        "whether_it_was_pruned_and_summarized_is_told",
        "session",
        "turns",
        equals("views.1.report.events.2.type", "compaction:complete"),
        equals("views.1.report.events.2.data.wasPruned", True),
        equals("views.1.report.events.2.data.wasSummarized", True),
        options=THEN,
        beside={"ends": [9, 36]},
    ),
    row(
        "the_start_of_a_compaction_tells_tokens_limit_and_reason",
        "session",
        "turns",
        equals(
            "views.1.report.events.0",
            {
                "type": "compaction:start",
                "data": {"tokensBefore": 2_274, "modelLimit": 1_000, "reason": "overflow"},
            },
        ),
        options=THEN,
        beside={"ends": [9, 36]},
    ),
    row(
        "args_and_result_of_version_4_become_input_and_output",
        "convert",
        "version 4",
        equals("messages.1.content.0.input", {"path": "a"}),
        equals("messages.2.content.0.output", {"type": "json", "value": {"a": 1}}),
        lacks("text", "args"),
        beside={"to": "ai-sdk"},
    ),
    row(
        "messages_of_a_user_interface_become_messages_of_a_model",
        "convert",
        "ui",
        equals("messages.*.role", ["user", "assistant", "tool", "assistant"]),
        equals("messages.2.content.0.output", {"type": "text", "value": "x"}),
        equals("messages.3.content", "done"),
        beside={"to": "ai-sdk"},
    ),
    row(
        "a_result_without_its_call_is_found_before_a_provider_refuses_it",
        "validate",
        "orphan",
        equals("0.severity", "error"),
        options={"format": "openai-chat"},
    ),
    row("a_session_that_is_in_order_has_no_findings", "validate", "turns", count("", 0)),
    row(
        "tools_that_a_view_still_refers_to_are_known",
        "session",
        "turns",
        equals("views.1.report.tools", ["bash", "get_page"]),
        options=THEN,
        beside={"ends": [9, 36]},
    ),
    row(
        "what_was_asked_and_done_stays_known",
        "ledger",
        "turns",
        has("text", "Look at page 1."),
        has("text", "turn 6: Look at page 6."),
        has("text", "`make`"),
    ),
]
