//! What is kept of small histories, told by the whole view.

use std::sync::Arc;

use super::{FoldByValue, Signal};
use crate::count::{Encoding, Tally};
use crate::file::notation;
use crate::folding::passes::Cx;
use crate::folding::policy::{Policy, PolicyPass, When};
use crate::folding::runner::run;
use crate::history::{History, MessageId};
use crate::understand::facts::Facts;
use crate::view::fold::HandleKey;
use crate::wire::{Neutral, Wire};

/// The view of a history at a budget, in the notation.
#[track_caller]
fn folded(history: &str, budget: usize) -> String {
    folded_by(FoldByValue::default(), history, budget)
}

#[track_caller]
fn folded_by(pass: FoldByValue, history: &str, budget: usize) -> String {
    let history = notation::parse(history).unwrap();
    let tally = Tally::of(&history, Arc::new(Encoding::O200k), Default::default());
    assert!(tally.total() > budget, "{} tokens fit", tally.total());
    let facts = Facts::of(&history);
    let handles = HandleKey::new(b"secret", "session");
    let policy = Policy {
        name: "test".into(),
        about: String::new(),
        fits: true,
        passes: vec![PolicyPass {
            pass: Box::new(pass),
            why: String::new(),
            when: When::Epoch,
            options: Default::default(),
        }],
        ..Policy::named("balanced").unwrap()
    };
    let run = run(&policy, &history, &tally, &Cx::new(budget, &facts, &handles, &Neutral)).unwrap();
    assert!(run.view.tokens() <= budget);
    let mut view = History::new();
    for (_, raw) in run.view.changes().sequence(&history, MessageId::FIRST) {
        let parsed = Neutral.read_message(&raw).unwrap();
        view.push(raw, parsed);
    }
    notation::print(&view)
}

/// A session that asks for something, reads a text, and goes on to something else.
fn session(read: &str, then: &str) -> String {
    let text = read.trim_end().replace('\n', "\n  | ");
    format!(
        "system: You help.\nuser: Make the cache forget old entries.\n\
         assistant: I look.\n  call c1 read {{\"path\":\"it\"}}\nresult c1: {text}\n\
         assistant: {then}\n  call c2 bash {{\"command\":\"true\"}}\nresult c2: ok\n"
    )
}

const CODE: &str = "\
     1→use std::fmt;
     2→
     3→pub fn first(line: &str) -> Option<&str> {
     4→    let (name, value) = line.split(':')?;
     5→    let short = name.trim();
     6→    Some(short)
     7→}
     8→
     9→pub fn evict_oldest(cache: &mut Cache, limit: usize) {
    10→    while cache.len() > limit {
    11→        let oldest = cache.iter().min_by_key(|entry| entry.seen);
    12→        let Some(key) = oldest else { break };
    13→        cache.remove_entry(&key);
    14→    }
    15→}
    16→
    17→pub fn table(rows: &[Row]) -> String {
    18→    let widths = widest(rows);
    19→    let cells = rows.iter().map(|row| row.cells(&widths));
    20→    cells.collect()
    21→}
";

#[test]
fn the_definition_that_the_work_is_about_stays_whole_with_its_line_numbers() {
    insta::assert_snapshot!(folded(&session(CODE, "evict_oldest must call min_by_key."), 195));
}

#[test]
fn of_a_test_run_the_failure_and_the_total_stay_and_repeated_lines_are_counted() {
    let passed: String = (1..60).map(|n| format!("test cache::case_{n} ... ok\n")).collect();
    let log = format!(
        "running 60 tests\n{passed}test cache::evicts ... FAILED\n\nassertion failed: left 3, right 2 at src/cache.rs:88\n\ntest result: FAILED. 59 passed; 1 failed"
    );
    insta::assert_snapshot!(folded(&session(&log, "One case fails."), 150));
}

#[test]
fn of_a_list_of_objects_the_one_in_question_stays() {
    let item = |n: u32| {
        format!("{{\"order_id\":{},\"customer\":\"customer-{n}\",\"total_cents\":{}}}", 48_210 + n, n * 311)
    };
    let json = format!("[{}]", (0..40).map(item).collect::<Vec<_>>().join(","));
    insta::assert_snapshot!(folded(&session(&json, "Order 48217 is the one; its order_id is odd."), 150));
}

