//! The ledger: exact, capped, nothing invented.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use enfold::count::{Counter, Encoding};
use enfold::file;
use enfold::file::notation;
use enfold::history::History;
use enfold::understand::facts::Facts;
use enfold::understand::files::FileTracker;
use enfold::understand::ledger::{Ledger, TodoState};

fn of(history: &History) -> Ledger {
    Ledger::of(history, &Facts::of(history))
}

fn ledger(text: &str) -> Ledger {
    of(&notation::parse(text).unwrap())
}

const WORK: &str = r#"
user: Make the parser accept tabs. Never touch src/lexer.rs; the ticket is #48213.
assistant: I look first.
  call a Read {"file_path":"/repo/src/parser.rs"}
result a: fn parse() {}
assistant
  call b Bash {"command":"cargo test"}
result b error: Exit code 101
  | running 3 tests
  | error[E0308]: mismatched types
assistant
  call c Edit {"file_path":"/repo/src/parser.rs","old_string":"fn parse() {}","new_string":"fn parse() {\n    tabs();\n}","intent":"accept tabs"}
result c: The file /repo/src/parser.rs has been updated.
assistant
  call d Bash {"command":"cargo test"}
result d: test result: ok. 3 passed
assistant
  call e TodoWrite {"todos":[{"content":"accept tabs","status":"completed"},{"content":"document it","status":"in_progress"},{"content":"release","status":"pending"}]}
result e: ok
assistant: Tabs are accepted.
user: Now document it, but only in README.md.
assistant
  call f Bash {"command":"make docs"}
"#;

#[test]
fn everything_that_happened_is_in_it() {
    insta::assert_snapshot!(ledger(WORK).render(&Encoding::O200k, 2_000), @r#"
    ### Original task
    Make the parser accept tabs. Never touch src/lexer.rs; the ticket is #48213.
    ### Open requests
    - turn 2: Now document it, but only in README.md.
    ### Plan
    - [x] accept tabs
    - [-] document it
    - [ ] release
    ### Calls under way
    - step 6: Bash {"command":"make docs"}
    ### Changed files
    - /repo/src/parser.rs (+3 −1, last at step 3): accept tabs
    ### Errors
    - step 2: cargo test: error[E0308]: mismatched types (resolved at step 4 after changes to /repo/src/parser.rs)
    ### Commands
    - `cargo test` (ended at step 4, 2×)
    ### Conditions the user stated
    - Never touch src/lexer.rs;
    - Now document it, but only in README.md.
    ### Names the user used
    - README.md, src/lexer.rs, #48213
    ### Answered requests
    - turn 1: the original task
    "#);
}

#[test]
fn answers_close_requests() {
    let answered: Vec<bool> = ledger(WORK).requests.iter().map(|request| request.answered).collect();
    assert_eq!(answered, [true, false]);
}

#[test]
fn plans_are_read_in_the_shapes_of_all_agents() {
    let plan = |call: &str| {
        let text = format!("user: go\nassistant\n  call a {call}\nresult a: ok\n");
        ledger(&text).todo.into_iter().map(|entry| (entry.text, entry.state)).collect::<Vec<_>>()
    };
    let wanted = vec![("one".to_string(), TodoState::Done), ("two".to_string(), TodoState::Active)];
    for call in [
        r#"TodoWrite {"todos":[{"content":"one","status":"completed"},{"content":"two","status":"in_progress"}]}"#,
        r#"update_plan {"plan":[{"step":"one","status":"completed"},{"step":"two","status":"in_progress"}]}"#,
        r#"update_todo_list {"todos":"[x] one\n[-] two"}"#,
        r#"TodoWrite {"todos":"[{\"content\":\"one\",\"status\":\"done\"},{\"content\":\"two\",\"status\":\"active\"}]"}"#,
    ] {
        assert_eq!(plan(call), wanted, "{call}");
    }
}

#[test]
fn a_ledger_never_grows_past_its_cap_and_says_what_is_missing() {
    let mut text = String::from("user: go\n");
    for n in 0..300 {
        text +=
            &format!("assistant\n  call c{n} Bash {{\"command\":\"make target_{n}\"}}\nresult c{n}: ok\n");
    }
    let ledger = ledger(&text);
    for most in [0, 10, 100, 1_000] {
        let shown = ledger.render(&Encoding::O200k, most);
        let beside_the_task =
            Encoding::O200k.count(&shown) - Encoding::O200k.count("### Original task\ngo\n");
        assert!(beside_the_task <= most + 10, "{beside_the_task} of {most}");
    }
    let shown = ledger.render(&Encoding::O200k, 100);
    assert!(shown.contains("make target_299") && shown.contains("more"), "the latest first: {shown}");
}

#[test]
fn real_sessions_have_all_their_changed_files_in_it_and_no_others() {
    let Some(root) = std::env::var_os("ENFOLD_SESSIONS") else {
        eprintln!("SKIPPED: ENFOLD_SESSIONS is not set");
        return;
    };
    let folder = std::path::Path::new(&root).join("dev");
    let mut files = 0;
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let document = file::read_bytes(std::fs::read(&path).unwrap()).unwrap();
        let ledger = of(&document.history);
        let mut tracker = FileTracker::default();
        tracker.update(&document.history);
        let changed: BTreeSet<&str> = tracker.modified_files().collect();
        let listed: BTreeSet<&str> =
            ledger.files.iter().filter(|file| file.modified).map(|file| file.path.as_str()).collect();
        assert_eq!(changed, listed, "{}", path.display());
        files += listed.len();
        let shown = ledger.render(&Encoding::O200k, 800);
        let task = ledger.task.clone().unwrap_or_default();
        assert!(shown.contains(task.trim_end()), "{}: the task word for word", path.display());
    }
    eprintln!("{files} changed files");
}

