//! SWE-agent trajectories (`.traj`), 0.x and 1.x.
//!
//! `history` is the session; `trajectory` repeats the whole prompt at every step and is not read. Version 1 logs real
//! tool calls. Version 0 (and text parsers of version 1) log the command in `action` and the output as the next user
//! message; the reader makes that a call of `run` and its result, so that steps exist.

use super::builder::{Builder, Entry, Piece, Results, elements, root_object, without};
use super::{Extract, Object, Sample, Transcript, chat_text};
use crate::json::{Kind, Raw};
use crate::source::{ReadError, Source};
use crate::wire::OpenAiChat;

/// SWE-agent trajectories.
#[derive(Clone, Copy, Debug)]
pub struct SweAgent;

/// Fields of an entry that are the log's own and were never sent.
const PRIVATE: &[&str] =
    &["agent", "message_type", "thought", "action", "is_demo", "tags", "tool_call_ids", "thinking_blocks"];

impl Transcript for SweAgent {
    fn name(&self) -> &'static str {
        "swe-agent"
    }

    fn title(&self) -> &'static str {
        "SWE-agent trajectory"
    }

    fn detect(&self, sample: &Sample) -> bool {
        let is_list = |list: Raw| list.kind() == Kind::Array;
        let has_list = |root: &Object, key| root.get(key).is_some_and(is_list);
        sample.root().is_some_and(|root| has_list(root, "trajectory") && has_list(root, "history"))
    }

    fn read(&self, source: &Source) -> Result<Extract, ReadError> {
        let root = root_object(source);
        let history = root.and_then(|root| root.get("history")).filter(|list| list.kind() == Kind::Array);
        let history = history.ok_or_else(|| ReadError::WrongShape {
            format: self.title(),
            why: "there is no list `history`".into(),
        })?;
        let mut reading = Reading::default();
        for entry in elements(history) {
            reading.entry(entry);
        }
        reading.session.model = root.and_then(model).map(Into::into);
        Ok(reading.session.finish(&OpenAiChat, Results::Apart))
    }
}

#[derive(Default)]
struct Reading {
    session: Builder,
    calls: usize,
    /// The call whose output the next user message is.
    open: Option<String>,
}

impl Reading {
    fn entry(&mut self, entry: Entry) {
        let raw = entry.raw;
        let role = raw.str_at("role").unwrap_or_default();
        match &*role {
            "assistant" => self.assistant(raw),
            "tool" => self.result(raw),
            "user" => match (self.open.take(), raw.get("content")) {
                (Some(call), Some(content)) => {
                    let text = chat_text::result(&call, Some("run"), content.text());
                    self.session.push(Piece::answer(text, call));
                }
                _ => self.session.push(Piece::said(without(raw, PRIVATE))),
            },
            "system" => self.session.push(Piece::said(without(raw, PRIVATE))),
            _ => self.session.pass_over(format!("role {role}"), entry.place()),
        }
    }

    fn assistant(&mut self, raw: Raw) {
        self.open = None;
        let calls: Vec<String> = raw
            .get("tool_calls")
            .into_iter()
            .flat_map(Raw::elements)
            .filter_map(|call| Some(call.str_at("id")?.into_owned()))
            .collect();
        let action = raw.str_at("action").filter(|action| calls.is_empty() && !action.trim().is_empty());
        let Some(action) = action else {
            return self.session.push(Piece { calls, ..Piece::said(without(raw, PRIVATE)) });
        };
        self.calls += 1;
        let id = format!("swe_{}", self.calls);
        let said = raw.get("thought").filter(|thought| thought.kind() == Kind::String);
        let said = said.filter(|thought| thought.text() != "\"\"").map(Raw::text);
        let call = chat_text::command(&id, "run", action.trim());
        let text = chat_text::assistant(None, said, &[call]);
        self.session.push(Piece { calls: vec![id.clone()], ..Piece::said(text) });
        self.open = Some(id);
    }

    fn result(&mut self, raw: Raw) {
        let ids = raw.get("tool_call_ids").into_iter().flat_map(Raw::elements);
        let call = ids.filter_map(Raw::str).next().or_else(|| raw.str_at("tool_call_id"));
        let call = call.unwrap_or_default().into_owned();
        let content = raw.get("content").map_or("\"\"", Raw::text);
        self.session.push(Piece::answer(chat_text::result(&call, None, content), call));
    }
}

/// The model's name, which version 1 keeps in a configuration that is JSON inside a string.
fn model(root: Raw) -> Option<String> {
    let config = root.str_at("replay_config")?;
    let name = Raw::parse(&config).ok()?.at(&["agent", "model", "name"])?.str()?;
    Some(name.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extract(history: &str) -> Extract {
        let text = format!(
            r#"{{"trajectory":[],"history":{history},"info":{{}},"replay_config":"{{\"agent\":{{\"model\":{{\"name\":\"m\"}}}}}}"}}"#
        );
        let source = Source::from_bytes(text.into_bytes()).unwrap();
        assert!(SweAgent.detect(&Sample::of(&source)));
        SweAgent.read(&source).unwrap()
    }

    #[test]
    fn version_0_actions_are_calls_and_the_next_message_their_result() {
        let read = extract(
            r#"[{"role":"user","content":"Task","agent":"primary"},
            {"role":"assistant","content":"Look.\n```\nls\n```","thought":"Look.\n","action":"ls\n","agent":"primary"},
            {"role":"user","content":"a.py","agent":"primary"}]"#,
        );
        assert_eq!(
            read.messages,
            [
                r#"{"role":"user","content":"Task"}"#,
                r#"{"role":"assistant","content":"Look.\n","tool_calls":[{"id":"swe_1","type":"function","function":{"name":"run","arguments":"{\"command\":\"ls\"}"}}]}"#,
                r#"{"role":"tool","tool_call_id":"swe_1","name":"run","content":"a.py"}"#,
            ]
        );
    }

    #[test]
    fn version_1_calls_are_copied() {
        let read = extract(
            r#"[{"role":"assistant","content":"Look.","thought":"Look.","action":"ls","message_type":"action",
                 "tool_calls":[{"id":"t1","function":{"name":"bash","arguments":"{}"},"type":"function"}]},
                {"role":"tool","content":[{"type":"text","text":"a.py"}],"tool_call_ids":["t1"],"agent":"main"}]"#,
        );
        assert_eq!(
            read.messages,
            [
                r#"{"role":"assistant","content":"Look.","tool_calls":[{"id":"t1","function":{"name":"bash","arguments":"{}"},"type":"function"}]}"#,
                r#"{"role":"tool","tool_call_id":"t1","content":[{"type":"text","text":"a.py"}]}"#,
            ]
        );
        assert_eq!(read.model.as_deref(), Some("m"));
    }

    #[test]
    fn a_message_without_action_says_something_and_calls_nothing() {
        let read = extract(
            r#"[{"role":"assistant","content":"Done","thought":"Done","action":""},{"role":"user","content":"Ok"}]"#,
        );
        assert_eq!(
            read.messages,
            [r#"{"role":"assistant","content":"Done"}"#, r#"{"role":"user","content":"Ok"}"#]
        );
    }
}
