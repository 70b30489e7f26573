"""002: tool history."""

from __future__ import annotations

from documents.row import count, equals, has, lacks, least, most, row
from sessions import Talk, lines

ROOM = {"policy": "retention"}


def reads(times: int) -> list:
    """A file that is read so many times."""
    talk = Talk().user("Look at the config.")
    for nth in range(times):
        talk.read("/app/config.py", lines("config", 20)).run(f"echo {nth}", "ok")
    return talk.messages


def changed() -> list:
    """A file that is read, changed and read again."""
    talk = Talk().user("Mend the config.").read("/app/config.py", lines("config", 30))
    talk.edit("/app/config.py", "config 1: the value", "config 1: a value", "the article was wrong")
    after = lines("config", 30).replace("config 1: the value", "config 1: a value", 1)
    return talk.read("/app/config.py", after).run("make", "ok").run("make check", "ok").messages


def changed_twice() -> list:
    """A file that is read, changed, read, changed and read."""
    talk = Talk().user("Mend the config.").read("/app/config.py", lines("config", 30))
    talk.edit("/app/config.py", "config 1: the value", "config 1: a value")
    after = lines("config", 30).replace("config 1: the value", "config 1: a value", 1)
    talk.read("/app/config.py", after).edit("/app/config.py", "config 2: the value", "config 2: a value")
    after = after.replace("config 2: the value", "config 2: a value", 1)
    return talk.read("/app/config.py", after).run("make", "ok").messages


def pages() -> list:
    """Four pages of a file, of which two overlap."""
    talk = Talk().user("Look at it.")
    for first, last in ((1, 40), (21, 60), (61, 80), (81, 90)):
        shown = "".join(f"{nth:>6}→def function_number_{nth}(): return {nth}\n" for nth in range(first, last + 1))
        talk.step("Read", {"file_path": "/a.py", "offset": first, "limit": last + 1 - first}, shown)
    return talk.messages


def outputs() -> list:
    """Output of commands: short, middling and long; and what a command shows of a file."""
    talk = Talk().user("Run it.").run("make", lines("short", 10)).run("make all", lines("middling", 60))
    talk.run("npm test", lines("long", 450)).run("cat /app/a.py", lines("shown", 20))
    return talk.run("git status", "clean").messages


def edits() -> list:
    """A dozen edits of one file, and of another one; then other work."""
    talk = Talk().user("Rename things.").read("/app/a.py", lines("a", 20))
    for nth in range(1, 14):
        talk.edit("/app/a.py", f"a {nth}: the value", f"a {nth}: this value", f"reason {nth}")
    talk.edit("/app/b.py", "one", "two", "for b alone")
    for nth in range(12):
        talk.run(f"echo {nth}", "ok")
    return talk.messages


def listings() -> list:
    """Listings, old and new."""
    talk = Talk().user("Look around.").step("ls", {"path": "/old"}, lines("old", 20))
    for nth in range(4):
        talk.run(f"echo {nth}", "ok")
    return talk.step("ls", {"path": "/new"}, lines("new", 20)).messages


SESSIONS = {
    "one read": reads(1),
    "two reads": reads(2),
    "four reads": reads(4),
    "nine reads": reads(9),
    "changed": changed(),
    "changed twice": changed_twice(),
    "pages": pages(),
    "outputs": outputs(),
    "edits": edits(),
    "listings": listings(),
}
READ = "config 1: the value of config_1 is 856"


def fold(name: str, session: str, budget: int, *checks: dict, **options: object) -> dict:
    return row(name, "fold", session, *checks, options={**ROOM, "budget": budget, **options})


