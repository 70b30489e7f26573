//! Reading Anthropic Messages.

use std::fmt::Arguments;

use bytestring::ByteString;

use crate::history::Parsed;
use crate::history::{
    Call, CallResult, Item, ItemKind, MediaKind, MediaSource, Reasoning, Role, Slot, Texts,
};
use crate::json::{Kind, Raw};
use crate::wire::fields::{Fields, name_at, push_result, string_at};
use crate::wire::media::kind_of;
use crate::wire::{Likeness, Misshapen};

pub(super) fn likeness(message: Raw) -> Likeness {
    let mut likeness = Likeness::No;
    for (key, value) in message.members() {
        match &*key {
            "role" => match value.str().as_deref() {
                Some("system" | "user" | "assistant") => likeness = likeness.max(Likeness::Possible),
                _ => return Likeness::No,
            },
            "content" => match content_likeness(value) {
                Likeness::No => return Likeness::No,
                found => likeness = likeness.max(found),
            },
            "tool_calls" | "tool_call_id" | "function_call" | "parts" | "toolInvocations" => {
                return Likeness::No;
            }
            _ => {}
        }
    }
    let has = |key: &str| message.get(key).is_some();
    if has("role") && has("content") { likeness } else { Likeness::No }
}

fn content_likeness(content: Raw) -> Likeness {
    let mut likeness = Likeness::Possible;
    for block in content.elements() {
        match block.str_at("type").as_deref() {
            Some(
                "tool_use" | "tool_result" | "thinking" | "redacted_thinking" | "server_tool_use"
                | "mcp_tool_use" | "search_result" | "compaction",
            ) => likeness = Likeness::Sure,
            Some("image" | "document") if block.get("source").is_some() => likeness = Likeness::Sure,
            Some(kind) if kind.ends_with("_tool_result") => likeness = Likeness::Sure,
            Some("text") => {}
            Some(kind) if is_foreign(kind) => return Likeness::No,
            _ => {}
        }
    }
    likeness
}

fn is_foreign(kind: &str) -> bool {
    let openai = [
        "image_url",
        "input_audio",
        "refusal",
        "file",
        "input_text",
        "output_text",
        "input_image",
        "input_file",
    ];
    openai.contains(&kind) || matches!(kind, "image" | "reasoning" | "toolCall") || kind.starts_with("tool-")
}

pub(super) fn message(raw: &ByteString) -> Result<Parsed, Misshapen> {
    let mut fields = Fields::of(raw)?;
    let role = match fields.take_str("role").as_deref() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("system") => Role::System,
        Some(other) => return Err(Misshapen(format!("the role is `{other}`"))),
        None => return Err(Misshapen("it has no `role`".into())),
    };
    let mut items = Vec::new();
    if let Some(content) = fields.take("content") {
        read_content(&mut fields, format_args!("content"), content, &mut items);
    }
    Ok(Parsed { role, slot: Slot::List, items, extras: fields.rest() })
}

/// The `system` field: a string, or text blocks.
pub(super) fn head(raw: &ByteString) -> Result<Parsed, Misshapen> {
    let mut fields = Fields::of_value(raw)?;
    let mut items = Vec::new();
    read_content(&mut fields, format_args!("system"), Raw::trusted(raw), &mut items);
    Ok(Parsed { role: Role::System, slot: Slot::Head, items, extras: fields.rest() })
}

fn read_content(fields: &mut Fields, path: Arguments, content: Raw, items: &mut Vec<Item>) {
    match content.kind() {
        Kind::String if content.text() == "\"\"" => {}
        Kind::String => items.push(fields.text_item(content, ItemKind::Text)),
        Kind::Array => {
            for (nth, block) in content.elements().enumerate() {
                read_block(fields, format_args!("{path}.{nth}"), block, items);
            }
        }
        _ => items.push(fields.other(content)),
    }
}

fn read_block(fields: &mut Fields, path: Arguments, block: Raw, items: &mut Vec<Item>) {
    let kind = block.str_at("type").unwrap_or_default();
    let item = match &*kind {
        "text" => read_text(fields, path, block, "text", ItemKind::Text),
        "compaction" => read_text(fields, path, block, "content", ItemKind::Summary),
        "thinking" => read_thinking(fields, path, block),
        "redacted_thinking" => read_redacted(fields, path, block),
        "tool_use" => read_call(fields, path, block),
        "tool_result" => return read_result(fields, path, block, items),
        "image" => read_media(fields, path, block, MediaKind::Image),
        "document" => match block.at(&["source", "type"]).and_then(Raw::str).as_deref() {
            Some("text") => read_plain_document(fields, path, block),
            Some("content") => return read_content_document(fields, path, block, items),
            _ => read_media(fields, path, block, MediaKind::Document),
        },
        "search_result" => return read_search_result(fields, path, block, items),
        _ => None,
    };
    items.push(item.unwrap_or_else(|| fields.other(block)));
}

fn read_text(fields: &mut Fields, path: Arguments, block: Raw, key: &str, kind: ItemKind) -> Option<Item> {
    let text = string_at(block, key)?;
    fields.note_extras(path, block, &["type", key]);
    Some(fields.text_item_in(block, text, kind))
}

fn read_thinking(fields: &mut Fields, path: Arguments, block: Raw) -> Option<Item> {
    let text = string_at(block, "thinking")?;
    fields.note_extras(path, block, &["type", "thinking", "signature"]);
    let opaque = block.str_at("signature").map_or(0, |signature| signature.len());
    Some(fields.text_item_in(block, text, ItemKind::Reasoning(Reasoning { opaque })))
}

