//! Reading Gemini contents. The API takes every field in camel and in snake case.

use std::fmt::Arguments;

use bytestring::ByteString;

use crate::history::Parsed;
use crate::history::{Call, CallResult, Item, ItemKind, MediaSource, Reasoning, Role, Slot, Span, Texts};
use crate::json::{Kind, Raw};
use crate::wire::fields::{Fields, name_at, push_result, string_at};
use crate::wire::media::kind_of;
use crate::wire::structured;
use crate::wire::{Likeness, Misshapen};

pub(super) fn likeness(message: Raw) -> Likeness {
    let role = message.str_at("role");
    if !matches!(role.as_deref(), None | Some("user" | "model" | "function" | "tool" | "system")) {
        return Likeness::No;
    }
    let Some(parts) = message.get("parts") else { return Likeness::No };
    let is_part = |part: Raw| part.kind() == Kind::Object && part.get("type").is_none();
    match parts.kind() {
        Kind::Array if parts.elements().all(is_part) => Likeness::Sure,
        Kind::Object if is_part(parts) => Likeness::Sure,
        _ => Likeness::No,
    }
}

pub(super) fn message(raw: &ByteString) -> Result<Parsed, Misshapen> {
    let mut fields = Fields::of(raw)?;
    let role = match fields.take_str("role").as_deref() {
        Some("user") => Role::User,
        Some("model") => Role::Assistant,
        Some("function" | "tool") => Role::Tool,
        Some("system") => Role::System,
        Some(other) => return Err(Misshapen(format!("the role is `{other}`"))),
        None if Raw::trusted(raw).get("parts").is_some() => Role::User,
        None => return Err(Misshapen("it has neither a `role` nor `parts`".into())),
    };
    let mut items = Vec::new();
    read_parts(&mut fields, &mut items);
    Ok(Parsed { role, slot: Slot::List, items, extras: fields.rest() })
}

/// The `systemInstruction` field: a content whose role does not count, or a string.
pub(super) fn head(raw: &ByteString) -> Result<Parsed, Misshapen> {
    let value = Raw::trusted(raw);
    let mut items = Vec::new();
    if value.kind() == Kind::String {
        items.push(Fields::of_value(raw)?.text_item(value, ItemKind::Text));
        return Ok(Parsed { role: Role::System, slot: Slot::Head, items, extras: Vec::new() });
    }
    let mut fields = Fields::of(raw)?;
    fields.take_str("role");
    read_parts(&mut fields, &mut items);
    Ok(Parsed { role: Role::System, slot: Slot::Head, items, extras: fields.rest() })
}

fn read_parts(fields: &mut Fields, items: &mut Vec<Item>) {
    let Some(parts) = fields.take("parts") else { return };
    match parts.kind() {
        Kind::Array => {
            for (nth, part) in parts.elements().enumerate() {
                read_part(fields, format_args!("parts.{nth}"), part, items);
            }
        }
        Kind::Object => read_part(fields, format_args!("parts"), parts, items),
        _ => items.push(fields.other(parts)),
    }
}

fn read_part(fields: &mut Fields, path: Arguments, part: Raw, items: &mut Vec<Item>) {
    if let Some(response) =
        either(part, "functionResponse", "function_response").filter(|it| it.kind() == Kind::Object)
    {
        fields.note_extras(path, part, &["functionResponse", "function_response"]);
        return read_result(fields, path, part, response, items);
    }
    let item = read_text(fields, path, part)
        .or_else(|| read_call(fields, path, part))
        .or_else(|| read_inline(fields, path, part))
        .or_else(|| read_remote(fields, path, part));
    items.push(item.unwrap_or_else(|| {
        // Parts have no type: their first field says what they are.
        let name = part.members().next().map_or_else(|| "unknown".into(), |(key, _)| key.into_owned());
        fields.other_named(part, name)
    }));
}

fn read_text(fields: &mut Fields, path: Arguments, part: Raw) -> Option<Item> {
    let text = string_at(part, "text")?;
    if part.get("thought").and_then(Raw::bool) != Some(true) {
        fields.note_extras(path, part, &["text"]);
        return Some(fields.text_item_in(part, text, ItemKind::Text));
    }
    fields.note_extras(path, part, &["text", "thought", "thoughtSignature", "thought_signature"]);
    let signature = either(part, "thoughtSignature", "thought_signature").and_then(Raw::str);
    let opaque = signature.map_or(0, |signature| signature.len());
    Some(fields.text_item_in(part, text, ItemKind::Reasoning(Reasoning { opaque })))
}

