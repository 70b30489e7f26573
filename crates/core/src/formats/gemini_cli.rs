//! Gemini CLI sessions: a JSON file with `messages`, or a line per message.
//!
//! Messages are put together as Gemini contents: results stand in the log as the `functionResponse` parts that were
//! sent. A call and its result are one object of a `gemini` message; here they are two messages again.

use std::collections::HashMap;

use super::session::{Entry, Piece, Results, Session, elements, entries, root_object};
use super::{Extract, Gemini, Object, Sample, Transcript};
use crate::document::Usage;
use crate::json::{Kind, ObjectWriter, Raw};
use crate::source::{ReadError, Source};

/// Gemini CLI sessions.
#[derive(Clone, Copy, Debug)]
pub struct GeminiCli;

impl Transcript for GeminiCli {
    fn name(&self) -> &'static str {
        "gemini-cli"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI session"
    }

    fn detect(&self, sample: &Sample) -> bool {
        let Some(first) = sample.entries.first() else { return false };
        let mut messages = first.list("messages").chain(first.list("history")).take(50);
        let speaks = |message: Raw| speaker(&Object::of(message)) == "gemini";
        (first.has("projectHash") && first.has("sessionId")) || messages.any(speaks)
    }

    fn read(&self, source: &Source) -> Result<Extract, ReadError> {
        let mut session = Session::default();
        match root_object(source).filter(|root| messages(*root).kind() == Kind::Array) {
            Some(root) => {
                set_model(root.at(&["meta", "model"]), &mut session);
                elements(messages(root)).for_each(|message| add(message, &mut session));
            }
            None => last_versions(source, &mut session).into_iter().for_each(|line| add(line, &mut session)),
        }
        Ok(session.finish(&Gemini, Results::Together("parts")))
    }
}

fn messages(root: Raw<'_>) -> Raw<'_> {
    root.get("messages").or_else(|| root.get("history")).unwrap_or(root)
}

/// Files of lines: a message is written again when it has grown, and its last version counts; a rewind takes back
/// everything from the message it names.
fn last_versions<'a>(source: &'a Source, session: &mut Session) -> Vec<Entry<'a>> {
    let mut kept: Vec<Entry> = Vec::new();
    let mut at: HashMap<String, usize> = HashMap::new();
    for line in entries(source) {
        if let Some(id) = line.raw.str_at("$rewindTo") {
            if let Some(start) = at.get(&*id).copied() {
                let gone = kept.len() - start;
                session.count(gone, "messages the user went back from, left out");
                kept.truncate(start);
                at.retain(|_, nth| *nth < start);
            }
            continue;
        }
        if line.raw.str_at("type").is_none() {
            continue;
        }
        match line.raw.str_at("id").and_then(|id| at.get(&*id).copied()) {
            Some(nth) => kept[nth] = line,
            None => {
                if let Some(id) = line.raw.str_at("id") {
                    at.insert(id.into_owned(), kept.len());
                }
                kept.push(line);
            }
        }
    }
    kept
}

/// Who speaks: `type`, or `role` in files that are nearer to the wire.
fn speaker<'a>(message: &Object<'a>) -> std::borrow::Cow<'a, str> {
    message.str_at("type").or_else(|| message.str_at("role")).unwrap_or_default()
}

fn add(entry: Entry, session: &mut Session) {
    let message = &Object::of(entry.raw);
    match &*speaker(message) {
        "user" => {
            let parts = parts(message);
            if !parts.is_empty() {
                session.push(Piece::said(content("user", parts)));
            }
        }
        "gemini" | "model" => add_response(message, session),
        "info" | "error" | "warning" => {}
        other => session.pass_over(other, entry.place()),
    }
}

fn add_response(message: &Object, session: &mut Session) {
    set_model(message.get("model"), session);
    let calls = || message.list("toolCalls");
    let mut all: Vec<String> = message.list("thoughts").filter_map(thought).collect();
    all.extend(parts(message));
    all.extend(calls().map(call));
    if all.is_empty() {
        return;
    }
    let id = |call: Raw| call.str_at("id").unwrap_or_default().into_owned();
    session.push(Piece {
        calls: calls().map(id).collect(),
        usage: message.get("tokens").map(usage),
        ..Piece::said(content("model", all))
    });
    for call in calls() {
        if let Some(result) = result(call) {
            session.push(Piece::answer(result, id(call)));
        }
    }
}

fn set_model(model: Option<Raw>, session: &mut Session) {
    if let Some(model) = model.and_then(Raw::str) {
        session.model = Some(model.into_owned().into());
    }
}

fn content(role: &str, parts: Vec<String>) -> String {
    ObjectWriter::new().string("role", role).array("parts", parts).finish()
}

