//! GitHub Copilot CLI sessions (`events.jsonl`): one event per line, `{type, data, id, timestamp, parentId}`.
//!
//! Half of the events are hooks and the interface's own. What was sent is in `system.message`, `user.message`
//! (`transformedContent`), `assistant.message` and `tool.execution_complete` (`result.content`; `detailedContent` is
//! for the screen). Events with a `parentToolCallId` belong to a sub-agent, whose result is in the main session.

use super::builder::{Builder, Entry, Piece, Results, entries};
use super::{Extract, Object, Sample, Transcript, chat_text, clock};
use crate::json::{Kind, ObjectWriter, Raw, quote};
use crate::source::{ReadError, Source};
use crate::wire::OpenAiChat;

/// GitHub Copilot CLI sessions.
#[derive(Clone, Copy, Debug)]
pub struct CopilotCli;

/// Families of events that never reach the model.
const SILENT: &[&str] =
    &["session", "hook", "permission", "subagent", "skill", "external_tool", "user_input"];

impl Transcript for CopilotCli {
    fn name(&self) -> &'static str {
        "copilot-cli"
    }

    fn title(&self) -> &'static str {
        "Copilot CLI session"
    }

    fn detect(&self, sample: &Sample) -> bool {
        sample.entries.iter().any(|event| {
            let kind = event.str_at("type").unwrap_or_default();
            let has_data = event.get("data").is_some_and(|data| data.kind() == Kind::Object);
            has_data
                && event.has("parentId")
                && matches!(&*kind, "session.start" | "user.message" | "assistant.message")
        })
    }

    fn read(&self, source: &Source) -> Result<Extract, ReadError> {
        let mut reading = Reading::default();
        for event in entries(source) {
            reading.event(event);
        }
        reading
            .session
            .count(reading.sidechain, "events of sub-agents, left out (their results are in the session)");
        Ok(reading.session.finish(&OpenAiChat, Results::Apart))
    }
}

#[derive(Default)]
struct Reading<'a> {
    session: Builder,
    /// The system prompt in force; it is logged again when a session is resumed.
    system: Option<&'a str>,
    sidechain: usize,
}

impl<'a> Reading<'a> {
    fn event(&mut self, event: Entry<'a>) {
        let members = Object::of(event.raw);
        let kind = members.str_at("type").unwrap_or_default();
        self.session.clock = clock::seconds(members.get("timestamp"));
        let Some(data) = members.object("data") else {
            return self.session.pass_over(kind, event.place());
        };
        let data = &data;
        if data.get("parentToolCallId").is_some_and(|id| !id.is_null()) {
            self.sidechain += 1;
            return;
        }
        match &*kind {
            "system.message" => self.system(data),
            "user.message" => {
                if let Some(content) = data.text("transformedContent").or_else(|| data.text("content")) {
                    self.session.push(Piece::said(chat_text::said("user", content.text())));
                }
            }
            "assistant.message" => self.assistant(data),
            "tool.execution_complete" => self.result(data),
            "session.start" | "session.resume" => self.model(data, "selectedModel"),
            "session.model_change" => self.model(data, "newModel"),
            "session.compaction_complete" => {
                if let Some(summary) = data.text("summaryContent") {
                    self.session.push(Piece::summary(chat_text::said("user", summary.text())));
                }
            }
            "assistant.turn_start"
            | "assistant.turn_end"
            | "assistant.intent"
            | "assistant.reasoning"
            | "assistant.usage"
            | "tool.execution_start"
            | "tool.user_requested"
            | "tool.execution_partial_result"
            | "tool.execution_progress"
            | "system.notification"
            | "abort" => {}
            kind if SILENT.contains(&kind.split('.').next().unwrap_or_default()) => {}
            kind => self.session.pass_over(kind, event.place()),
        }
    }

    fn system(&mut self, data: &Object<'a>) {
        if let Some(content) = data.text("content")
            && self.system != Some(content.text())
        {
            self.system = Some(content.text());
            self.session.push(Piece::said(chat_text::said("system", content.text())));
        }
    }

    fn assistant(&mut self, data: &Object) {
        self.model(data, "model");
        let requests: Vec<Object> = data.list("toolRequests").map(Object::of).collect();
        let calls: Vec<String> = requests.iter().map(call).collect();
        let ids = requests.iter().map(|request| id_of(request, "toolCallId")).collect();
        let content = data.text("content").map(Raw::text);
        if content.is_none() && calls.is_empty() {
            return self.session.leave_out_empty();
        }
        let text = chat_text::assistant(data.text("reasoningText"), content, &calls);
        self.session.push(Piece { calls: ids, ..Piece::said(text) });
    }

