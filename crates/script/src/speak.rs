//! An answer in the words of the four APIs, whole and as a stream of events.

use serde_json::{Value, json};

use crate::Call;

/// An answer, before it is put into an API's words.
pub(crate) struct Said {
    /// The number of the request, which makes ids.
    pub(crate) nth: usize,
    pub(crate) text: String,
    pub(crate) calls: Vec<Call>,
    pub(crate) end: End,
    /// Tokens that the model has read.
    pub(crate) read: usize,
    /// Whether it thinks first, where the API wants that back.
    pub(crate) thinks: bool,
}

/// What stands under a thought.
const SIGNATURE: &str = "c2NyaXB0ZWQ=";

/// Why it ends.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum End {
    Done,
    Calls,
    Refused,
    CutOff,
}

/// The body of an answer in one piece.
pub(crate) fn whole(wire: &str, said: &Said) -> Value {
    match wire {
        "anthropic" => said.anthropic(),
        "openai-chat" => said.chat(),
        "gemini" => said.gemini(),
        _ => said.response(),
    }
}

/// The same answer as events.
pub(crate) fn events(wire: &str, said: &Said) -> String {
    let named = |events: Vec<Value>| {
        let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", text(&event["type"]));
        events.iter().map(event).collect()
    };
    match wire {
        "anthropic" => named(said.anthropic_events()),
        "openai-chat" => {
            let events = said.chat_events().into_iter().map(|event| format!("data: {event}\n\n"));
            events.chain(["data: [DONE]\n\n".to_string()]).collect()
        }
        "gemini" => format!("data: {}\r\n\r\n", said.gemini()),
        _ => named(said.response_events()),
    }
}

impl Said {
    fn id(&self, call: usize) -> String {
        format!("call_{}_{call}", self.nth)
    }

    fn written(&self) -> usize {
        self.text.len() / 4 + 1
    }

    fn anthropic(&self) -> Value {
        let thought = json!({"type": "thinking", "thinking": "Scripted thought.", "signature": SIGNATURE});
        let thought = self.thinks.then_some(thought);
        let text = (!self.text.is_empty()).then(|| json!({"type": "text", "text": self.text}));
        let calls = self.calls.iter().enumerate().map(|(nth, call)| {
            // This API takes its models' arguments apart; others pass on what was written.
            let input = serde_json::from_str::<Value>(&call.arguments).ok().filter(Value::is_object);
            let input = input.unwrap_or_else(|| json!({"INVALID_JSON": call.arguments}));
            json!({"type": "tool_use", "id": self.id(nth), "name": call.name, "input": input})
        });
        let reason = match self.end {
            End::Done => "end_turn",
            End::Calls => "tool_use",
            End::Refused => "refusal",
            End::CutOff => "max_tokens",
        };
        json!({
            "id": format!("msg_{}", self.nth), "type": "message", "role": "assistant", "model": "scripted",
            "content": thought.into_iter().chain(text).chain(calls).collect::<Vec<_>>(),
            "stop_reason": reason, "stop_sequence": null,
            "usage": {"input_tokens": self.read, "output_tokens": self.written()},
        })
    }