#[test]
fn hits_keep_their_file_over_them() {
    let others: String = (1..30).map(|n| format!("{}:    let value = other_thing({n});\n", n * 10)).collect();
    let hits = format!(
        "src/first.rs\n{others}\nsrc/cache.rs\n12:fn evict_oldest() {{\n77:    evict_oldest();\n\nsrc/last.rs\n{others}"
    );
    insta::assert_snapshot!(folded(&session(&hits, "evict_oldest is called in one place."), 150));
}

#[test]
fn changed_lines_keep_the_head_of_their_hunk() {
    let noise: String = (1..40).map(|n| format!("+    let filler = {n};\n")).collect();
    let diff = format!(
        "diff --git a/src/cache.rs b/src/cache.rs\n--- a/src/cache.rs\n+++ b/src/cache.rs\n@@ -1,2 +1,40 @@\n{noise}@@ -88,4 +120,4 @@ fn evict_oldest()\n-    cache.pop_front();\n+    cache.remove_stale_entries();\n@@ -200,1 +300,40 @@\n{noise}"
    );
    insta::assert_snapshot!(folded(&session(&diff, "remove_stale_entries is what evict_oldest needs."), 190));
}

#[test]
fn base64_is_worth_nothing() {
    let blob = "iVBORw0KGgoAAAANSUhEUgAAB4AAAAQ4CAYAAADo08FDAAAAAXNSR0IArs4c6QAAIABJREFUeF7snQd8FdXz9r8BQgm9"
        .repeat(20);
    let text =
        format!("screenshot of settings_page\ndata:image/png;base64,{blob}\nsaved as shots/settings.png");
    insta::assert_snapshot!(folded(&session(&text, "The settings_page looks right."), 120));
}

#[test]
fn what_was_read_twice_stands_once_where_it_is_newest() {
    let code = CODE.trim_end().replace('\n', "\n  | ");
    let history = format!(
        "user: Make the cache forget.\n\
         assistant\n  call c1 read {{\"path\":\"cache.rs\"}}\nresult c1: {code}\n\
         assistant: Again.\n  call c2 read {{\"path\":\"cache.rs\"}}\nresult c2: {code}\n"
    );
    insta::assert_snapshot!(folded(&history, 300));
}

#[test]
fn an_edit_that_leaves_is_told_with_lines_of_what_was_written() {
    let old: String = (0..24).map(|n| format!("    step_{n}(old_state);\\n")).collect();
    let new: String = (0..24).map(|n| format!("    step_{n}(new_state);\\n")).collect();
    let history = format!(
        "user: Use the new state.\n\
         assistant\n  call c1 edit {{\"path\":\"a.rs\",\"old_string\":\"{old}\",\"new_string\":\"{new}\"}}\nresult c1: done\n\
         assistant: Next.\n  call c2 bash {{\"command\":\"true\"}}\nresult c2: ok\n"
    );
    insta::assert_snapshot!(folded(&history, 240));
}

#[test]
fn the_newest_steps_stay_and_older_ones_are_told() {
    let steps: String = (1..30)
        .map(|n| format!("assistant: Part {n}.\n  call c{n} bash {{\"command\":\"make part-{n}\"}}\nresult c{n}: built part_number_{n} in {n} seconds\n"))
        .collect();
    insta::assert_snapshot!(folded(&format!("user: Build all parts.\n{steps}"), 500));
}

#[test]
fn marks_that_are_the_texts_own_are_said_to_be_so() {
    let lines: String = (1..40).map(|n| format!("entry {n} of the manual about nothing\n")).collect();
    let text = format!("the cache_marker reads [12 lines #123456789] in the log\n{lines}");
    insta::assert_snapshot!(folded(&session(&text, "What does the cache_marker mean?"), 130));
}

#[test]
fn the_manual_explains_every_option_with_its_default() {
    let entry = crate::folding::passes::Entry::find("fold_by_value").unwrap();
    let manual = entry.manual();
    for (option, default) in entry.options() {
        let line = manual.lines().skip_while(|line| !line.starts_with(&format!("- `{option}`:")));
        let text: String = line.take(2).collect::<Vec<_>>().join(" ");
        assert!(text.contains(&format!("({default})")), "{option} {default}: {text}");
    }
}