#[test]
fn what_a_harness_says_about_the_machine_is_not_what_the_user_asks_for() {
    let ledger = ledger(
        "user: <environment_context> <cwd>/repo</cwd> </environment_context>\nuser: Mend the build.\n",
    );
    assert_eq!(ledger.task.as_deref(), Some("Mend the build."));
}

#[test]
fn colours_of_a_terminal_are_left_out_of_errors() {
    let red = "user: go\nassistant\n  call a Bash {\"command\":\"make\"}\nresult a error: \u{1b}[31m✘ [41;31merror\u{1b}[0m: no rule\n";
    let text = ledger(red).render(&Encoding::O200k, 1_000);
    assert!(text.contains("✘ [41;31merror: no rule"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn questions_and_pasted_rows_set_no_conditions() {
    let ledger = ledger(
        "user: Only touch src. Can we always do this automatically?\n  | | only | a | table |\n  | -f, --force   never ask\n",
    );
    assert_eq!(ledger.stated.conditions, ["Only touch src."]);
}

/// One step per call: its tool, arguments and result.
fn steps(calls: &[(&str, &str, &str)]) -> Ledger {
    let mut text = String::from("user: go\n");
    for (nth, (tool, arguments, result)) in calls.iter().enumerate() {
        let result = result.replace('\n', "\n  | ");
        text += &format!("assistant\n  call c{nth} {tool} {arguments}\nresult c{nth}: {result}\n");
    }
    ledger(&text)
}

#[test]
fn what_a_search_found_is_no_error() {
    let found = steps(&[("Grep", r#"{"pattern":"x"}"#, "Found 3 files\na.rs\nb.rs\nc.rs")]);
    assert_eq!(found.errors, []);
}

#[test]
fn a_search_that_finds_nothing_is_no_error() {
    let nothing = steps(&[
        ("Bash", r#"{"command":"grep -rn nothing src"}"#, "Exit code 1"),
        ("Bash", r#"{"command":"./is-ready"}"#, "Exit code 1"),
    ]);
    assert_eq!(nothing.errors, []);
    assert_eq!(nothing.commands[0].exit, Some(1));
    let killed = steps(&[("Bash", r#"{"command":"make all"}"#, "Exit code 137")]);
    assert_eq!(killed.errors.len(), 1);
}

#[test]
fn an_error_is_resolved_by_whatever_reaches_the_same_end() {
    let refused =
        "The user doesn't want to proceed with this tool use. The tool use was rejected.\nNote: wait.";
    let ledger = steps(&[
        ("Edit", r#"{"file_path":"/a.rs","old_string":"x","new_string":"y"}"#, "String to replace not found"),
        ("Write", r#"{"file_path":"/a.rs","content":"y\n"}"#, "ok"),
        ("Bash", r#"{"command":"cargo test"}"#, "Exit code 101\nerror: no"),
        ("Bash", r#"{"command":"cargo test 2>&1 | tail -5"}"#, "all fine"),
        ("Bash", r#"{"command":"git push"}"#, refused),
    ]);
    let errors: Vec<_> = ledger.errors.iter().map(|error| (error.step, error.resolved.is_some())).collect();
    assert_eq!(errors, [(5, false), (3, true), (1, true)]);
    assert_eq!(ledger.errors[0].says, refused.lines().next().unwrap());
}

#[test]
fn a_refusal_is_told_in_the_words_of_the_user() {
    let refused = "The user doesn't want to proceed. The tool use was rejected. To tell you how to proceed, the user said:\nlet us do this later\n\nNote: errors may follow.";
    let ledger = steps(&[("Bash", r#"{"command":"git push"}"#, refused)]);
    assert_eq!(ledger.errors[0].says, "let us do this later");
}

#[test]
fn crashes_and_failed_builds_are_errors_where_no_status_says_so() {
    let python = "starting\nTraceback (most recent call last):\n  raise no.KeyError(\nKeyError: 'x'";
    let crashed = steps(&[
        ("Bash", r#"{"command":"cargo build 2>&1 | tail -3"}"#, "error: could not compile `a` (lib)"),
        ("shell", r#"{"command":"python a.py"}"#, python),
        ("Bash", r#"{"command":"cat crash.log"}"#, python),
    ]);
    let says: Vec<_> = crashed.errors.iter().map(|error| (error.step, error.says.as_str())).collect();
    assert_eq!(says, [(2, "KeyError: 'x'"), (1, "error: could not compile `a` (lib)")]);
}

#[test]
fn a_session_that_stops_at_work_has_answered_nothing() {
    let asked = "user: Mend the build.\nassistant: I look at it first.\n";
    let stopped = format!("{asked}assistant\n  call a Bash {{\"command\":\"make\"}}\nresult a: ok\n");
    let answered = |text: &str| ledger(text).requests.iter().map(|one| one.answered).collect::<Vec<_>>();
    assert_eq!(answered(asked), [true]);
    assert_eq!(answered(&stopped), [false]);
    assert_eq!(answered(&format!("{stopped}assistant: It builds.\n")), [true]);
    let more = format!("{asked}user: And the tests.\nassistant\n  call a Bash {{\"command\":\"make\"}}\n");
    assert_eq!(answered(&more), [true, false], "what was answered before more was asked for stays answered");
}

#[test]
fn notices_of_a_harness_are_no_requests() {
    let caveat = "Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages.";
    let ledger = ledger(&format!("user: {caveat}\nassistant: Yes.\nuser: Mend the build.\n"));
    assert_eq!(ledger.requests.len(), 1);
    assert_eq!(ledger.task.as_deref(), Some("Mend the build."));
    assert!(ledger.stated.conditions.is_empty());
}
