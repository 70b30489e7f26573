//! One history, one view: which wire format carries a session, and whether its results are text, objects or rows, does not decide
//! what is kept of it.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;
use std::sync::Arc;

use enfold::count::{Encoding, Tally};
use enfold::file;
use enfold::folding::passes::Cx;
use enfold::folding::policy::Policy;
use enfold::folding::runner::run;
use enfold::json::Raw;
use enfold::understand::facts::Facts;
use enfold::view::fold::HandleKey;
use serde_json::{Value, json};

/// What a tool returns of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Text,
    Object,
    Rows,
    /// As a server of the Model Context Protocol answers.
    Content,
}

impl Shape {
    fn of(self, text: &str) -> Value {
        match self {
            Shape::Text => json!(text),
            Shape::Object => json!({ "stdout": text, "stderr": "", "exitCode": 0 }),
            Shape::Rows => {
                let row = |(nth, line)| json!({ "line": nth, "text": line });
                (1..).zip(text.split('\n')).map(row).collect::<Vec<_>>().into()
            }
            Shape::Content => json!({ "content": [{ "type": "text", "text": text }], "isError": false }),
        }
    }
}

/// One step of a session: files that are read in one go, and what they hold.
type Step = Vec<(String, String)>;

/// Words that repeat as words of code do, and names that do not.
fn file_text(seed: usize, lines: usize) -> String {
    let mut state = (seed as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let verbs = ["read", "write", "check", "merge", "count", "index", "parse", "split"];
    let nouns = ["record", "order", "account", "buffer", "window", "header", "ledger", "token"];
    let line = |_| {
        let (verb, noun) = (verbs[next(8)], nouns[next(8)]);
        match next(4) {
            0 => format!("fn {verb}_{noun}_{}(limit: usize) -> Option<{noun}> {{", next(900)),
            1 => format!("    let {noun}_{} = {verb}({noun}, {});", next(900), next(90)),
            2 => format!("    // {verb} the {noun} before the {} is full", nouns[next(8)]),
            _ => format!("    return {noun}.{verb}(\"{}\", {});", nouns[next(8)], next(5000)),
        }
    };
    (0..lines).map(line).collect::<Vec<_>>().join("\n")
}

fn session(steps: usize, at_once: usize, lines: usize) -> Vec<Step> {
    let file = |nth: usize| (format!("src/part_{nth}.rs"), file_text(nth + 1, lines));
    (0..steps).map(|step| (0..at_once).map(|nth| file(step * at_once + nth)).collect()).collect()
}

const TASK: &str = "Find where the header of an order is checked and say which parts need a change.";

/// The session in a wire format.
fn written(format: &str, shape: Shape, steps: &[Step]) -> Value {
    let mut messages = Vec::new();
    match format {
        "gemini" => messages.push(json!({ "role": "user", "parts": [{ "text": TASK }] })),
        "openai-responses" => messages.push(json!({ "type": "message", "role": "user", "content": TASK })),
        _ => messages.push(json!({ "role": "user", "content": TASK })),
    }
    for (nth, step) in steps.iter().enumerate() {
        let says = format!("Part {nth} is next.");
        let calls = step
            .iter()
            .enumerate()
            .map(|(at, (path, text))| (format!("call_{nth}_{at}"), path, shape.of(text)));
        let calls: Vec<(String, &String, Value)> = calls.collect();
        let as_text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), String::from);
        match format {
            "openai-chat" => {
                let call = |(id, path, _): &(String, &String, Value)| {
                    let arguments = json!({ "path": path }).to_string();
                    json!({ "id": id, "type": "function", "function": { "name": "read_file", "arguments": arguments } })
                };
                messages.push(json!({ "role": "assistant", "content": says, "tool_calls": calls.iter().map(call).collect::<Vec<_>>() }));
                let answer = |(id, _, value): &(String, &String, Value)| json!({ "role": "tool", "tool_call_id": id, "content": as_text(value) });
                messages.extend(calls.iter().map(answer));
            }
            "anthropic" => {
                let call = |(id, path, _): &(String, &String, Value)| json!({ "type": "tool_use", "id": id, "name": "read_file", "input": { "path": path } });
                let parts =
                    std::iter::once(json!({ "type": "text", "text": says })).chain(calls.iter().map(call));
                messages.push(json!({ "role": "assistant", "content": parts.collect::<Vec<_>>() }));
                let answer = |(id, _, value): &(String, &String, Value)| json!({ "type": "tool_result", "tool_use_id": id, "content": as_text(value) });
                messages
                    .push(json!({ "role": "user", "content": calls.iter().map(answer).collect::<Vec<_>>() }));
            }
            "openai-responses" => {
                messages.push(json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": says }] }));
                let call = |(id, path, _): &(String, &String, Value)| json!({ "type": "function_call", "call_id": id, "name": "read_file", "arguments": json!({ "path": path }).to_string() });
                messages.extend(calls.iter().map(call));
                let answer = |(id, _, value): &(String, &String, Value)| json!({ "type": "function_call_output", "call_id": id, "output": as_text(value) });
                messages.extend(calls.iter().map(answer));
            }
            "gemini" => {
                let call = |(id, path, _): &(String, &String, Value)| json!({ "functionCall": { "id": id, "name": "read_file", "args": { "path": path } } });
                let parts = std::iter::once(json!({ "text": says })).chain(calls.iter().map(call));
                messages.push(json!({ "role": "model", "parts": parts.collect::<Vec<_>>() }));
                let answer = |(id, _, value): &(String, &String, Value)| {
                    let response = if value.is_object() { value.clone() } else { json!({ "output": value }) };
                    json!({ "functionResponse": { "id": id, "name": "read_file", "response": response } })
                };
                messages
                    .push(json!({ "role": "user", "parts": calls.iter().map(answer).collect::<Vec<_>>() }));
            }
            "ai-sdk" => {
                let call = |(id, path, _): &(String, &String, Value)| json!({ "type": "tool-call", "toolCallId": id, "toolName": "read_file", "input": { "path": path } });
                let parts =
                    std::iter::once(json!({ "type": "text", "text": says })).chain(calls.iter().map(call));
                messages.push(json!({ "role": "assistant", "content": parts.collect::<Vec<_>>() }));
                let answer = |(id, _, value): &(String, &String, Value)| {
                    let kind = if value.is_string() { "text" } else { "json" };
                    json!({ "type": "tool-result", "toolCallId": id, "toolName": "read_file", "output": { "type": kind, "value": value } })
                };
                messages
                    .push(json!({ "role": "tool", "content": calls.iter().map(answer).collect::<Vec<_>>() }));
            }
            other => unreachable!("{other}"),
        }
    }
    let list = match format {
        "gemini" => "contents",
        "openai-responses" => "input",
        _ => "messages",
    };
    json!({ list: messages })
}