/// The edit that was just made once stood in the view as `[4 lines #…]`: its old text had been read a step before.
#[test]
fn the_arguments_of_the_newest_calls_stay_whole() {
    let old: Vec<String> = (1..5).map(|n| format!("line_{n} of what is to go")).collect();
    let edit = |id: &str, path: &str| {
        let old = old.join("\\n");
        format!(
            "assistant\n  call {id} Edit {{\"file_path\":\"{path}\",\"old_string\":\"{old}\",\"new_string\":\"none\"}}\nresult {id}: ok\n"
        )
    };
    let noise: String = (0..60).map(|n| format!("  | other_{n} line of the file\n")).collect();
    let history = format!(
        "user: Tidy up.\n{}assistant\n  call r read {{\"path\":\"b.txt\"}}\nresult r: {}\n{noise}{}",
        edit("first", "a.txt"),
        old.join("\n  | "),
        edit("last", "b.txt")
    );
    let view = folded(&history, 668);
    let last = view.lines().find(|line| line.contains("call last")).unwrap();
    assert!(last.contains(&old.join("\\n")), "{view}");
}

/// The open tasks once left with the call that listed them, and the next step was guessed.
#[test]
fn what_is_still_planned_is_told_where_the_call_that_says_so_left() {
    let plan = r#"{"todos":[{"content":"look","status":"completed"},{"content":"write it","status":"in_progress"},{"content":"test it","status":"pending"}]}"#;
    let steps: String = (1..30)
        .map(|n| format!("assistant: Part {n}.\n  call c{n} bash {{\"command\":\"make part-{n}\"}}\nresult c{n}: built part_number_{n} in {n} seconds\n"))
        .collect();
    let history = format!("user: Build all.\nassistant\n  call t TodoWrite {plan}\nresult t: ok\n{steps}");
    let view = folded(&history, 500);
    assert!(view.contains("Still planned (1 of 3 done): write it (in progress); test it"), "{view}");
}

/// Agents that change one entry at a time: the newest call stood in the view, and so nothing was told of the other entries.
#[test]
fn what_is_still_planned_is_told_where_the_newest_call_names_one_entry_only() {
    let task = |n: u32, subject: &str| {
        format!(
            "assistant\n  call t{n} TaskCreate {{\"subject\":\"{subject}\",\"description\":\"{subject}\"}}\n\
             result t{n}: Task #{n} created successfully: {subject}\n"
        )
    };
    let tasks = task(1, "read the parser") + &task(2, "write the new header") + &task(3, "run every test");
    let steps: String = (1..30)
        .map(|n| format!("assistant: Part {n}.\n  call c{n} bash {{\"command\":\"make part-{n}\"}}\nresult c{n}: built part_number_{n} in {n} seconds\n"))
        .collect();
    let newest = "assistant\n  call u TaskUpdate {\"taskId\":\"1\",\"status\":\"completed\"}\nresult u: Updated task #1 status\n";
    let view = folded(&format!("user: Build all.\n{tasks}{steps}{newest}"), 500);
    assert!(view.contains("call u TaskUpdate"), "{view}");
    assert!(view.contains("Still planned (1 of 3 done): write the new header; run every test"), "{view}");
}

/// Of a check that was run after every change, the beginning was told: the model made up the rest.
#[test]
fn a_command_that_left_is_listed_word_for_word_once() {
    let check = "go test ./internal/parser/... -run TestHeaders -count=1 | tail -20";
    // The check leaves with what was written beside it: a call stays whole or not at all.
    let steps: String = (1..6)
        .map(|n| {
            let body: Vec<String> = (0..40).map(|line| format!("set part {n} of line {line}")).collect();
            format!(
                "assistant\n  call w{n} write {{\"path\":\"/home/me/parser/part_{n}.go\",\"content\":\"{}\"}}\n  \
                 call c{n} bash {{\"command\":\"{check}\"}}\nresult w{n}: done\nresult c{n}: ok {n}\n",
                body.join("\\n")
            )
        })
        .collect();
    let history = format!(
        "user: Mend the parser.\n{steps}assistant: All parts are there.\nuser: Go on with the rest.\n"
    );
    let view = folded(&history, 400);
    assert!(view.contains(&format!("Commands of these steps, word for word:\n  | {check}\n")), "{view}");
    assert_eq!(view.matches(check).count(), 1, "{view}");
    let without = folded_by(FoldByValue { without: vec![Signal::Verbatim] }, &history, 400);
    assert!(!without.contains("word for word"), "{without}");
}

