//! How results read at a terminal.

use std::process::Command;

use crate::support::{Store, arg, enfold, example, json};

/// What a command prints at a terminal, which `script` gives it; `None` where there is no `script`.
fn at_a_terminal(args: &[&str], no_color: Option<&str>) -> Option<String> {
    let enfold = assert_cmd::cargo::cargo_bin("enfold");
    let typed: Vec<String> =
        std::iter::once(arg(&enfold)).chain(args.iter().copied()).map(|word| format!("'{word}'")).collect();
    let mut command = Command::new("script");
    command.args(["-qec", &typed.join(" "), "/dev/null"]).env("TERM", "xterm").env_remove("NO_COLOR");
    command.envs(no_color.map(|value| ("NO_COLOR", value)));
    match command.output() {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(_) => {
            eprintln!("SKIPPED: a terminal; there is no `script`");
            None
        }
    }
}

#[test]
fn kinds_parts_and_errors_have_colours_unless_nobody_wants_them() {
    let file = example("long.jsonl");
    for (args, coloured) in [
        (&["explain", &file, "--budget", "16k"][..], " digest "),
        (&["inspect", &file], "results"),
        (&["inspect", "/nonexistent"], "error:"),
    ] {
        let Some(text) = at_a_terminal(args, None) else { return };
        let (before, _) = text.split_once(coloured).unwrap_or_else(|| panic!("{coloured}: {text}"));
        let code = before.rsplit("\u{1b}[").next().unwrap();
        assert!(code.starts_with("38;5;") || code.starts_with("1;31m"), "{args:?}: {code:?} in {text}");
        let Some(plain) = at_a_terminal(args, Some("1")) else { return };
        assert!(!plain.contains("\u{1b}["), "{args:?}: {plain}");
    }
}

#[test]
fn explain_begins_with_what_is_left() {
    let ran = enfold(&["explain", &example("long.jsonl"), "--budget", "16k"], "");
    assert!(ran.stdout.starts_with("65,518 → "), "{}", ran.stdout);
}

#[test]
fn equal_folds_share_a_row_and_leave_room_for_their_text() {
    // Twenty listings were twenty rows that said the same.
    let mut session = String::from("{\"role\":\"user\",\"content\":\"Count the files\"}\n");
    for nth in 0..30 {
        let call = serde_json::json!({"id": format!("c{nth}"), "type": "function", "function": {"name": "bash", "arguments": "{\"command\":\"ls\"}"}});
        let ask = serde_json::json!({"role": "assistant", "content": null, "tool_calls": [call]});
        let listing: String = (0..60).map(|file| format!("file-{nth}-{file}.txt\n")).collect();
        let answer =
            serde_json::json!({"role": "tool", "tool_call_id": format!("c{nth}"), "content": listing});
        session += &format!("{ask}\n{answer}\n");
    }
    let many = enfold(&["explain", "--budget", "9k"], &session);
    assert!(many.stdout.contains("\n1–20  20 × bash; also #"), "{}", many.stdout);
    let longest = many.stdout.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= 80, "{longest}: {}", many.stdout);
    assert!(many.stdout.lines().count() < 40, "{}", many.stdout);
}

#[test]
fn what_a_search_finds_in_many_sessions_has_room_beside_long_ids() {
    // Ids of 36 letters left six for the text.
    let store = Store::new();
    for id in ["d703a1a9-1b7b-4fb1-b512-c9738b1fe617", "ffae836b-9420-4060-ac13-7745215f90ff"] {
        store.done(&["sessions", "import", &example("long.jsonl"), "--id", id]);
    }
    let found = store.done(&["search", "--all", "money_format", "--limit", "2"]);
    assert!(found.starts_with("ffae836b-9420-4060-ac13-7745215f90ff\n"), "{found}");
    let widest = found.lines().map(|line| line.chars().count()).max().unwrap();
    assert!((60..=80).contains(&widest), "{found}");
    let hits = store.json(&["search", "--all", "money_format", "--limit", "2", "--json"]);
    assert_eq!(hits["hits"].as_array().unwrap().len(), 4);
}

#[test]
fn tokens_and_window_say_what_they_count() {
    let ran = enfold(&["inspect", &example("claude-code.jsonl")], "");
    assert!(ran.stdout.contains(" in the whole session ("), "{}", ran.stdout);
    assert!(ran.stdout.contains(" in the next request ("), "{}", ran.stdout);
    let seen = json(&["inspect", &example("claude-code.jsonl"), "--json"]);
    let cost = seen["money"]["total"].as_f64().unwrap();
    assert!(ran.stdout.contains(&format!("${cost:.2} at list prices")), "{}", ran.stdout);
}
