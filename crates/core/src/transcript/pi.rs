//! Sessions of pi and of agents built on it, such as OpenClaw: one entry per line.
//!
//! Messages are put together in Anthropic's shape: of all wire formats it alone has arguments as objects, thinking with
//! a signature and errors in results, so that every block can be copied. Newer files are trees (`id`, `parentId`); the
//! session is the path to the last entry, and other branches are left out with a note.

use std::collections::HashMap;

use super::builder::{Builder, Entry, Piece, Results, entries};
use super::{Extract, Object, Sample, Transcript, clock};
use crate::count::Usage;
use crate::json::{Kind, ObjectWriter, Raw};
use crate::source::{ReadError, Source};
use crate::wire::Anthropic;

/// Sessions of pi and OpenClaw.
#[derive(Clone, Copy, Debug)]
pub struct Pi;

impl Transcript for Pi {
    fn name(&self) -> &'static str {
        "pi"
    }

    fn title(&self) -> &'static str {
        "pi session"
    }

    fn detect(&self, sample: &Sample) -> bool {
        let is = |entry: &Object, kind: &str| entry.str_at("type").as_deref() == Some(kind);
        let is_head = |entry: &Object| is(entry, "session") && entry.has("cwd");
        let is_message = |entry: &Object| {
            let has_role = || entry.object("message").is_some_and(|message| message.has("role"));
            is(entry, "message") && entry.has("timestamp") && has_role()
        };
        sample.entries.first().is_some_and(is_head) || sample.entries.iter().any(is_message)
    }

    fn read(&self, source: &Source) -> Result<Extract, ReadError> {
        let entries: Vec<(Entry, Object)> =
            entries(source).map(|entry| (entry, Object::of(entry.raw))).collect();
        let live = live(&entries);
        let mut session = Builder::default();
        let mut abandoned = 0;
        for ((entry, members), live) in entries.iter().zip(&live) {
            if *live {
                add(entry, members, &mut session);
            } else {
                abandoned += usize::from(members.has("message"));
            }
        }
        session.count(abandoned, "messages on branches the user went back from, left out");
        Ok(session.finish(&Anthropic, Results::Together("content")))
    }
}

/// Which entries are on the path to the last one. Files without ids have one path only.
fn live(entries: &[(Entry, Object)]) -> Vec<bool> {
    let is_linked = |(_, members): &(Entry, Object)| members.has("id") && members.has("parentId");
    let Some(leaf) = entries.iter().rposition(is_linked) else { return vec![true; entries.len()] };
    let ids = entries.iter().enumerate();
    let by_id: HashMap<String, usize> =
        ids.filter_map(|(nth, (_, members))| Some((members.str_at("id")?.into_owned(), nth))).collect();
    let mut live = vec![false; entries.len()];
    let mut at = Some(leaf);
    while let Some(nth) = at {
        if std::mem::replace(&mut live[nth], true) {
            break;
        }
        at = match entries[nth].1.str_at("parentId") {
            // OpenClaw names the call as the parent of its result: then it is the entry before.
            Some(parent) => by_id.get(&*parent).copied().or_else(|| nth.checked_sub(1)),
            None => None,
        };
    }
    live
}

fn add(entry: &Entry, raw: &Object, session: &mut Builder) {
    session.clock = clock::seconds(raw.get("timestamp"));
    let kind = raw.str_at("type").unwrap_or_default();
    match &*kind {
        "message" => match raw.object("message") {
            Some(message) => add_message(entry, &message, session),
            None => session.pass_over("message without content", entry.place()),
        },
        "compaction" | "branch_summary" => {
            if let Some(summary) = raw.get("summary").filter(|text| text.kind() == Kind::String) {
                session.push(Piece::summary(said("user", summary.text())));
            }
        }
        "custom_message" => {
            if let Some(content) = raw.get("content").filter(|content| !content.is_null()) {
                session.push(Piece::said(said("user", &blocks(content))));
            }
        }
        "session" | "model_change" => set_model(raw.get("modelId"), session),
        "thinking_level_change" | "custom" | "label" | "session_info" => {}
        kind => session.pass_over(kind, entry.place()),
    }
}

