"""004: the compaction layer."""

from __future__ import annotations

from documents.row import count, equals, has, lacks, least, most, row
from sessions import Talk, lines

SUMMARIZE = {"policy": "summarize"}


def flashcards(steps: int) -> list:
    """The document's session: a system message, a task, and so many steps."""
    talk = Talk().system("You are a coding agent.").user("Build a flashcard app")
    for nth in range(1, steps + 1):
        talk.step("write_file", {"path": f"src/part_{nth}.ts", "content": lines(f"part{nth}", 6)}, "written")
    return talk.messages


def parallel() -> list:
    """The boundary of the newest ten falls among the results of one message."""
    talk = Talk().system("You are a coding agent.").user("Build a flashcard app")
    for nth in range(1, 16):
        talk.step("write_file", {"path": f"src/part_{nth}.ts", "content": lines(f"part{nth}", 6)}, "written")
    calls = [
        {"id": f"p{nth}", "type": "function", "function": {"name": "bash", "arguments": f'{{"command":"echo {nth}"}}'}}
        for nth in range(3)
    ]
    talk.messages.append({"role": "assistant", "content": None, "tool_calls": calls})
    talk.messages += [{"role": "tool", "tool_call_id": f"p{nth}", "content": lines("parallel", 4)} for nth in range(3)]
    for nth in range(4):
        talk.run(f"echo {nth}", "ok")
    return talk.messages


def huge() -> list:
    """One result that is larger than all the rest."""
    talk = Talk().system("You are a coding agent.").user("Build a flashcard app").run("cat log", lines("log", 500))
    for nth in range(1, 8):
        talk.run(f"echo {nth}", "ok")
    return talk.messages


SESSIONS = {
    "fifty": flashcards(24),
    "five": flashcards(5),
    "eleven": [*flashcards(4), {"role": "assistant", "content": "Four parts are written."}],
    "parallel": parallel(),
    "huge": huge(),
    "empty": [],
    "headings": [
        {"role": "user", "content": "Build a flashcard app"},
        {"role": "assistant", "content": "## Session Summary\n\nI have done nothing yet."},
        *flashcards(20)[2:],
    ],
}
ROOM = {**SUMMARIZE, "budget": 2_600}
ASKS = {**SUMMARIZE, "budget": 3_000, "asks": True}
ASKED = {"ends": [9, 50], "window": 100_000}


def fold(name: str, session: str, *checks: dict, **options: object) -> dict:
    return row(name, "fold", session, *checks, options={**ROOM, **options})


def told(name: str, *checks: dict, session: str = "fifty", beside: dict | None = None, **options: object) -> dict:
    return row(name, "session", session, *checks, options={**ASKS, **options}, beside=beside or ASKED)


NARRATIVE = """### Completed Work
| File/Component | Action | Description |
|---|---|---|
| src/part_1.ts | created | first of nineteen parts |

### Key Technical Decisions
- One file per part.

### Current State
- Working on: the parts
- Last completed: src/part_19.ts

### Pending Work
- [ ] the tests

""" + ", ".join(f"src/part_{nth}.ts" for nth in range(2, 20))