    fn anthropic_events(&self) -> Vec<Value> {
        let mut message = self.anthropic();
        let blocks = message["content"].take();
        let end = json!({
            "type": "message_delta",
            "delta": {"stop_reason": message["stop_reason"].take(), "stop_sequence": null},
            "usage": message["usage"].clone(),
        });
        message["content"] = json!([]);
        let mut events = vec![json!({"type": "message_start", "message": message})];
        for (index, block) in blocks.as_array().into_iter().flatten().enumerate() {
            let (mut start, deltas) = match text(&block["type"]) {
                "text" => (json!({"text": ""}), vec![json!({"type": "text_delta", "text": block["text"]})]),
                "thinking" => {
                    let thought = json!({"type": "thinking_delta", "thinking": block["thinking"]});
                    let signature = json!({"type": "signature_delta", "signature": SIGNATURE});
                    (json!({"thinking": "", "signature": ""}), vec![thought, signature])
                }
                _ => (
                    json!({"id": block["id"], "name": block["name"], "input": {}}),
                    vec![json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})],
                ),
            };
            start["type"] = block["type"].clone();
            events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
            for delta in deltas {
                events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
            }
            events.push(json!({"type": "content_block_stop", "index": index}));
        }
        events.extend([end, json!({"type": "message_stop"})]);
        events
    }

    fn chat_message(&self) -> Value {
        let calls = self.calls.iter().enumerate().map(|(nth, call)| {
            let function = json!({"name": call.name, "arguments": call.arguments});
            json!({"id": self.id(nth), "type": "function", "function": function})
        });
        let calls: Vec<Value> = calls.collect();
        let mut message = json!({"role": "assistant", "content": self.text, "refusal": null});
        if self.end == End::Refused {
            message["refusal"] = message["content"].take();
        }
        if !calls.is_empty() {
            message["content"] = Value::Null;
            message["tool_calls"] = calls.into();
        }
        message
    }

    fn chat_reason(&self) -> &'static str {
        match self.end {
            End::Done | End::Refused => "stop",
            End::Calls => "tool_calls",
            End::CutOff => "length",
        }
    }

    fn chat_usage(&self) -> Value {
        json!({"prompt_tokens": self.read, "completion_tokens": self.written()})
    }

    fn chat(&self) -> Value {
        let choice = json!({"index": 0, "message": self.chat_message(), "finish_reason": self.chat_reason()});
        json!({"id": format!("chatcmpl-{}", self.nth), "object": "chat.completion", "choices": [choice], "usage": self.chat_usage()})
    }

    fn chat_events(&self) -> Vec<Value> {
        let mut delta = self.chat_message();
        for (index, call) in delta["tool_calls"].as_array_mut().into_iter().flatten().enumerate() {
            call["index"] = index.into();
        }
        vec![
            json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": self.chat_reason()}]}),
            json!({"choices": [], "usage": self.chat_usage()}),
        ]
    }

    /// Its streams are such answers one after the other; here, one.
    fn gemini(&self) -> Value {
        let text = (!self.text.is_empty()).then(|| json!({"text": self.text}));
        let calls = self.calls.iter().map(|call| {
            let arguments = serde_json::from_str::<Value>(&call.arguments).unwrap_or_default();
            json!({"functionCall": {"name": call.name, "args": arguments}})
        });
        let reason = match self.end {
            End::Done | End::Calls => "STOP",
            End::Refused => "SAFETY",
            End::CutOff => "MAX_TOKENS",
        };
        let parts: Vec<Value> = text.into_iter().chain(calls).collect();
        let (read, written) = (self.read, self.written());
        json!({
            "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": reason}],
            "usageMetadata": {"promptTokenCount": read, "candidatesTokenCount": written, "totalTokenCount": read + written},
            "modelVersion": "scripted", "responseId": format!("resp_{}", self.nth),
        })
    }

    fn response(&self) -> Value {
        let part = match self.end {
            End::Refused => json!({"type": "refusal", "refusal": self.text}),
            _ => json!({"type": "output_text", "text": self.text, "annotations": []}),
        };
        let (status, details) = match self.end {
            End::CutOff => ("incomplete", json!({"reason": "max_output_tokens"})),
            _ => ("completed", Value::Null),
        };
        let message = (!self.text.is_empty()).then(|| {
            let id = format!("msg_{}", self.nth);
            json!({"type": "message", "id": id, "role": "assistant", "status": status, "content": [part]})
        });
        let calls = self.calls.iter().enumerate().map(|(nth, call)| {
            let (id, call_id) = (format!("fc_{}_{nth}", self.nth), self.id(nth));
            // `space.name` is a tool of a name space.
            let (space, name) = call.name.split_once('.').map_or((None, &*call.name), |(space, name)| (Some(space), name));
            let mut item = json!({"type": "function_call", "id": id, "call_id": call_id, "name": name, "arguments": call.arguments, "status": "completed"});
            if let Some(space) = space {
                item["namespace"] = space.into();
            }
            item
        });
        json!({
            "id": format!("resp_{}", self.nth), "object": "response", "status": status, "error": null,
            "incomplete_details": details,
            "output": message.into_iter().chain(calls).collect::<Vec<_>>(),
            "usage": {"input_tokens": self.read, "output_tokens": self.written(), "total_tokens": self.read + self.written()},
        })
    }

    fn response_events(&self) -> Vec<Value> {
        let kind = match self.end {
            End::Refused => "response.refusal.delta",
            _ => "response.output_text.delta",
        };
        let end = if self.end == End::CutOff { "response.incomplete" } else { "response.completed" };
        let whole = self.response();
        let created = json!({"type": "response.created", "response": {"id": whole["id"], "status": "in_progress", "output": [], "error": null}});
        let mut events = vec![created];
        for (index, item) in whole["output"].as_array().into_iter().flatten().enumerate() {
            events.push(json!({"type": "response.output_item.added", "output_index": index, "item": item}));
            if text(&item["type"]) == "message" {
                events.push(
                    json!({"type": kind, "output_index": index, "item_id": item["id"], "delta": self.text}),
                );
            }
            events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
        }
        events.push(json!({"type": end, "response": whole}));
        events
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
