//! Gemini CLI sessions: a JSON file with `messages`, or a line per message.
//!
//! Messages are put together as Gemini contents: results stand in the log as the `functionResponse` parts that were
//! sent. A call and its result are one object of a `gemini` message; here they are two messages again.

use std::collections::HashMap;

use super::builder::{Builder, Entry, Piece, Results, elements, entries, root_object};
use super::{Extract, Object, Sample, Transcript, clock};
use crate::count::Usage;
use crate::json::{Kind, ObjectWriter, Raw};
use crate::source::{ReadError, Source};
use crate::wire::Gemini;

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
        let mut reading = Reading::default();
        match root_object(source).filter(|root| messages(*root).kind() == Kind::Array) {
            Some(root) => {
                reading.model(root.at(&["meta", "model"]));
                elements(messages(root)).for_each(|message| reading.add(message));
            }
            None => {
                let messages = last_versions(source, &mut reading.session);
                messages.into_iter().for_each(|message| reading.add(message));
            }
        }
        reading.close();
        Ok(reading.session.finish(&Gemini, Results::Together("parts")))
    }
}

fn messages(root: Raw<'_>) -> Raw<'_> {
    root.get("messages").or_else(|| root.get("history")).unwrap_or(root)
}

/// The messages of a file of lines.
///
/// A message is written again whenever it has grown: its last version counts. A rewind takes back the message it names
/// and all after it. `$set.messages` is the context from then on, after a compression for instance; the history keeps
/// what it had and takes what is new.
fn last_versions<'a>(source: &'a Source, session: &mut Builder) -> Vec<Entry<'a>> {
    let mut log = Log::default();
    let mut gone = 0;
    for line in entries(source) {
        let members = Object::of(line.raw);
        if let Some(id) = members.str_at("$rewindTo") {
            gone += log.rewind(&id);
        } else if let Some(changes) = members.object("$set") {
            changes.get("messages").into_iter().flat_map(elements).for_each(|message| log.put(message));
        } else if members.has("type") {
            log.put(line);
        }
    }
    session.count(gone, "messages the user went back from, left out");
    log.kept.into_iter().map(|(_, entry)| entry).collect()
}

#[derive(Default)]
struct Log<'a> {
    kept: Vec<(String, Entry<'a>)>,
    /// Where each id was put last; it may have been taken back since.
    at: HashMap<String, usize>,
}

impl<'a> Log<'a> {
    fn put(&mut self, entry: Entry<'a>) {
        let id = entry.raw.str_at("id").unwrap_or_default().into_owned();
        match self.find(&id) {
            Some(nth) => self.kept[nth].1 = entry,
            None => {
                self.at.insert(id.clone(), self.kept.len());
                self.kept.push((id, entry));
            }
        }
    }

    /// Takes back everything from a message on; says how much that was.
    fn rewind(&mut self, id: &str) -> usize {
        let before = self.kept.len();
        // Gemini CLI itself forgets everything when it does not know the message.
        self.kept.truncate(self.find(id).unwrap_or(0));
        before - self.kept.len()
    }

    fn find(&self, id: &str) -> Option<usize> {
        let nth = *self.at.get(id)?;
        (!id.is_empty() && self.kept.get(nth)?.0 == id).then_some(nth)
    }
}

/// Who speaks: `type`, or `role` in files that are nearer to the wire.
fn speaker<'a>(message: &Object<'a>) -> std::borrow::Cow<'a, str> {
    message.str_at("type").or_else(|| message.str_at("role")).unwrap_or_default()
}

#[derive(Default)]
struct Reading {
    session: Builder,
    /// A response that has called nothing yet. Its calls may stand in the next message, where a notice to the user
    /// came between.
    open: Option<(Vec<String>, Option<Usage>)>,
}

impl Reading {
    fn add(&mut self, entry: Entry) {
        let message = &Object::of(entry.raw);
        self.session.clock = clock::seconds(message.get("timestamp"));
        match &*speaker(message) {
            "user" => {
                self.close();
                let parts = parts(message);
                if !parts.is_empty() {
                    self.session.push(Piece::said(content("user", parts)));
                }
            }
            "gemini" | "model" => self.response(message),
            "info" | "error" | "warning" => {}
            other => self.session.pass_over(other, entry.place()),
        }
    }

