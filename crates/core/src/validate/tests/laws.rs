//! No JSON makes a validator panic, hang or speak out of order.

use super::*;
use proptest::prelude::*;

/// Words that the validators look for, so that generated JSON gets past the first checks.
const KEYS: &[&str] = &[
    "role",
    "content",
    "type",
    "text",
    "id",
    "tool_use_id",
    "tool_calls",
    "tool_call_id",
    "function",
    "name",
    "arguments",
    "input",
    "call_id",
    "output",
    "toolCallId",
    "toolName",
    "value",
    "parts",
    "functionCall",
    "functionResponse",
    "response",
    "args",
    "thoughtSignature",
    "thinking",
    "signature",
    "cache_control",
    "ttl",
    "is_error",
    "source",
    "citations",
    "messages",
    "contents",
    "tools",
    "system",
    "model",
    "max_tokens",
    "store",
    "encrypted_content",
    "approvalId",
    "data",
    "previous_response_id",
    "input_schema",
];
const WORDS: &[&str] = &[
    "user",
    "assistant",
    "system",
    "tool",
    "model",
    "developer",
    "text",
    "tool_use",
    "tool_result",
    "thinking",
    "server_tool_use",
    "web_search_tool_result",
    "image",
    "compaction",
    "function",
    "function_call",
    "function_call_output",
    "reasoning",
    "message",
    "tool-call",
    "tool-result",
    "tool-approval-request",
    "tool-approval-response",
    "ephemeral",
    "1h",
    "5m",
    "enabled",
    "disabled",
    "claude-opus-4-6",
    "gemini-3-pro",
    "deepseek-chat",
    "gpt-4o",
    "mistral-large",
    "t1",
    "t2",
    "",
    " ",
    "ü\\u0000\\ud800",
];

