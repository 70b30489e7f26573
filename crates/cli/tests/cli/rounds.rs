//! What an agent's store tells about its summaries.

use enfold_script::Reply;
use serde_json::Value;

use crate::agent::{narrative, works};
use crate::support::Store;

fn told_by_a_model() -> Store {
    let store = Store::new();
    works(&store, 50, |_| Reply::Text(narrative()));
    store
}

/// How often it is asked depends on how quickly it fails: some of it is in the background.
fn told_by_nobody() -> Store {
    let store = Store::new();
    works(&store, 50, |_| Reply::status(401, r#"{"error":{"message":"no such key"}}"#));
    store
}

#[test]
fn the_log_tells_each_round_in_words() {
    let log = told_by_a_model().done(&["log", "tabs"]);
    assert!(log.contains("  told") && log.contains("round 1, by a model and the ledger"), "{log}");
    assert!(log.contains("round 2, by a model and the ledger") && log.contains("tokens saved"), "{log}");
    assert!(!log.contains("epoch:open") && !log.contains("calibration"), "internal: {log}");
    assert!(!log.contains("{\"") && !log.contains("## "), "for people, at a glance: {log}");
    assert!(log.ends_with("`enfold log tabs --summaries` prints what was told.\n"), "{log}");
    let longest = log.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= 80, "a line of {longest} columns:\n{log}");
}

#[test]
fn the_log_says_why_nobody_but_the_ledger_spoke() {
    let store = told_by_nobody();
    let log = store.done(&["log", "tabs"]);
    assert!(log.contains("round 2, by the ledger alone") && !log.contains("by a model"), "{log}");
    assert!(log.contains("summary failed") && log.contains("round 1: auth: "), "{log}");
    let failed = log.matches("summary failed").count();
    let shown = store.json(&["sessions", "show", "tabs", "--json"]);
    assert_eq!(shown["failed_summaries"], failed);
    let shown = store.done(&["sessions", "show", "tabs"]);
    assert!(shown.contains(", 0 written by a model, ") && shown.contains("that came to nothing"), "{shown}");
}

#[test]
fn the_log_for_programs_is_an_object_per_line() {
    let store = told_by_a_model();
    let log = store.done(&["log", "tabs", "--json"]);
    let entries: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| entries.iter().filter(|entry| entry["kind"] == kind).count();
    assert!(of("summary") >= 2 && of("epoch") == of("summary"), "{log}");
    assert!(entries.iter().all(|entry| entry["event"] != "epoch:open"));
    let shown = store.json(&["sessions", "show", "tabs", "--json"]);
    assert_eq!(shown["summaries"].as_array().unwrap().len(), of("summary"));
    let alone = store.done(&["log", "tabs", "--summaries", "--json"]);
    assert_eq!(alone.lines().count(), of("summary"));
}

#[test]
fn what_the_agent_was_told_can_be_read_round_by_round() {
    let store = told_by_a_model();
    let told = store.done(&["log", "tabs", "--summaries"]);
    let rounds = told.matches("</enfold-summary>\n").count();
    assert!(rounds >= 2, "{told}");
    for round in 1..=rounds {
        assert!(told.contains(&format!("<enfold-summary round=\"{round}\"")), "{told}");
    }
    assert!(told.contains("\n- tabs count as one column\n"), "the narrative, line by line: {told}");
    assert_eq!(Store::with(&["pi.jsonl"]).done(&["log", "pi", "--summaries"]), "There is no summary yet.\n");
}

#[test]
fn what_a_summary_of_an_agent_hides_opens_by_its_handle() {
    let store = told_by_a_model();
    let told = store.done(&["log", "tabs", "--summaries"]);
    let messages = store.messages("tabs");
    let mut opened = 0;
    for line in told.lines().filter(|line| line.starts_with('[')) {
        let handle = line.split('#').nth(1).unwrap().trim_end_matches(']');
        let originals = store.done(&["unfold", handle, "--session", "tabs"]);
        assert!(originals.lines().all(|line| messages.iter().any(|message| message == line)), "{line}");
        opened += originals.lines().count();
    }
    assert!(opened > 10, "{told}");
}