    fn response(&mut self, message: &Object) {
        self.model(message.get("model"));
        let calls: Vec<Raw> = message.list("toolCalls").collect();
        let said = parts(message);
        let only_calls = said.is_empty() && message.list("thoughts").next().is_none();
        if !only_calls {
            self.close();
        }
        let (mut all, mut usage) = self.open.take().unwrap_or_default();
        usage = usage.or_else(|| message.get("tokens").map(tokens));
        all.extend(message.list("thoughts").filter_map(thought));
        all.extend(said);
        if calls.is_empty() {
            self.open = Some((all, usage));
            return;
        }
        all.extend(calls.iter().copied().map(call));
        let id = |call: &Raw| call.str_at("id").unwrap_or_default().into_owned();
        let text = content("model", all);
        self.session.push(Piece { calls: calls.iter().map(id).collect(), usage, ..Piece::said(text) });
        for call in &calls {
            if let Some(result) = result(*call) {
                self.session.push(Piece::answer(result, id(call)));
            }
        }
    }

    /// Ends a response that called nothing.
    fn close(&mut self) {
        match self.open.take() {
            None => {}
            Some((parts, _)) if parts.is_empty() => self.session.leave_out_empty(),
            Some((parts, usage)) => {
                self.session.push(Piece { usage, ..Piece::said(content("model", parts)) });
            }
        }
    }

    fn model(&mut self, model: Option<Raw>) {
        if let Some(model) = model.and_then(Raw::str) {
            self.session.model = Some(model.into_owned().into());
        }
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

fn tokens(tokens: Raw) -> Usage {
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
    fn calls_that_a_notice_cut_off_their_response_are_joined_to_it() {
        let read = extract(
            r#"{"sessionId":"s","projectHash":"p","messages":[
            {"type":"gemini","content":"I will look","tokens":{"input":3}},
            {"type":"info","content":"update available"},
            {"type":"gemini","content":"","toolCalls":[{"id":"c","name":"ls","args":{}}]},
            {"type":"gemini","content":"one","tokens":{"input":4}},
            {"type":"gemini","content":"two","tokens":{"input":5}}]}"#,
        );
        assert_eq!(
            read.messages,
            [
                r#"{"role":"model","parts":[{"text":"I will look"},{"functionCall":{"id":"c","name":"ls","args":{}}}]}"#,
                r#"{"role":"model","parts":[{"text":"one"}]}"#,
                r#"{"role":"model","parts":[{"text":"two"}]}"#
            ]
        );
        assert_eq!(read.usage.iter().map(|usage| usage.input).collect::<Vec<_>>(), [3, 4, 5]);
    }

    #[test]
    fn in_files_of_lines_the_last_version_of_a_message_counts() {
        let read = extract(
            "{\"sessionId\":\"s\",\"projectHash\":\"p\"}\n{\"id\":\"1\",\"type\":\"user\",\"content\":\"go\"}\n\
             {\"id\":\"2\",\"type\":\"gemini\",\"content\":\"\"}\n{\"id\":\"2\",\"type\":\"gemini\",\"content\":\"done\"}\n\
             {\"id\":\"3\",\"type\":\"user\",\"content\":\"gone\"}\n{\"$rewindTo\":\"3\"}\n\
             {\"$set\":{\"messages\":[{\"id\":\"2\",\"type\":\"gemini\",\"content\":\"done!\"},{\"id\":\"4\",\"type\":\"user\",\"content\":\"on\"}]}}",
        );
        assert_eq!(
            read.messages,
            [
                r#"{"role":"user","parts":[{"text":"go"}]}"#,
                r#"{"role":"model","parts":[{"text":"done!"}]}"#,
                r#"{"role":"user","parts":[{"text":"on"}]}"#
            ]
        );
        assert_eq!(read.findings[0].to_string(), "note: messages the user went back from, left out: 1");
    }
}
