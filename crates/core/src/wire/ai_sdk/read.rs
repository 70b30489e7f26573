//! Reading AI SDK messages.

use std::fmt::Arguments;

use bytestring::ByteString;

use super::read_ui;
use crate::history::Parsed;
use crate::history::{
    Call, CallResult, Item, ItemKind, MediaKind, MediaSource, Reasoning, Role, Slot, Texts,
};
use crate::json::{Kind, Raw};
use crate::wire::fields::{Fields, name_at, push_result, string_at};
use crate::wire::media::{base64_or_url, inline_or_remote, kind_of};
use crate::wire::seal::Seal;
use crate::wire::structured;
use crate::wire::{Likeness, Misshapen};

pub(super) fn likeness(message: Raw) -> Likeness {
    if !matches!(message.str_at("role").as_deref(), Some("system" | "user" | "assistant" | "tool")) {
        return Likeness::No;
    }
    if !message.members().any(|(key, _)| matches!(&*key, "content" | "parts")) {
        return Likeness::No;
    }
    let mut likeness = Likeness::Possible;
    for (key, value) in message.members() {
        match &*key {
            "tool_calls" | "tool_call_id" | "function_call" | "type" => return Likeness::No,
            "toolInvocations" | "toolCalls" | "providerOptions" | "experimental_attachments" => {
                likeness = Likeness::Sure
            }
            "parts" if value.elements().all(|part| part.get("type").is_some()) => likeness = Likeness::Sure,
            "parts" => return Likeness::No,
            "content" => {
                for part in value.elements() {
                    match part_likeness(part) {
                        Likeness::No => return Likeness::No,
                        found => likeness = likeness.max(found),
                    }
                }
            }
            _ => {}
        }
    }
    likeness
}

fn part_likeness(part: Raw) -> Likeness {
    if part.get("providerOptions").is_some() {
        return Likeness::Sure;
    }
    match part.str_at("type").as_deref() {
        Some("text") => Likeness::Possible,
        Some(
            "tool-call"
            | "tool-result"
            | "tool-approval-request"
            | "tool-approval-response"
            | "redacted-reasoning",
        ) => Likeness::Sure,
        Some("reasoning") if part.get("text").is_some() => Likeness::Sure,
        Some("image") if part.get("image").is_some() => Likeness::Sure,
        Some("file") if part.get("data").is_some() => Likeness::Sure,
        _ => Likeness::No,
    }
}

/// Whether a message is written as v6 wants it: no parts of the display beside its content, no `args`, no `result`.
pub(super) fn is_current(message: Raw) -> bool {
    let is_old = |part: Raw| match part.str_at("type").as_deref() {
        Some("tool-call") => part.get("input").is_none(),
        Some("tool-result") => part.get("output").is_none(),
        Some("redacted-reasoning") => true,
        _ => false,
    };
    let beside = ["parts", "toolInvocations", "toolCalls", "experimental_attachments"];
    let content = message.get("content").into_iter().flat_map(Raw::elements);
    !beside.iter().any(|key| message.get(key).is_some()) && !content.into_iter().any(is_old)
}

pub(super) fn message(raw: &ByteString) -> Result<Parsed, Misshapen> {
    let mut fields = Fields::of(raw)?;
    let role = match fields.take_str("role").as_deref() {
        Some("system") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool") => Role::Tool,
        Some(other) => return Err(Misshapen(format!("the role is `{other}`"))),
        None => return Err(Misshapen("it has no `role`".into())),
    };
    let mut items = Vec::new();
    if let Some(parts) = fields.take_if("parts", |parts| parts.kind() == Kind::Array) {
        // Beside parts, `content` and `toolInvocations` only repeat them.
        fields.take_str("content");
        fields.take_if("toolInvocations", |calls| calls.kind() == Kind::Array);
        for (nth, part) in parts.elements().enumerate() {
            read_ui::part(&mut fields, format_args!("parts.{nth}"), part, &mut items);
        }
    } else {
        if let Some(content) = fields.take("content") {
            read_content(&mut fields, content, &mut items);
        }
        for key in ["toolInvocations", "toolCalls"] {
            let calls = fields.take_if(key, |calls| calls.kind() == Kind::Array);
            for (nth, call) in calls.into_iter().flat_map(Raw::elements).enumerate() {
                read_ui::invocation(&mut fields, format_args!("{key}.{nth}"), call, call, &mut items);
            }
        }
    }
    let files = fields.take_if("experimental_attachments", |files| files.kind() == Kind::Array);
    for (nth, file) in files.into_iter().flat_map(Raw::elements).enumerate() {
        items.push(read_ui::attachment(&mut fields, format_args!("experimental_attachments.{nth}"), file));
    }
    Ok(Parsed { role, slot: Slot::List, items, extras: fields.rest() })
}

