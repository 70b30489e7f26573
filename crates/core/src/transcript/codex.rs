//! Codex rollouts (`rollout-*.jsonl`): `{timestamp, type, payload}` per line.
//!
//! `response_item` payloads are the Responses items that were sent and received; they are taken as they stand.
//! `event_msg` mirrors them for the interface and is read for boundaries and usage only. `compacted` replaced the
//! context the model saw; the history keeps what was there before, and the summary.

use super::builder::{Builder, Entry, Piece, Results, entries};
use super::{Extract, Object, Sample, Transcript, clock};
use crate::count::Usage;
use crate::json::{Kind, ObjectWriter, Raw, quote};
use crate::source::{ReadError, Source};
use crate::wire::OpenAiResponses;

/// Codex rollouts.
#[derive(Clone, Copy, Debug)]
pub struct Codex;

/// The types a line can have.
const TYPES: &[&str] = &[
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
    "world_state",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "security_risk_score",
];

impl Transcript for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex rollout"
    }

    fn detect(&self, sample: &Sample) -> bool {
        let is_bare_head = |entry: &Object| entry.has("instructions") && entry.has("git");
        let is_wrapped = |entry: &Object| {
            let is_object = entry.get("payload").is_some_and(|payload| payload.kind() == Kind::Object);
            let kind = entry.str_at("type").unwrap_or_default();
            is_object && entry.has("timestamp") && TYPES.contains(&&*kind)
        };
        sample.entries.first().is_some_and(is_bare_head) || sample.entries.iter().any(is_wrapped)
    }

    fn read(&self, source: &Source) -> Result<Extract, ReadError> {
        let mut reading = Reading::default();
        for entry in entries(source) {
            reading.line(source, entry);
        }
        Ok(reading.finish())
    }
}

#[derive(Default)]
struct Reading {
    session: Builder,
    metas: usize,
    rolled_back: usize,
    drifted: usize,
    /// First item of the response that no usage has been reported for.
    response: Option<usize>,
    /// Where each turn started.
    turns: Vec<usize>,
    /// Whether the log marks turns itself.
    marks_turns: bool,
    /// The user message that may turn out to have started a turn.
    last_user: Option<usize>,
}

impl Reading {
    fn line(&mut self, source: &Source, entry: Entry) {
        let line = Object::of(entry.raw);
        let kind = line.str_at("type").unwrap_or_default();
        self.session.clock = clock::seconds(line.get("timestamp"));
        let payload = line.get("payload").filter(|payload| payload.kind() == Kind::Object);
        match (&*kind, payload) {
            ("response_item", Some(item)) => self.item(source, item, &entry),
            ("session_meta", Some(meta)) => self.meta(source, meta),
            ("turn_context", Some(context)) => {
                if let Some(model) = context.str_at("model") {
                    self.session.model = Some(model.into_owned().into());
                }
            }
            ("event_msg", Some(event)) => self.event(event),
            ("compacted", Some(compacted)) => self.compacted(source, compacted),
            (kind, Some(_)) if TYPES.contains(&kind) => {}
            (kind, None) => self.bare(source, kind, entry),
            (kind, Some(_)) => self.session.pass_over(kind, entry.place()),
        }
    }

    /// Lines of the first versions are the items themselves, after a head with the instructions.
    fn bare(&mut self, source: &Source, kind: &str, entry: Entry) {
        let raw = entry.raw;
        let has_body = ["content", "call_id", "summary"].iter().any(|key| raw.get(key).is_some());
        match kind {
            "" if raw.get("record_type").is_some() => {}
            "" if raw.get("instructions").is_some() => self.meta(source, raw),
            "" => match (raw.get("role"), raw.get("content").or_else(|| raw.get("message"))) {
                (Some(role), Some(content)) => {
                    let text = ObjectWriter::new().raw("role", role).raw("content", content).finish();
                    self.session.push(Piece::said(text));
                }
                _ => self.session.pass_over("line without type", entry.place()),
            },
            "function_call" if raw.get("function").is_some() => self.drifted("tool_call", raw, &entry),
            "function_result" => self.drifted("tool_result", raw, &entry),
            kind if has_body && !TYPES.contains(&kind) => self.item(source, raw, &entry),
            kind => self.session.pass_over(kind, entry.place()),
        }
    }

    fn meta(&mut self, source: &Source, meta: Raw) {
        self.metas += 1;
        let instructions = meta.at(&["base_instructions", "text"]).or_else(|| meta.get("instructions"));
        let instructions = instructions.filter(|text| text.kind() == Kind::String);
        if let (None, Some(text)) = (&self.session.head, instructions) {
            self.session.head = Some(source.cut(text.text()));
        }
    }

    fn item(&mut self, source: &Source, item: Raw, entry: &Entry) {
        let members = Object::of(item);
        let kind = members.str_at("type").unwrap_or_default();
        let role = members.str_at("role").unwrap_or_default();
        let at = self.session.len();
        match &*kind {
            // Snapshots of the work tree; never sent.
            "ghost_snapshot" => return,
            "tool_call" | "tool_result" => return self.drifted(&kind, item, entry),
            _ => {}
        }
        match (&*kind, &*role) {
            ("message", "assistant") => self.respond(at),
            ("message", "user") => self.last_user = Some(at),
            ("reasoning", _) => self.respond(at),
            (call, _) if call.ends_with("_call") => self.respond(at),
            _ => {}
        }
        self.session.push(Piece::said(source.cut(item.text())));
    }