fn add_message(entry: &Entry, message: &Object, session: &mut Builder) {
    let content = message.get("content");
    let role = message.str_at("role").unwrap_or_default();
    match (&*role, content) {
        ("user" | "system" | "custom", Some(content)) => {
            let role = if role == "system" { "system" } else { "user" };
            session.push(Piece::said(said(role, &blocks(content))));
        }
        ("assistant", Some(content)) => add_response(message, content, session),
        ("toolResult", _) => {
            let call = message.str_at("toolCallId").unwrap_or_default();
            let mut block = ObjectWriter::new().string("type", "tool_result").string("tool_use_id", &call);
            block = block.json("content", &content.map_or("[]".into(), blocks));
            if message.get("isError").and_then(Raw::bool) == Some(true) {
                block = block.json("is_error", "true");
            }
            session.push(Piece::answer(block.finish(), call));
        }
        ("bashExecution", _) if message.get("excludeFromContext").and_then(Raw::bool) == Some(true) => {}
        ("bashExecution", _) => session.push(Piece::said(said("user", &ran(message)))),
        ("compactionSummary" | "branchSummary", _) => {
            if let Some(summary) = message.get("summary").filter(|text| text.kind() == Kind::String) {
                session.push(Piece::summary(said("user", summary.text())));
            }
        }
        _ => session.pass_over(format!("message of role {role}"), entry.place()),
    }
}

fn add_response(message: &Object, content: Raw, session: &mut Builder) {
    set_model(message.get("model"), session);
    let is_thinking = |part: Raw| part.str_at("type").as_deref() == Some("thinking");
    if content.kind() == Kind::Array && content.elements().all(is_thinking) {
        return session.leave_out_empty();
    }
    let parts = content.elements().filter(|part| part.str_at("type").as_deref() == Some("toolCall"));
    let calls = parts.map(|part| part.str_at("id").unwrap_or_default().into_owned()).collect();
    let usage = message.get("usage").map(usage).filter(|usage| usage.input > 0);
    session.push(Piece { calls, usage, ..Piece::said(said("assistant", &blocks(content))) });
}

fn set_model(model: Option<Raw>, session: &mut Builder) {
    if let Some(model) = model.and_then(Raw::str) {
        session.model = Some(model.into_owned().into());
    }
}

fn said(role: &str, content: &str) -> String {
    ObjectWriter::new().string("role", role).json("content", content).finish()
}

/// Content in Anthropic's shape: a string as it stands, blocks one by one.
fn blocks(content: Raw) -> String {
    if content.kind() != Kind::Array {
        return content.text().to_string();
    }
    let blocks: Vec<String> = content.elements().map(block).collect();
    format!("[{}]", blocks.join(","))
}

fn block(raw: Raw) -> String {
    let part = Object::of(raw);
    let copy = |out: ObjectWriter, key: &str, from: &str| match part.get(from) {
        Some(value) => out.raw(key, value),
        None => out,
    };
    let kind = part.str_at("type").unwrap_or_default();
    match &*kind {
        "toolCall" => {
            let out = ObjectWriter::new().string("type", "tool_use");
            copy(copy(copy(out, "id", "id"), "name", "name"), "input", "arguments").finish()
        }
        "thinking" => {
            let out = copy(ObjectWriter::new().string("type", "thinking"), "thinking", "thinking");
            copy(out, "signature", "thinkingSignature").finish()
        }
        "image" if part.get("data").is_some() => {
            let source = ObjectWriter::new().string("type", "base64");
            let source = copy(copy(source, "media_type", "mimeType"), "data", "data").finish();
            ObjectWriter::new().string("type", "image").json("source", &source).finish()
        }
        _ => raw.text().to_string(),
    }
}

