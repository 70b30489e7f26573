//! What readers read and writers write is valid.

use proptest::prelude::*;
use serde_json::json;

use super::sessions::files;
use super::*;
use crate::file;
use crate::file::convert::convert;
use crate::file::document::Document;
use crate::source::Source;
use crate::wire;

fn read(text: &str) -> Document {
    file::read(Source::from_text(text.into()).unwrap()).unwrap()
}

/// The errors of a document as it was read, and as it is written in every other format.
fn errors_anywhere(document: &Document) -> Vec<String> {
    let own = errors(&validate(document.wire.name(), &document.request()));
    let mut found: Vec<String> = own.into_iter().map(|error| format!("read: {error}")).collect();
    for to in wire::WIRES.iter().filter(|to| to.name() != document.wire.name()) {
        let text = convert(document, *to, None).text;
        let written = file::read_as(to.name(), Source::from_text(text).unwrap()).unwrap();
        let errors = errors(&validate(to.name(), &written.request()));
        found.extend(errors.into_iter().map(|error| format!("as {}: {error}", to.name())));
    }
    found
}

#[test]
fn real_sessions_are_valid_as_read_and_as_written_in_every_format() {
    let folders =
        ["dev", "native/openai-chat", "native/openai-chat-log", "native/anthropic-messages-derived"];
    for path in folders.iter().filter_map(|folder| files(folder)).flatten() {
        let document = read(&std::fs::read_to_string(&path).unwrap());
        assert_eq!(errors_anywhere(&document), [""; 0], "{}", path.display());
    }
}

/// A session that any agent could have had, in no format.
#[derive(Clone, Debug)]
struct Session {
    system: Option<String>,
    turns: Vec<Turn>,
    /// Whether ids are spelled in a way that not every provider takes.
    odd_ids: bool,
}

#[derive(Clone, Debug)]
struct Turn {
    ask: String,
    steps: Vec<Step>,
    close: Option<String>,
}

/// What the assistant says with its calls, and each call's result and whether it is an error.
#[derive(Clone, Debug)]
struct Step {
    text: Option<String>,
    results: Vec<(String, bool)>,
}

fn session() -> impl Strategy<Value = Session> {
    let text = "[a-z][ -~äß\n]{0,12}";
    let result = prop_oneof![3 => text.prop_map(String::from), 1 => Just(String::new())];
    let step = (prop::option::of(text), prop::collection::vec((result, any::<bool>()), 1..4))
        .prop_map(|(text, results)| Step { text, results });
    let turn = (text, prop::collection::vec(step, 0..3), prop::option::of(text))
        .prop_map(|(ask, steps, close)| Turn { ask, steps, close });
    (prop::option::of(text), prop::collection::vec(turn, 1..4), any::<bool>())
        .prop_map(|(system, turns, odd_ids)| Session { system, turns, odd_ids })
}

impl Session {
    /// The session as messages of a wire format.
    fn written(&self, wire: &str) -> String {
        let mut messages: Vec<serde_json::Value> = Vec::new();
        let mut calls = 0;
        if let Some(system) = self.system.as_ref().filter(|_| ["openai-chat", "ai-sdk"].contains(&wire)) {
            messages.push(json!({"role": "system", "content": system}));
        }
        for turn in &self.turns {
            messages.push(match wire {
                "gemini" => json!({"role": "user", "parts": [{"text": turn.ask}]}),
                _ => json!({"role": "user", "content": turn.ask}),
            });
            for step in &turn.steps {
                let ids: Vec<String> = step.results.iter().map(|_| self.id(wire, &mut calls)).collect();
                messages.extend(step.written(wire, &ids));
            }
            messages.extend(turn.close.as_ref().map(|close| match wire {
                "pi-agent-core" => json!({"role": "assistant", "content": [{"type": "text", "text": close}], "stopReason": "stop"}),
                "gemini" => json!({"role": "model", "parts": [{"text": close}]}),
                _ => json!({"role": "assistant", "content": close}),
            }));
        }
        match wire {
            "openai-responses" => json!({"model": "gpt-5", "instructions": self.system, "input": messages}),
            "gemini" => match &self.system {
                Some(system) => {
                    json!({"systemInstruction": {"parts": [{"text": system}]}, "contents": messages})
                }
                None => json!({"contents": messages}),
            },
            "anthropic" => json!({"system": self.system.as_deref().unwrap_or("be"), "messages": messages}),
            "pi-agent-core" => json!({"systemPrompt": self.system, "messages": messages}),
            _ => messages.into(),
        }
        .to_string()
    }