/// What filled the view once, so that the steps before it left.
fn filled(before: &str) -> String {
    let steps: String = (1..30)
        .map(|n| format!("assistant: Part {n}.\n  call c{n} bash {{\"command\":\"make part-{n}\"}}\nresult c{n}: built part_number_{n} in {n} seconds\n"))
        .collect();
    format!("user: Build all.\n{before}{steps}")
}

/// `edited a.rs −1` once stood over a line that the edit had left as it was: it read as the one that was removed.
#[test]
fn of_an_edit_that_only_removes_nothing_is_quoted() {
    let around: Vec<String> = (1..9).map(|n| format!("fn stays_{n}() {{}}")).collect();
    let (old, new) = (format!("{}\\nfn leaves() {{}}", around.join("\\n")), around.join("\\n"));
    let edit = format!(
        "assistant\n  call e edit {{\"path\":\"a.rs\",\"old_string\":\"{old}\",\"new_string\":\"{new}\"}}\nresult e: done\n"
    );
    let view = folded(&filled(&edit), 500);
    assert!(view.contains("a.rs") && !view.contains("stays_"), "{view}");
}

/// A run of steps once was a bag of names, the newest first, in which nothing said what had failed.
#[test]
fn the_line_over_a_run_names_changes_first_and_what_failed() {
    let before = "assistant\n  call r read {\"path\":\"limits.c\"}\nresult r: int limit;\n\
                  assistant\n  call m bash {\"command\":\"cd /src && make all\"}\nresult m: Exit code 2\n\
                  assistant\n  call w write {\"path\":\"report.c\",\"content\":\"x\"}\nresult w: ok\n";
    let view = folded(&filled(before), 420);
    let line = view.lines().find(|line| line.contains("Steps 1–")).unwrap();
    let at = |word: &str| line.find(word).unwrap_or_else(|| panic!("{word}: {line}"));
    assert!(at("1 edit (report.c)") < at("`make all` failed"));
}

/// Lines of a file stood in the view as they had been, with nothing that said so.
#[test]
fn a_read_of_a_file_that_was_changed_since_says_so_where_it_is_cut() {
    let lines: String = (0..60).map(|n| format!("  | value_{n} = {n}\n")).collect();
    let history = format!(
        "user: Raise value_7.\nassistant\n  call r read {{\"path\":\"a.ini\"}}\nresult r: [values]\n{lines}\
         assistant\n  call e edit {{\"path\":\"a.ini\",\"old_string\":\"value_7 = 7\",\"new_string\":\"value_7 = 8\"}}\nresult e: done\n\
         assistant: Is value_7 right now?\n"
    );
    let view = folded(&history, 250);
    assert!(view.contains("; changed in step 2]"), "{view}");
}

/// `do it` once stood alone: the plan that it answered was a marker.
#[test]
fn what_a_short_answer_answers_stays() {
    let lines: String = (0..400).map(|n| format!("  | value_{n} of the table is {n}\n")).collect();
    let history = format!(
        "user: Tidy up.\nassistant: First the parser moves to its own file, then the tests follow it.\nuser: do it\n\
         assistant\n  call r read {{\"path\":\"a.ini\"}}\nresult r: [values]\n{lines}assistant: Now the parser.\n"
    );
    let view = folded(&history, 3_000);
    assert!(view.contains("First the parser moves to its own file"), "{view}");
}

/// A command of the person's own lifted "do not commit" and left as `[2 lines]`, so that the commit read like disobedience.
#[test]
fn a_command_that_the_person_gave_stays() {
    let order = "user: <command-message>release</command-message> <command-name>/release</command-name>\n";
    let view = folded(&filled(order), 500);
    assert!(view.contains("/release"), "{view}");
}

/// `12 edits` stood over five that were told, and nobody could say whether these were among them.
#[test]
fn a_count_says_what_it_does_not_count() {
    let edits: String = (0..12)
        .map(|n| {
            let written = format!("fn part_number_{n}() {{ build(part_number_{n}, {n}) }}\\n").repeat(4);
            format!("assistant\n  call w{n} write {{\"path\":\"part_{n}.rs\",\"content\":\"{written}\"}}\nresult w{n}: ok\n")
        })
        .collect();
    let view = folded(&filled(&edits), 600);
    assert!(view.contains(" told below, and "), "{view}");
}

