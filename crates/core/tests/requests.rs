//! Whole requests with everything that providers bind: thinking, signatures, stored reasoning, documents, server tools.
//! By every policy, to any budget: what a provider takes before, it takes after.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use enfold::file;
use enfold::finding::Severity;
use enfold::validate::{Baseline, Bound, validate};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::folding::{Asked, Folding, Prepared, Subject};

#[derive(Clone, Debug)]
struct Turn {
    asks: u16,
    document: bool,
    steps: Vec<Step>,
    answers: bool,
}

#[derive(Clone, Debug)]
struct Step {
    thinks: bool,
    searches: bool,
    calls: usize,
    argument: u16,
    result: u16,
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let step = (any::<bool>(), any::<bool>(), 1..3usize, 0..60u16, 0..400u16).prop_map(
        |(thinks, searches, calls, argument, result)| Step { thinks, searches, calls, argument, result },
    );
    let turn = (1..40u16, any::<bool>(), prop::collection::vec(step, 1..6), any::<bool>())
        .prop_map(|(asks, document, steps, answers)| Turn { asks, document, steps, answers });
    prop::collection::vec(turn, 1..4)
}

fn lines(what: &str, count: u16) -> String {
    (0..=count).map(|nth| format!("{what} {nth} has value_{}\n", nth * 7)).collect()
}

/// The providers, and how they want their requests.
const KINDS: [&str; 9] =
    ["manual", "adaptive", "bound", "deepseek", "compat", "stored", "unstored", "gemini", "ai-sdk"];

fn request(kind: &str, turns: &[Turn]) -> (&'static str, Value) {
    let mut writer = Writer { kind, list: Vec::new(), count: 0 };
    for (nth, turn) in turns.iter().enumerate() {
        writer.user(turn);
        for (first, step) in turn.steps.iter().enumerate() {
            writer.step(step, first == 0);
        }
        // Only the last turn may still be under way.
        if turn.answers || nth + 1 < turns.len() {
            writer.answer();
        }
    }
    if turns.last().is_some_and(|turn| turn.answers) {
        writer.user(&Turn { asks: 1, document: false, steps: Vec::new(), answers: false });
    }
    let list = writer.list;
    match kind {
        "manual" | "adaptive" | "bound" => {
            let (model, thinking) = match kind {
                "manual" => ("claude-sonnet-4-5", json!({"type": "enabled", "budget_tokens": 1024})),
                "bound" => ("claude-opus-5-5", json!({"type": "adaptive"})),
                _ => ("claude-opus-4-6", json!({"type": "adaptive"})),
            };
            let tools = json!([{"name": "read", "input_schema": {"type": "object"}},
                {"type": "web_search_20250305", "name": "web_search"}]);
            let request = json!({"model": model, "max_tokens": 4000, "thinking": thinking, "tools": tools, "messages": list});
            ("anthropic", request)
        }
        "deepseek" => ("openai-chat", json!({"model": "deepseek-reasoner", "messages": list})),
        "compat" => ("openai-chat", json!({"model": "gemini-3-pro-preview", "messages": list})),
        "stored" => ("openai-responses", json!({"model": "gpt-5", "store": true, "input": list})),
        "unstored" => ("openai-responses", json!({"model": "gpt-5", "store": false, "input": list})),
        "gemini" => {
            ("gemini", json!({"model": "gemini-3-pro-preview", "generationConfig": {}, "contents": list}))
        }
        _ => ("ai-sdk", json!({"messages": list})),
    }
}

struct Writer<'k> {
    kind: &'k str,
    list: Vec<Value>,
    count: usize,
}

