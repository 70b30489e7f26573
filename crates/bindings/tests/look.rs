//! Looking without folding, as a package calls it.

#![allow(clippy::unwrap_used)]

mod common;

use common::{anthropic, chat, options};
use enfold_bindings::{Given, Options, check, convert, count, count_text, inspect, ledger};
use serde_json::Value;

fn json(text: String) -> Value {
    serde_json::from_str(&text).unwrap()
}

#[test]
fn counts_are_those_of_the_command() {
    let messages = chat(4);
    let counted = json(count(Given::Messages(&messages), &Options::default()).unwrap());
    let seen = json(inspect(Given::Messages(&messages), &Options::default()).unwrap());
    assert_eq!(counted["tokens"], seen["totals"]["tokens"]);
    assert_eq!(seen["totals"]["calls"], 4);
    assert!(seen.get("file").is_none());
    let text = |how: &str| count_text("Hello, world", &options(how)).unwrap();
    assert_eq!(text("{}"), 3);
    assert!(text(r#"{"model": "claude-sonnet-4-5"}"#) >= 3);
    assert_eq!(text(r#"{"tokenizer": "heuristic"}"#), 3, "12 characters");
}

#[test]
fn a_provider_would_refuse_a_result_without_its_call() {
    let mut messages = anthropic(3);
    let valid = json(check(Given::Messages(&messages), &Options::default()).unwrap());
    assert_eq!(valid["valid"], true, "{valid}");
    messages.remove(1);
    let broken = json(check(Given::Messages(&messages), &options(r#"{"format": "anthropic"}"#)).unwrap());
    assert_eq!(broken["valid"], false);
    assert!(broken["findings"][0]["remedy"].is_string(), "{broken}");
}

#[test]
fn a_conversion_gives_messages_and_what_was_lost() {
    let messages = chat(3);
    let there = convert(Given::Messages(&messages), "anthropic", &Options::default()).unwrap();
    assert_eq!(there.messages.len(), messages.len());
    assert!(there.losses.contains("added: definitions of 1 tools"), "{}", there.losses);
    assert!(!there.losses.contains("warning"), "{}", there.losses);
    assert!(there.messages[1].contains("tool_use"));
    let notation = convert(Given::Messages(&messages), "notation", &Options::default()).unwrap();
    assert!(notation.text.contains("make 0"), "{}", notation.text);
    let error = convert(Given::Messages(&messages), "gpt", &Options::default()).unwrap_err();
    assert!(error.to_string().contains("there are openai-chat"), "{error}");
}

#[test]
fn the_ledger_names_the_task() {
    let told = json(ledger(Given::Messages(&chat(3)), &Options::default(), 500).unwrap());
    assert!(told["text"].as_str().unwrap().contains("Make the tests pass."), "{told}");
    assert!(told["ledger"].is_object());
}
