//! A copy of the answer, read for what the provider says about tokens. Whatever is wrong with the copy, the answer itself goes
//! through.

use enfold::count::Usage;
use enfold::json::Raw;
use enfold_llm::{sse::Events, usage};

use crate::route::Endpoint;

/// An answer in one piece that is longer is not read.
const WHOLE: usize = 16 << 20;

/// An event that is longer ends the reading.
const EVENT: usize = 16 << 20;

/// Reads an answer while it passes.
pub(crate) struct Watch {
    endpoint: Endpoint,
    form: Form,
    usage: Option<Usage>,
    is_ended: bool,
    has_calls: bool,
    is_said: bool,
}

enum Form {
    Events(Events),
    Whole(Vec<u8>),
    /// It cannot be read.
    Lost,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Watched {
    pub(crate) usage: Option<Usage>,
    /// Whether the provider said that this is all.
    pub(crate) is_ended: bool,
    /// Whether the model has said what it had to say and calls nothing: the user has the word.
    pub(crate) is_done: bool,
}

impl Watch {
    /// An answer of this content type.
    pub(crate) fn new(endpoint: Endpoint, kind: &str) -> Watch {
        let form = match kind.starts_with("text/event-stream") {
            true => Form::Events(Events::new(EVENT)),
            false => Form::Whole(Vec::new()),
        };
        Watch { endpoint, form, usage: None, is_ended: false, has_calls: false, is_said: false }
    }