/// `the user doesn't want to proceed` was told as a failure.
#[test]
fn a_no_of_the_user_is_told_as_one() {
    let refused = "assistant\n  call m bash {\"command\":\"make all\"}\nresult m error: The user doesn't want to proceed with this tool use.\n";
    let view = folded(&filled(refused), 420);
    assert!(
        view.contains("`make all`: the user said no") || view.contains("`make all` → the user said no"),
        "{view}"
    );
}

/// `edited a.rs +1` once stood over the lines around the change, and the change itself was `…`.
#[test]
fn an_excerpt_without_a_line_that_the_edit_wrote_is_not_told() {
    let around: Vec<String> =
        (1..9).map(|n| format!("configure_engine_{n}(engine_option_{n}, engine_mode_{n});")).collect();
    let around = around.join("\\n");
    let wrote = "so it is and so it was and so on ".repeat(40);
    let edit = format!(
        "assistant\n  call e edit {{\"path\":\"a.rs\",\"old_string\":\"{around}\",\"new_string\":\"{around}\\n{wrote}\"}}\nresult e: done\n"
    );
    let view = folded(&filled(&edit), 700);
    assert!(view.contains("a.rs") && !view.contains("configure_engine_"), "{view}");
}

/// What a signal is worth shows where it counts for nothing; an option that nobody reads would show that all are worth nothing.
#[test]
fn a_signal_that_counts_for_nothing_changes_what_stays() {
    let history = session(CODE, "evict_oldest must call min_by_key.");
    let without = FoldByValue { without: vec![Signal::Gaps, Signal::Shape, Signal::Neighbours] };
    assert_ne!(folded_by(without, &history, 195), folded(&history, 195));
}

/// The model saw itself answer with `[21 lines #…]`, and may answer so again.
#[test]
fn what_the_model_said_keeps_its_first_line() {
    let listing: String = (0..40).map(|n| format!("\n  | - entry {n} of the long list")).collect();
    let step = |n: u32| {
        format!(
            "assistant\n  call c{n} read {{\"path\":\"/src/part_{n}.c\"}}\nresult c{n}: the part {n} stands\n"
        )
    };
    let newest = format!(
        "assistant: Moved the reader.{listing}\n  call c9 bash {{\"command\":\"make\"}}\nresult c9: built\n"
    );
    let history = format!("user: Tidy up.\n{}{}{newest}", step(1), step(2));
    let view = folded(&history, 100);
    assert!(view.contains("assistant: Moved the reader.\n  | ["), "{view}");
}

/// `user: [1 line #…]` looked as if a person had typed a marker.
#[test]
fn a_message_of_the_harness_says_that_no_person_wrote_it() {
    let skills: String = (0..60).map(|n| format!("\n  | - skill-{n}: does the thing number {n}")).collect();
    let reminder = format!("user: <system-reminder>{skills}\n  | </system-reminder>\n");
    let history = format!(
        "user: Tidy up.\nassistant: Yes.\n{reminder}assistant: Done.\nuser: And now the tests.\nassistant: I run them.\n"
    );
    let view = folded(&history, 300);
    assert!(view.contains("user: [automatic message; 6"), "{view}");
}

/// Where many turns left no room to tell each of them, nothing was told at all.
#[test]
fn what_left_is_told_in_few_words_where_there_is_no_room_for_more() {
    let turns: String = (1..25)
        .map(|n| {
            format!(
                "user: Now do the part with number {n}, as we said.\nassistant\n  call e{n} edit {{\"path\":\"/src/part_{n}.c\",\"old\":\"a {n}\",\"new\":\"b {n}\"}}\n\
                 result e{n}: ok\nassistant\n  call c{n} bash {{\"command\":\"make check-of-part-number-{n}\"}}\nresult c{n}: built\nassistant: Part {n} stands.\n"
            )
        })
        .collect();
    let [tight, roomy] = [800, 1200].map(|budget| folded(&turns, budget));
    assert!(tight.contains("<enfold-told>") && !tight.contains("After \""), "{tight}");
    assert!(roomy.contains("<enfold-told>") && roomy.contains("After \""), "{roomy}");
}