    fn id(&self, wire: &str, calls: &mut usize) -> String {
        *calls += 1;
        match self.odd_ids && ["openai-chat", "ai-sdk"].contains(&wire) {
            true => format!("functions.read:{calls}"),
            false => format!("call_{calls}"),
        }
    }
}

impl Step {
    fn written(&self, wire: &str, ids: &[String]) -> Vec<serde_json::Value> {
        let results = || ids.iter().zip(&self.results);
        let text = self.text.as_ref();
        match wire {
            "anthropic" => {
                let said = text.map(|text| json!({"type": "text", "text": text}));
                let call =
                    |id: &String| json!({"type": "tool_use", "id": id, "name": "read", "input": {"a": 1}});
                let blocks: Vec<_> = said.into_iter().chain(ids.iter().map(call)).collect();
                let answer = |(id, (text, failed)): (&String, &(String, bool))| json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": *failed && !text.is_empty()});
                let answers: Vec<_> = results().map(answer).collect();
                vec![
                    json!({"role": "assistant", "content": blocks}),
                    json!({"role": "user", "content": answers}),
                ]
            }
            "openai-chat" => {
                let call = |id: &String| json!({"id": id, "type": "function", "function": {"name": "read", "arguments": "{\"a\":1}"}});
                let calls: Vec<_> = ids.iter().map(call).collect();
                let said = json!({"role": "assistant", "content": text.map_or("", |text| text), "tool_calls": calls});
                let answer = |(id, (text, _)): (&String, &(String, bool))| json!({"role": "tool", "tool_call_id": id, "content": text});
                std::iter::once(said).chain(results().map(answer)).collect()
            }
            "openai-responses" => {
                let said = text.map(|text| json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}));
                let call = |id: &String| json!({"type": "function_call", "call_id": id, "name": "read", "arguments": "{\"a\":1}"});
                let answer = |(id, (text, _)): (&String, &(String, bool))| json!({"type": "function_call_output", "call_id": id, "output": text});
                said.into_iter().chain(ids.iter().map(call)).chain(results().map(answer)).collect()
            }
            "ai-sdk" => {
                let said = text.map(|text| json!({"type": "text", "text": text}));
                let call = |id: &String| json!({"type": "tool-call", "toolCallId": id, "toolName": "read", "input": {"a": 1}});
                let parts: Vec<_> = said.into_iter().chain(ids.iter().map(call)).collect();
                let answer = |(id, (text, failed)): (&String, &(String, bool))| {
                    let kind = if *failed { "error-text" } else { "text" };
                    json!({"type": "tool-result", "toolCallId": id, "toolName": "read", "output": {"type": kind, "value": text}})
                };
                let answers: Vec<_> = results().map(answer).collect();
                vec![
                    json!({"role": "assistant", "content": parts}),
                    json!({"role": "tool", "content": answers}),
                ]
            }
            "pi-agent-core" => {
                let said = text.map(|text| json!({"type": "text", "text": text}));
                let call = |id: &String| json!({"type": "toolCall", "id": id, "name": "read", "arguments": {"a": 1}});
                let parts: Vec<_> = said.into_iter().chain(ids.iter().map(call)).collect();
                let answer = |(id, (text, failed)): (&String, &(String, bool))| {
                    let content = json!([{"type": "text", "text": text}]);
                    json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "content": content, "isError": failed})
                };
                let said = json!({"role": "assistant", "content": parts, "stopReason": "toolUse"});
                std::iter::once(said).chain(results().map(answer)).collect()
            }
            _ => {
                let said = text.map(|text| json!({"text": text}));
                let call = |_: &String| json!({"functionCall": {"name": "read", "args": {"a": 1}}});
                let parts: Vec<_> = said.into_iter().chain(ids.iter().map(call)).collect();
                let answer = |(_, (text, _)): (&String, &(String, bool))| json!({"functionResponse": {"name": "read", "response": {"output": text}}});
                let answers: Vec<_> = results().map(answer).collect();
                vec![json!({"role": "model", "parts": parts}), json!({"role": "user", "parts": answers})]
            }
        }
    }
}

proptest! {
    #[test]
    fn whatever_is_valid_in_one_format_is_valid_in_every_other(session in session()) {
        for wire in super::WIRES {
            let text = session.written(wire);
            let document = file::read_as(wire, Source::from_text(text.clone().into()).unwrap()).unwrap();
            prop_assert_eq!(errors_anywhere(&document), Vec::<String>::new(), "{}", text);
        }
    }
}

#[test]
fn a_fault_in_what_was_read_is_found() {
    let document =
        read(r#"[{"role":"user","content":"go"},{"role":"tool","tool_call_id":"c1","content":"x"}]"#);
    assert!(errors_anywhere(&document)[0].starts_with("read: error C2"));
}
