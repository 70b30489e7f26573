//! Reading OpenAI Responses items.

use std::fmt::Arguments;

use bytestring::ByteString;

use crate::history::Parsed;
use crate::history::{
    Call, CallResult, Item, ItemKind, MediaKind, MediaSource, Reasoning, Role, Slot, Texts,
};
use crate::json::{Kind, Raw};
use crate::wire::fields::{Fields, push_result, string_at};
use crate::wire::media::{base64_or_url, inline_or_remote, kind_of};
use crate::wire::{Likeness, Misshapen};

pub(super) fn likeness(message: Raw) -> Likeness {
    if message.kind() == Kind::String {
        return Likeness::Possible;
    }
    let foreign = ["tool_calls", "tool_call_id", "function_call", "parts", "toolInvocations", "payload"];
    if message.members().any(|(key, _)| foreign.contains(&&*key)) {
        return Likeness::No;
    }
    match message.str_at("type").as_deref() {
        None | Some("message") => message_likeness(message),
        Some(
            "reasoning"
            | "function_call"
            | "function_call_output"
            | "custom_tool_call"
            | "custom_tool_call_output"
            | "item_reference"
            | "compaction"
            | "compaction_trigger"
            | "additional_tools"
            | "configuration_update"
            | "agent_message",
        ) => Likeness::Sure,
        Some(kind) if is_tool_item(kind) => Likeness::Sure,
        Some(_) => Likeness::No,
    }
}

fn message_likeness(message: Raw) -> Likeness {
    if !matches!(message.str_at("role").as_deref(), Some("system" | "developer" | "user" | "assistant")) {
        return Likeness::No;
    }
    let Some(content) = message.get("content") else { return Likeness::No };
    let mut likeness = Likeness::Possible;
    for part in content.elements() {
        match part.str_at("type").as_deref() {
            Some("input_text" | "output_text" | "input_image" | "input_file") => likeness = Likeness::Sure,
            Some("input_audio" | "refusal" | "text") => {}
            _ => return Likeness::No,
        }
    }
    likeness
}

/// `web_search_call`, `shell_call_output`, `mcp_approval_request` and their like.
fn is_tool_item(kind: &str) -> bool {
    kind.ends_with("_call") || kind.ends_with("_call_output") || kind.starts_with("mcp_")
}

pub(super) fn message(raw: &ByteString) -> Result<Parsed, Misshapen> {
    let value = Raw::trusted(raw);
    if value.kind() == Kind::String {
        let items = vec![Fields::of_value(raw)?.text_item(value, ItemKind::Text)];
        return Ok(Parsed { role: Role::User, slot: Slot::List, items, extras: Vec::new() });
    }
    let mut fields = Fields::of(raw)?;
    let mut items = Vec::new();
    let kind = fields.take_str("type");
    let role = match kind.as_deref() {
        None | Some("message") => read_said(&mut fields, &mut items)?,
        Some("agent_message") => {
            read_content(&mut fields, &mut items);
            Role::User
        }
        Some("reasoning") => {
            items.push(read_reasoning(&mut fields));
            Role::Assistant
        }
        Some("function_call") => {
            items.push(read_call(&mut fields, "name", "arguments", false));
            Role::Assistant
        }
        Some("custom_tool_call") => {
            items.push(read_call(&mut fields, "name", "input", true));
            Role::Assistant
        }
        Some("local_shell_call" | "shell_call") => {
            items.push(read_builtin_call(&mut fields, "shell", "action"));
            Role::Assistant
        }
        Some("apply_patch_call") => {
            items.push(read_builtin_call(&mut fields, "apply_patch", "operation"));
            Role::Assistant
        }
        Some(
            "function_call_output"
            | "custom_tool_call_output"
            | "local_shell_call_output"
            | "shell_call_output"
            | "apply_patch_call_output",
        ) => {
            read_result(&mut fields, &mut items);
            Role::Tool
        }
        // Kept whole: nothing inside it is named on its own.
        Some(kind) => {
            let role = match kind {
                // Nothing that happened, but what holds for all that does: tools, settings, a sealed past.
                "additional_tools" | "configuration_update" | "compaction" | "compaction_trigger" => {
                    Role::System
                }
                _ if kind.ends_with("_output") => Role::Tool,
                _ => Role::Assistant,
            };
            let items = vec![fields.other_named(value, kind.to_string())];
            return Ok(Parsed { role, slot: Slot::List, items, extras: Vec::new() });
        }
    };
    Ok(Parsed { role, slot: Slot::List, items, extras: fields.rest() })
}

/// The `instructions` field.
pub(super) fn head(raw: &ByteString) -> Result<Parsed, Misshapen> {
    let fields = Fields::of_value(raw)?;
    let value = Raw::trusted(raw);
    let items = match value.kind() {
        Kind::String if value.text() == "\"\"" => Vec::new(),
        Kind::String => vec![fields.text_item(value, ItemKind::Text)],
        _ => vec![fields.other(value)],
    };
    Ok(Parsed { role: Role::System, slot: Slot::Head, items, extras: Vec::new() })
}

