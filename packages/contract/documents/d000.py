"""000: deterministic trimming by priority."""

from __future__ import annotations

from documents.row import count, equals, has, lacks, least, most, row
from sessions import Talk, lines

INSTRUCTIONS = "# AGENTS.md instructions\nUse tabs, and never touch the format of the files."
TOLD = '<enfold-summary round="1" messages="3">\n[3 earlier messages are not shown #249859711]\n</enfold-summary>'


def work() -> Talk:
    """Instructions, a task, old reads and talk, a file that is changed, five recent steps, and what is asked for now."""
    talk = Talk().system("You are careful.").user(INSTRUCTIONS).user("Fix the parser.")
    talk.read("/app/old.py", lines("old", 30)).run("make", lines("make", 30))
    talk.said("I looked at both of them.").user("Go on then.").said("I will.")
    talk.read("/app/a.py", lines("a", 8)).edit("/app/a.py", "a 1: the value", "a 1: a value", "say it better")
    talk.run("git add .", "added").run("git status", "clean").read("/app/b.py", lines("b", 12))
    return talk.run("git log", "one commit").run("git diff", "nothing").user("And now the tests.")


def long_talk() -> Talk:
    """Old questions and answers, then a recent one."""
    talk = Talk().system("System").user("Old message 1").said("Old response 1")
    for nth in range(2, 12):
        talk.user(f"Old message {nth}{' and so on' * 12}").said(f"Old response {nth}{' and so forth' * 12}")
    return talk.user("Recent message").said("Recent response")


def two_files() -> Talk:
    """Two files that were read long ago; that one of them was changed no call shows."""
    talk = Talk().system("System").user("go")
    talk.read("/app/edited.ts", lines("edited", 30)).read("/app/read.ts", lines("read", 30))
    for _ in range(6):
        talk.read("/app/small.ts", "ok")
    return talk


def told_by_results() -> Talk:
    """Tools whose calls name no path."""
    talk = Talk().user("go").step("create_file", {}, '{"path": "/app/new.ts"}')
    talk.step("read_file", {}, '{"path": "/app/existing.ts"}').step("read_file", {}, "File: /app/named.ts\nconst a = 1;")
    return talk.step("delete_file", {"path": "/app/gone.ts"}, "deleted")


def own_tools() -> Talk:
    """A tool that nobody knows."""
    return Talk().user("go").step("peek", {"where": "/app/a.ts"}, "one\ntwo").step("poke", {"where": "/app/b.ts"}, "done")


SESSIONS = {
    "work": work().messages,
    "long talk": long_talk().messages,
    "two files": two_files().messages,
    "told by results": told_by_results().messages,
    "own tools": own_tools().messages,
    "told before": Talk().user("the task").user(TOLD).run("make", "ok").messages,
    "house rules": Talk().user("# HOUSE RULES\nUse tabs.").user("go").messages,
}

PRIORITY = {"policy": "priority"}
OWN_TOOLS = [{"name": "peek", "does": "read", "path": "where"}, {"name": "poke", "does": "write", "path": "where"}]

FILE = 4  # the old read, COMMAND the old output, CHANGED and LATEST the file that was changed, RECENT the recent read
COMMAND, CHANGED, LATEST, RECENT = 6, 11, 13, 19


def fold(name: str, session: str, budget: int, *checks: dict, **options: object) -> dict:
    return row(name, "fold", session, *checks, options={**PRIORITY, "budget": budget, **options})