/// A view: its tokens, and which lines of the files stand in it.
struct Folded {
    before: usize,
    tokens: usize,
    lines: BTreeSet<String>,
    values: Vec<Value>,
}

fn fold(
    format: &str,
    shape: Shape,
    steps: &[Step],
    budget: impl Fn(usize) -> usize,
) -> Result<Folded, String> {
    let document =
        file::read_bytes_as(format, written(format, shape, steps).to_string().into_bytes()).unwrap();
    let counter = Arc::new(Encoding::O200k);
    let all = Tally::of(&document.history, counter.clone(), Default::default()).total();
    let budget = budget(all);
    let tally = Tally::to_fit(&document.history, budget, counter, Default::default());
    let (facts, handles) = (Facts::of(&document.history), HandleKey::guessable("shapes"));
    let policy = Policy::named("balanced").unwrap();
    let folded = run(&policy, &document.history, &tally, &Cx::new(budget, &facts, &handles, document.wire));
    let folded = folded.map_err(|error| error.to_string())?;
    let known: BTreeSet<&str> = steps.iter().flatten().flat_map(|(_, text)| text.split('\n')).collect();
    let messages = document.history.message_ids().filter_map(|id| folded.view.message(id));
    let values: Vec<Value> = messages.map(|raw| serde_json::from_str(&raw).unwrap()).collect();
    let mut lines = BTreeSet::new();
    values.iter().for_each(|value| {
        strings(value, &mut |text| {
            // What a tool of a text format returned as JSON is read as what the model reads.
            let inner = text.replace("\\\"", "\"");
            let all = text.split('\n').chain(inner.split("\\n")).map(str::trim_end);
            lines.extend(all.filter(|line| known.contains(line)).map(String::from));
        })
    });
    Ok(Folded { before: all, tokens: folded.trace.after, lines, values })
}

fn strings(value: &Value, found: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => found(text),
        Value::Array(all) => all.iter().for_each(|value| strings(value, found)),
        Value::Object(all) => all.values().for_each(|value| strings(value, found)),
        _ => {}
    }
}

const FORMATS: [&str; 5] = ["openai-chat", "anthropic", "openai-responses", "gemini", "ai-sdk"];

/// Objects and lists of tools are objects and lists on the wire where the format has them.
fn cases() -> impl Iterator<Item = (&'static str, Shape)> {
    let text = FORMATS.into_iter().map(|format| (format, Shape::Text));
    let others = ["gemini", "ai-sdk"].into_iter();
    text.chain(
        others.flat_map(|format| [Shape::Object, Shape::Rows, Shape::Content].map(|shape| (format, shape))),
    )
}

