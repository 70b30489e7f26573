//! Flat legacy rows: `{id, role, content}` whose `content` is a string that holds JSON: AI SDK parts, or an object with
//! a text. A string that is not JSON is plain text.

use super::builder::{Builder, Entry, Piece, Results, entries};
use super::{Extract, Sample, Transcript};
use crate::json::{Kind, ObjectWriter, Raw};
use crate::source::{ReadError, Source};
use crate::wire::AiSdk;

/// Flat legacy rows.
#[derive(Clone, Copy, Debug)]
pub struct FlatRows;

impl Transcript for FlatRows {
    fn name(&self) -> &'static str {
        "flat-rows"
    }

    fn title(&self) -> &'static str {
        "flat rows with JSON in `content`"
    }

    fn detect(&self, sample: &Sample) -> bool {
        let mut packed = 0;
        for row in &sample.entries {
            if !row.has("id") || row.str_at("role").is_none() {
                return false;
            }
            let Some(content) = row.str_at("content") else { return false };
            packed += usize::from(unpack(&content).is_some());
        }
        packed > 0
    }

    fn read(&self, source: &Source) -> Result<Extract, ReadError> {
        let mut session = Builder::default();
        for row in entries(source) {
            match message(row) {
                Some(message) => session.push(Piece::said(message)),
                None => session.pass_over("row without role or content", row.place()),
            }
        }
        Ok(session.finish(&AiSdk, Results::Apart))
    }
}

fn message(row: Entry) -> Option<String> {
    let role = row.raw.get("role").filter(|role| role.kind() == Kind::String)?;
    let content = row.raw.get("content").filter(|content| !content.is_null())?;
    let out = ObjectWriter::new().raw("role", role);
    let text = content.str().unwrap_or_default();
    Some(match unpack(&text) {
        Some(Unpacked { key, value }) => out.raw(key, value).finish(),
        // Text, or content that was never packed into a string.
        None => out.raw("content", content).finish(),
    })
}

/// What a string holds, and the field of the message it belongs into.
struct Unpacked<'a> {
    key: &'static str,
    value: Raw<'a>,
}

fn unpack(text: &str) -> Option<Unpacked<'_>> {
    if !text.trim_start().starts_with(['[', '{', '"']) {
        return None;
    }
    let value = Raw::parse(text).ok()?;
    let is_part = |part: Raw| part.str_at("type").is_some();
    match value.kind() {
        Kind::Array if value.elements().next().is_some() && value.elements().all(is_part) => {
            Some(Unpacked { key: "content", value })
        }
        Kind::String => Some(Unpacked { key: "content", value }),
        Kind::Object => {
            let text = value.get("text").filter(|text| text.kind() == Kind::String);
            let content = value.get("content");
            let content = content.filter(|content| matches!(content.kind(), Kind::String | Kind::Array));
            let parts = value.get("parts").filter(|parts| parts.kind() == Kind::Array);
            let inner = text.or(content).map(|value| Unpacked { key: "content", value });
            inner.or(parts.map(|value| Unpacked { key: "parts", value }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let source = Source::from_bytes(text.as_bytes().to_vec()).unwrap();
        assert!(FlatRows.detect(&Sample::of(&source)));
        FlatRows.read(&source).unwrap().messages.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn packed_parts_text_and_objects_are_unpacked() {
        let read = messages(
            r#"[{"id":1,"role":"user","content":"plain { text"},
                {"id":2,"role":"assistant","content":"[{\"type\":\"text\",\"text\":\"a\\nb\"},{\"type\":\"tool-call\",\"toolCallId\":\"c\",\"toolName\":\"ls\",\"args\":{ }}]"},
                {"id":3,"role":"tool","content":"[{\"type\":\"tool-result\",\"toolCallId\":\"c\",\"toolName\":\"ls\",\"result\":1.0}]"},
                {"id":4,"role":"assistant","content":"{\"text\":\"done\"}","created_at":"x"},
                {"id":5,"role":"user","content":"{not json"}]"#,
        );
        assert_eq!(
            read,
            [
                r#"{"role":"user","content":"plain { text"}"#,
                r#"{"role":"assistant","content":[{"type":"text","text":"a\nb"},{"type":"tool-call","toolCallId":"c","toolName":"ls","args":{ }}]}"#,
                r#"{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"ls","result":1.0}]}"#,
                r#"{"role":"assistant","content":"done"}"#,
                r#"{"role":"user","content":"{not json"}"#,
            ]
        );
    }

    #[test]
    fn rows_that_only_hold_text_are_chat_messages() {
        let source = Source::from_bytes(br#"[{"id":1,"role":"user","content":"hi"}]"#.to_vec()).unwrap();
        assert!(!FlatRows.detect(&Sample::of(&source)));
    }

    #[test]
    fn json_a_user_pasted_stays_text() {
        let read = messages(
            "{\"id\":1,\"role\":\"user\",\"content\":\"{\\\"a\\\":1}\"}\n{\"id\":2,\"role\":\"user\",\"content\":\"{\\\"text\\\":\\\"x\\\"}\"}",
        );
        assert_eq!(read, [r#"{"role":"user","content":"{\"a\":1}"}"#, r#"{"role":"user","content":"x"}"#]);
    }
}
