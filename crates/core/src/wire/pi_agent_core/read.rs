//! Reading messages of pi-agent-core.

use std::fmt::Arguments;

use bytestring::ByteString;

use crate::history::Parsed;
use crate::history::{Call, CallResult, Item, ItemKind, MediaKind, MediaSource, Reasoning, Role, Slot};
use crate::json::{Kind, Raw};
use crate::wire::fields::{Fields, name_at, push_result, string_at};
use crate::wire::{Likeness, Misshapen};

/// What pi's own coding agent adds to the three roles; `convertToLlm` makes user messages of them.
const OF_THE_APP: [&str; 4] = ["bashExecution", "custom", "branchSummary", "compactionSummary"];

pub(super) fn likeness(message: Raw) -> Likeness {
    let mut likeness = match message.str_at("role").as_deref() {
        Some("toolResult" | "bashExecution" | "branchSummary" | "compactionSummary") => Likeness::Sure,
        Some("user" | "assistant" | "custom") => Likeness::Possible,
        _ => return Likeness::No,
    };
    for (key, value) in message.members() {
        match &*key {
            "tool_calls" | "tool_call_id" | "function_call" | "parts" | "toolInvocations" | "type" => {
                return Likeness::No;
            }
            "stopReason" | "toolCallId" => likeness = Likeness::Sure,
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
    let says_nothing = likeness == Likeness::Possible && message.get("content").is_none();
    if says_nothing { Likeness::No } else { likeness }
}

fn part_likeness(part: Raw) -> Likeness {
    match part.str_at("type").as_deref() {
        Some("text") => Likeness::Possible,
        Some("toolCall") => Likeness::Sure,
        Some("thinking") if part.get("thinkingSignature").is_some() => Likeness::Sure,
        Some("thinking") if part.get("signature").is_none() => Likeness::Possible,
        Some("image") if part.get("mimeType").is_some() && part.get("data").is_some() => Likeness::Sure,
        _ => Likeness::No,
    }
}

pub(super) fn message(raw: &ByteString) -> Result<Parsed, Misshapen> {
    let mut fields = Fields::of(raw)?;
    let mut items = Vec::new();
    let role = match fields.take_str("role").as_deref() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("toolResult") => {
            read_result(&mut fields, &mut items);
            return Ok(Parsed { role: Role::Tool, slot: Slot::List, items, extras: fields.rest() });
        }
        Some(role) if OF_THE_APP.contains(&role) => Role::User,
        // Whatever else the app keeps between its messages: sent on as it is, for `convertToLlm` to judge.
        Some(other) => return Ok(Parsed::unknown(raw, Slot::List, other)),
        None => return Err(Misshapen("it has no `role`".into())),
    };
    if let Some(content) = fields.take("content") {
        read_content(&mut fields, content, &mut items);
    }
    let summary = fields.take_if("summary", |summary| summary.kind() == Kind::String);
    items.extend(summary.map(|text| fields.text_item(text, ItemKind::Summary)));
    // What the user ran, and what it printed.
    for key in ["command", "output"] {
        let said = fields.take_if(key, |said| said.kind() == Kind::String);
        items.extend(said.map(|text| fields.text_item(text, ItemKind::Text)));
    }
    Ok(Parsed { role, slot: Slot::List, items, extras: fields.rest() })
}

/// `systemPrompt`: a string.
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
                items.push(read_part(fields, format_args!("content.{nth}"), part));
            }
        }
        _ => items.push(fields.other(content)),
    }
}

fn read_part(fields: &mut Fields, path: Arguments, part: Raw) -> Item {
    let item = match part.str_at("type").as_deref() {
        // Older versions name the parts of a result so.
        Some("text" | "tool_result") => read_text(fields, path, part),
        Some("thinking") => Some(read_thinking(fields, path, part)),
        Some("image") => read_image(fields, path, part),
        Some("toolCall") => Some(read_call(fields, path, part)),
        _ => None,
    };
    item.unwrap_or_else(|| fields.other(part))
}

fn read_text(fields: &mut Fields, path: Arguments, part: Raw) -> Option<Item> {
    let text = string_at(part, "text")?;
    fields.note_extras(path, part, &["type", "text"]);
    Some(fields.text_item_in(part, text, ItemKind::Text))
}

/// A signature is whose API made it, which the message knows and the part does not: it stays with pi.
fn read_thinking(fields: &mut Fields, path: Arguments, part: Raw) -> Item {
    fields.note_extras(path, part, &["type", "thinking"]);
    let opaque = string_at(part, "thinkingSignature").map_or(0, |signature| signature.text().len() - 2);
    let kind = ItemKind::Reasoning(Reasoning { opaque });
    match string_at(part, "thinking").filter(|text| text.text() != "\"\"") {
        Some(text) => fields.text_item_in(part, text, kind),
        None => fields.item(part, kind),
    }
}

fn read_image(fields: &mut Fields, path: Arguments, part: Raw) -> Option<Item> {
    let source = MediaSource::Inline(string_at(part, "data")?.span_in(fields.raw).into());
    fields.note_extras(path, part, &["type", "data", "mimeType"]);
    fields.media(part, MediaKind::Image, Some((None, source)), part.str_at("mimeType"))
}

fn read_call(fields: &mut Fields, path: Arguments, part: Raw) -> Item {
    fields.note_extras(path, part, &["type", "id", "name", "arguments"]);
    let arguments = part.get("arguments").filter(|arguments| !arguments.is_null());
    let freeform = arguments.is_some_and(|arguments| arguments.kind() == Kind::String);
    let (id, name) = (name_at(part, "id"), name_at(part, "name"));
    let kind = ItemKind::Call(Box::new(Call { id, name, freeform }));
    match arguments {
        Some(arguments) => fields.text_item_in(part, arguments, kind),
        None => fields.item(part, kind),
    }
}

fn read_result(fields: &mut Fields, items: &mut Vec<Item>) {
    let call = fields.take_str("toolCallId").unwrap_or_default().into();
    let name = fields.take_str("toolName").filter(|name| !name.is_empty()).map(ByteString::from);
    let is_error = fields.take_if("isError", |it| it.kind() == Kind::Bool).and_then(Raw::bool) == Some(true);
    let kind = ItemKind::Result(Box::new(CallResult { call, name, is_error, structure: None }));
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
