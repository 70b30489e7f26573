//! OpenHands sessions of versions 0.x: `output.jsonl` of evaluations, and lists of events.
//!
//! An event is an `action` or an `observation`. Actions of one model response carry the response itself in
//! `tool_call_metadata.model_response`; it is the assistant message, copied once. Actions without that (agents that
//! write their calls as text) become calls named after the action, and observations that name them as `cause` their
//! results.

use std::collections::HashSet;

use super::builder::{Builder, Entry, Piece, Results, elements, entries};
use super::mini_swe_agent::chat_usage;
use super::{Extract, Object, Sample, Transcript, chat_text, clock};
use crate::json::{Kind, Raw, quote};
use crate::source::{ReadError, Source};
use crate::wire::OpenAiChat;

/// OpenHands `output.jsonl` and event lists.
#[derive(Clone, Copy, Debug)]
pub struct OpenHands;

impl Transcript for OpenHands {
    fn name(&self) -> &'static str {
        "openhands"
    }

    fn title(&self) -> &'static str {
        "OpenHands session"
    }

    fn detect(&self, sample: &Sample) -> bool {
        let Some(first) = sample.entries.first() else { return false };
        match first.list("history").next() {
            Some(pair) if pair.kind() == Kind::Array => pair.elements().map(Object::of).any(|e| is_event(&e)),
            Some(event) => is_event(&Object::of(event)),
            None => is_event(first),
        }
    }

    fn read(&self, source: &Source) -> Result<Extract, ReadError> {
        let mut records = entries(source).filter(|entry| entry.raw.get("history").is_some());
        let mut reading = Reading::default();
        match records.next() {
            Some(record) => {
                let others = records.count();
                reading.session.count(others, "other sessions in the file, not read");
                let model = record.raw.at(&["metadata", "llm_config", "model"]).and_then(Raw::str);
                reading.session.model = model.map(|model| model.into_owned().into());
                for event in record.raw.get("history").into_iter().flat_map(elements) {
                    reading.event_or_pair(source, event);
                }
            }
            None => entries(source).for_each(|event| reading.event(source, event)),
        }
        reading.session.count(
            reading.recalled,
            "recalled contexts, left out (the log has their parts, not the text that was sent)",
        );
        Ok(reading.session.finish(&OpenAiChat, Results::Apart))
    }
}

fn is_event(event: &Object) -> bool {
    let says = |key: &str| event.str_at(key).is_some();
    says("source") && says("timestamp") && (says("action") || says("observation"))
}

/// An argument of an action.
fn argument<'a>(action: &Object<'a>, key: &str) -> Option<Raw<'a>> {
    action.get("args").and_then(|args| args.get(key))
}

#[derive(Default)]
struct Reading {
    session: Builder,
    responses: HashSet<String>,
    recalled: usize,
}

impl Reading {
    /// Old files keep pairs of action and observation.
    fn event_or_pair(&mut self, source: &Source, event: Entry) {
        if event.raw.kind() == Kind::Array {
            elements(event.raw).for_each(|event| self.event(source, event));
        } else {
            self.event(source, event);
        }
    }

    fn event(&mut self, source: &Source, event: Entry) {
        let members = Object::of(event.raw);
        let raw = &members;
        let says = |key: &str| raw.str_at(key).unwrap_or_default();
        self.session.clock = clock::seconds(raw.get("timestamp"));
        let (action, observation, speaker) = (says("action"), says("observation"), says("source"));
        let metadata = raw.get("tool_call_metadata").filter(|metadata| metadata.kind() == Kind::Object);
        match (&*action, &*observation, metadata) {
            ("system", ..) => self.system(source, raw),
            ("message", ..) if speaker == "user" => self.said("user", raw),
            ("recall", ..) => {}
            ("condensation", ..) => self.summary(raw),
            ("change_agent_state" | "null" | "pause" | "resume", ..) => {}
            ("", "recall", _) => self.recalled += 1,
            ("", "agent_state_changed" | "null" | "condense" | "loop_detection", _) => {}
            ("", "", _) => self.session.pass_over("event without action or observation", event.place()),
            ("", _, Some(metadata)) => {
                let call = metadata.str_at("tool_call_id").unwrap_or_default().into_owned();
                let name = metadata.str_at("function_name");
                self.result(call, name.as_deref(), raw);
            }
            ("", kind, None) => match raw.get("cause").and_then(Raw::u64) {
                Some(cause) if speaker != "user" => self.result(format!("event_{cause}"), Some(kind), raw),
                _ => self.said("user", raw),
            },
            (_, _, Some(metadata)) => self.response(metadata),
            ("message", _, None) => self.said("assistant", raw),
            (action, _, None) if speaker == "agent" => self.plain_action(action, raw),
            (action, _, None) => self.session.pass_over(format!("{speaker} action {action}"), event.place()),
        }
    }

    fn system(&mut self, source: &Source, raw: &Object) {
        if let Some(content) = argument(raw, "content") {
            self.session.push(Piece::said(chat_text::said("system", content.text())));
        }
        let tools = argument(raw, "tools").filter(|tools| tools.kind() == Kind::Array);
        if let Some(tools) = tools {
            self.session.tools = Some(source.cut(tools.text()));
        }
    }

    fn said(&mut self, role: &str, raw: &Object) {
        let content = argument(raw, "content").or_else(|| raw.get("content"));
        if let Some(content) = content.filter(|content| content.kind() == Kind::String) {
            self.session.push(Piece::said(chat_text::said(role, content.text())));
        }
    }

