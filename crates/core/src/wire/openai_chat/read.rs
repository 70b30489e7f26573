//! Reading OpenAI Chat messages.

use std::fmt::Arguments;

use bytestring::ByteString;

use crate::history::Parsed;
use crate::history::{Call, CallResult, Item, ItemKind, MediaKind, MediaSource, Reasoning, Role, Slot};
use crate::json::{Kind, Raw};
use crate::wire::fields::{Fields, push_result, string_at};
use crate::wire::media::{base64_or_url, inline_or_remote, kind_of};
use crate::wire::{Likeness, Misshapen};

pub(super) fn likeness(message: Raw) -> Likeness {
    let mut likeness = Likeness::No;
    for (key, value) in message.members() {
        match &*key {
            "role" => match value.str().as_deref() {
                Some("system" | "user" | "assistant") => likeness = likeness.max(Likeness::Possible),
                Some("developer" | "tool" | "function") => likeness = Likeness::Sure,
                _ => return Likeness::No,
            },
            "tool_calls" | "tool_call_id" | "function_call" | "reasoning_content" => {
                likeness = Likeness::Sure
            }
            "content" => match content_likeness(value) {
                Likeness::No => return Likeness::No,
                found => likeness = likeness.max(found),
            },
            "parts" | "toolInvocations" => return Likeness::No,
            _ => {}
        }
    }
    let says_nothing = likeness == Likeness::Possible && message.get("content").is_none();
    if says_nothing || message.get("role").is_none() { Likeness::No } else { likeness }
}

fn content_likeness(content: Raw) -> Likeness {
    let mut likeness = Likeness::Possible;
    for part in content.elements() {
        match part.str_at("type").as_deref() {
            Some("image_url" | "input_audio" | "refusal") => likeness = Likeness::Sure,
            Some("file") if part.get("file").is_none() => return Likeness::No,
            Some(kind) if is_foreign(kind) => return Likeness::No,
            _ => {}
        }
    }
    likeness
}

fn is_foreign(kind: &str) -> bool {
    let anthropic =
        ["tool_use", "tool_result", "thinking", "redacted_thinking", "document", "image", "server_tool_use"];
    let responses = ["input_text", "output_text", "input_image", "input_file"];
    anthropic.contains(&kind)
        || responses.contains(&kind)
        || matches!(kind, "reasoning" | "toolCall")
        || kind.starts_with("tool-")
}

pub(super) fn message(raw: &ByteString) -> Result<Parsed, Misshapen> {
    let mut fields = Fields::of(raw)?;
    let role = match fields.take_str("role").as_deref() {
        Some("system") => Role::System,
        Some("developer") => Role::Developer,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool" | "function") => Role::Tool,
        Some(other) => return Err(Misshapen(format!("the role is `{other}`"))),
        None => return Err(Misshapen("it has no `role`".into())),
    };
    let mut items = Vec::new();
    if role == Role::Tool {
        read_result(&mut fields, &mut items);
    } else {
        read_reasoning(&mut fields, &mut items);
        if let Some(content) = fields.take("content") {
            read_content(&mut fields, content, &mut items);
        }
        let refusal = fields.take_if("refusal", |refusal| refusal.kind() == Kind::String);
        if let Some(refusal) = refusal.filter(|refusal| refusal.text() != "\"\"") {
            items.push(fields.text_item(refusal, ItemKind::Text));
        }
        read_calls(&mut fields, &mut items);
    }
    Ok(Parsed { role, slot: Slot::List, items, extras: fields.rest() })
}

fn read_reasoning(fields: &mut Fields, items: &mut Vec<Item>) {
    for key in ["reasoning_content", "reasoning"] {
        if let Some(text) = fields.take_if(key, |value| value.kind() == Kind::String)
            && text.text() != "\"\""
        {
            items.push(fields.text_item(text, ItemKind::Reasoning(Reasoning::default())));
        }
    }
    if let Some(details) = fields.take_if("reasoning_details", |value| value.elements().next().is_some()) {
        let kind = ItemKind::Reasoning(Reasoning { opaque: details.text().len() });
        items.push(fields.item(details, kind));
    }
}

fn read_content(fields: &mut Fields, content: Raw, items: &mut Vec<Item>) {
    match content.kind() {
        Kind::String if content.text() == "\"\"" => {}
        Kind::String => items.push(fields.text_item(content, ItemKind::Text)),
        Kind::Array => {
            for (nth, part) in content.elements().enumerate() {
                items.push(read_part(fields, format_args!("content.{nth}"), part));
            }
        }
        _ => items.push(fields.other(content)),
    }
}