ROWS = [
    row(
        "the_same_messages_give_the_same_view_in_every_language",
        "fold_again",
        "work",
        equals("once.tokens", 658),
        equals("once.shortened.*.message", [FILE, COMMAND]),
        equals("again.tokens", 658),
        equals("again.origins.*.0", ["same"] * 25),
        options={**PRIORITY, "budget": 700},
    ),
    row(
        "messages_have_the_nine_priorities_of_the_table",
        "priorities",
        "work",
        equals("0.priority", 100),
        equals("1.priority", 90),
        equals("2.priority", 80),
        equals(f"{CHANGED}.priority", 70),
        equals(f"{LATEST}.priority", 70),
        equals("15.priority", 60),
        equals(f"{RECENT}.priority", 50),
        equals("7.priority", 40),
        equals(f"{COMMAND}.priority", 30),
    ),
    fold(
        "no_budget_removes_the_system_message_or_the_instructions",
        "work",
        400,
        equals("messages.0.content", "You are careful."),
        equals("messages.1.content", INSTRUCTIONS),
        most("tokens", 400),
    ),
    row(
        "instructions_of_an_agent_have_priority_90_also_under_marks_of_ones_own",
        "priorities",
        "house rules",
        equals("*.priority", [90, 80]),
        options={"instruction_marks": ["HOUSE RULES"]},
    ),
    fold(
        "the_task_then_and_now_is_never_cut",
        "work",
        400,
        has("messages.*.content", "Fix the parser."),
        has("messages.*.content", "And now the tests."),
    ),
    fold(
        "where_only_what_must_stay_is_left_the_answer_is_no",
        "work",
        120,
        equals("error", "cannot_fit"),
        has("text", "what must stay takes"),
    ),
    fold(
        "the_latest_state_of_a_changed_file_outlives_what_was_only_read",
        "work",
        400,
        equals("messages.6.content", lines("a", 8)),
        lacks("messages.*.content", "old 1: "),
        lacks("messages.*.content", "b 1: "),
    ),
    row(
        "a_summary_of_an_earlier_view_has_priority_20",
        "priorities",
        "told before",
        equals("0.priority", 80),
        equals("1.priority", 20),
    ),
    row(
        "how_many_steps_and_turns_are_recent_can_be_said",
        "priorities",
        "work",
        equals("15.priority", 30),
        equals(f"{RECENT}.priority", 30),
        equals("23.priority", 60),
        options={"preserve_recent_turns": 2},
    ),
    row(
        "what_counts_as_recent_reaches_back_as_far_as_is_said",
        "priorities",
        "work",
        equals(f"{FILE}.priority", 50),
        equals(f"{COMMAND}.priority", 60),
        options={"preserve_recent_turns": 20},
    ),
    fold(
        "the_lowest_priority_goes_first_and_within_it_the_oldest",
        "work",
        1_100,
        equals("shortened.*.message", [FILE]),
        equals("shortened.*.priority", [30]),
        count("dropped", 0),
    ),
    fold(
        "old_talk_leaves_before_a_recent_turn",
        "long talk",
        200,
        has("messages.*.content", "Recent message"),
        has("messages.*.content", "Recent response"),
        lacks("messages.*.content", "Old response 2 "),
        most("tokens", 200),
    ),
    fold(
        "what_fits_is_left_alone",
        "work",
        1_409,
        equals("tokens", 1_409),
        count("dropped", 0),
        count("shortened", 0),
        equals("origins.*.0", ["same"] * 25),
    ),
    fold(
        "trimming_stops_as_soon_as_the_view_fits",
        "work",
        1_100,
        least("tokens", 1_000),
        most("tokens", 1_100),
    ),
    fold(
        "what_stays_is_in_its_order",
        "work",
        600,
        equals("origins.*.1", [0, 1, 2, *range(5, 25)]),
    ),
    fold(
        "what_was_dropped_is_listed_with_place_priority_and_tokens",
        "work",
        500,
        equals("dropped.*.message", [3, 4, 5, 6, 7]),
        equals("dropped.*.priority", [30, 30, 30, 30, 40]),
        equals("dropped.*.tokens", [19, 424, 14, 424, 11]),
        equals("dropped.*.role", ["assistant", "tool", "assistant", "tool", "assistant"]),
        equals("dropped.*.fold", ["drop"] * 5),
    ),
    fold(
        "tokens_before_and_after_are_told",
        "work",
        700,
        equals("report.trace.before", 1_409),
        equals("report.trace.after", 658),
        equals("report.trace.passes.*.before", [1_409]),
    ),
    fold(
        "a_summary_can_stand_for_what_was_dropped",
        "work",
        800,
        has("messages.*.content", "<enfold-summary"),
        most("tokens", 800),
        summarize_dropped=True,
    ),
    fold(
        "placeholders_stand_where_results_stood_and_are_counted",
        "work",
        700,
        equals("shortened.*.fold", ["placeholder", "placeholder"]),
        equals("shortened.*.tokens", [72, 17]),
        equals("origins.*.1", [*range(25)]),
        equals("tokens", 1_409 - 2 * 420 + 72 + 17),
    ),
    fold(
        "a_placeholder_says_tool_tokens_and_age",
        "work",
        700,
        has(f"messages.{COMMAND}.content", "[bash result: 420 tokens, 7 steps ago #"),
    ),
    fold(
        "a_file_s_placeholder_says_lines_last_access_modified_and_its_beginning",
        "work",
        700,
        has(f"messages.{FILE}.content", "[/app/old.py: 30 lines, 420 tokens, last accessed 8 steps ago, not modified, starts "),
        has(f"messages.{FILE}.content", "old 1: the value of old_1 is 856"),
    ),
    fold(
        "what_was_shortened_is_told_beside_the_messages_with_the_tokens_it_took",
        "work",
        700,
        equals("shortened.*.original_tokens", [420, 420]),
        lacks("texts", "_truncated"),
        lacks("texts", "originalTokens"),
        lacks("texts", "original_tokens"),
    ),
    row(
        "files_are_known_with_last_step_operation_and_whether_they_were_changed",
        "files",
        "work",
        equals("files.*.path", ["/app/a.py", "/app/b.py", "/app/old.py"]),
        equals("files.*.last_step", [4, 7, 1]),
        equals("files.*.operation", ["edit", "read", "read"]),
        equals("files.*.modified", [True, False, False]),
    ),
    row(
        "a_file_has_a_preview_and_a_line_count",
        "files",
        "work",
        equals("files.*.lines", [8, 12, 30]),
        equals("files.0.preview", "a 1: a value of "),
        beside={"preview": 16},
    ),
    row("changed_files_are_listed", "files", "work", equals("modified", ["/app/a.py"])),
    row(
        "files_grow_stale_and_the_latest_comes_first",
        "files",
        "work",
        equals("recent", ["/app/b.py", "/app/a.py"]),
        equals("stale", ["/app/old.py"]),
    ),
    row(
        "how_old_is_stale_can_be_said",
        "files",
        "work",
        equals("recent", ["/app/b.py"]),
        equals("stale", ["/app/a.py", "/app/old.py"]),
        beside={"max_age": 3},
    ),
    row(
        "files_are_known_from_a_message_history_alone",
        "files",
        "told by results",
        equals("modified", ["/app/gone.ts", "/app/new.ts"]),
        equals("files.*.path", ["/app/existing.ts", "/app/gone.ts", "/app/named.ts", "/app/new.ts"]),
    ),
    row(
        "operations_come_from_the_names_of_tools_and_paths_from_results",
        "files",
        "told by results",
        equals("files.*.operation", ["read", "delete", "read", "create"]),
    ),
    fold(
        "a_file_that_the_caller_knows_to_be_changed_stays",
        "two files",
        700,
        equals("messages.3.content", lines("edited", 30)),
        has("messages.5.content", "[/app/read.ts: 30 lines"),
        modified=["/app/edited.ts"],
    ),
    row(
        "a_session_can_be_told_of_a_changed_file",
        "session",
        "two files",
        has("views.0.texts", "edited 30: "),
        lacks("views.0.texts", "read 30: "),
        options={**PRIORITY, "budget": 800},
        beside={"ends": [18], "modified": ["/app/edited.ts"]},
    ),
    row(
        "tools_of_ones_own_are_understood",
        "files",
        "own tools",
        equals("files.*.path", ["/app/a.ts", "/app/b.ts"]),
        equals("modified", ["/app/b.ts"]),
        options={"own_tools": OWN_TOOLS},
    ),
    row(
        "by_age_the_oldest_goes_first_and_as_many_turns_as_are_said_stay",
        "fold",
        "long talk",
        has("messages.*.content", "Recent message"),
        has("messages.*.content", "Old message 11"),
        lacks("messages.*.content", "Old message 2 "),
        equals("dropped.0.message", 2),
        options={"policy": "age", "budget": 300, "preserve_recent_turns": 2},
    ),
    fold(
        "no_result_is_parted_from_its_call",
        "work",
        500,
        equals("dropped.*.message", [3, 4, 5, 6, 7]),
        count("report.findings", 0),
    ),
]
