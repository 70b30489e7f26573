//! OpenHands SDK events: one file per event, a line per event, or a list of them. `kind` says what an event is.

use std::collections::HashMap;

use super::builder::{Builder, Entry, Piece, Results, entries};
use super::{Extract, Sample, Transcript, chat_text, clock};
use crate::json::{Kind, ObjectWriter, Raw};
use crate::source::{ReadError, Source};
use crate::wire::OpenAiChat;

/// OpenHands SDK events.
#[derive(Clone, Copy, Debug)]
pub struct OpenHandsSdk;

impl Transcript for OpenHandsSdk {
    fn name(&self) -> &'static str {
        "openhands-sdk"
    }

    fn title(&self) -> &'static str {
        "OpenHands SDK events"
    }

    fn detect(&self, sample: &Sample) -> bool {
        sample.entries.first().is_some_and(|event| {
            let kind = event.str_at("kind").unwrap_or_default();
            let is_kind = kind.ends_with("Event")
                || matches!(&*kind, "Condensation" | "UserRejectObservation" | "CondensationRequest");
            is_kind && event.str_at("source").is_some() && event.str_at("timestamp").is_some()
        })
    }

    fn read(&self, source: &Source) -> Result<Extract, ReadError> {
        let mut reading = Reading::default();
        for event in entries(source) {
            if let Some(id) = event.raw.str_at("llm_response_id") {
                reading.responses.entry(id.into_owned()).or_default().push(event.raw);
            }
        }
        for event in entries(source) {
            reading.event(event);
        }
        Ok(reading.session.finish(&OpenAiChat, Results::Apart))
    }
}

#[derive(Default)]
struct Reading<'a> {
    session: Builder,
    /// The events of each model response; taken when its first one is met.
    responses: HashMap<String, Vec<Raw<'a>>>,
}

impl<'a> Reading<'a> {
    fn event(&mut self, event: Entry<'a>) {
        let raw = event.raw;
        let kind = raw.str_at("kind").unwrap_or_default();
        self.session.clock = clock::seconds(raw.get("timestamp"));
        match &*kind {
            "SystemPromptEvent" => self.system(raw),
            "MessageEvent" => self.message(raw),
            "ActionEvent" => self.action(raw),
            "ObservationEvent" => self.result(raw, raw.at(&["observation", "content"])),
            "AgentErrorEvent" => self.result(raw, raw.get("error")),
            "UserRejectObservation" => self.result(raw, raw.get("rejection_reason")),
            "Condensation" | "CondensationSummaryEvent" => {
                if let Some(summary) = raw.get("summary").filter(|text| text.kind() == Kind::String) {
                    self.session.push(Piece::summary(chat_text::said("user", summary.text())));
                }
            }
            "ConversationStateUpdateEvent"
            | "PauseEvent"
            | "CondensationRequest"
            | "TokenEvent"
            | "ConversationErrorEvent"
            | "LLMCompletionLogEvent" => {}
            kind => self.session.pass_over(kind, event.place()),
        }
    }

    fn system(&mut self, raw: Raw) {
        let parts = [raw.get("system_prompt"), raw.get("dynamic_context")];
        let parts = parts.into_iter().flatten().filter(|part| part.kind() == Kind::Object).map(Raw::text);
        let message = ObjectWriter::new().string("role", "system").array("content", parts);
        self.session.push(Piece::said(message.finish()));
        let tools: Vec<String> =
            raw.get("tools").into_iter().flat_map(Raw::elements).filter_map(tool).collect();
        if !tools.is_empty() {
            self.session.tools = Some(format!("[{}]", tools.join(",")).into());
        }
    }

    fn message(&mut self, raw: Raw) {
        let Some(message) = raw.get("llm_message") else { return };
        let Some(role) = message.str_at("role") else { return };
        let extended = raw.get("extended_content").into_iter().flat_map(Raw::elements);
        let parts = message.get("content").into_iter().flat_map(Raw::elements).chain(extended);
        let mut out = ObjectWriter::new().string("role", &role);
        out = with_thinking(out, message);
        let text = out.array("content", parts.map(Raw::text)).finish();
        self.session.push(Piece::said(text));
    }