/// The `system` option beside the messages: a string.
pub(super) fn head(raw: &ByteString) -> Result<Parsed, Misshapen> {
    let mut fields = Fields::of_value(raw)?;
    let mut items = Vec::new();
    read_content(&mut fields, Raw::trusted(raw), &mut items);
    Ok(Parsed { role: Role::System, slot: Slot::Head, items, extras: fields.rest() })
}

fn read_content(fields: &mut Fields, content: Raw, items: &mut Vec<Item>) {
    match content.kind() {
        Kind::String if content.text() == "\"\"" => {}
        Kind::String => items.push(fields.text_item(content, ItemKind::Text)),
        Kind::Array => {
            for (nth, part) in content.elements().enumerate() {
                read_part(fields, format_args!("content.{nth}"), part, items);
            }
        }
        _ => items.push(fields.other(content)),
    }
}

fn read_part(fields: &mut Fields, path: Arguments, part: Raw, items: &mut Vec<Item>) {
    let item = match part.str_at("type").as_deref() {
        Some("text") => read_text(fields, path, part),
        Some("reasoning" | "redacted-reasoning") => Some(read_reasoning(fields, path, part)),
        Some("image") => read_image(fields, path, part),
        Some("file") => read_file(fields, path, part, "data"),
        Some("tool-call") => {
            fields.note_extras(path, part, &["type", "toolCallId", "toolName", "input", "args"]);
            Some(call(fields, part, part, name_at(part, "toolName")))
        }
        Some("tool-result") => return read_result(fields, path, part, items),
        _ => None,
    };
    items.push(item.unwrap_or_else(|| fields.other(part)));
}

pub(super) fn read_text(fields: &mut Fields, path: Arguments, part: Raw) -> Option<Item> {
    let text = string_at(part, "text")?;
    fields.note_extras(path, part, &["type", "text"]);
    Some(fields.text_item_in(part, text, ItemKind::Text))
}

pub(super) fn read_reasoning(fields: &mut Fields, path: Arguments, part: Raw) -> Item {
    let opaque = Seal::on(part).map_or(0, |seal| seal.text().len());
    let text = string_at(part, "text").or(string_at(part, "reasoning"));
    let carried: &[&str] = match opaque {
        0 => &["type", "text", "reasoning"],
        _ => &["type", "text", "reasoning", "data", "providerOptions", "providerMetadata"],
    };
    fields.note_extras(path, part, carried);
    let kind = ItemKind::Reasoning(Reasoning { opaque });
    match text.filter(|text| text.text() != "\"\"") {
        Some(text) => fields.text_item_in(part, text, kind),
        None => fields.item(part, kind),
    }
}

fn read_image(fields: &mut Fields, path: Arguments, part: Raw) -> Option<Item> {
    let found = base64_or_url(fields.raw, part.get("image")?)?;
    fields.note_extras(path, part, &["type", "image", "mediaType", "mimeType"]);
    fields.media(part, MediaKind::Image, Some(found), part.str_at("mediaType").or(part.str_at("mimeType")))
}

pub(super) fn read_file(fields: &mut Fields, path: Arguments, part: Raw, key: &str) -> Option<Item> {
    let found = base64_or_url(fields.raw, part.get(key)?)?;
    fields.note_extras(path, part, &["type", key, "mediaType", "mimeType"]);
    let mime = part.str_at("mediaType").or(part.str_at("mimeType"));
    let kind = mime.as_deref().or(found.0.as_deref()).map_or(MediaKind::Document, kind_of);
    fields.media(part, kind, Some(found), mime)
}

