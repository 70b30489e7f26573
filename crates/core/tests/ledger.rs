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

#[test]
fn notices_of_a_harness_are_no_requests() {
    let caveat = "Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages.";
    let ledger = ledger(&format!("user: {caveat}\nassistant: Yes.\nuser: Mend the build.\n"));
    assert_eq!(ledger.requests.len(), 1);
    assert_eq!(ledger.task.as_deref(), Some("Mend the build."));
    assert!(ledger.stated.conditions.is_empty());
}