/// A command the user ran in the session, in the words pi tells the model about it.
fn ran(message: &Object) -> String {
    let inner = |key: &str| {
        let literal = message.get(key).filter(|text| text.kind() == Kind::String).map_or("\"\"", Raw::text);
        &literal[1..literal.len() - 1]
    };
    format!("\"Ran `{}`\\n```\\n{}\\n```\"", inner("command"), inner("output"))
}

fn usage(usage: Raw) -> Usage {
    let number = |key: &str| usage.get(key).and_then(Raw::u64).unwrap_or(0);
    let (read, written) = (number("cacheRead"), number("cacheWrite"));
    Usage {
        messages: 0,
        input: number("input") + read + written,
        cache_read: read,
        cache_write: written,
        output: number("output"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extract(lines: &[&str]) -> Extract {
        let source = Source::from_bytes(lines.join("\n").into_bytes()).unwrap();
        assert!(Pi.detect(&Sample::of(&source)));
        Pi.read(&source).unwrap()
    }

    #[test]
    fn blocks_are_copied_into_anthropics_shape() {
        let read = extract(&[
            r#"{"type":"session","id":"s","cwd":"/","modelId":"old"}"#,
            r#"{"type":"message","timestamp":"t","message":{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image","data":"AA","mimeType":"image/png"}]}}"#,
            r#"{"type":"message","timestamp":"t","message":{"role":"assistant","model":"m","usage":{"input":1,"cacheRead":2,"cacheWrite":3,"output":4},"content":[{"type":"thinking","thinking":"hm","thinkingSignature":"sig"},{"type":"toolCall","id":"c","name":"read","arguments":{"path": "a"}}]}}"#,
            r#"{"type":"message","timestamp":"t","message":{"role":"toolResult","toolCallId":"c","toolName":"read","content":[{"type":"text","text":"no"}],"isError":true}}"#,
            r#"{"type":"message","timestamp":"t","message":{"role":"assistant","content":[],"stopReason":"aborted"}}"#,
            r#"{"type":"message","timestamp":"t","message":{"role":"bashExecution","command":"ls","output":"a\nb"}}"#,
            r#"{"type":"compaction","summary":"so far"}"#,
        ]);
        assert_eq!(
            read.messages,
            [
                r#"{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}}]}"#,
                r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"tool_use","id":"c","name":"read","input":{"path": "a"}}]}"#,
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"no"}],"is_error":true}]}"#,
                r#"{"role":"user","content":"Ran `ls`\n```\na\nb\n```"}"#,
                r#"{"role":"user","content":"so far"}"#,
            ]
        );
        assert_eq!(read.summaries, [4]);
        assert_eq!(read.usage, [Usage { messages: 1, input: 6, cache_read: 2, cache_write: 3, output: 4 }]);
        assert_eq!(read.model.as_deref(), Some("m"));
    }

    #[test]
    fn of_two_branches_the_last_one_is_the_session() {
        let line = |id: &str, parent: &str, text: &str| {
            format!(
                r#"{{"type":"message","timestamp":"t","id":"{id}","parentId":{parent},"message":{{"role":"user","content":"{text}"}}}}"#
            )
        };
        let lines = [
            line("a", "null", "first"),
            line("b", "\"a\"", "gone"),
            line("c", "\"a\"", "second"),
            line("d", "\"call\"", "third"),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let read = extract(&lines);
        assert_eq!(
            read.messages,
            [
                r#"{"role":"user","content":"first"}"#,
                r#"{"role":"user","content":"second"}"#,
                r#"{"role":"user","content":"third"}"#
            ]
        );
        assert_eq!(
            read.findings[0].to_string(),
            "note: messages on branches the user went back from, left out: 1"
        );
    }

    #[test]
    fn a_cycle_of_parents_ends() {
        let read = extract(&[
            r#"{"type":"message","timestamp":"t","id":"a","parentId":"b","message":{"role":"user","content":"1"}}"#,
            r#"{"type":"message","timestamp":"t","id":"b","parentId":"a","message":{"role":"user","content":"2"}}"#,
        ]);
        assert_eq!(read.messages.len(), 2);
    }
}
