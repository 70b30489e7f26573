//! What every wire format's reader needs: the fields of a message, and items cut from them.

use std::borrow::Cow;

use bytestring::ByteString;

use super::Misshapen;
use crate::history::History;
use crate::item::{Item, ItemKind, Media, MediaSource, Spelling, Text};
use crate::json::{Kind, Raw};

/// The fields of a message that nobody has taken yet. What is left over is carried along, and named when a conversion
/// loses it.
pub(super) struct Fields<'a> {
    /// The message.
    pub(super) raw: &'a ByteString,
    left: Vec<(Cow<'a, str>, Raw<'a>)>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(raw: &'a ByteString) -> Result<Fields<'a>, Misshapen> {
        let value = Raw::trusted(raw);
        match value.kind() {
            Kind::Object => Ok(Fields { raw, left: value.members().collect() }),
            Kind::Array => Err(Misshapen("it is an array, not an object".into())),
            _ => Err(Misshapen("it is not an object".into())),
        }
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

    /// The names of the fields nobody took. `null` fields say nothing and are not named.
    pub(super) fn rest(self) -> Vec<ByteString> {
        self.left
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, _)| key.into_owned().into())
            .collect()
    }

    /// An item without text.
    pub(super) fn item(&self, whole: Raw, kind: ItemKind) -> Item {
        Item {
            kind,
            message: 0,
            turn: 0,
            step: None,
            span: whole.span_in(self.raw),
            texts: Vec::new(),
            within: None,
        }
    }

    /// An item that is one text.
    pub(super) fn text_item(&self, text: Raw, kind: ItemKind) -> Item {
        self.text_item_in(text, text, kind)
    }

    /// An item whose text stands inside a larger value.
    pub(super) fn text_item_in(&self, whole: Raw, text: Raw, kind: ItemKind) -> Item {
        Item { texts: vec![self.text(text)], ..self.item(whole, kind) }
    }

    /// A text: a string's content, or the JSON of any other value.
    pub(super) fn text(&self, raw: Raw) -> Text {
        let span = raw.span_in(self.raw);
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
        self.item(whole, ItemKind::Other(kind.into()))
    }
}

/// Reads a URL-like string: `data:` URLs are bytes in the message, anything else is elsewhere. Returns the media type
/// a data URL states, and the source.
pub(super) fn inline_or_remote(message: &ByteString, url: Raw) -> Option<(Option<ByteString>, MediaSource)> {
    let text = url.str()?;
    if let Some(rest) = text.strip_prefix("data:") {
        let mime =
            rest.split([';', ',']).next().filter(|mime| !mime.is_empty()).map(|mime| mime.to_string().into());
        return Some((mime, MediaSource::Inline(url.span_in(message))));
    }
    Some((None, MediaSource::Remote(text.into_owned().into())))
}

/// The base64 text of inline media, without a data URL's head.
pub(super) fn base64_of<'h>(history: &'h History, item: &Item, media: &Media) -> Option<Cow<'h, str>> {
    let MediaSource::Inline(span) = &media.source else { return None };
    let raw = &history.messages()[item.message].raw;
    let text = Raw::trusted(&raw[span.clone()]).str()?;
    Some(match (text.starts_with("data:"), text) {
        (false, text) => text,
        (true, Cow::Borrowed(text)) => Cow::Borrowed(after_comma(text)),
        (true, Cow::Owned(text)) => Cow::Owned(after_comma(&text).to_string()),
    })
}

/// Media as one URL: a data URL for inline bytes, else where it is.
pub(super) fn data_url(history: &History, item: &Item, media: &Media) -> Option<String> {
    match &media.source {
        MediaSource::Remote(url) => Some(url.to_string()),
        MediaSource::Inline(_) => {
            let data = base64_of(history, item, media)?;
            let mime = media.mime.as_deref().unwrap_or("application/octet-stream");
            Some(format!("data:{mime};base64,{data}"))
        }
    }
}

fn after_comma(text: &str) -> &str {
    text.split_once(',').map_or(text, |(_, data)| data)
}
