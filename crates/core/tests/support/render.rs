//! Drawn sessions spelled in each wire format, as its own users would, without our writers.

use enfold::file::document::Frame;
use serde_json::{Map, Value, json};

use super::generate::{Call, Outcome, Piece, Response, Session};
use super::odd;

const PNG: &str = "iVBORw0KGgo=";
const URL: &str = "https://example.org/p.png";

/// The request in the format of that name.
pub fn request(session: &Session, format: &str) -> Value {
    match format {
        "openai-chat" => json!({"model": "m", "stream_options": {}, "messages": chat(session)}),
        "anthropic" => {
            with_head(json!({"stop_sequences": ["x"], "messages": anthropic(session)}), "system", session)
        }
        "openai-responses" => {
            let system = session.system.join("\n");
            json!({"model": "m", "instructions": system, "input": responses(session)})
        }
        "ai-sdk" => json!({"toolChoice": "auto", "messages": ai_sdk(session)}),
        "gemini" => {
            let parts: Vec<Value> = session.system.iter().map(|text| json!({"text": text})).collect();
            let mut request = json!({"contents": gemini(session)});
            if !parts.is_empty() {
                request["systemInstruction"] = json!({"parts": parts});
            }
            request
        }
        "pi-agent-core" => {
            let system = session.system.join("\n");
            json!({"systemPrompt": system, "messages": pi_agent_core(session)})
        }
        other => panic!("no rendering for {other}"),
    }
}

/// The request of a drawn session in one of the frames, oddly printed.
pub fn framed(session: &Session, format: &str, frame: Frame, seed: u64, extra: bool) -> String {
    let request = request(session, format);
    let messages = request[list_key(format)].as_array().unwrap();
    let keys: &[&str] = if extra { &["role", "content", "type", "parts", "output"] } else { &[] };
    match frame {
        Frame::Request => odd::print(&request, seed, false, keys),
        Frame::Array => odd::print(&request[list_key(format)], seed, false, keys),
        Frame::Lines => {
            let lines =
                messages.iter().zip(seed..).map(|(line, seed)| odd::print(line, seed, true, keys) + "\r\n");
            lines.collect()
        }
    }
}

/// The key of the messages in such a request.
pub fn list_key(format: &str) -> &'static str {
    match format {
        "openai-responses" => "input",
        "gemini" => "contents",
        _ => "messages",
    }
}

fn with_head(mut request: Value, key: &str, session: &Session) -> Value {
    let blocks: Vec<Value> =
        session.system.iter().map(|text| json!({"type": "text", "text": text})).collect();
    if !blocks.is_empty() {
        request[key] = Value::Array(blocks);
    }
    request
}

/// Chat allows 40 letters, so that is what its users send.
fn id(call: &Call) -> String {
    call.id.map_or(String::new(), |id| format!("call_{id:04}"))
}

fn answers(response: &Response) -> impl Iterator<Item = (&Call, &Outcome)> {
    response.calls.iter().filter_map(|call| call.result.as_ref().map(|result| (call, result)))
}

/// An orphan answers an id that nobody called.
fn answered_id(call: &Call, result: &Outcome) -> String {
    if result.is_orphan { format!("gone_{}", id(call)) } else { id(call) }
}

fn chat(session: &Session) -> Vec<Value> {
    let mut out: Vec<Value> =
        session.system.iter().map(|text| json!({"role": "system", "content": text})).collect();
    out.extend(session.developer.iter().map(|text| json!({"role": "developer", "content": text})));
    for turn in &session.turns {
        let parts: Vec<Value> = turn
            .user
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => json!({"type": "text", "text": text}),
                Piece::Image => {
                    json!({"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{PNG}")}})
                }
                Piece::ImageUrl => json!({"type": "image_url", "image_url": {"url": URL}}),
            })
            .collect();
        match turn.user.as_slice() {
            [] => {}
            [Piece::Text(text)] => out.push(json!({"role": "user", "content": text})),
            _ => out.push(json!({"role": "user", "content": parts})),
        }
        for response in &turn.responses {
            let mut message = Map::new();
            message.insert("role".into(), json!("assistant"));
            message.insert("content".into(), json!(response.text));
            if let Some(thinking) = &response.thinking {
                message.insert("reasoning_content".into(), json!(thinking));
            }
            let calls = response.calls.iter().map(|call| {
                let function = json!({"name": call.tool, "arguments": call.input.to_string()});
                json!({"id": id(call), "type": "function", "function": function})
            });
            if !response.calls.is_empty() {
                message.insert("tool_calls".into(), calls.collect());
            }
            out.push(Value::Object(message));
            for (call, result) in answers(response) {
                let parts = result.texts.iter().map(|text| json!({"type": "text", "text": text}));
                let content = match result.texts.as_slice() {
                    [] => json!(""),
                    [text] => json!(text),
                    _ => parts.collect(),
                };
                out.push(
                    json!({"role": "tool", "tool_call_id": answered_id(call, result), "content": content}),
                );
            }
            out.extend(response.note.iter().map(|note| json!({"role": "user", "content": note})));
        }
    }
    out
}

