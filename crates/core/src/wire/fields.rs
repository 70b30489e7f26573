//! What every wire format's reader needs: the fields of a message, and items cut from them.

use std::borrow::Cow;
use std::fmt::Arguments;

use bytestring::ByteString;

use super::{Misshapen, check_size};
use crate::history::{Item, ItemId, ItemKind, Media, MediaKind, MediaSource, Spelling, Text};
use crate::json::{Kind, Raw};

/// The fields of a message that nobody has taken yet. What is left over is carried along, and named when a conversion
/// loses it.
pub(super) struct Fields<'a> {
    /// The message.
    pub(super) raw: &'a ByteString,
    left: Vec<(Cow<'a, str>, Raw<'a>)>,
    /// Names of fields inside the message's parts that no item carries.
    nested: Vec<ByteString>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(raw: &'a ByteString) -> Result<Fields<'a>, Misshapen> {
        let value = Raw::trusted(raw);
        match value.kind() {
            Kind::Object => Ok(Fields { left: value.members().collect(), ..Fields::of_value(raw)? }),
            Kind::Array => Err(Misshapen("it is an array, not an object".into())),
            _ => Err(Misshapen("it is not an object".into())),
        }
    }

    /// For a message that is no object: a prompt that is a string or a list of parts.
    pub(super) fn of_value(raw: &'a ByteString) -> Result<Fields<'a>, Misshapen> {
        check_size(raw.len())?;
        Ok(Fields { raw, left: Vec::new(), nested: Vec::new() })
    }

    /// Takes a field; `null` counts as absent.
    pub(super) fn take(&mut self, key: &str) -> Option<Raw<'a>> {
        let mut found = None;
        self.left.retain(|(name, value)| {
            let matches = name == key;
            if matches {
                found = Some(*value);
            }
            !matches
        });
        found.filter(|value| !value.is_null())
    }

    /// Takes a field if its value is as wanted; otherwise it stays and will be named as an extra.
    pub(super) fn take_if(&mut self, key: &str, wanted: impl Fn(&Raw) -> bool) -> Option<Raw<'a>> {
        let value = self.left.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)?;
        if value.is_null() || wanted(&value) { self.take(key) } else { None }
    }

    /// Takes a field whose value is a string.
    pub(super) fn take_str(&mut self, key: &str) -> Option<String> {
        self.take_if(key, |value| value.kind() == Kind::String).and_then(Raw::str).map(Cow::into_owned)
    }

    /// Notes the fields of a part that no item carries, under the part's path in the message: `content.0`.
    pub(super) fn note_extras(&mut self, path: Arguments, part: Raw, carried: &[&str]) {
        for (key, value) in part.members() {
            if says_something(value) && !carried.contains(&&*key) {
                self.nested.push(format!("{path}.{key}").into());
            }
        }
    }

    /// The names of the fields nobody took.
    pub(super) fn rest(self) -> Vec<ByteString> {
        let left = self.left.into_iter().filter(|(_, value)| says_something(*value));
        left.map(|(key, _)| key.into_owned().into()).chain(self.nested).collect()
    }

    /// An item without text.
    pub(super) fn item(&self, whole: Raw, kind: ItemKind) -> Item {
        Item::new(kind, whole.span_in(self.raw))
    }

    /// An item that is one text.
    pub(super) fn text_item(&self, text: Raw, kind: ItemKind) -> Item {
        self.text_item_in(text, text, kind)
    }

    /// An item whose text stands inside a larger value.
    pub(super) fn text_item_in(&self, whole: Raw, text: Raw, kind: ItemKind) -> Item {
        Item { texts: self.text(text).into(), ..self.item(whole, kind) }
    }

    /// An item of media, `None` where its source makes no sense.
    pub(super) fn media(
        &self,
        whole: Raw,
        kind: MediaKind,
        found: Option<(Option<ByteString>, MediaSource)>,
        stated: Option<Cow<str>>,
    ) -> Option<Item> {
        let (seen, source) = found?;
        let mime = stated.map(|mime| mime.into_owned().into()).or(seen);
        Some(self.item(whole, ItemKind::Media(Box::new(Media { kind, mime, source }))))
    }

    /// A text: a string's content, or the JSON of any other value.
    pub(super) fn text(&self, raw: Raw) -> Text {
        let span = raw.span_in(self.raw).into();
        match raw.str() {
            Some(Cow::Borrowed(text)) => {
                Text { value: self.raw.slice_ref(text), span, spelling: Spelling::Quoted }
            }
            Some(Cow::Owned(text)) => Text { value: text.into(), span, spelling: Spelling::Quoted },
            None => Text { value: self.raw.slice_ref(raw.text()), span, spelling: Spelling::Json },
        }
    }

    /// Something this format's reader does not know: kept whole, named by its type.
    pub(super) fn other(&self, whole: Raw) -> Item {
        let kind = whole.str_at("type").map_or_else(|| "unknown".to_string(), Cow::into_owned);
        self.other_named(whole, kind)
    }

    /// Something kept whole, under a name of its own.
    pub(super) fn other_named(&self, whole: Raw, name: impl Into<ByteString>) -> Item {
        self.item(whole, ItemKind::Other(Box::new(name.into())))
    }
}

/// The value under `key` if it is a string.
pub(super) fn string_at<'a>(part: Raw<'a>, key: &str) -> Option<Raw<'a>> {
    part.get(key).filter(|value| value.kind() == Kind::String)
}

/// The decoded string under `key`, empty where there is none.
pub(super) fn name_at(part: Raw, key: &str) -> ByteString {
    part.str_at(key).unwrap_or_default().into_owned().into()
}

/// Puts what was read inside a result behind it: texts into the result, anything else as items of its own.
pub(super) fn push_result(mut result: Item, inside: Vec<Item>, items: &mut Vec<Item>) {
    let at = ItemId::new(items.len());
    let mut loose = Vec::new();
    for item in inside {
        match item.kind {
            ItemKind::Text => result.texts.extend(item.texts),
            _ => loose.push(Item { within: Some(at), ..item }),
        }
    }
    items.push(result);
    items.extend(loose);
}

/// `null` and `[]` are how many writers spell an absent field.
fn says_something(value: Raw) -> bool {
    match value.kind() {
        Kind::Null => false,
        Kind::Array => value.elements().next().is_some(),
        _ => true,
    }
}