fn read_part(fields: &mut Fields, path: Arguments, part: Raw) -> Item {
    let kind = part.str_at("type").unwrap_or_default();
    let item = match &*kind {
        "text" | "refusal" => read_text(fields, path, part, &kind),
        "image_url" => read_image(fields, path, part),
        "input_audio" => read_audio(fields, path, part),
        "file" => read_file(fields, path, part),
        _ => None,
    };
    item.unwrap_or_else(|| fields.other(part))
}

fn read_text(fields: &mut Fields, path: Arguments, part: Raw, key: &str) -> Option<Item> {
    let text = string_at(part, key)?;
    fields.note_extras(path, part, &["type", key]);
    Some(fields.text_item_in(part, text, ItemKind::Text))
}

fn read_image(fields: &mut Fields, path: Arguments, part: Raw) -> Option<Item> {
    let image = part.get("image_url")?;
    let found = inline_or_remote(fields.raw, image.get("url").unwrap_or(image))?;
    fields.note_extras(path, part, &["type", "image_url"]);
    fields.note_extras(format_args!("{path}.image_url"), image, &["url"]);
    fields.media(part, MediaKind::Image, Some(found), None)
}

/// Sound is bare base64, without a data URL around it.
fn read_audio(fields: &mut Fields, path: Arguments, part: Raw) -> Option<Item> {
    let audio = part.get("input_audio")?;
    let source = MediaSource::Inline(string_at(audio, "data")?.span_in(fields.raw).into());
    fields.note_extras(path, part, &["type", "input_audio"]);
    let mime = audio.str_at("format").map(|format| format!("audio/{format}").into());
    fields.media(part, MediaKind::Audio, Some((mime, source)), None)
}

fn read_file(fields: &mut Fields, path: Arguments, part: Raw) -> Option<Item> {
    let file = part.get("file")?;
    let found = match string_at(file, "file_data") {
        Some(data) => base64_or_url(fields.raw, data)?,
        None => inline_or_remote(fields.raw, string_at(file, "file_id")?)?,
    };
    fields.note_extras(path, part, &["type", "file"]);
    fields.note_extras(format_args!("{path}.file"), file, &["file_data", "file_id"]);
    let kind = found.0.as_deref().map_or(MediaKind::Document, kind_of);
    fields.media(part, kind, Some(found), None)
}

fn read_calls(fields: &mut Fields, items: &mut Vec<Item>) {
    let calls = fields.take_if("tool_calls", |calls| calls.kind() == Kind::Array);
    for (nth, call) in calls.into_iter().flat_map(Raw::elements).enumerate() {
        let path = format_args!("tool_calls.{nth}");
        let (body, input) = match call.get("custom") {
            Some(custom) => (Some(custom), "input"),
            None => (call.get("function"), "arguments"),
        };
        items.push(match body.filter(|body| body.kind() == Kind::Object) {
            Some(body) => {
                fields.note_extras(path, call, &["id", "type", "function", "custom"]);
                let id = call.str_at("id").unwrap_or_default();
                read_call(fields, path, call, body, &id, input)
            }
            None => fields.other(call),
        });
    }
    if let Some(call) = fields.take_if("function_call", |call| call.kind() == Kind::Object) {
        items.push(read_call(fields, format_args!("function_call"), call, call, "", "arguments"));
    }
}

fn read_call(fields: &mut Fields, path: Arguments, whole: Raw, body: Raw, id: &str, input: &str) -> Item {
    fields.note_extras(path, body, &["name", input]);
    let name = body.str_at("name").unwrap_or_default().into_owned().into();
    let kind = ItemKind::Call(Box::new(Call { id: id.to_string().into(), name, freeform: input == "input" }));
    match body.get(input).filter(|arguments| !arguments.is_null()) {
        Some(arguments) => fields.text_item_in(whole, arguments, kind),
        None => fields.item(whole, kind),
    }
}

fn read_result(fields: &mut Fields, items: &mut Vec<Item>) {
    let call = fields.take_str("tool_call_id").unwrap_or_default();
    let name = fields.take_str("name").map(ByteString::from);
    let kind =
        ItemKind::Result(Box::new(CallResult { call: call.into(), name, is_error: false, structure: None }));
    let mut result = fields.item(Raw::trusted(fields.raw), kind);
    let mut inside = Vec::new();
    match fields.take("content") {
        Some(content) if content.kind() == Kind::Array => {
            for (nth, part) in content.elements().enumerate() {
                inside.push(read_part(fields, format_args!("content.{nth}"), part));
            }
        }
        Some(content) => result.texts.push(fields.text(content)),
        None => {}
    }
    push_result(result, inside, items);
}