fn anthropic(session: &Session) -> Vec<Value> {
    let mut out = Vec::new();
    let image =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}});
    for turn in &session.turns {
        let parts: Vec<Value> = turn
            .user
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => json!({"type": "text", "text": text}),
                Piece::Image => image.clone(),
                Piece::ImageUrl => json!({"type": "image", "source": {"type": "url", "url": URL}}),
            })
            .collect();
        if !parts.is_empty() {
            out.push(json!({"role": "user", "content": parts}));
        }
        for response in &turn.responses {
            let mut blocks = Vec::new();
            if let Some(thinking) = &response.thinking {
                blocks.push(json!({"type": "thinking", "thinking": thinking, "signature": "c2lnbmVk"}));
            }
            blocks.extend(response.text.iter().map(|text| json!({"type": "text", "text": text})));
            for call in &response.calls {
                blocks.push(
                    json!({"type": "tool_use", "id": id(call), "name": call.tool, "input": call.input}),
                );
            }
            out.push(json!({"role": "assistant", "content": blocks}));
            let mut results: Vec<Value> = answers(response)
                .map(|(call, result)| {
                    let mut content: Vec<Value> =
                        result.texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
                    if result.image {
                        content.push(image.clone());
                    }
                    let mut block =
                        json!({"type": "tool_result", "tool_use_id": answered_id(call, result), "content": content});
                    if result.is_error {
                        block["is_error"] = json!(true);
                    }
                    block
                })
                .collect();
            results.extend(response.note.iter().map(|note| json!({"type": "text", "text": note})));
            if !results.is_empty() {
                out.push(json!({"role": "user", "content": results}));
            }
        }
    }
    out
}

fn responses(session: &Session) -> Vec<Value> {
    let developer = |text| json!({"type": "message", "role": "developer", "content": [{"type": "input_text", "text": text}]});
    let mut out: Vec<Value> = session.developer.iter().map(developer).collect();
    for turn in &session.turns {
        let parts: Vec<Value> = turn
            .user
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => json!({"type": "input_text", "text": text}),
                Piece::Image => {
                    json!({"type": "input_image", "image_url": format!("data:image/png;base64,{PNG}")})
                }
                Piece::ImageUrl => json!({"type": "input_image", "image_url": URL}),
            })
            .collect();
        if !parts.is_empty() {
            out.push(json!({"type": "message", "role": "user", "content": parts}));
        }
        for response in &turn.responses {
            if let Some(thinking) = &response.thinking {
                let summary = json!([{"type": "summary_text", "text": thinking}]);
                out.push(json!({"type": "reasoning", "summary": summary, "encrypted_content": "gAAAA"}));
            }
            if let Some(text) = &response.text {
                let content = json!([{"type": "output_text", "text": text}]);
                out.push(json!({"type": "message", "role": "assistant", "content": content}));
            }
            for call in &response.calls {
                out.push(json!({
                    "type": "function_call", "call_id": id(call), "name": call.tool,
                    "arguments": call.input.to_string(),
                }));
            }
            for (call, result) in answers(response) {
                let mut parts: Vec<Value> =
                    result.texts.iter().map(|text| json!({"type": "input_text", "text": text})).collect();
                if result.image {
                    parts.push(json!({"type": "input_image", "image_url": URL}));
                }
                let output = match (result.texts.as_slice(), result.image) {
                    ([], false) => json!(""),
                    ([text], false) => json!(text),
                    _ => Value::Array(parts),
                };
                out.push(json!({
                    "type": "function_call_output", "call_id": answered_id(call, result), "output": output,
                }));
            }
            out.extend(response.note.iter().map(|note| json!({"role": "user", "content": note})));
        }
    }
    out
}

