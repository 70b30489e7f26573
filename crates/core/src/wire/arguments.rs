//! The input of a call, for formats that want a JSON object.

use std::borrow::Cow;

use super::losses::Losses;
use crate::history::Item;
use crate::json::{Kind, ObjectWriter, Raw};

/// The arguments of a call as the text they are; no arguments are an empty object.
pub(super) fn as_text(item: &Item) -> &str {
    match item.texts.first() {
        Some(text) if !text.value.trim().is_empty() => &text.value,
        _ if item.call().is_some_and(|call| call.freeform) => "",
        _ => "{}",
    }
}

/// The arguments as a JSON object, byte for byte where they are one. Anything else is wrapped.
pub(super) fn as_object<'a>(item: &'a Item, losses: &mut Losses) -> Cow<'a, str> {
    let text = as_text(item);
    let freeform = item.call().is_some_and(|call| call.freeform);
    let is_object = || Raw::parse(text).is_ok_and(|raw| raw.kind() == Kind::Object);
    if !freeform && is_object() {
        return Cow::Borrowed(text.trim());
    }
    losses.item(item, "that the input of a call is text and no JSON object (it is wrapped as `input`)");
    Cow::Owned(ObjectWriter::new().string("input", text).finish())
}