fn read_redacted(fields: &mut Fields, path: Arguments, block: Raw) -> Option<Item> {
    let data = block.str_at("data")?;
    fields.note_extras(path, block, &["type", "data"]);
    Some(fields.item(block, ItemKind::Reasoning(Reasoning { opaque: data.len() })))
}

fn read_call(fields: &mut Fields, path: Arguments, block: Raw) -> Option<Item> {
    string_at(block, "name")?;
    fields.note_extras(path, block, &["type", "id", "name", "input"]);
    let call = Call { id: name_at(block, "id"), name: name_at(block, "name"), freeform: false };
    let kind = ItemKind::Call(Box::new(call));
    Some(match block.get("input") {
        Some(input) => fields.text_item_in(block, input, kind),
        None => fields.item(block, kind),
    })
}

fn read_result(fields: &mut Fields, path: Arguments, block: Raw, items: &mut Vec<Item>) {
    fields.note_extras(path, block, &["type", "tool_use_id", "content", "is_error"]);
    let is_error = block.get("is_error").and_then(Raw::bool).unwrap_or(false);
    let result = CallResult { call: name_at(block, "tool_use_id"), name: None, is_error, structure: None };
    let mut item = fields.item(block, ItemKind::Result(Box::new(result)));
    let mut inside = Vec::new();
    match block.get("content") {
        Some(content) if matches!(content.kind(), Kind::String | Kind::Array) => {
            read_inside(fields, format_args!("{path}.content"), content, &mut inside);
        }
        Some(content) if !content.is_null() => item.texts.push(fields.text(content)),
        _ => {}
    }
    push_result(item, inside, items);
}

/// Like [`read_content`], but nothing in it can hold a result of its own: input without bound must not recurse.
fn read_inside(fields: &mut Fields, path: Arguments, content: Raw, items: &mut Vec<Item>) {
    if content.kind() == Kind::String {
        items.push(fields.text_item(content, ItemKind::Text));
    }
    for (nth, block) in content.elements().enumerate() {
        let path = format_args!("{path}.{nth}");
        let item = match block.str_at("type").as_deref() {
            Some("text") => read_text(fields, path, block, "text", ItemKind::Text),
            Some("image") => read_media(fields, path, block, MediaKind::Image),
            Some("document") => match block.at(&["source", "type"]).and_then(Raw::str).as_deref() {
                Some("text") => read_plain_document(fields, path, block),
                _ => read_media(fields, path, block, MediaKind::Document),
            },
            Some("search_result") => {
                read_search_result(fields, path, block, items);
                continue;
            }
            _ => None,
        };
        items.push(item.unwrap_or_else(|| fields.other(block)));
    }
}

fn read_media(fields: &mut Fields, path: Arguments, block: Raw, kind: MediaKind) -> Option<Item> {
    let source = block.get("source")?;
    let found = match source.str_at("type").as_deref() {
        Some("base64") => MediaSource::Inline(string_at(source, "data")?.span_in(fields.raw).into()),
        Some("url") => MediaSource::Remote(name_at(source, "url")),
        Some("file") => MediaSource::Remote(name_at(source, "file_id")),
        _ => return None,
    };
    fields.note_extras(path, block, &["type", "source"]);
    let mime = source.str_at("media_type");
    let kind =
        mime.as_deref().map_or(kind, |mime| if kind == MediaKind::Image { kind } else { kind_of(mime) });
    let media = fields.media(block, kind, Some((None, found)), mime)?;
    Some(Item { texts: about(fields, block), ..media })
}

/// What is said about a document beside what it says itself.
fn about(fields: &Fields, block: Raw) -> Texts {
    let said = ["title", "context"].into_iter().filter_map(|key| string_at(block, key));
    said.filter(|text| text.text() != "\"\"").map(|text| fields.text(text)).collect()
}

/// A document given as plain text is text the model reads.
fn read_plain_document(fields: &mut Fields, path: Arguments, block: Raw) -> Option<Item> {
    let source = block.get("source")?;
    let text = string_at(source, "data")?;
    fields.note_extras(path, block, &["type", "source", "title", "context"]);
    fields.note_extras(format_args!("{path}.source"), source, &["type", "data"]);
    let mut item = fields.text_item_in(block, text, ItemKind::Text);
    item.texts.extend(about(fields, block));
    Some(item)
}

/// A document given as blocks: its texts and pictures.
fn read_content_document(fields: &mut Fields, path: Arguments, block: Raw, items: &mut Vec<Item>) {
    let Some(content) = block.at(&["source", "content"]) else { return items.push(fields.other(block)) };
    if !matches!(content.kind(), Kind::String | Kind::Array) {
        return items.push(fields.other(block));
    }
    fields.note_extras(path, block, &["source", "title", "context"]);
    let about = about(fields, block);
    if !about.is_empty() {
        items.push(Item { texts: about, ..fields.item(block, ItemKind::Text) });
    }
    read_inside(fields, format_args!("{path}.source.content"), content, items);
}

/// A search result: the texts it quotes, and where they come from.
fn read_search_result(fields: &mut Fields, path: Arguments, block: Raw, items: &mut Vec<Item>) {
    let texts: Vec<_> = block.get("content").into_iter().flat_map(Raw::elements).collect();
    if texts.is_empty() || !texts.iter().all(|text| string_at(*text, "text").is_some()) {
        return items.push(fields.other(block));
    }
    fields.note_extras(path, block, &["content", "title", "source"]);
    let mut item = fields.item(block, ItemKind::Text);
    let named = ["title", "source"].into_iter().filter_map(|key| string_at(block, key));
    let texts = texts.iter().filter_map(|text| string_at(*text, "text")).chain(named);
    item.texts = texts.filter(|text| text.text() != "\"\"").map(|text| fields.text(text)).collect();
    items.push(item);
}
