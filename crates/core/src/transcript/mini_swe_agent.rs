//! mini-swe-agent trajectories (`.traj.json`): plain chat, one fenced shell command per assistant message.
//!
//! The agent sends no tool calls: its model writes a command in a fence and reads the output as the next user message.
//! The reader gives such a pair the shape every other agent's has, a call of `bash` and its result, so that steps exist:
//!
//! ````text
//! assistant: THOUGHT: look around.       assistant: THOUGHT: look around.
//!            ```bash                 →              bash {"command":"ls"}
//!            ls                          tool:      <returncode>0</returncode>…
//!            ```
//! user:      <returncode>0</returncode>…
//! ````

use super::builder::{Builder, Entry, Piece, Results, elements, entries, root_object, without};
use super::{Extract, Sample, Transcript, chat_text};
use crate::count::Usage;
use crate::json::{Kind, Raw, quote};
use crate::source::{ReadError, Source};
use crate::wire::OpenAiChat;

/// mini-swe-agent trajectories: the list of messages of the first versions, and `{info, messages}`.
#[derive(Clone, Copy, Debug)]
pub struct MiniSweAgent;

/// The languages its templates ask for in the fence.
const FENCES: &[&str] = &["```bash", "```mswea_bash_command"];

impl Transcript for MiniSweAgent {
    fn name(&self) -> &'static str {
        "mini-swe-agent"
    }

    fn title(&self) -> &'static str {
        "mini-swe-agent trajectory"
    }

    fn detect(&self, sample: &Sample) -> bool {
        match sample.root() {
            Some(root) => {
                let named = root.str_at("trajectory_format").is_some_and(|name| name.starts_with("mini-swe"));
                let has_version = || root.object("info").is_some_and(|info| info.has("mini_version"));
                root.has("messages") && (named || has_version())
            }
            None => is_bare_list(sample),
        }
    }

    fn read(&self, source: &Source) -> Result<Extract, ReadError> {
        let mut reading = Reading::default();
        match root_object(source) {
            Some(root) => {
                let messages = root.get("messages").filter(|list| list.kind() == Kind::Array);
                let missing = || ReadError::WrongShape {
                    format: self.title(),
                    why: "there is no list `messages`".into(),
                };
                elements(messages.ok_or_else(missing)?).for_each(|message| reading.message(message));
                let model = root.at(&["info", "config", "model", "model_name"]).and_then(Raw::str);
                reading.session.model = model.map(|model| model.into_owned().into());
            }
            None => entries(source).for_each(|message| reading.message(message)),
        }
        Ok(reading.session.finish(&OpenAiChat, Results::Apart))
    }
}

/// A list of plain chat messages in which outputs stand as this agent's templates write them.
fn is_bare_list(sample: &Sample) -> bool {
    let mut commands = 0;
    let mut outputs = 0;
    for message in &sample.entries {
        let (Some(role), Some(content)) = (message.str_at("role"), message.str_at("content")) else {
            return false;
        };
        match &*role {
            "assistant" => commands += usize::from(command_in(&content).is_some()),
            "user" => outputs += usize::from(content.starts_with("<returncode>")),
            "system" => {}
            _ => return false,
        }
    }
    commands > 0 && outputs > 0
}

#[derive(Default)]
struct Reading {
    session: Builder,
    calls: usize,
    /// The call whose output the next user message is.
    open: Option<String>,
}

impl Reading {
    fn message(&mut self, message: Entry) {
        let raw = message.raw;
        let role = raw.str_at("role").unwrap_or_default();
        let content = raw.get("content");
        match (&*role, content) {
            ("assistant", _) if raw.get("tool_calls").is_some_and(|calls| calls.kind() == Kind::Array) => {
                self.session.push(native_call(raw));
            }
            ("assistant", Some(content)) => self.assistant(raw, content),
            ("tool", Some(_)) => {
                let call = raw.str_at("tool_call_id").unwrap_or_default().into_owned();
                self.session.push(Piece::answer(bare(raw), call));
            }
            ("user", Some(content)) => match self.open.take() {
                Some(call) => {
                    let text = chat_text::result(&call, Some("bash"), content.text());
                    self.session.push(Piece::answer(text, call));
                }
                None => self.session.push(Piece::said(bare(raw))),
            },
            ("system", Some(_)) => self.session.push(Piece::said(bare(raw))),
            // The last entry of newer files; it was never sent.
            ("exit", _) => {}
            _ => self.session.pass_over(format!("role {role}"), message.place()),
        }
    }

    fn assistant(&mut self, raw: Raw, content: Raw) {
        let usage = raw.at(&["extra", "response", "usage"]).map(chat_usage);
        let text = content.str().unwrap_or_default();
        let Some((before, command, after)) = command_in(&text) else {
            self.open = None;
            return self.session.push(Piece { usage, ..Piece::said(bare(raw)) });
        };
        self.calls += 1;
        let id = format!("mini_{}", self.calls);
        let rest = [before.trim(), after.trim()].join("\n\n");
        let said = Some(rest.trim()).filter(|said| !said.is_empty()).map(quote);
        let call = chat_text::command(&id, "bash", command);
        let text = chat_text::assistant(None, said.as_deref(), &[call]);
        self.session.push(Piece { calls: vec![id.clone()], usage, ..Piece::said(text) });
        self.open = Some(id);
    }
}