impl Writer<'_> {
    fn user(&mut self, turn: &Turn) {
        let text = lines("please: part", turn.asks);
        self.list.push(match self.kind {
            "manual" | "adaptive" | "bound" if turn.document => json!({"role": "user", "content": [
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": lines("row", 9)},
                    "title": "rows", "context": lines("about", 9)},
                {"type": "text", "text": text}]}),
            "gemini" => json!({"role": "user", "parts": [{"text": text}]}),
            _ => json!({"role": "user", "content": text}),
        });
    }

    fn step(&mut self, step: &Step, is_first: bool) {
        self.count += 1;
        let id = |nth: usize| format!("call_{}_{nth}", self.count);
        let input =
            json!({"path": format!("src/{}.rs", self.count), "content": lines("line", step.argument)});
        let result = lines("found", step.result);
        let thought = format!("I think about {} and go on.", self.count);
        let calls = 0..step.calls;
        match self.kind {
            "manual" | "adaptive" | "bound" => {
                let mut content = Vec::new();
                if step.thinks || (is_first && self.kind == "manual") {
                    content.push(json!({"type": "thinking", "thinking": thought, "signature": format!("s{}", self.count)}));
                }
                if step.searches {
                    let id = format!("srvtoolu_{}", self.count);
                    content.push(json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": "x"}}));
                    content.push(json!({"type": "web_search_tool_result", "tool_use_id": id, "content": []}));
                }
                content.extend(
                    calls.clone().map(
                        |nth| json!({"type": "tool_use", "id": id(nth), "name": "read", "input": input}),
                    ),
                );
                let results: Vec<Value> = calls
                    .map(|nth| json!({"type": "tool_result", "tool_use_id": id(nth), "content": result}))
                    .collect();
                self.list.push(json!({"role": "assistant", "content": content}));
                self.list.push(json!({"role": "user", "content": results}));
            }
            "deepseek" | "compat" => {
                let all: Vec<Value> = calls
                    .clone()
                    .map(|nth| {
                        let mut call = json!({"id": id(nth), "type": "function",
                        "function": {"name": "read", "arguments": input.to_string()}});
                        if self.kind == "compat" && nth == 0 {
                            call["extra_content"] =
                                json!({"google": {"thought_signature": format!("s{}", self.count)}});
                        }
                        call
                    })
                    .collect();
                let mut message = json!({"role": "assistant", "content": null, "tool_calls": all});
                if self.kind == "deepseek" {
                    message["reasoning_content"] = thought.into();
                }
                let results: Vec<Value> = calls
                    .map(|nth| json!({"role": "tool", "tool_call_id": id(nth), "content": result}))
                    .collect();
                self.list.push(message);
                self.list.extend(results);
            }
            "stored" | "unstored" => {
                if step.thinks {
                    let mut item = json!({"type": "reasoning", "id": format!("rs_{}", self.count), "summary": [{"type": "summary_text", "text": thought}]});
                    if self.kind == "unstored" {
                        item["encrypted_content"] = "x".repeat(900).into();
                    }
                    self.list.push(item);
                }
                let made: Vec<Value> = calls
                    .clone()
                    .map(|nth| {
                        json!({"type": "function_call", "id": format!("fc_{}_{nth}", self.count),
                    "call_id": id(nth), "name": "read", "arguments": input.to_string()})
                    })
                    .collect();
                let results: Vec<Value> = calls
                    .map(|nth| json!({"type": "function_call_output", "call_id": id(nth), "output": result}))
                    .collect();
                self.list.extend(made);
                self.list.extend(results);
            }
            "gemini" => {
                let made: Vec<Value> = calls.clone().map(|nth| match nth {
                    0 => json!({"functionCall": {"name": "read", "args": input}, "thoughtSignature": format!("s{}", self.count)}),
                    _ => json!({"functionCall": {"name": "read", "args": input}}),
                }).collect();
                let results: Vec<Value> = calls
                    .map(|_| json!({"functionResponse": {"name": "read", "response": {"output": result}}}))
                    .collect();
                self.list.push(json!({"role": "model", "parts": made}));
                self.list.push(json!({"role": "user", "parts": results}));
            }
            _ => {
                let mut content = Vec::new();
                if step.thinks {
                    let signed = json!({"anthropic": {"signature": format!("s{}", self.count)}});
                    content.push(json!({"type": "reasoning", "text": thought, "providerOptions": signed}));
                }
                content.extend(calls.clone().map(|nth| json!({"type": "tool-call", "toolCallId": id(nth), "toolName": "read", "input": input})));
                let results: Vec<Value> = calls
                    .map(|nth| {
                        json!({"type": "tool-result", "toolCallId": id(nth), "toolName": "read",
                    "output": {"type": "text", "value": result}})
                    })
                    .collect();
                self.list.push(json!({"role": "assistant", "content": content}));
                self.list.push(json!({"role": "tool", "content": results}));
            }
        }
    }

    fn answer(&mut self) {
        self.count += 1;
        let text = format!("It is done, see {}.", self.count);
        match self.kind {
            "stored" => {
                self.list
                    .push(json!({"type": "reasoning", "id": format!("rs_{}", self.count), "summary": []}));
                self.list.push(
                    json!({"type": "message", "id": format!("msg_{}", self.count), "role": "assistant",
                    "content": [{"type": "output_text", "text": text, "annotations": []}]}),
                );
            }
            "gemini" => {
                self.list.push(json!({"role": "model", "parts": [{"text": text, "thoughtSignature": "end"}]}))
            }
            "deepseek" => {
                self.list.push(json!({"role": "assistant", "content": text, "reasoning_content": "so"}))
            }
            _ => self.list.push(json!({"role": "assistant", "content": text})),
        }
    }
}

fn errors(session: &Prepared) -> Vec<String> {
    let found = validate(session.document.wire.name(), &session.document.request());
    found.iter().filter(|finding| finding.severity == Severity::Error).map(ToString::to_string).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn what_a_provider_takes_before_it_takes_after(turns in turns()) {
        for kind in KINDS {
            let (wire, value) = request(kind, &turns);
            let bytes = serde_json::to_vec(&value).unwrap();
            let session = Prepared::read(file::read_bytes_as(wire, bytes).unwrap());
            prop_assert_eq!(errors(&session), Vec::<String>::new(), "{}", kind);
            let baseline = Baseline::of(wire, &session.document.request());
            let bound = Bound::of(wire, &session.document.request());
            prop_assert_eq!(bound.is_some(), kind == "bound");
            for subject in Subject::policies() {
                let facts = session.facts(&subject.policy);
                for share in [15, 40, 75] {
                    let limit = session.tally.total() * share / 100;
                    let folding = Folding::of(&session, &subject, &facts, Asked::limit(limit), kind);
                    let Some(run) = folding.run() else { continue };
                    let is_checked = run.trace.passes.iter().all(|pass| pass.pass != "check");
                    prop_assert!(is_checked, "{}: {:#?}", folding.name, run.trace);
                    let view = session.reread(&run.view).unwrap();
                    let origins = run.view.changes().origins(session.history());
                    let new = baseline.beyond(&view.document.request(), &origins);
                    prop_assert!(new.is_empty(), "{}: {new:?}", folding.name);
                    let unbound = bound.as_ref().map_or(Vec::new(), |bound| bound.beyond(&view.document.request()));
                    prop_assert!(unbound.is_empty(), "{}: {unbound:?}", folding.name);
                    prop_assert_eq!(errors(&view), Vec::<String>::new(), "{}", folding.name);
                }
            }
        }
    }
}