fn ai_sdk(session: &Session) -> Vec<Value> {
    let mut out: Vec<Value> =
        session.system.iter().map(|text| json!({"role": "system", "content": text})).collect();
    for turn in &session.turns {
        let parts: Vec<Value> = turn
            .user
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => json!({"type": "text", "text": text}),
                Piece::Image => json!({"type": "image", "image": PNG, "mediaType": "image/png"}),
                Piece::ImageUrl => json!({"type": "image", "image": URL}),
            })
            .collect();
        if !parts.is_empty() {
            out.push(json!({"role": "user", "content": parts}));
        }
        for response in &turn.responses {
            let mut parts = Vec::new();
            if let Some(thinking) = &response.thinking {
                parts.push(json!({"type": "reasoning", "text": thinking}));
            }
            parts.extend(response.text.iter().map(|text| json!({"type": "text", "text": text})));
            for call in &response.calls {
                parts.push(json!({
                    "type": "tool-call", "toolCallId": id(call), "toolName": call.tool, "input": call.input,
                }));
            }
            out.push(json!({"role": "assistant", "content": parts}));
            let results: Vec<Value> = answers(response)
                .map(|(call, result)| {
                    let mut parts: Vec<Value> =
                        result.texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
                    if result.image {
                        parts.push(json!({"type": "image-data", "data": PNG, "mediaType": "image/png"}));
                    }
                    let output = match (result.texts.as_slice(), result.image, result.is_error) {
                        ([text], false, false) => json!({"type": "text", "value": text}),
                        ([text], false, true) => json!({"type": "error-text", "value": text}),
                        _ => json!({"type": "content", "value": parts}),
                    };
                    let id = answered_id(call, result);
                    json!({"type": "tool-result", "toolCallId": id, "toolName": call.tool, "output": output})
                })
                .collect();
            if !results.is_empty() {
                out.push(json!({"role": "tool", "content": results}));
            }
            out.extend(response.note.iter().map(|note| json!({"role": "user", "content": note})));
        }
    }
    out
}

/// Calls without ids, as Gemini sends them.
fn gemini(session: &Session) -> Vec<Value> {
    let mut out = Vec::new();
    let image = json!({"inlineData": {"mimeType": "image/png", "data": PNG}});
    for turn in &session.turns {
        let parts: Vec<Value> = turn
            .user
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => json!({"text": text}),
                Piece::Image => image.clone(),
                Piece::ImageUrl => json!({"fileData": {"mimeType": "image/png", "fileUri": URL}}),
            })
            .collect();
        if !parts.is_empty() {
            out.push(json!({"role": "user", "parts": parts}));
        }
        for response in &turn.responses {
            let mut parts = Vec::new();
            if let Some(thinking) = &response.thinking {
                parts.push(json!({"text": thinking, "thought": true}));
            }
            parts.extend(response.text.iter().map(|text| json!({"text": text})));
            for call in &response.calls {
                parts.push(json!({"functionCall": {"name": call.tool, "args": call.input}}));
            }
            out.push(json!({"role": "model", "parts": parts}));
            let mut results: Vec<Value> = answers(response)
                .map(|(call, result)| {
                    let key = if result.is_error { "error" } else { "output" };
                    let response = match result.texts.as_slice() {
                        [text] => json!({key: text}),
                        texts => json!({key: texts}),
                    };
                    let name = if result.is_orphan { "gone" } else { &call.tool };
                    let mut body = json!({"name": name, "response": response});
                    if result.image {
                        body["parts"] = json!([image]);
                    }
                    json!({"functionResponse": body})
                })
                .collect();
            results.extend(response.note.iter().map(|note| json!({"text": note})));
            if !results.is_empty() {
                out.push(json!({"role": "user", "parts": results}));
            }
        }
    }
    out
}

fn pi_agent_core(session: &Session) -> Vec<Value> {
    let mut out = Vec::new();
    let image = json!({"type": "image", "data": PNG, "mimeType": "image/png"});
    for turn in &session.turns {
        let parts: Vec<Value> = turn
            .user
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => json!({"type": "text", "text": text}),
                Piece::Image | Piece::ImageUrl => image.clone(),
            })
            .collect();
        match turn.user.as_slice() {
            [] => {}
            [Piece::Text(text)] => out.push(json!({"role": "user", "content": text, "timestamp": 1})),
            _ => out.push(json!({"role": "user", "content": parts, "timestamp": 1})),
        }
        for response in &turn.responses {
            let mut parts = Vec::new();
            if let Some(thinking) = &response.thinking {
                parts.push(json!({"type": "thinking", "thinking": thinking}));
            }
            parts.extend(response.text.iter().map(|text| json!({"type": "text", "text": text})));
            for call in &response.calls {
                parts.push(
                    json!({"type": "toolCall", "id": id(call), "name": call.tool, "arguments": call.input}),
                );
            }
            let reason = if response.calls.is_empty() { "stop" } else { "toolUse" };
            out.push(json!({"role": "assistant", "content": parts, "stopReason": reason, "timestamp": 2}));
            for (call, result) in answers(response) {
                let mut parts: Vec<Value> =
                    result.texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
                if result.image {
                    parts.push(image.clone());
                }
                out.push(json!({
                    "role": "toolResult", "toolCallId": answered_id(call, result), "toolName": call.tool,
                    "content": parts, "isError": result.is_error, "timestamp": 3,
                }));
            }
            let note = response.note.iter();
            out.extend(note.map(|note| json!({"role": "user", "content": note, "timestamp": 4})));
        }
    }
    out
}