/// A message of an agent of version 2 that calls tools the way its provider does.
fn native_call(raw: Raw) -> Piece {
    let ids = raw.get("tool_calls").into_iter().flat_map(Raw::elements);
    let calls = ids.filter_map(|call| Some(call.str_at("id")?.into_owned())).collect();
    let usage = raw.at(&["extra", "response", "usage"]).map(chat_usage);
    Piece { calls, usage, ..Piece::said(bare(raw)) }
}

/// The message as it was sent: `extra` is the log's own.
fn bare(raw: Raw) -> String {
    without(raw, &["extra"])
}

/// What stands before, in and after the one command of a text. The agent refuses messages with none or several.
fn command_in(text: &str) -> Option<(&str, &str, &str)> {
    let mut found = None;
    let mut from = 0;
    while let Some((start, body)) = next_fence(text, from) {
        let end = text[body..].find("\n```")? + body;
        if found.is_some() {
            return None;
        }
        let after = end + "\n```".len();
        found = Some((&text[..start], text[body..end].trim(), &text[after..]));
        from = after;
    }
    found
}

/// Where the next fence opens, and where its first line ends.
fn next_fence(text: &str, from: usize) -> Option<(usize, usize)> {
    let mut at = from;
    while let Some(found) = text[at..].find("```") {
        let start = at + found;
        let line_end = text[start..].find('\n').map(|end| start + end)?;
        if FENCES.contains(&text[start..line_end].trim_end()) {
            return Some((start, line_end));
        }
        at = start + "```".len();
    }
    None
}

/// Usage as OpenAI Chat reports it.
pub(super) fn chat_usage(usage: Raw) -> Usage {
    let number = |keys: &[&str]| usage.at(keys).and_then(Raw::u64).unwrap_or(0);
    Usage {
        messages: 0,
        input: number(&["prompt_tokens"]),
        cache_read: number(&["prompt_tokens_details", "cached_tokens"]),
        cache_write: number(&["cache_creation_input_tokens"]),
        output: number(&["completion_tokens"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let source = Source::from_bytes(text.as_bytes().to_vec()).unwrap();
        assert!(MiniSweAgent.detect(&Sample::of(&source)));
        MiniSweAgent.read(&source).unwrap().messages.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn a_fenced_command_is_a_call_and_the_next_message_its_result() {
        let read = messages(
            r#"{"trajectory_format":"mini-swe-agent-1","info":{},"messages":[
            {"role":"system","content":"S"},{"role":"user","content":"Fix it"},
            {"role":"assistant","content":"THOUGHT: look.\n\n```bash\nls -l\n```","extra":{"response":{}}},
            {"role":"user","content":"<returncode>0</returncode>\u0041"}]}"#,
        );
        assert_eq!(
            read,
            [
                r#"{"role":"system","content":"S"}"#,
                r#"{"role":"user","content":"Fix it"}"#,
                r#"{"role":"assistant","content":"THOUGHT: look.","tool_calls":[{"id":"mini_1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"ls -l\"}"}}]}"#,
                r#"{"role":"tool","tool_call_id":"mini_1","name":"bash","content":"<returncode>0</returncode>\u0041"}"#,
            ]
        );
    }

    #[test]
    fn a_message_with_two_commands_was_refused_and_calls_nothing() {
        let read = messages(
            r#"[{"role":"assistant","content":"```bash\nls\n```"},{"role":"user","content":"<returncode>0</returncode>"},
            {"role":"assistant","content":"```bash\na\n```\n```bash\nb\n```"},{"role":"user","content":"one only"}]"#,
        );
        assert_eq!(read[2], r#"{"role":"assistant","content":"```bash\na\n```\n```bash\nb\n```"}"#);
        assert_eq!(read[3], r#"{"role":"user","content":"one only"}"#);
    }

    #[test]
    fn other_fences_are_text() {
        assert_eq!(
            command_in("```python\nx\n```\n```bash\nls\n```"),
            Some(("```python\nx\n```\n", "ls", ""))
        );
        assert_eq!(command_in("```bash\nls"), None);
        assert_eq!(command_in("no fence"), None);
    }

    #[test]
    fn reported_usage_belongs_to_the_response() {
        let text = r#"{"info":{"mini_version":"1"},"messages":[{"role":"user","content":"U"},{"role":"assistant","content":"A","extra":
            {"response":{"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}}}]}"#;
        let source = Source::from_bytes(text.as_bytes().to_vec()).unwrap();
        let usage = MiniSweAgent.read(&source).unwrap().usage;
        assert_eq!(usage, [Usage { messages: 1, input: 9, cache_read: 4, cache_write: 0, output: 2 }]);
    }
}