/// Twelve file reads as objects once became 1,638 tokens at every budget from 95 % to 20 % of their size.
#[test]
fn a_view_uses_its_budget_whatever_the_results_are() {
    for (steps, at_once) in [(12, 1), (3, 4)] {
        let steps = session(steps, at_once, 120);
        for (format, shape) in cases() {
            for percent in [95, 90, 80, 65, 50, 35, 20, 10] {
                let mut budget = 0;
                let folded = fold(format, shape, &steps, |all| all * percent / 100);
                let folded = folded.unwrap_or_else(|error| panic!("{format} {shape:?} {percent} %: {error}"));
                budget += folded.before * percent / 100;
                assert!(
                    folded.tokens * 100 >= budget * 90 && folded.tokens <= budget,
                    "{format}, results as {shape:?}, {} at once, {percent} %: {} tokens of {budget}",
                    steps[0].len(),
                    folded.tokens
                );
            }
        }
    }
}

#[test]
fn a_budget_above_the_size_of_a_session_leaves_it_alone() {
    let steps = session(6, 2, 80);
    for (format, shape) in cases() {
        let folded = fold(format, shape, &steps, |all| all + 1).unwrap();
        assert_eq!(folded.tokens, folded.before, "{format} {shape:?}");
    }
}

/// The same session as Anthropic messages once kept a twentieth less of what came next than as chat messages.
#[test]
fn every_format_keeps_the_same_lines() {
    let steps = session(8, 3, 90);
    let chat = fold("openai-chat", Shape::Text, &steps, |all| all * 2 / 5).unwrap();
    for format in FORMATS {
        let other = fold(format, Shape::Text, &steps, |all| all * 2 / 5).unwrap();
        let both = chat.lines.intersection(&other.lines).count();
        let either = chat.lines.union(&other.lines).count();
        assert!(both * 100 >= either * 90, "{format}: {both} of {either} lines");
    }
}

/// Beside the same room for them: the keys and escapes of objects take some of it.
#[test]
fn objects_and_rows_keep_the_same_lines_as_text() {
    let steps = session(12, 1, 120);
    for format in ["gemini", "ai-sdk"] {
        let text = fold(format, Shape::Text, &steps, |all| all / 2).unwrap();
        for shape in [Shape::Object, Shape::Rows, Shape::Content] {
            let other = fold(format, shape, &steps, |all| all / 2).unwrap();
            let both = text.lines.intersection(&other.lines).count();
            let either = text.lines.union(&other.lines).count();
            assert!(both * 100 >= either * 75, "{format} {shape:?}: {both} of {either} lines");
        }
    }
}

/// What a tool returned keeps its type and the fields that hold no text.
#[test]
fn results_keep_their_shape() {
    let steps = session(12, 1, 120);
    let mut marked = 0;
    for shape in [Shape::Object, Shape::Rows, Shape::Content] {
        let folded = fold("ai-sdk", shape, &steps, |all| all * 2 / 5).unwrap();
        for part in folded
            .values
            .iter()
            .filter(|message| message["role"] == "tool")
            .flat_map(|message| message["content"].as_array().unwrap())
        {
            let output = &part["output"];
            assert_eq!(output["type"], "json");
            assert!(Raw::parse(&output["value"].to_string()).is_ok());
            marked += usize::from(output.to_string().contains(" #"));
            match shape {
                Shape::Object => assert_eq!(
                    (&output["value"]["exitCode"], &output["value"]["stderr"]),
                    (&json!(0), &json!(""))
                ),
                Shape::Rows => assert!(output["value"].is_array()),
                Shape::Content => assert_eq!(
                    (&output["value"]["content"][0]["type"], &output["value"]["isError"]),
                    (&json!("text"), &json!(false))
                ),
                Shape::Text => {}
            }
        }
    }
    assert!(marked > 6, "{marked} results were folded");
}

/// Seventeen calls in one go fitted as chat messages and were refused as Anthropic's.
#[test]
fn a_newest_step_of_many_calls_fits_in_every_format() {
    let mut steps = session(6, 1, 60);
    steps.extend(session(1, 17, 140));
    for (format, shape) in cases() {
        let folded = fold(format, shape, &steps, |all| all / 4);
        let folded = folded.unwrap_or_else(|error| panic!("{format} {shape:?}: {error}"));
        let last = folded.values.iter().map(Value::to_string).collect::<String>();
        assert!(
            (0..17).all(|nth| last.contains(&format!("call_6_{nth}\""))),
            "{format} {shape:?}: the newest step stands"
        );
    }
}