    fn summary(&mut self, raw: &Object) {
        let summary = argument(raw, "summary").filter(|text| text.kind() == Kind::String);
        if let Some(summary) = summary {
            self.session.push(Piece::summary(chat_text::said("user", summary.text())));
        }
    }

    /// The response that made a call; its other calls have events of their own and change nothing.
    fn response(&mut self, metadata: Raw) {
        let response = metadata.get("model_response");
        let id = response.and_then(|response| response.str_at("id")).unwrap_or_default();
        if !id.is_empty() && !self.responses.insert(id.into_owned()) {
            return;
        }
        let choice = response.and_then(|response| response.get("choices")?.elements().next());
        let Some(message) = choice.and_then(|choice| choice.get("message")) else { return };
        let calls: Vec<Raw> = message.get("tool_calls").into_iter().flat_map(Raw::elements).collect();
        let ids = calls.iter().filter_map(|call| Some(call.str_at("id")?.into_owned())).collect();
        let calls: Vec<String> = calls.iter().map(|call| call.text().to_string()).collect();
        let content = message.get("content").filter(|content| !content.is_null()).map(Raw::text);
        let reasoning = message.get("reasoning_content").filter(|text| text.kind() == Kind::String);
        let text = chat_text::assistant(reasoning, content, &calls);
        let usage = response.and_then(|response| response.get("usage")).map(chat_usage);
        self.session.push(Piece { calls: ids, usage, ..Piece::said(text) });
    }

    fn plain_action(&mut self, action: &str, raw: &Object) {
        let id = format!("event_{}", raw.get("id").and_then(Raw::u64).unwrap_or(0));
        let arguments = raw.get("args").map_or("{}", Raw::text);
        let thought = argument(raw, "thought").filter(|text| text.kind() == Kind::String);
        let thought = thought.filter(|text| text.text() != "\"\"").map(Raw::text);
        let call = chat_text::call(&id, action, &quote(arguments));
        let text = chat_text::assistant(None, thought, &[call]);
        self.session.push(Piece { calls: vec![id], ..Piece::said(text) });
    }

    fn result(&mut self, call: String, name: Option<&str>, raw: &Object) {
        // A command without output still tells the model how it ended; the log has that in `message`.
        let text = raw.text("content").or_else(|| raw.text("message"));
        let content = text.map_or("\"\"", Raw::text);
        self.session.push(Piece::answer(chat_text::result(&call, name, content), call));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extract(text: &str) -> Extract {
        let source = Source::from_bytes(text.as_bytes().to_vec()).unwrap();
        assert!(OpenHands.detect(&Sample::of(&source)));
        OpenHands.read(&source).unwrap()
    }

    #[test]
    fn a_model_response_is_one_message_however_many_actions_it_made() {
        let meta = |id: &str| {
            format!(
                r#""tool_call_metadata":{{"tool_call_id":"{id}","function_name":"bash","model_response":{{"id":"r1","usage":{{"prompt_tokens":5,"completion_tokens":1}},
                "choices":[{{"message":{{"content":"go","tool_calls":[{{"id":"a","function":{{"name":"bash","arguments":"{{}}"}}}},{{"id":"b","function":{{"name":"bash","arguments":"{{}}"}}}}]}}}}]}}}}"#
            )
        };
        let event =
            |what: &str, meta: &str| format!(r#"{{"id":1,"timestamp":"t","source":"agent",{what},{meta}}}"#);
        let events = [
            event(r#""action":"system","args":{"content":"S","tools":[{"a":1}]}"#, r#""x":0"#),
            event(r#""action":"run","args":{}"#, &meta("a")),
            event(r#""observation":"run","content":"A""#, &meta("a")),
            event(r#""action":"run","args":{}"#, &meta("b")),
            event(r#""observation":"run","content":"B""#, &meta("b")),
        ];
        let read = extract(&format!(
            r#"{{"instance_id":"i","metadata":{{"llm_config":{{"model":"m"}}}},"history":[{}]}}"#,
            events.join(",")
        ));
        assert_eq!(
            read.messages,
            [
                r#"{"role":"system","content":"S"}"#,
                r#"{"role":"assistant","content":"go","tool_calls":[{"id":"a","function":{"name":"bash","arguments":"{}"}},{"id":"b","function":{"name":"bash","arguments":"{}"}}]}"#,
                r#"{"role":"tool","tool_call_id":"a","name":"bash","content":"A"}"#,
                r#"{"role":"tool","tool_call_id":"b","name":"bash","content":"B"}"#,
            ]
        );
        assert_eq!((read.usage[0].messages, read.usage[0].input), (1, 5));
        assert_eq!((read.tools.as_deref(), read.model.as_deref()), (Some(r#"[{"a":1}]"#), Some("m")));
    }

    #[test]
    fn actions_written_as_text_are_called_by_their_name() {
        let read = extract(
            r#"[{"id":3,"timestamp":"t","source":"agent","action":"run","args":{"command":"ls","thought":"look"}},
                {"id":4,"timestamp":"t","source":"agent","observation":"run","cause":3,"content":"a.py"}]"#,
        );
        assert_eq!(
            read.messages,
            [
                r#"{"role":"assistant","content":"look","tool_calls":[{"id":"event_3","type":"function","function":{"name":"run","arguments":"{\"command\":\"ls\",\"thought\":\"look\"}"}}]}"#,
                r#"{"role":"tool","tool_call_id":"event_3","name":"run","content":"a.py"}"#,
            ]
        );
    }
}
