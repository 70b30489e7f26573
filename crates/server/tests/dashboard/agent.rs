//! Requests of an agent at work, as Claude Code would send them: the whole history each time, a step longer.

use serde_json::{Value, json};

/// What the user asked for, and asks later.
const ASKED: [&str; 2] = [
    "Make the parser accept tabs in indented blocks. Never change the public API.",
    "Good. Now make the error say which line it was.",
];

/// The request after so many steps.
pub fn request(steps: usize) -> String {
    request_with(steps, |_| None)
}

/// The same, with other outputs for some of the steps.
pub fn request_with(steps: usize, output: impl Fn(usize) -> Option<String>) -> String {
    let mut messages = vec![json!({"role": "user", "content": ASKED[0]})];
    for nth in 0..steps {
        if nth == 9 {
            messages.push(json!({"role": "assistant", "content": "Tabs are accepted."}));
            messages.push(json!({"role": "user", "content": ASKED[1]}));
        }
        let (name, input, usual) = step(nth);
        let id = format!("toolu_{nth}");
        messages.push(json!({"role": "assistant", "content": [
            {"type": "text", "text": format!("Step {}: I look at part {}.", nth + 1, nth / 3 + 1)},
            {"type": "tool_use", "id": id, "name": name, "input": input},
        ]}));
        let text = output(nth).unwrap_or(usual);
        messages.push(
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}),
        );
    }
    let tools =
        ["Bash", "Read", "Edit"].map(|name| json!({"name": name, "input_schema": {"type": "object"}}));
    json!({
        "model": "claude-sonnet-4-5", "max_tokens": 1024, "messages": messages, "tools": tools,
        "system": [{"type": "text", "text": "You are a coding agent."}],
    })
    .to_string()
}

fn step(nth: usize) -> (&'static str, Value, String) {
    let part = nth / 3 + 1;
    let path = format!("src/part{part}.rs");
    match nth % 3 {
        0 => {
            let lines = (1..60).map(|line| {
                format!("{line:>6}\tfn rule_{part}_{line}(input: &str) -> bool {{ input.len() > {line} }}")
            });
            ("Read", json!({"file_path": path}), lines.collect::<Vec<_>>().join("\n"))
        }
        1 => {
            let input = json!({"file_path": path, "old_string": format!("fn rule_{part}_7("), "new_string": format!("/// Tabs.\nfn rule_{part}_7(")});
            ("Edit", input, format!("The file {path} has been updated."))
        }
        _ => {
            let lines =
                (1..50).map(|line| format!("{path}:{line}: warning: value_{part}_{line} is never used"));
            (
                "Bash",
                json!({"command": format!("cargo test part{part}")}),
                lines.collect::<Vec<_>>().join("\n") + "\ntest result: ok. 12 passed; 0 failed",
            )
        }
    }
}
