//! Reading the parts of AI SDK `UIMessage`s, where a call and its result are one part.

use std::fmt::Arguments;

use super::read::{call, read_file, read_reasoning, read_text};
use crate::history::{CallResult, Item, ItemKind, MediaKind};
use crate::json::Raw;
use crate::wire::fields::{Fields, name_at, string_at};
use crate::wire::media::{inline_or_remote, kind_of};
use crate::wire::structured;

pub(super) fn part(fields: &mut Fields, path: Arguments, part: Raw, items: &mut Vec<Item>) {
    let kind = part.str_at("type").unwrap_or_default();
    let item = match &*kind {
        "text" => read_text(fields, path, part),
        "reasoning" => Some(read_reasoning(fields, path, part)),
        "file" if part.get("url").is_some() => read_file(fields, path, part, "url"),
        "file" => read_file(fields, path, part, "data"),
        // The border between two responses is for the display; the history finds steps by itself.
        "step-start" => return,
        "tool-invocation" => match part.get("toolInvocation") {
            Some(body) => return invocation(fields, path, part, body, items),
            None => None,
        },
        kind if kind.starts_with("tool-") || kind == "dynamic-tool" => {
            return invocation(fields, path, part, part, items);
        }
        _ => None,
    };
    items.push(item.unwrap_or_else(|| fields.other(part)));
}

/// A call, and its result where it has come.
pub(super) fn invocation(fields: &mut Fields, path: Arguments, whole: Raw, body: Raw, items: &mut Vec<Item>) {
    let kind = body.str_at("type").unwrap_or_default();
    let name = match kind.strip_prefix("tool-") {
        Some(name) if body.get("toolName").is_none() => name.to_string().into(),
        _ => name_at(body, "toolName"),
    };
    let carried =
        ["type", "toolCallId", "toolName", "state", "input", "args", "output", "result", "errorText", "step"];
    fields.note_extras(path, body, &carried);
    items.push(call(fields, whole, body, name.clone()));
    let error = string_at(body, "errorText");
    let said = error.or(body.get("output")).or(body.get("result")).filter(|said| !said.is_null());
    if let Some(said) = said {
        let (texts, structure) = structured::texts(fields, said);
        let call = name_at(body, "toolCallId");
        let result = CallResult { call, name: Some(name), is_error: error.is_some(), structure };
        items.push(Item { texts, ..fields.item(whole, ItemKind::Result(Box::new(result))) });
    }
}

/// A file beside the text, in v4.
pub(super) fn attachment(fields: &mut Fields, path: Arguments, file: Raw) -> Item {
    let found = file.get("url").and_then(|url| inline_or_remote(fields.raw, url));
    let mime = file.str_at("contentType");
    let kind = mime.as_deref().map_or(MediaKind::Document, kind_of);
    match fields.media(file, kind, found, mime) {
        Some(item) => {
            fields.note_extras(path, file, &["url", "contentType"]);
            item
        }
        None => fields.other(file),
    }
}