fn read_said(fields: &mut Fields, items: &mut Vec<Item>) -> Result<Role, Misshapen> {
    let role = match fields.take_str("role").as_deref() {
        Some("system") => Role::System,
        Some("developer") => Role::Developer,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some(other) => return Err(Misshapen(format!("the role is `{other}`"))),
        None => return Err(Misshapen("it has neither a `type` nor a `role`".into())),
    };
    read_content(fields, items);
    Ok(role)
}

fn read_content(fields: &mut Fields, items: &mut Vec<Item>) {
    let Some(content) = fields.take("content") else { return };
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
        "input_text" | "output_text" | "text" | "summary_text" | "reasoning_text" => {
            read_text(fields, path, part, "text")
        }
        "refusal" => read_text(fields, path, part, "refusal"),
        "input_image" => read_image(fields, path, part),
        "input_file" => read_file(fields, path, part),
        "input_audio" => read_audio(fields, path, part),
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
    let source = string_at(part, "image_url").or(string_at(part, "file_id"))?;
    fields.note_extras(path, part, &["type", "image_url", "file_id"]);
    fields.media(part, MediaKind::Image, inline_or_remote(fields.raw, source), None)
}

fn read_file(fields: &mut Fields, path: Arguments, part: Raw) -> Option<Item> {
    let found = match string_at(part, "file_data") {
        Some(data) => base64_or_url(fields.raw, data),
        None => string_at(part, "file_url")
            .or(string_at(part, "file_id"))
            .and_then(|source| inline_or_remote(fields.raw, source)),
    }?;
    fields.note_extras(path, part, &["type", "file_data", "file_url", "file_id"]);
    let kind = found.0.as_deref().map_or(MediaKind::Document, kind_of);
    fields.media(part, kind, Some(found), None)
}

fn read_audio(fields: &mut Fields, path: Arguments, part: Raw) -> Option<Item> {
    let audio = part.get("input_audio")?;
    let data = MediaSource::Inline(string_at(audio, "data")?.span_in(fields.raw).into());
    fields.note_extras(path, part, &["type", "input_audio"]);
    let mime = audio.str_at("format").map(|format| format!("audio/{format}").into());
    fields.media(part, MediaKind::Audio, Some((mime, data)), None)
}

fn read_reasoning(fields: &mut Fields) -> Item {
    let mut texts = Texts::new();
    for key in ["summary", "content"] {
        let is_texts = |list: &Raw| {
            list.kind() == Kind::Array && list.elements().all(|part| string_at(part, "text").is_some())
        };
        for part in fields.take_if(key, is_texts).into_iter().flat_map(Raw::elements) {
            texts.extend(string_at(part, "text").map(|text| fields.text(text)));
        }
    }
    let opaque = fields.take_str("encrypted_content").map_or(0, |content| content.len());
    Item { texts, ..fields.item(Raw::trusted(fields.raw), ItemKind::Reasoning(Reasoning { opaque })) }
}

fn read_call(fields: &mut Fields, name: &str, input: &str, freeform: bool) -> Item {
    let name = fields.take_str(name).unwrap_or_default().into();
    call_item(fields, name, input, freeform)
}

/// The API's own shell and patch tools: calls like others, under a type of their own.
fn read_builtin_call(fields: &mut Fields, name: &'static str, input: &str) -> Item {
    call_item(fields, ByteString::from_static(name), input, false)
}

fn call_item(fields: &mut Fields, name: ByteString, input: &str, freeform: bool) -> Item {
    let id = fields.take_str("call_id").unwrap_or_default().into();
    let input = fields.take(input);
    let whole = Raw::trusted(fields.raw);
    let kind = ItemKind::Call(Box::new(Call { id, name, freeform }));
    match input {
        Some(input) => fields.text_item_in(whole, input, kind),
        None => fields.item(whole, kind),
    }
}

fn read_result(fields: &mut Fields, items: &mut Vec<Item>) {
    let call = fields.take_str("call_id").unwrap_or_default().into();
    let name = fields.take_str("name").map(ByteString::from);
    let output = fields.take("output");
    let kind = ItemKind::Result(Box::new(CallResult { call, name, is_error: false, structure: None }));
    let mut result = fields.item(Raw::trusted(fields.raw), kind);
    let mut inside = Vec::new();
    match output {
        Some(output) if output.elements().next().is_some_and(|part| string_at(part, "type").is_some()) => {
            for (nth, part) in output.elements().enumerate() {
                inside.push(read_part(fields, format_args!("output.{nth}"), part));
            }
        }
        Some(output) => result.texts.push(fields.text(output)),
        None => {}
    }
    push_result(result, inside, items);
}