    fn result(&mut self, data: &Object) {
        let call = id_of(data, "toolCallId");
        let at = |key: &str, inner: &str| data.get(key).and_then(|value| value.get(inner));
        let content = at("result", "content").or_else(|| at("error", "message"));
        let content = content.filter(|content| content.kind() == Kind::String).map_or("\"\"", Raw::text);
        self.session.push(Piece::answer(chat_text::result(&call, None, content), call));
    }

    fn model(&mut self, data: &Object, key: &str) {
        if let Some(model) = data.str_at(key) {
            self.session.model = Some(model.into_owned().into());
        }
    }
}

fn id_of(data: &Object, key: &str) -> String {
    data.str_at(key).unwrap_or_default().into_owned()
}

/// A call: with an object as arguments, with the object as a string, or (custom tools) with free text.
fn call(request: &Object) -> String {
    let id = id_of(request, "toolCallId");
    let name = id_of(request, "name");
    match request.get("arguments") {
        Some(text) if text.kind() == Kind::String => {
            let is_json = text.str().is_some_and(|text| Raw::parse(&text).is_ok());
            if is_json && request.str_at("type").as_deref() != Some("custom") {
                return chat_text::call(&id, &name, text.text());
            }
            let custom = ObjectWriter::new().string("name", &name).raw("input", text).finish();
            ObjectWriter::new().string("id", &id).string("type", "custom").json("custom", &custom).finish()
        }
        Some(object) => chat_text::call(&id, &name, &quote(object.text())),
        None => chat_text::call(&id, &name, "\"{}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extract(events: &[&str]) -> Extract {
        let lines: Vec<String> = events
            .iter()
            .map(|event| format!(r#"{{{event},"id":"x","timestamp":"t","parentId":null}}"#))
            .collect();
        let source = Source::from_bytes(lines.join("\n").into_bytes()).unwrap();
        assert!(CopilotCli.detect(&Sample::of(&source)));
        CopilotCli.read(&source).unwrap()
    }

    #[test]
    fn messages_are_what_was_sent_and_results_follow_their_calls() {
        let read = extract(&[
            r#""type":"session.start","data":{"selectedModel":"m"}"#,
            r#""type":"system.message","data":{"content":"S"}"#,
            r#""type":"user.message","data":{"content":"hi","transformedContent":"<t/>hi"}"#,
            r#""type":"hook.start","data":{}"#,
            r#""type":"assistant.message","data":{"content":"","toolRequests":[{"toolCallId":"c1","name":"view","arguments":{"path":"/a" }},{"toolCallId":"c2","name":"apply_patch","arguments":"*** Begin Patch"}]}"#,
            r#""type":"system.message","data":{"content":"S"}"#,
            r#""type":"tool.execution_complete","data":{"toolCallId":"c2","success":false,"error":{"message":"no"}}"#,
            r#""type":"tool.execution_complete","data":{"toolCallId":"c1","success":true,"result":{"content":"text\u0041","detailedContent":"for the screen"}}"#,
            r#""type":"assistant.message","data":{"content":"","toolRequests":[]}"#,
        ]);
        assert_eq!(
            read.messages,
            [
                r#"{"role":"system","content":"S"}"#,
                r#"{"role":"user","content":"<t/>hi"}"#,
                r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"view","arguments":"{\"path\":\"/a\" }"}},{"id":"c2","type":"custom","custom":{"name":"apply_patch","input":"*** Begin Patch"}}]}"#,
                r#"{"role":"tool","tool_call_id":"c1","content":"text\u0041"}"#,
                r#"{"role":"tool","tool_call_id":"c2","content":"no"}"#,
            ]
        );
        assert_eq!(read.model.as_deref(), Some("m"));
        assert_eq!(
            read.findings[0].to_string(),
            "note: responses that say nothing (stopped, or only thinking), left out: 1"
        );
    }

    #[test]
    fn sub_agents_are_left_out_and_unknown_events_named() {
        let read = extract(&[
            r#""type":"user.message","data":{"content":"hi"}"#,
            r#""type":"assistant.message","data":{"parentToolCallId":"c","content":"inner","toolRequests":[]}"#,
            r#""type":"future.event","data":{}"#,
        ]);
        assert_eq!(read.messages, [r#"{"role":"user","content":"hi"}"#]);
        let said: Vec<String> = read.findings.iter().map(|finding| finding.to_string()).collect();
        assert_eq!(
            said,
            [
                "note: events of sub-agents, left out (their results are in the session): 1",
                "note (line 3): one entry of unknown kind `future.event` was passed over",
            ]
        );
    }
}