/// Of a test run inside a JSON string one line was said to be left out, and what stayed was cut at its commas.
#[test]
fn output_inside_json_is_folded_by_its_own_lines() {
    let passes: String =
        (0..60).map(|n| format!("tests/test_part_{n}.py::test_one PASSED [in {n}, ok]\\n")).collect();
    let output = format!(
        "{{\"returncode\": 1, \"output\": \"{passes}E       AssertionError: limit(3) == 4\\n=== 1 failed, 60 passed in 2.1s ===\\n\"}}"
    );
    insta::assert_snapshot!(folded(&session(&output, "The limit is off by one."), 230), @r#"
    system: You help.
    user: Make the cache forget old entries.
    assistant: I look.
      call c1 read {"path":"it"}
    result c1: {"returncode": 1, "output": "tests/test_part_0.py::test_one PASSED [in 0, ok]\ntests/test_part_1.py::test_one PASSED [in 1, ok]\ntests/test_part_2.py::test_one PASSED [in 2, ok]\ntests/test_part_3.py::test_one PASSED [in 3, ok]\ntests/test_part_4.py::test_one PASSED [in 4, ok]\n
      | [55 lines like this #354865480]
      | E       AssertionError: limit(3) == 4\n=== 1 failed, 60 passed in 2.1s ===\n"}
    assistant: The limit is off by one.
      call c2 bash {"command":"true"}
    result c2: ok
    "#);
}

/// In one view of six nothing left, so no block was there to say what `[12 lines #…]` means and how it opens.
#[test]
fn where_nothing_left_the_first_mark_says_what_marks_mean() {
    let log = |name: &str| -> String {
        (0..500).map(|n| format!("{name}_{n} was read at {} and kept\n", n * 7)).collect()
    };
    let history = format!(
        "{}assistant: And the other log.\n  call c3 read {{\"path\":\"other\"}}\nresult c3: {}\n",
        session(&log("entry"), "I go on."),
        log("row").trim_end().replace('\n', "\n  | ")
    );
    let view = folded(&history, 6_000);
    assert!(!view.contains("<enfold-told>"), "{view}");
    let legend = "[In brackets, here and below: what was left out there. #…:";
    assert_eq!(view.matches(legend).count(), 1, "{view}");
    let marked = view.lines().position(|line| line.contains('#')).unwrap();
    assert!(view.lines().nth(marked + 1).is_some_and(|line| line.contains(legend)), "{view}");
}

/// Edits without a recorded result were told as done, a stopped run as an error of the debugger, a search that found
/// nothing as failed, and changes that were undone as one more edit.
#[test]
fn how_a_call_ended_is_told_as_it_was() {
    let steps = "assistant\n  call e1 Edit {\"file_path\":\"src/one.rs\",\"old_string\":\"a\",\"new_string\":\"b\"}\n\
                 result e1: [No result of this call was recorded.]\n\
                 assistant\n  call e2 Bash {\"command\":\"npm test\"}\nresult e2: Error in the js-debug bootloader\n  | Command aborted\n\
                 assistant\n  call e3 Bash {\"command\":\"grep -n limit src/two.rs\"}\nresult e3: Exit code 1\n\
                 assistant\n  call e4 Bash {\"command\":\"git checkout src/three.rs\"}\nresult e4: Updated 1 path from the index\n";
    let view = folded(&filled(steps), 420);
    for told in ["one.rs: no result recorded", "`npm test` stopped", "1 search", "three.rs brought back"] {
        assert!(view.contains(told), "{told}: {view}");
    }
    assert!(!view.contains("failed"), "{view}");
}

/// `After "yes":` once stood over steps of which the last followed another request.
#[test]
fn steps_of_several_turns_stand_under_the_words_of_none() {
    let read = |n: usize| {
        format!("assistant\n  call t{n} read {{\"path\":\"src/t{n}.rs\"}}\nresult t{n}: fn t{n}() {{}}\n")
    };
    let question = "assistant: Shall I raise the limit to nine?\nuser: yes\n";
    let early: String = (10..30).map(read).collect();
    let of_one = format!("{early}{question}{}", read(1));
    let of_two = format!("{of_one}user: and the tests too\n{}", read(2));
    let builds = filled("").replacen("user: Build all.\n", "", 1);
    let view = folded(&format!("user: Build all.\n{of_one}{builds}"), 450);
    assert!(view.contains("After \"yes\":"), "{view}");
    let view = folded(&format!("user: Build all.\n{of_two}{builds}"), 450);
    assert!(view.contains("t2.rs") && !view.contains("After"), "{view}");
}