    /// Calls as some files have them that other programs wrote: without ids, arguments as an object.
    fn drifted(&mut self, kind: &str, item: Raw, entry: &Entry) {
        if self.drifted == 0 {
            self.session
                .warn(entry.place(), "a call or result is written as Codex does not write it, without an id");
        }
        self.drifted += 1;
        let text = |value: Option<Raw>| match value {
            Some(text) if text.kind() == Kind::String => text.text().to_string(),
            Some(other) => quote(other.text()),
            None => "\"\"".into(),
        };
        let name = item.at(&["function", "name"]).or_else(|| item.get("name"));
        let piece = if kind == "tool_call" {
            self.respond(self.session.len());
            let call = ObjectWriter::new().string("type", "function_call").string("call_id", "");
            call.json("name", &text(name)).json("arguments", &text(item.get("arguments")))
        } else {
            let output = ObjectWriter::new().string("type", "function_call_output").string("call_id", "");
            output.json("output", &text(item.get("result")))
        };
        self.session.push(Piece::said(piece.finish()));
    }

    fn respond(&mut self, at: usize) {
        self.response.get_or_insert(at);
    }

    fn event(&mut self, event: Raw) {
        match event.str_at("type").as_deref() {
            Some("token_count") => self.usage(event),
            Some("task_started" | "turn_started") => {
                if !self.marks_turns {
                    self.turns.clear();
                    self.marks_turns = true;
                }
                self.turns.push(self.session.len());
            }
            Some("user_message") if !self.marks_turns => {
                let start = self.last_user.take().unwrap_or(self.session.len());
                self.turns.push(start);
            }
            Some("thread_rolled_back") => {
                let turns = event.get("num_turns").and_then(Raw::u64).unwrap_or(0);
                self.roll_back(usize::try_from(turns).unwrap_or(usize::MAX));
            }
            _ => {}
        }
    }

    fn roll_back(&mut self, turns: usize) {
        let left = self.turns.len().saturating_sub(turns);
        if let Some(start) = self.turns.get(left) {
            self.rolled_back += self.session.len().saturating_sub(*start);
            self.session.truncate(*start);
            self.turns.truncate(left);
            self.response = None;
        }
    }

    fn usage(&mut self, event: Raw) {
        let Some(usage) = event.at(&["info", "last_token_usage"]) else { return };
        let Some(response) = self.response.take() else { return };
        let number = |key: &str| usage.get(key).and_then(Raw::u64).unwrap_or(0);
        let usage = Usage {
            messages: 0,
            input: number("input_tokens"),
            cache_read: number("cached_input_tokens"),
            cache_write: number("cache_write_input_tokens"),
            output: number("output_tokens"),
        };
        self.session.report(response, usage);
    }

    /// The summary is in `message`; where the server wrote it, it is an opaque item of the new history.
    fn compacted(&mut self, source: &Source, compacted: Raw) {
        self.response = None;
        let message = compacted.get("message").filter(|text| text.kind() == Kind::String);
        if let Some(text) = message.filter(|text| text.text() != "\"\"") {
            let part = ObjectWriter::new().string("type", "input_text").raw("text", text).finish();
            let message = ObjectWriter::new().string("type", "message").string("role", "user");
            return self.session.push(Piece::summary(message.array("content", [part]).finish()));
        }
        let items = compacted.get("replacement_history").into_iter().flat_map(Raw::elements);
        let mut opaque = items.filter(|item| {
            matches!(item.str_at("type").as_deref(), Some("compaction" | "compaction_summary"))
        });
        match opaque.next() {
            Some(item) => self.session.push(Piece::summary(source.cut(item.text()))),
            None => self.session.note("the context was compacted, and the log does not have the summary"),
        }
    }