ROWS = [
    fold("two_reads_of_a_file_both_stay", "two reads", 655, count("shortened", 0), count("dropped", 0)),
    row(
        "two_reads_stay_although_the_view_is_over_its_target",
        "fold",
        "two reads",
        has("messages.2.content", READ),
        has("messages.6.content", READ),
        options={**ROOM, "budget": 660, "target": 0.9},
    ),
    fold(
        "of_four_reads_the_first_and_the_last_stay_and_pointers_stand_between",
        "four reads",
        900,
        equals("shortened.*.message", [6, 10]),
        equals("shortened.*.fold", ["pointer", "pointer"]),
        has("messages.2.content", READ),
        has("messages.14.content", READ),
    ),
    fold(
        "of_nine_reads_the_first_the_last_and_three_samples_stay",
        "nine reads",
        2_000,
        equals("shortened.*.message", [6, 14, 22, 30]),
        has("messages.2.content", READ),
        has("messages.34.content", READ),
        has("messages.18.content", READ),
    ),
    fold(
        "how_many_reads_stay_can_be_said",
        "nine reads",
        2_000,
        equals("shortened.*.message", [6, 10, 14, 22, 26, 30]),
        max_file_reads=3,
    ),
    row(
        "a_session_keeps_the_reads_of_the_table",
        "session",
        "nine reads",
        equals("views.1.shortened.*.message", [6, 14, 22, 30]),
        equals("views.1.opened", "overflow"),
        options={**ROOM, "budget": 2_600},
        beside={"ends": [9, 37]},
    ),
    fold(
        "a_pointer_stands_where_the_read_stood",
        "four reads",
        900,
        has("messages.6.content", "[re-read of /app/config.py, same as the read at step 1 #"),
        equals("messages.6.tool_call_id", "c3"),
    ),
    fold(
        "a_read_of_a_changed_file_becomes_what_changed",
        "changed twice",
        1_200,
        has("messages.6.content", "+config 1: a value of config_1 is 856"),
        has("messages.6.content", "-config 1: the value of config_1 is 856"),
        equals("shortened.*.fold", ["delta"]),
    ),
    fold(
        "of_pages_that_overlap_each_line_stands_once",
        "pages",
        1_500,
        has("messages.4.content", "[lines 21–40 as in the read at step 1 #"),
        lacks("messages.4.content", "function_number_30()"),
        has("messages.4.content", "function_number_60()"),
    ),
    fold(
        "edits_stay_with_their_reasons",
        "edits",
        900,
        has("messages.*.content", "reason 1"),
        has("messages.*.content", "reason 13"),
        has("texts", "for b alone"),
    ),
    fold(
        "edits_may_be_treated_like_everything_else",
        "edits",
        250,
        most("tokens", 250),
        lacks("texts", "for b alone"),
        keep_all_edits=False,
    ),
    fold(
        "rather_no_view_than_one_that_leaves_out_an_edit",
        "edits",
        250,
        equals("error", "cannot_fit"),
        keep_all_edits=True,
    ),
    row(
        "edit_tools_come_to_ask_for_a_reason",
        "add_intent",
        None,
        has("0.function.parameters.properties.intent.description", "Why this change is made"),
        equals("1.function.parameters.properties", {"command": {"type": "string"}}),
        beside={
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": name,
                        "parameters": {"type": "object", "properties": {field: {"type": "string"}}},
                    },
                }
                for name, field in (("edit_file", "path"), ("bash", "command"))
            ]
        },
    ),
    row(
        "tools_of_any_name_can_be_made_to_ask",
        "add_intent",
        None,
        equals("input_schema.properties.intent.type", "string"),
        beside={
            "tools": {"name": "publish", "input_schema": {"type": "object", "properties": {}}},
            "names": ["publish"],
        },
    ),
    row(
        "tools_that_change_nothing_are_not_made_to_ask",
        "add_intent",
        None,
        equals("error", "bad_option"),
        has("text", "none of these tools is known to change files"),
        beside={"tools": [{"name": "look", "input_schema": {"type": "object", "properties": {}}}]},
    ),
    row(
        "the_reason_of_an_edit_is_read",
        "files",
        "changed",
        equals("files.0.intents", ["the article was wrong"]),
    ),
    fold(
        "output_up_to_ten_thousand_characters_is_kept",
        "outputs",
        7_500,
        equals("messages.2.content", lines("short", 10)),
        equals("messages.4.content", lines("middling", 60)),
    ),
    fold(
        "what_is_over_a_thousand_characters_goes_next",
        "outputs",
        2_600,
        equals("shortened.*.message", [4, 6]),
        equals("messages.2.content", lines("short", 10)),
    ),
    fold(
        "longer_output_keeps_its_ends_with_characters_lines_and_command",
        "outputs",
        7_500,
        has("messages.6.content", "... [17,292 chars, 450 lines of: npm test #"),
        has("messages.6.content", "long 1: "),
        has("messages.6.content", "long 450: "),
        equals("shortened.*.fold", ["bookend"]),
    ),
    fold(
        "how_long_output_may_be_can_be_said",
        "outputs",
        7_500,
        equals("shortened.*.message", [4, 6]),
        has("messages.4.content", "60 lines of: make all #"),
        bash_truncate=1_000,
    ),
    fold(
        "what_a_policy_does_not_do_cannot_be_set",
        "outputs",
        7_500,
        equals("error", "bad_option"),
        has("text", "these do: retention"),
        policy="summarize",
        bash_truncate=1_000,
    ),
    row(
        "what_a_command_shows_of_a_file_is_a_read",
        "files",
        "outputs",
        equals("files.*.path", ["/app/a.py"]),
        equals("files.0.operation", "read"),
        equals("files.0.lines", 20),
    ),
    fold(
        "listings_stay_while_they_are_recent",
        "listings",
        600,
        has("messages.2.content", "[20 lines from ls #"),
        equals("messages.12.content", lines("new", 20)),
        keep_listings=4,
    ),
    fold(
        "half_of_a_session_goes_and_every_edit_stays",
        "edits",
        620,
        most("tokens", 620),
        has("texts", "reason 1"),
        has("texts", "for b alone"),
    ),
    row(
        "a_changelog_tells_changes_with_their_reasons",
        "changelog",
        "changed",
        equals("changes.*.path", ["/app/config.py"]),
        equals("changes.0.verb", "edit"),
        equals("changes.0.intent", "the article was wrong"),
        has("text", "step 2: edit (+1 −1): the article was wrong"),
    ),
    row(
        "a_file_is_shown_as_it_was_after_a_turn",
        "file_at",
        "changed",
        equals("content", "whole"),
        has("text", "config 1: a value of config_1 is 856"),
        beside={"path": "/app/config.py", "turn": 1},
    ),
    row(
        "a_file_is_shown_as_it_was_after_a_step",
        "file_at",
        "changed",
        equals("text", lines("config", 30)),
        equals("step", 1),
        beside={"path": "/app/config.py", "step": 1},
    ),
    row(
        "a_turn_that_is_not_there_is_refused",
        "file_at",
        "changed",
        equals("error", "bad_option"),
        has("text", "turn 9: the session has 1 turns, counted from 1"),
        beside={"path": "/app/config.py", "turn": 9},
    ),
    row(
        "a_file_that_is_not_touched_is_answered_with_those_that_are",
        "file_at",
        "changed",
        equals("error", "bad_option"),
        has("text", "there is /app/config.py from step 1 on"),
        beside={"path": "/src/config.py"},
    ),
    fold(
        "a_dozen_old_edits_of_a_file_become_a_list_of_their_reasons",
        "edits",
        900,
        has("messages.*.content", "13 edits to /app/a.py"),
        has("messages.*.content", "reason 7"),
    ),
    fold(
        "the_whole_of_an_edit_opens_by_its_handle",
        "edits",
        900,
        has("originals.*", "a 7: this value"),
    ),
    fold("edits_that_are_recent_stay_as_calls", "edits", 900, has("texts", "for b alone"), least("tokens", 500)),
]