fn json() -> impl Strategy<Value = String> {
    let word = prop::sample::select(WORDS).prop_map(|word| format!("\"{word}\""));
    let leaf = prop_oneof![
        6 => word,
        1 => prop::sample::select(vec!["null", "true", "false", "0", "-1.5e300", "[]", "{}"]).prop_map(String::from),
    ];
    leaf.prop_recursive(6, 96, 6, |inner| {
        let member =
            (prop::sample::select(KEYS), inner.clone()).prop_map(|(key, value)| format!("\"{key}\":{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(|values| format!("[{}]", values.join(","))),
            prop::collection::vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

/// Requests that keep every rule, to be mutated.
const VALID: &[&str] = &[
    r#"{"model":"claude-opus-4-5","max_tokens":1,"system":[{"type":"text","text":"be","cache_control":{"type":"ephemeral","ttl":"1h"}}],"tools":[{"name":"read","input_schema":{}}],"thinking":{"type":"enabled"},"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"s"},{"type":"tool_use","id":"t1","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"x"}],"is_error":true}]}]}"#,
    r#"{"model":"gpt-4o","tools":[{"type":"function","function":{"name":"read"}}],"messages":[{"role":"system","content":"be"},{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"x"}]}"#,
    r#"{"model":"gpt-5","store":false,"input":[{"role":"user","content":"go"},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"g"},{"type":"function_call","call_id":"c1","name":"read","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"x"}]}"#,
    r#"{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"read","input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"read","output":{"type":"text","value":"x"}}]}]}"#,
    r#"{"model":"gemini-3-pro","contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"read","args":{}},"thoughtSignature":"s"}]},{"role":"user","parts":[{"functionResponse":{"name":"read","response":{}}}]}]}"#,
    r#"{"systemPrompt":"be","messages":[{"role":"user","content":"go","timestamp":1},{"role":"assistant","content":[{"type":"thinking","thinking":"a"},{"type":"toolCall","id":"c1","name":"read","arguments":{}}],"stopReason":"toolUse"},{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"x"}],"isError":false}]}"#,
];

/// One value somewhere in a request replaced by another.
fn mutated() -> impl Strategy<Value = String> {
    let at = any::<prop::sample::Index>();
    (prop::sample::select(VALID), at, json()).prop_map(|(text, at, with)| {
        let mut spans = Vec::new();
        let mut open = vec![Raw::parse(text).unwrap()];
        while let Some(value) = open.pop() {
            spans.push(value.span_in(text));
            open.extend(value.elements());
            open.extend(value.members().map(|(_, value)| value));
        }
        let span = spans[at.index(spans.len())].clone();
        format!("{}{with}{}", &text[..span.start], &text[span.end..])
    })
}

fn holds(text: &str) {
    let value = Raw::parse(text).unwrap();
    for wire in WIRES {
        let inside = Request {
            root: Some(value),
            head: Some(value),
            messages: vec![value],
            tools: Some(value),
            model: None,
        };
        for request in [Request::of(wire, value), inside] {
            let found = validate(wire, &request);
            assert_eq!(found, validate(wire, &request), "the same input gives the same findings");
            let messages: Vec<usize> =
                found.iter().map(|finding| finding.place.message.unwrap_or(0)).collect();
            assert!(messages.is_sorted(), "{found:#?}");
            assert!(messages.iter().all(|message| *message <= request.messages.len().max(1)));
            for finding in &found {
                assert!(rules(wire).iter().any(|rule| Some(rule.number) == finding.rule), "{finding}");
            }
        }
    }
}

proptest! {
    #[test]
    fn any_json_is_validated_without_panic(text in json()) {
        holds(&text);
    }

    #[test]
    fn any_mutation_of_a_valid_request_is_validated_without_panic(text in mutated()) {
        holds(&text);
    }
}

#[test]
fn valid_requests_have_no_finding_above_a_note() {
    for (wire, text) in WIRES.iter().zip(VALID) {
        let above: Vec<Finding> =
            findings(wire, text).into_iter().filter(|finding| finding.severity > Severity::Note).collect();
        assert_eq!(above, [], "{wire}");
    }
}

#[test]
fn a_hundred_thousand_levels_do_no_harm() {
    for (open, close) in [("[", "]"), (r#"{"content":"#, "}"), (r#"{"parts":["#, "]}")] {
        holds(&format!("{}1{}", open.repeat(100_000), close.repeat(100_000)));
    }
    let deep = format!(r#"[{{"role":"user","content":[{}{}]}}]"#, "[".repeat(100_000), "]".repeat(100_000));
    holds(&deep);
}

#[test]
fn time_grows_with_the_size_of_the_request_and_no_faster() {
    // Long rows of everything that is compared with what stands before or after it.
    let rows = [
        ("anthropic", r#"{"role":"system","content":"a"}"#),
        (
            "anthropic",
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"r","input":{}}]}"#,
        ),
        (
            "anthropic",
            r#"{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}]}"#,
        ),
        ("openai-chat", r#"{"role":"tool","tool_call_id":"c","content":"x"}"#),
        ("openai-responses", r#"{"type":"reasoning","id":"rs_1","summary":[]}"#),
        ("openai-responses", r#"{"type":"function_call","call_id":"c","name":"r","arguments":"{}"}"#),
        (
            "ai-sdk",
            r#"{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"r"}]}"#,
        ),
        ("gemini", r#"{"role":"model","parts":[{"functionCall":{"name":"r"}}]}"#),
        ("pi-agent-core", r#"{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"r"}]}"#),
        ("pi-agent-core", r#"{"role":"toolResult","toolCallId":"c","content":[]}"#),
    ];
    for (wire, row) in rows {
        let text = format!("[{}]", vec![row; 100_000].join(","));
        let start = std::time::Instant::now();
        findings(wire, &text);
        // Far above what it takes (well under a second), far below what a square would (minutes).
        assert!(start.elapsed().as_secs() < 10, "{wire} {row}: {:?}", start.elapsed());
    }
}
