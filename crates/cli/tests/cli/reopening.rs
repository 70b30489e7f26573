//! Handles that open from the session file itself: `enfold unfold HANDLE FILE`.

use std::path::Path;

use crate::support::{Ran, arg, enfold, example, file};

/// Folds a session and opens handles of its view from the session; what `--blobs` wrote is what must come out.
#[track_caller]
fn opens_from(session: &str, folding: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let ran = fold(session, &[folding, &["--blobs", arg(folder.path())]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let mut names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert!(names.len() > 2, "{folding:?} of {session}: {names:?}");
    // Every process reads the session anew.
    for name in names.iter().step_by(names.len().div_ceil(12)) {
        let stored = std::fs::read_to_string(folder.path().join(name)).unwrap();
        let opened = enfold(&["unfold", &name.to_str().unwrap()[..9], session], "");
        assert_eq!((opened.code, opened.stdout), (0, stored), "{folding:?}: {name:?}: {}", opened.stderr);
    }
}

fn fold(session: &str, more: &[&str]) -> Ran {
    enfold(&[&["fold", session, "--report", "none"], more].concat(), "")
}

/// The first handle that stands in a view.
fn first_handle(view: &str) -> String {
    let digits = |rest: &str| rest.bytes().take_while(u8::is_ascii_digit).count();
    let found = view.split('#').skip(1).find(|rest| digits(rest) == 9);
    found.expect("something is folded")[..9].to_string()
}

#[test]
fn whatever_policy_and_budget_made_the_view() {
    let long = example("long.jsonl");
    for policy in ["balanced", "summarize", "microcompact", "age"] {
        opens_from(&long, &["--budget", "9k", "--policy", policy]);
    }
    // They keep the edits, and the files that were changed.
    opens_from(&long, &["--budget", "20k", "--policy", "retention"]);
    opens_from(&long, &["--budget", "40k", "--policy", "priority"]);
    opens_from(&long, &["--budget", "20k"]);
}

#[test]
fn a_view_in_another_format_opens_from_the_session_too() {
    for to in ["anthropic", "gemini", "notation"] {
        opens_from(&example("long.jsonl"), &["--budget", "12k", "--to", to]);
    }
}

#[test]
fn a_session_that_has_gone_on_since_still_opens_its_old_views() {
    let whole = std::fs::read_to_string(example("long.jsonl")).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let (_folder, shorter) = file("session.jsonl", lines[..lines.len() - 9].concat());
    let handle = first_handle(&fold(arg(&shorter), &["--budget", "9k"]).stdout);
    let [before, after] =
        [arg(&shorter), &example("long.jsonl")].map(|session| enfold(&["unfold", &handle, session], ""));
    assert_eq!((before.code, after.code), (0, 0), "{}{}", before.stderr, after.stderr);
    assert!(!before.stdout.is_empty() && before.stdout == after.stdout);
}

#[test]
fn standard_input_is_a_session_too() {
    let session = std::fs::read(example("long.jsonl")).unwrap();
    let view = enfold(&["fold", "-", "--budget", "9k", "--report", "none"], &session).stdout;
    let opened = enfold(&["unfold", &first_handle(&view), "-"], &session);
    assert_eq!(opened.code, 0, "{}", opened.stderr);
    assert!(!opened.stdout.is_empty());
}

#[test]
fn a_handle_of_another_session_is_unknown_and_the_error_says_what_to_try() {
    let long = example("long.jsonl");
    let ran = enfold(&["unfold", "#000000001", &long], "");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("#000000001: nothing in ") && ran.stderr.contains("--blobs"),
        "{}",
        ran.stderr
    );
    let none = enfold(&["unfold", "12345", &long], "");
    assert!(none.code == 2 && none.stderr.contains("no handle"), "{}", none.stderr);
    let gone = enfold(&["unfold", "000000001", arg(Path::new("/nonexistent/session.jsonl"))], "");
    assert_eq!(gone.code, 2, "{}", gone.stderr);
}