    /// Takes more bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        match &mut self.form {
            Form::Events(events) => match events.push(bytes) {
                Ok(found) => found.iter().for_each(|event| self.event(event)),
                Err(_) => self.form = Form::Lost,
            },
            Form::Whole(whole) if whole.len() + bytes.len() <= WHOLE => whole.extend_from_slice(bytes),
            Form::Whole(_) => self.form = Form::Lost,
            Form::Lost => {}
        }
    }

    /// The answer is over.
    pub(crate) fn end(mut self) -> Watched {
        match std::mem::replace(&mut self.form, Form::Lost) {
            Form::Events(mut events) => events.end().iter().for_each(|event| self.event(event)),
            Form::Whole(whole) => self.whole(&String::from_utf8_lossy(&whole)),
            Form::Lost => {}
        }
        Watched { usage: self.usage, is_ended: self.is_ended, is_done: self.is_said && !self.has_calls }
    }

    fn event(&mut self, data: &str) {
        if data.trim() == "[DONE]" {
            self.is_ended = true;
            return;
        }
        let Ok(event) = Raw::parse(data) else { return };
        let kind = event.str_at("type");
        match self.endpoint {
            Endpoint::Messages => {
                let holder = event.get("message").unwrap_or(event);
                self.take("usage", holder);
                self.is_ended |= kind.as_deref() == Some("message_stop");
                self.stop(event.get("delta").unwrap_or(event));
            }
            Endpoint::Responses => {
                let Some(response) = event.get("response") else { return };
                self.take("usage", response);
                let ends = ["response.completed", "response.incomplete", "response.failed"];
                self.is_ended |= kind.is_some_and(|kind| ends.contains(&&*kind));
                self.stop(response);
            }
            Endpoint::Chat => {
                self.take("usage", event);
                self.stop(event);
            }
            Endpoint::Gemini => {
                self.take("usageMetadata", event);
                let first = event.get("candidates").and_then(|all| all.elements().next());
                self.is_ended |= first.is_some_and(|first| first.str_at("finishReason").is_some());
                self.stop(event);
            }
        }
    }

    /// Why the model stopped, as far as this piece of the answer says so.
    fn stop(&mut self, piece: Raw) {
        let first = |key: &str| piece.get(key).and_then(|all| all.elements().next());
        let is = |holder: Option<Raw>, key: &str, words: &[&str]| {
            holder.and_then(|holder| holder.str_at(key)).is_some_and(|word| words.contains(&&*word))
        };
        match self.endpoint {
            Endpoint::Messages => {
                self.is_said |= is(Some(piece), "stop_reason", &["end_turn", "stop_sequence"]);
            }
            Endpoint::Chat => self.is_said |= is(first("choices"), "finish_reason", &["stop"]),
            Endpoint::Responses => {
                self.is_said |= is(Some(piece), "status", &["completed"]);
                let mut output = piece.get("output").into_iter().flat_map(|output| output.elements());
                self.has_calls |=
                    output.any(|item| item.str_at("type").is_some_and(|it| it.ends_with("_call")));
            }
            Endpoint::Gemini => {
                self.is_said |= is(first("candidates"), "finishReason", &["STOP"]);
                let parts = first("candidates").and_then(|first| first.at(&["content", "parts"]));
                let mut parts = parts.into_iter().flat_map(|parts| parts.elements());
                self.has_calls |= parts.any(|part| part.get("functionCall").is_some());
            }
        }
    }

    fn whole(&mut self, text: &str) {
        let Ok(root) = Raw::parse(text) else { return };
        self.is_ended = true;
        match self.endpoint {
            // Without `alt=sse` a stream is a list.
            Endpoint::Gemini => {
                let last = root.elements().filter(|part| part.get("usageMetadata").is_some()).last();
                self.take("usageMetadata", last.unwrap_or(root));
                root.elements().for_each(|part| self.stop(part));
                self.stop(root);
            }
            Endpoint::Messages | Endpoint::Chat | Endpoint::Responses => {
                self.take("usage", root);
                self.stop(root);
            }
        }
    }

    fn take(&mut self, key: &str, holder: Raw) {
        let Some(found) = usage::reported(holder, key) else { return };
        self.usage = Some(match self.endpoint {
            Endpoint::Messages => usage::anthropic(found, self.usage),
            Endpoint::Chat => usage::chat(found),
            Endpoint::Responses => usage::responses(found),
            Endpoint::Gemini => usage::gemini(found),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(endpoint: Endpoint, kind: &str, text: &str) -> (u64, u64, u64, u64, bool) {
        let mut watch = Watch::new(endpoint, kind);
        text.as_bytes().chunks(7).for_each(|bytes| watch.push(bytes));
        let Watched { usage, is_ended, .. } = watch.end();
        let usage = usage.unwrap_or_default();
        (usage.input, usage.cache_read, usage.cache_write, usage.output, is_ended)
    }

    #[test]
    fn the_user_has_the_word_where_the_model_calls_nothing() {
        let done = |endpoint: Endpoint, text: &str| {
            let mut watch = Watch::new(endpoint, "application/json");
            watch.push(text.as_bytes());
            watch.end().is_done
        };
        assert!(done(Endpoint::Messages, r#"{"stop_reason":"end_turn"}"#));
        assert!(!done(Endpoint::Messages, r#"{"stop_reason":"tool_use"}"#));
        assert!(done(Endpoint::Chat, r#"{"choices":[{"finish_reason":"stop"}]}"#));
        assert!(!done(Endpoint::Chat, r#"{"choices":[{"finish_reason":"tool_calls"}]}"#));
        assert!(done(Endpoint::Responses, r#"{"status":"completed","output":[{"type":"message"}]}"#));
        assert!(!done(Endpoint::Responses, r#"{"status":"completed","output":[{"type":"function_call"}]}"#));
        assert!(done(
            Endpoint::Gemini,
            r#"{"candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"x"}]}}]}"#
        ));
        let calls =
            r#"{"candidates":[{"finishReason":"STOP","content":{"parts":[{"functionCall":{"name":"f"}}]}}]}"#;
        assert!(!done(Endpoint::Gemini, calls));
        let mut watch = Watch::new(Endpoint::Messages, "text/event-stream");
        watch.push(b"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n");
        assert!(watch.end().is_done);
    }

    #[test]
    fn usage_is_read_in_the_words_of_each_api() {
        let sse = "text/event-stream; charset=utf-8";
        let messages = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3,\"cache_read_input_tokens\":100,\"cache_creation_input_tokens\":10,\"output_tokens\":1}}}\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":7}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
        assert_eq!(watched(Endpoint::Messages, sse, messages), (113, 100, 10, 7, true));
        let chat = ": OPENROUTER PROCESSING\n\ndata: {\"choices\":[],\"usage\":null}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":50,\"completion_tokens\":5,\"prompt_tokens_details\":{\"cached_tokens\":40}}}\n\ndata: [DONE]\n\n";
        assert_eq!(watched(Endpoint::Chat, sse, chat), (50, 40, 0, 5, true));
        let responses = "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"usage\":null}}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":9,\"output_tokens\":2}}}\n\n";
        assert_eq!(watched(Endpoint::Responses, sse, responses), (9, 0, 0, 2, true));
        let gemini = "data: {\"candidates\":[{\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":8,\"cachedContentTokenCount\":4,\"candidatesTokenCount\":2,\"thoughtsTokenCount\":1}}\n\n";
        assert_eq!(watched(Endpoint::Gemini, sse, gemini), (8, 4, 0, 3, true));
        let list =
            "[{\"usageMetadata\":{\"promptTokenCount\":1}},\n{\"usageMetadata\":{\"promptTokenCount\":8}}]";
        assert_eq!(watched(Endpoint::Gemini, "application/json", list), (8, 0, 0, 0, true));
        let whole = "{\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}";
        assert_eq!(watched(Endpoint::Messages, "application/json", whole), (3, 0, 0, 4, true));
    }

    #[test]
    fn a_cut_or_garbled_answer_is_seen_as_that() {
        let cut = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3}}}\n\nevent: cont";
        assert_eq!(watched(Endpoint::Messages, "text/event-stream", cut), (3, 0, 0, 0, false));
        assert_eq!(watched(Endpoint::Chat, "text/html", "<html>"), (0, 0, 0, 0, false));
    }
}