/// A call whose id and input stand in `body`.
pub(super) fn call(fields: &Fields, whole: Raw, body: Raw, name: ByteString) -> Item {
    let input = body.get("input").or(body.get("args")).filter(|input| !input.is_null());
    let freeform = input.is_some_and(|input| input.kind() == Kind::String);
    let kind = ItemKind::Call(Box::new(Call { id: name_at(body, "toolCallId"), name, freeform }));
    match input {
        Some(input) => fields.text_item_in(whole, input, kind),
        None => fields.item(whole, kind),
    }
}

fn read_result(fields: &mut Fields, path: Arguments, part: Raw, items: &mut Vec<Item>) {
    let carried =
        ["type", "toolCallId", "toolName", "output", "result", "isError", "experimental_content", "content"];
    fields.note_extras(path, part, &carried);
    let mut result = CallResult {
        call: name_at(part, "toolCallId"),
        name: Some(name_at(part, "toolName")).filter(|name| !name.is_empty()),
        is_error: part.get("isError").and_then(Raw::bool).unwrap_or(false),
        structure: None,
    };
    let mut inside = Vec::new();
    let mut texts = Texts::new();
    let v4_content = part.get("experimental_content").or(part.get("content"));
    if let Some(output) = part.get("output") {
        match (output.str_at("type").as_deref(), output.get("value")) {
            (Some(kind @ ("text" | "json" | "error-text" | "error-json")), Some(value)) => {
                result.is_error = kind.starts_with("error");
                fields.note_extras(format_args!("{path}.output"), output, &["type", "value"]);
                (texts, result.structure) = structured::texts(fields, value);
            }
            (Some("content"), Some(value)) => {
                fields.note_extras(format_args!("{path}.output"), output, &["type", "value"]);
                read_inside(fields, format_args!("{path}.output.value"), value, &mut inside);
            }
            (Some("execution-denied"), _) => {
                result.is_error = true;
                fields.note_extras(format_args!("{path}.output"), output, &["reason"]);
                texts.extend(string_at(output, "reason").map(|reason| fields.text(reason)));
            }
            _ => (texts, result.structure) = structured::texts(fields, output),
        }
    } else if let Some(content) = v4_content.filter(|content| content.kind() == Kind::Array) {
        // What the model reads; `result` then is for the program.
        if part.get("result").is_some_and(|result| !result.is_null()) {
            fields.note_extras(
                format_args!("{path}"),
                part,
                &carried.map(|key| if key == "result" { "" } else { key }),
            );
        }
        read_inside(fields, format_args!("{path}.content"), content, &mut inside);
    } else if let Some(value) = part.get("result").filter(|value| !value.is_null()) {
        (texts, result.structure) = structured::texts(fields, value);
    }
    let item = Item { texts, ..fields.item(part, ItemKind::Result(Box::new(result))) };
    push_result(item, inside, items);
}

fn read_inside(fields: &mut Fields, path: Arguments, content: Raw, items: &mut Vec<Item>) {
    for (nth, part) in content.elements().enumerate() {
        let item = read_inside_part(fields, format_args!("{path}.{nth}"), part);
        items.push(item.unwrap_or_else(|| fields.other(part)));
    }
}

fn read_inside_part(fields: &mut Fields, path: Arguments, part: Raw) -> Option<Item> {
    let kind = part.str_at("type")?;
    let mime = part.str_at("mediaType").or(part.str_at("mimeType"));
    let by_mime = mime.as_deref().map_or(MediaKind::Document, kind_of);
    let (kind, key) = match &*kind {
        "text" => return read_text(fields, path, part),
        "image" | "image-data" => (MediaKind::Image, "data"),
        "media" | "file-data" => (by_mime, "data"),
        "image-url" => (MediaKind::Image, "url"),
        "file-url" => (by_mime, "url"),
        "image-file-id" => (MediaKind::Image, "fileId"),
        "file-id" => (by_mime, "fileId"),
        _ => return None,
    };
    let value = string_at(part, key)?;
    let found = match key {
        "data" => (None, MediaSource::Inline(value.span_in(fields.raw).into())),
        _ => inline_or_remote(fields.raw, value)?,
    };
    fields.note_extras(path, part, &["type", key, "mediaType", "mimeType"]);
    fields.media(part, kind, Some(found), mime)
}
