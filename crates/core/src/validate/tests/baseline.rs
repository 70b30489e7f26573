//! What is wrong with a view and was not wrong with its request.

use crate::json::Raw;
use crate::validate::{Baseline, Request};

const SAID: &str = r#"{"role":"user","content":"hi"}"#;
const ORPHAN: &str = r#"{"role":"tool","tool_call_id":"c","content":"x"}"#;

/// The rules that a view of some messages of a list breaks beyond those of the list.
#[track_caller]
fn new(wire: &'static str, before: &str, after: &str, origins: &[Option<usize>]) -> Vec<&'static str> {
    let [before, after] = [before, after].map(|text| Raw::parse(text).unwrap());
    let [before, after] = [before, after].map(|list| Request::of(wire, list));
    let found = Baseline::of(wire, &before).beyond(&after, origins);
    assert_eq!(Baseline::compare(wire, &before, &after, origins), found);
    found.iter().filter_map(|finding| finding.rule).collect()
}

#[test]
fn a_fault_of_the_request_is_known_wherever_its_message_stands() {
    let before = format!("[{SAID},{SAID},{ORPHAN}]");
    assert_eq!(new("openai-chat", &before, &format!("[{SAID},{ORPHAN}]"), &[Some(0), Some(2)]), [""; 0]);
}

/// Rules were once compared by how often they are broken: a view that mends one message may break another.
#[test]
fn a_new_fault_does_not_hide_behind_an_old_one() {
    let call = r#"{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;
    let before = format!("[{ORPHAN},{SAID},{call},{ORPHAN}]");
    assert_eq!(new("openai-chat", &before, &format!("[{SAID},{ORPHAN}]"), &[Some(1), Some(3)]), ["C2"]);
}

#[test]
fn whatever_is_wrong_with_a_message_that_was_put_in_is_new() {
    assert_eq!(new("openai-chat", &format!("[{ORPHAN}]"), &format!("[{ORPHAN}]"), &[None]), ["C2"]);
}

#[test]
fn stored_reasoning_and_what_it_led_to_are_missed_one_without_the_other() {
    let item = |kind: &str| match kind {
        "rs" => r#"{"type":"reasoning","id":"rs_1","summary":[]}"#,
        "fc" => r#"{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{}"}"#,
        _ => r#"{"type":"function_call_output","call_id":"c","output":"x"}"#,
    };
    let request = |store: bool, kinds: &[&str]| {
        let items: Vec<&str> = kinds.iter().map(|kind| item(kind)).collect();
        format!(r#"{{"model":"gpt-5","store":{store},"input":[{}]}}"#, items.join(","))
    };
    let (whole, origins) = (["rs", "fc", "out"], [Some(1), Some(2)]);
    let parted =
        |store| new("openai-responses", &request(store, &whole), &request(store, &["fc", "out"]), &origins);
    assert_eq!(parted(true), ["R3"]);
    let none: [&str; 0] = [];
    assert_eq!(
        parted(false).iter().filter(|rule| **rule == "R3").collect::<Vec<_>>(),
        none.iter().collect::<Vec<_>>()
    );
    let left = new("openai-responses", &request(true, &whole), &request(true, &["rs"]), &[Some(0)]);
    assert_eq!(left, ["R3"]);
}

#[test]
fn thinking_of_the_current_turn_is_missed_and_older_thinking_is_not() {
    let thought = r#"{"type":"thinking","thinking":"hm","signature":"s"},"#;
    let step = |id: &str, thought: &str| {
        format!(
            r#"{{"role":"assistant","content":[{thought}{{"type":"tool_use","id":"{id}","name":"f","input":{{}}}}]}},
            {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"x"}}]}}"#
        )
    };
    let list =
        |old: &str, current: &str| format!("[{SAID},{},{SAID},{}]", step("a", old), step("b", current));
    let origins: Vec<Option<usize>> = (0..6).map(Some).collect();
    let seen =
        |old: &str, current: &str| new("anthropic", &list(thought, thought), &list(old, current), &origins);
    assert_eq!(seen("", thought), [""; 0]);
    assert_eq!(seen(thought, ""), ["A16"]);
    assert_eq!(seen(&thought.replace("hm", "h"), thought), ["A17"]);
}

#[test]
fn a_signed_part_is_recognised_or_refused() {
    let list = |args: &str| {
        format!(
            r#"[{{"role":"user","parts":[{{"text":"go"}}]}},
            {{"role":"model","parts":[{{"functionCall":{{"name":"f","args":{args}}},"thoughtSignature":"s"}}]}}]"#
        )
    };
    let origins = [Some(0), Some(1)];
    assert_eq!(new("gemini", &list(r#"{"a":1}"#), &list(r#"{"a":1}"#), &origins), [""; 0]);
    assert_eq!(new("gemini", &list(r#"{"a":1}"#), &list(r#"{"a":2}"#), &origins), ["G4"]);
}
