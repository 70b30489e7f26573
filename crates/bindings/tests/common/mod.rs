//! An agent's session as a host would give it.

// Each test file uses its own part of this.
#![allow(dead_code, clippy::unwrap_used)]

use enfold_bindings::{Message, Options, Origin, View};

/// A task and so many steps of OpenAI Chat: a call and a result of about 600 tokens.
pub(crate) fn chat(steps: usize) -> Vec<Message> {
    let task = r#"{"role":"user","content":"Make the tests pass."}"#.to_string();
    let steps = (0..steps).flat_map(|nth| {
        let call = format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c{nth}","type":"function","function":{{"name":"bash","arguments":"{{\"command\":\"make {nth}\"}}"}}}}]}}"#
        );
        let lines: String =
            (0..50).map(|line| format!("src/file_{nth}.rs:{line}: unused value_{nth}_{line}\\n")).collect();
        [call, format!(r#"{{"role":"tool","tool_call_id":"c{nth}","content":"{lines}"}}"#)]
    });
    std::iter::once(task).chain(steps).map(Message::written).collect()
}

/// The same in Anthropic's format.
pub(crate) fn anthropic(steps: usize) -> Vec<Message> {
    let task = r#"{"role":"user","content":"Make the tests pass."}"#.to_string();
    let steps = (0..steps).flat_map(|nth| {
        let call = format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"t{nth}","name":"bash","input":{{"command":"make {nth}"}}}}]}}"#
        );
        let lines: String =
            (0..50).map(|line| format!("src/file_{nth}.rs:{line}: unused value_{nth}_{line}\\n")).collect();
        [
            call,
            format!(
                r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{nth}","content":"{lines}"}}]}}"#
            ),
        ]
    });
    std::iter::once(task).chain(steps).map(Message::written).collect()
}

pub(crate) fn options(json: &str) -> Options {
    Options::parse(json).unwrap()
}

/// That a view says of each message where it comes from, and says the truth.
pub(crate) fn check_origins(view: &View, given: &[Message]) {
    assert_eq!(view.messages.len(), view.origins.len());
    let mut last = None;
    for (text, origin) in view.messages.iter().zip(view.origins.iter()) {
        match origin {
            Origin::Same(nth) => assert_eq!(text, given[*nth].text()),
            Origin::Changed(nth) => assert_ne!(text, given[*nth].text()),
            Origin::New => continue,
        }
        let (Origin::Same(nth) | Origin::Changed(nth)) = origin else { continue };
        assert!(last < Some(*nth), "in order");
        last = Some(*nth);
    }
}