    /// All calls of one response make one message, at the place of the first.
    fn action(&mut self, raw: Raw<'a>) {
        let events = match raw.str_at("llm_response_id") {
            Some(id) => match self.responses.remove(&*id) {
                Some(events) => events,
                None => return,
            },
            None => vec![raw],
        };
        let actions = || events.iter().filter(|event| event.str_at("kind").as_deref() == Some("ActionEvent"));
        let thoughts = actions().flat_map(|event| event.get("thought").into_iter().flat_map(Raw::elements));
        let mut out = ObjectWriter::new().string("role", "assistant");
        if let Some(first) = actions().next() {
            out = with_thinking(out, *first);
        }
        let ids = actions().map(|event| event.str_at("tool_call_id").unwrap_or_default().into_owned());
        let calls: Vec<String> = ids.collect();
        out = out.array("content", thoughts.map(Raw::text)).array("tool_calls", actions().map(|e| call(*e)));
        self.session.push(Piece { calls, ..Piece::said(out.finish()) });
    }

    fn result(&mut self, raw: Raw, content: Option<Raw>) {
        let Some(call) = raw.str_at("tool_call_id") else { return };
        let content = content.map_or("\"\"", Raw::text);
        let text = chat_text::result(&call, raw.str_at("tool_name").as_deref(), content);
        self.session.push(Piece::answer(text, call));
    }
}

/// Adds what the model thought: the text, and the signed blocks that must be sent back.
fn with_thinking(mut out: ObjectWriter, said: Raw) -> ObjectWriter {
    if let Some(text) = said.get("reasoning_content").filter(|text| text.kind() == Kind::String) {
        out = out.raw("reasoning_content", text);
    }
    match said.get("thinking_blocks").filter(|blocks| blocks.elements().next().is_some()) {
        Some(blocks) => out.raw("thinking_blocks", blocks),
        None => out,
    }
}

fn call(event: Raw) -> String {
    let call = event.get("tool_call");
    let text = |key: &str| call.and_then(|call| call.str_at(key)).unwrap_or_default().into_owned();
    let arguments = call.and_then(|call| call.get("arguments")).filter(|text| text.kind() == Kind::String);
    chat_text::call(&text("id"), &text("name"), arguments.map_or("\"{}\"", Raw::text))
}

/// A tool as the model was told about it. The log keeps name and description; the schema follows from the class.
fn tool(tool: Raw) -> Option<String> {
    if tool.get("function").is_some() {
        return Some(tool.text().to_string());
    }
    let name = tool.get("title").or_else(|| tool.get("name"))?;
    let mut function = ObjectWriter::new().raw("name", name);
    if let Some(description) = tool.get("description") {
        function = function.raw("description", description);
    }
    Some(ObjectWriter::new().string("type", "function").json("function", &function.finish()).finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_one_response_are_one_message_followed_by_their_results() {
        let events = [
            r#""kind":"SystemPromptEvent","system_prompt":{"type":"text","text":"S"},"tools":[{"title":"bash","description":"D"}]"#,
            r#""kind":"MessageEvent","llm_message":{"role":"user","content":[{"type":"text","text":"hi"}]},"extended_content":[]"#,
            r#""kind":"ActionEvent","thought":[{"type":"text","text":"go"}],"tool_call_id":"a","tool_call":{"id":"a","name":"bash","arguments":"{}"},"llm_response_id":"r""#,
            r#""kind":"ObservationEvent","tool_name":"bash","tool_call_id":"a","observation":{"content":[{"type":"text","text":"A"}]}"#,
            r#""kind":"ActionEvent","thought":[],"tool_call_id":"b","tool_call":{"id":"b","name":"bash","arguments":"{}"},"llm_response_id":"r""#,
            r#""kind":"AgentErrorEvent","tool_name":"bash","tool_call_id":"b","error":"no""#,
        ];
        let lines: Vec<String> =
            events.iter().map(|e| format!(r#"{{"source":"agent","timestamp":"t",{e}}}"#)).collect();
        let source = Source::from_bytes(lines.join("\n").into_bytes()).unwrap();
        assert!(OpenHandsSdk.detect(&Sample::of(&source)));
        let read = OpenHandsSdk.read(&source).unwrap();
        assert_eq!(
            read.messages,
            [
                r#"{"role":"system","content":[{"type":"text","text":"S"}]}"#,
                r#"{"role":"user","content":[{"type":"text","text":"hi"}]}"#,
                r#"{"role":"assistant","content":[{"type":"text","text":"go"}],"tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"bash","arguments":"{}"}}]}"#,
                r#"{"role":"tool","tool_call_id":"a","name":"bash","content":[{"type":"text","text":"A"}]}"#,
                r#"{"role":"tool","tool_call_id":"b","name":"bash","content":"no"}"#,
            ]
        );
        assert_eq!(
            read.tools.as_deref(),
            Some(r#"[{"type":"function","function":{"name":"bash","description":"D"}}]"#)
        );
    }
}