/// The parts of a message: content is a text, a part, or a list of parts and texts.
fn parts(message: &Object) -> Vec<String> {
    let part = |value: Raw| match value.kind() {
        Kind::String => ObjectWriter::new().raw("text", value).finish(),
        _ => value.text().to_string(),
    };
    let Some(content) = message.get("content").or_else(|| message.get("parts")) else { return Vec::new() };
    match content.kind() {
        Kind::Array => content.elements().map(part).collect(),
        Kind::String if content.text() == "\"\"" => Vec::new(),
        Kind::String | Kind::Object => vec![part(content)],
        _ => Vec::new(),
    }
}

/// A thought as the part it was received in, its subject in front.
fn thought(thought: Raw) -> Option<String> {
    let inner = |key: &str| {
        let text = thought.get(key).filter(|text| text.kind() == Kind::String)?.text();
        Some(&text[1..text.len() - 1])
    };
    let text = match (inner("subject"), inner("description")) {
        (Some(subject), Some(description)) => format!("\"{subject}: {description}\""),
        (None, Some(text)) | (Some(text), None) => format!("\"{text}\""),
        (None, None) => return None,
    };
    Some(ObjectWriter::new().json("text", &text).json("thought", "true").finish())
}

fn call(call: Raw) -> String {
    let keys = ["id", "name", "args"].into_iter().filter_map(|key| Some((key, call.get(key)?)));
    let function = keys.fold(ObjectWriter::new(), |out, (key, value)| out.raw(key, value)).finish();
    ObjectWriter::new().json("functionCall", &function).finish()
}

/// The parts that answered a call, joined; `None` if it was never answered.
fn result(call: Raw) -> Option<String> {
    let result = call.get("result").filter(|result| !result.is_null())?;
    if result.kind() == Kind::Array {
        let parts: Vec<&str> = result.elements().map(Raw::text).collect();
        return (!parts.is_empty()).then(|| parts.join(","));
    }
    let keys = ["id", "name"].into_iter().filter_map(|key| Some((key, call.get(key)?)));
    let response = keys.fold(ObjectWriter::new(), |out, (key, value)| out.raw(key, value));
    let output = ObjectWriter::new().raw("output", result).finish();
    let response = response.json("response", &output).finish();
    Some(ObjectWriter::new().json("functionResponse", &response).finish())
}

fn usage(tokens: Raw) -> Usage {
    let number = |key: &str| tokens.get(key).and_then(Raw::u64).unwrap_or(0);
    Usage {
        messages: 0,
        input: number("input"),
        cache_read: number("cached"),
        cache_write: 0,
        output: number("output") + number("thoughts"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extract(text: &str) -> Extract {
        let source = Source::from_bytes(text.as_bytes().to_vec()).unwrap();
        assert!(GeminiCli.detect(&Sample::of(&source)));
        GeminiCli.read(&source).unwrap()
    }

    #[test]
    fn a_call_and_its_result_are_two_messages() {
        let read = extract(
            r#"{"sessionId":"s","projectHash":"p","messages":[
            {"id":"1","type":"user","content":"go"},
            {"id":"2","type":"gemini","content":"","model":"m","thoughts":[{"subject":"S","description":"D\u0041"}],
             "tokens":{"input":9,"output":1,"cached":4,"thoughts":2},
             "toolCalls":[{"id":"c","name":"ls","args":{"dir": "."},"result":[{"functionResponse":{"id":"c","name":"ls","response":{"output":"a"}}}]}]},
            {"id":"3","type":"info","content":"update available"},
            {"id":"4","type":"gemini","content":[{"text":"done"}]}]}"#,
        );
        assert_eq!(
            read.messages,
            [
                r#"{"role":"user","parts":[{"text":"go"}]}"#,
                r#"{"role":"model","parts":[{"text":"S: D\u0041","thought":true},{"functionCall":{"id":"c","name":"ls","args":{"dir": "."}}}]}"#,
                r#"{"role":"user","parts":[{"functionResponse":{"id":"c","name":"ls","response":{"output":"a"}}}]}"#,
                r#"{"role":"model","parts":[{"text":"done"}]}"#,
            ]
        );
        assert_eq!(read.usage, [Usage { messages: 1, input: 9, cache_read: 4, cache_write: 0, output: 3 }]);
        assert_eq!(read.model.as_deref(), Some("m"));
    }

    #[test]
    fn in_files_of_lines_the_last_version_of_a_message_counts() {
        let read = extract(
            "{\"sessionId\":\"s\",\"projectHash\":\"p\"}\n{\"id\":\"1\",\"type\":\"user\",\"content\":\"go\"}\n\
             {\"id\":\"2\",\"type\":\"gemini\",\"content\":\"\"}\n{\"id\":\"2\",\"type\":\"gemini\",\"content\":\"done\"}\n\
             {\"id\":\"3\",\"type\":\"user\",\"content\":\"gone\"}\n{\"$rewindTo\":\"3\"}\n{\"$set\":{}}",
        );
        assert_eq!(
            read.messages,
            [r#"{"role":"user","parts":[{"text":"go"}]}"#, r#"{"role":"model","parts":[{"text":"done"}]}"#]
        );
    }
}