fn read_call(fields: &mut Fields, path: Arguments, part: Raw) -> Option<Item> {
    let call = either(part, "functionCall", "function_call").filter(|call| call.kind() == Kind::Object)?;
    fields.note_extras(path, part, &["functionCall", "function_call"]);
    fields.note_extras(format_args!("{path}.functionCall"), call, &["id", "name", "args"]);
    let kind = ItemKind::Call(Box::new(Call {
        id: name_at(call, "id"),
        name: name_at(call, "name"),
        freeform: false,
    }));
    Some(match call.get("args").filter(|args| !args.is_null()) {
        Some(args) => fields.text_item_in(part, args, kind),
        None => fields.item(part, kind),
    })
}

fn read_inline(fields: &mut Fields, path: Arguments, part: Raw) -> Option<Item> {
    let blob = either(part, "inlineData", "inline_data")?;
    let data = MediaSource::Inline(string_at(blob, "data")?.span_in(fields.raw).into());
    fields.note_extras(path, part, &["inlineData", "inline_data"]);
    fields.note_extras(format_args!("{path}.inlineData"), blob, &["data", "mimeType", "mime_type"]);
    let mime = either(blob, "mimeType", "mime_type").and_then(Raw::str);
    let kind = kind_of(mime.as_deref().unwrap_or_default());
    fields.media(part, kind, Some((None, data)), mime)
}

fn read_remote(fields: &mut Fields, path: Arguments, part: Raw) -> Option<Item> {
    let file = either(part, "fileData", "file_data")?;
    let uri = either(file, "fileUri", "file_uri").and_then(Raw::str)?;
    fields.note_extras(path, part, &["fileData", "file_data"]);
    fields.note_extras(
        format_args!("{path}.fileData"),
        file,
        &["fileUri", "file_uri", "mimeType", "mime_type"],
    );
    let mime = either(file, "mimeType", "mime_type").and_then(Raw::str);
    let kind = kind_of(mime.as_deref().unwrap_or_default());
    fields.media(part, kind, Some((None, MediaSource::Remote(uri.into_owned().into()))), mime)
}

fn read_result(fields: &mut Fields, path: Arguments, part: Raw, body: Raw, items: &mut Vec<Item>) {
    fields.note_extras(format_args!("{path}.functionResponse"), body, &["id", "name", "response", "parts"]);
    let response = body.get("response").filter(|response| !response.is_null());
    let (texts, structure, is_error) =
        response.map_or((Texts::new(), None, false), |response| response_texts(fields, response));
    let result = CallResult {
        call: name_at(body, "id"),
        name: Some(name_at(body, "name")).filter(|name| !name.is_empty()),
        is_error,
        structure,
    };
    let mut inside = Vec::new();
    for (nth, part) in body.get("parts").into_iter().flat_map(Raw::elements).enumerate() {
        let path = format_args!("{path}.functionResponse.parts.{nth}");
        let item = read_inline(fields, path, part).or_else(|| read_remote(fields, path, part));
        inside.push(item.unwrap_or_else(|| fields.other(part)));
    }
    let item = Item { texts, ..fields.item(part, ItemKind::Result(Box::new(result))) };
    push_result(item, inside, items);
}

/// Responses must be objects, so everybody wraps texts in one: where its only field is a text or a list of texts, these
/// are what the tool said. Otherwise it is an object like any other.
fn response_texts(fields: &Fields, response: Raw) -> (Texts, Option<Span>, bool) {
    match wrapped(response) {
        Some((key, value)) if value.kind() == Kind::String => {
            (fields.text(value).into(), None, key == "error")
        }
        Some((key, value)) => {
            (value.elements().map(|text| fields.text(text)).collect(), None, key == "error")
        }
        None => {
            let (texts, structure) = structured::texts(fields, response);
            (texts, structure, false)
        }
    }
}

/// The only field of a response that does nothing but wrap texts.
pub(super) fn wrapped<'a>(response: Raw<'a>) -> Option<(String, Raw<'a>)> {
    let mut members = response.members();
    let (key, value) = members.next()?;
    let is_only = members.next().is_none();
    let is_wrapper = matches!(&*key, "output" | "result" | "error" | "content");
    let is_texts = || {
        let mut texts = value.elements().peekable();
        texts.peek().is_some() && texts.all(|text| text.kind() == Kind::String)
    };
    (is_only && is_wrapper && (value.kind() == Kind::String || is_texts())).then(|| (key.into_owned(), value))
}

/// The value under one of two spellings of a key.
pub(super) fn either<'a>(value: Raw<'a>, camel: &str, snake: &str) -> Option<Raw<'a>> {
    value.get(camel).or_else(|| value.get(snake))
}