    fn finish(mut self) -> Extract {
        let others = self.metas.saturating_sub(1);
        self.session.count(others, "other sessions replayed in this one (a fork or a sub-agent)");
        self.session.count(self.rolled_back, "items of turns that were rolled back, left out");
        self.session.finish(&OpenAiResponses, Results::Apart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extract(lines: &[(&str, &str)]) -> Extract {
        let lines: Vec<String> = lines
            .iter()
            .map(|(kind, payload)| format!(r#"{{"timestamp":"t","type":"{kind}","payload":{payload}}}"#))
            .collect();
        let source = Source::from_bytes(lines.join("\n").into_bytes()).unwrap();
        assert!(Codex.detect(&Sample::of(&source)));
        Codex.read(&source).unwrap()
    }

    const USER: (&str, &str) = ("response_item", r#"{"type":"message","role":"user","content":[ ]}"#);
    const SAID: (&str, &str) = ("response_item", r#"{"type":"message","role":"assistant","content":[]}"#);

    #[test]
    fn each_item_has_the_time_of_its_line() {
        let line = |second: u32, text: &str| {
            format!(
                r#"{{"timestamp":"2026-07-01T00:00:{second:02}.500Z","type":"response_item","payload":{{"type":"message","role":"user","content":"{text}"}}}}"#
            )
        };
        let source = Source::from_bytes([line(7, "a"), line(9, "b")].join("\n").into_bytes()).unwrap();
        let read = Codex.read(&source).unwrap();
        assert_eq!(read.times, [(0, 1_782_864_007), (1, 1_782_864_009)]);
    }

    #[test]
    fn items_are_taken_as_they_stand_and_usage_belongs_to_the_response() {
        let call = r#"{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}"#;
        let output = r#"{"type":"function_call_output","call_id":"c","output":"ok" }"#;
        let usage = r#"{"type":"token_count","info":{"last_token_usage":{"input_tokens":9,"cached_input_tokens":3,"output_tokens":1}}}"#;
        let read = extract(&[
            ("session_meta", r#"{"base_instructions":{"text":"S\u0041"}}"#),
            USER,
            ("turn_context", r#"{"model":"m"}"#),
            ("event_msg", r#"{"type":"token_count","info":null}"#),
            ("response_item", r#"{"type":"reasoning","summary":[]}"#),
            ("response_item", call),
            ("event_msg", usage),
            ("response_item", output),
            ("event_msg", usage),
        ]);
        assert_eq!(read.messages, [USER.1, r#"{"type":"reasoning","summary":[]}"#, call, output]);
        assert_eq!(read.head.as_deref(), Some(r#""S\u0041""#));
        assert_eq!(read.model.as_deref(), Some("m"));
        assert_eq!(
            read.usage,
            [Usage { messages: 1, input: 9, cache_read: 3, cache_write: 0, output: 1 }],
            "a repeated report has no response of its own"
        );
    }

    #[test]
    fn a_compaction_leaves_the_history_and_adds_its_summary() {
        let read = extract(&[
            USER,
            ("compacted", r#"{"message":"so far","replacement_history":[]}"#),
            SAID,
            (
                "compacted",
                r#"{"message":"","replacement_history":[{"type":"compaction","encrypted_content":"x"}]}"#,
            ),
        ]);
        assert_eq!(
            read.messages,
            [
                USER.1,
                r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"so far"}]}"#,
                SAID.1,
                r#"{"type":"compaction","encrypted_content":"x"}"#,
            ]
        );
        assert_eq!(read.summaries, [1, 3]);
    }

    #[test]
    fn turns_that_were_rolled_back_are_left_out() {
        let start = ("event_msg", r#"{"type":"task_started"}"#);
        let back = ("event_msg", r#"{"type":"thread_rolled_back","num_turns":1}"#);
        let read = extract(&[start, USER, SAID, start, USER, SAID, SAID, back, start, USER]);
        assert_eq!(read.messages, [USER.1, SAID.1, USER.1]);
        assert_eq!(read.findings[0].to_string(), "note: items of turns that were rolled back, left out: 3");
        let asked = ("event_msg", r#"{"type":"user_message"}"#);
        let read = extract(&[USER, asked, SAID, USER, asked, SAID, back]);
        assert_eq!(read.messages, [USER.1, SAID.1], "without task events user messages start the turns");
    }

    #[test]
    fn the_first_versions_wrote_bare_items() {
        let text = concat!(
            r#"{"id":"i","timestamp":"t","instructions":"S","git":{}}"#,
            "\n",
            r#"{"record_type":"state"}"#,
            "\n",
            r#"{"type":"message","role":"user","content":[]}"#
        );
        let source = Source::from_bytes(text.as_bytes().to_vec()).unwrap();
        assert!(Codex.detect(&Sample::of(&source)));
        let read = Codex.read(&source).unwrap();
        assert_eq!(read.messages, [r#"{"type":"message","role":"user","content":[]}"#]);
        assert_eq!(read.head.as_deref(), Some("\"S\""));
    }

    #[test]
    fn replays_and_unknown_lines_are_counted() {
        let read = extract(&[USER, ("session_meta", "{}"), ("session_meta", "{}"), ("tick", "{}")]);
        assert_eq!(read.messages, [USER.1]);
        let said: Vec<String> = read.findings.iter().map(|finding| finding.to_string()).collect();
        assert_eq!(
            said,
            [
                "note: other sessions replayed in this one (a fork or a sub-agent): 1",
                "note (line 4): one entry of unknown kind `tick` was passed over"
            ]
        );
    }

    #[test]
    fn calls_without_ids_are_read_and_reported_once() {
        let read = extract(&[
            ("response_item", r#"{"type":"tool_call","function":{"name":"ls"},"arguments":{"dir":"."}}"#),
            ("response_item", r#"{"type":"tool_result","name":"ls","result":{"exitCode":0}}"#),
        ]);
        assert_eq!(
            read.messages,
            [
                r#"{"type":"function_call","call_id":"","name":"ls","arguments":"{\"dir\":\".\"}"}"#,
                r#"{"type":"function_call_output","call_id":"","output":"{\"exitCode\":0}"}"#
            ]
        );
        assert_eq!(read.findings.len(), 1);
    }
}