ROWS = [
    row(
        "four_characters_are_a_token_rounded_up",
        "count_text",
        None,
        equals("", 3),
        options={"tokenizer": "heuristic"},
        beside={"text": "nine char"},
    ),
    row(
        "nothing_takes_no_tokens",
        "count_text",
        None,
        equals("", 0),
        options={"tokenizer": "heuristic"},
        beside={"text": ""},
    ),
    row(
        "messages_can_be_counted_by_their_characters",
        "count",
        "five",
        equals("", 435),
        options={"tokenizer": "heuristic"},
    ),
    row(
        "of_128000_tokens_a_summary_starts_at_93600",
        "model_budget",
        None,
        equals("budget.system_reserve.tokens", 2_000),
        equals("budget.output_reserve.tokens", 4_000),
        equals("budget.safety.tokens", 5_000),
        equals("budget.usable.tokens", 117_000),
        equals("budget.threshold.tokens", 93_600),
        options={"model": "gpt-4o", "policy": "summarize"},
    ),
    row(
        "without_a_budget_a_session_is_folded_from_the_threshold_on",
        "fold",
        "fifty",
        equals("report.trace.limit", 1_680),
        least("report.trace.before", 2_900),
        most("tokens", 1_680),
        options={**SUMMARIZE, "window": 3_000, "reserves": {"system": 300, "output": 300, "safety": 300}},
    ),
    row(
        "below_the_threshold_it_is_left_alone",
        "fold",
        "fifty",
        count("dropped", 0),
        equals("tokens", 2_995),
        options={**SUMMARIZE, "window": 4_500, "reserves": {"system": 300, "output": 300, "safety": 0}},
    ),
    row(
        "the_windows_of_the_models_are_known",
        "model_budget",
        None,
        equals("context", 200_000),
        options={"model": "claude-3-haiku-20240307"},
    ),
    row(
        "the_window_of_a_dated_model_is_known",
        "model_budget",
        None,
        equals("context", 200_000),
        options={"model": "claude-3-5-sonnet-20240620"},
    ),
    fold(
        "a_session_of_eleven_messages_is_not_summarized_however_large",
        "eleven",
        has("report.trace.passes.0.outcome", "nothing is old enough to be summarized"),
        lacks("texts", "enfold-summary"),
        budget=400,
    ),
    row("an_empty_conversation_is_left_alone", "fold", "empty", count("messages", 0), options=ROOM),
    row("an_empty_conversation_takes_no_tokens", "count", "empty", equals("", 0)),
    fold(
        "of_fifty_messages_the_system_message_the_task_and_the_newest_ten_stay",
        "fifty",
        equals("origins.*.1", [0, 1, None, *range(40, 50)]),
        count("dropped", 38),
        equals("messages.1.content", "Build a flashcard app"),
    ),
    fold(
        "how_many_messages_stay_can_be_said",
        "fifty",
        equals("origins.*.1", [0, 1, None, *range(44, 50)]),
        recent_messages_to_keep=6,
    ),
    fold(
        "results_of_one_message_stay_together",
        "parallel",
        equals("origins.*.1", [0, 1, None, *range(32, 44)]),
        budget=1_800,
    ),
    fold(
        "where_every_message_is_recent_nothing_changes",
        "fifty",
        has("report.trace.passes.0.outcome", "nothing is old enough to be summarized"),
        recent_messages_to_keep=60,
    ),
    fold(
        "the_summary_stands_behind_the_task_in_the_user_s_name",
        "fifty",
        equals("messages.2.role", "user"),
        has("messages.2.content", '<enfold-summary round="1" messages="38">'),
    ),
    fold(
        "a_heading_makes_no_summary",
        "headings",
        has("messages.1.content", '<enfold-summary round="1" '),
        budget=1_800,
    ),
    row(
        "the_next_round_takes_over_the_one_before",
        "session",
        "fifty",
        equals("views.1.report.summary.round", 1),
        equals("views.2.report.summary.round", 2),
        has("views.2.messages.2.content", '<enfold-summary round="2" messages="38">'),
        options={**SUMMARIZE, "budget": 1_600},
        beside={"ends": [9, 30, 50]},
    ),
    told("a_summarizer_is_asked_at_a_temperature_of_0_3", equals("question.temperature", 0.3)),
    told(
        "a_summarizer_may_take_800_tokens_and_a_quarter_more",
        equals("question.max_tokens", 1_000),
        session="huge",
        beside={"ends": [3, 18], "window": 100_000},
        budget=8_600,
        target=0.95,
    ),
    told(
        "how_much_a_summarizer_may_take_can_be_said",
        equals("question.max_tokens", 125),
        summary_tokens=100,
    ),
    told(
        "what_a_summarizer_should_keep_in_mind_can_be_said",
        has("question.user", "Name every colour."),
        summary_guidance="Name every colour.",
    ),
    told(
        "a_summarizer_is_asked_for_the_sections_of_the_document",
        has("question.user", "### Completed Work"),
        has("question.user", "### Key Technical Decisions"),
        has("question.user", "### Current State"),
        has("question.user", "### Pending Work"),
        has("question.user", "### Errors & Resolutions"),
    ),
    told(
        "other_sections_can_be_asked_for",
        has("question.user", "### What Was Accomplished"),
        summary_template="cms",
    ),
    told(
        "the_original_task_goes_along_word_for_word",
        has("question.user", "<original-task>\nBuild a flashcard app\n</original-task>"),
        equals("views.1.messages.1.content", "Build a flashcard app"),
    ),
    row(
        "exact_paths_are_known_without_a_model",
        "ledger",
        "fifty",
        has("text", "src/part_24.ts"),
        has("text", "Build a flashcard app"),
    ),
    told(
        "a_huge_result_is_cut_before_it_is_told_about",
        has("question.user", "[17782 characters left out]"),
        session="huge",
        beside={"ends": [3, 18], "window": 100_000},
    ),
    told(
        "without_an_answer_the_view_is_good",
        has("views.1.texts", "<enfold-ledger>"),
        most("views.1.tokens", 3_000),
        equals("views.1.report.events.1.data.byModel", False),
    ),
    told(
        "the_event_tells_round_tokens_summary_and_messages",
        equals("views.1.report.events.1.type", "compaction:complete"),
        equals("views.1.report.events.1.data.round", 1),
        equals("views.1.report.events.1.data.tokensBefore", 2_995),
        equals("views.1.report.events.1.data.compacted", [*range(2, 40)]),
        equals("views.1.report.events.1.data.messagesCompacted", 38),
        has("views.1.report.events.1.data.summary", '<enfold-summary round="1" messages="38">'),
    ),
    told(
        "what_a_model_wrote_stands_in_the_view_and_is_asked_for_once",
        has("views.2.texts", "One file per part."),
        equals("views.2.question", None),
        beside={**ASKED, "answer": NARRATIVE},
    ),
    row(
        "messages_go_in_and_messages_come_out",
        "session",
        "fifty",
        equals("views.0.messages.1", {"role": "user", "content": "Build a flashcard app"}),
        equals("views.0.origins.*.0", ["same"] * 9),
        equals("views.1.origins.3", ["same", 40]),
        options=ASKS,
        beside={"ends": [9, 50]},
    ),
]
