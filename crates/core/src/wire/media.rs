//! Pictures, documents and sounds: reading where their bytes are, spelling them for another format.

use std::borrow::Cow;

use bytestring::ByteString;

use crate::history::History;
use crate::history::{Item, Media, MediaKind, MediaSource};
use crate::json::Raw;

/// Reads a URL-like string: `data:` URLs are bytes in the message, anything else is elsewhere. Returns the media type
/// a data URL states, and the source.
pub(super) fn inline_or_remote(message: &ByteString, url: Raw) -> Option<(Option<ByteString>, MediaSource)> {
    let text = url.str()?;
    if let Some(rest) = text.strip_prefix("data:") {
        let mime =
            rest.split([';', ',']).next().filter(|mime| !mime.is_empty()).map(|mime| mime.to_string().into());
        return Some((mime, MediaSource::Inline(url.span_in(message).into())));
    }
    Some((None, MediaSource::Remote(text.into_owned().into())))
}

/// Like [`inline_or_remote`], for fields that take bare base64 as well as URLs.
pub(super) fn base64_or_url(message: &ByteString, value: Raw) -> Option<(Option<ByteString>, MediaSource)> {
    let text = value.str()?;
    if text.starts_with("data:") || text.contains("://") {
        return inline_or_remote(message, value);
    }
    Some((None, MediaSource::Inline(value.span_in(message).into())))
}

/// The kind of media of a media type.
pub(super) fn kind_of(mime: &str) -> MediaKind {
    match mime.split('/').next() {
        Some("image") => MediaKind::Image,
        Some("audio") => MediaKind::Audio,
        _ => MediaKind::Document,
    }
}

/// The base64 text of inline media, without a data URL's head. `None` where the bytes are elsewhere or not base64.
pub(super) fn base64_of<'h>(history: &'h History, item: &Item, media: &Media) -> Option<Cow<'h, str>> {
    let text = inline_text(history, item, media)?;
    if !text.starts_with("data:") {
        return Some(text);
    }
    let start = text.find(',')? + 1;
    if !text[..start].ends_with(";base64,") {
        return None;
    }
    Some(match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[start..]),
        Cow::Owned(text) => Cow::Owned(text[start..].to_string()),
    })
}

/// Media as one URL: a data URL for inline bytes, else where it is.
pub(super) fn data_url(history: &History, item: &Item, media: &Media) -> Option<String> {
    match &media.source {
        MediaSource::Remote(url) => Some(url.to_string()),
        MediaSource::Inline(_) => {
            let text = inline_text(history, item, media)?;
            if text.starts_with("data:") {
                return Some(text.into_owned());
            }
            Some(format!("data:{};base64,{text}", mime_of(media, &text)))
        }
    }
}

/// The stated media type; else what the first bytes give away; else the commonest of its kind.
pub(super) fn mime_of(media: &Media, base64: &str) -> String {
    if let Some(mime) = &media.mime {
        return mime.to_string();
    }
    let known = [
        ("iVBORw0KGgo", "image/png"),
        ("/9j/", "image/jpeg"),
        ("R0lGOD", "image/gif"),
        ("UklGR", "image/webp"),
        ("JVBERi", "application/pdf"),
    ];
    let seen = known.iter().find(|(start, _)| base64.starts_with(start)).map(|(_, mime)| *mime);
    let usual = match media.kind {
        MediaKind::Image => "image/png",
        MediaKind::Document => "application/pdf",
        MediaKind::Audio => "audio/wav",
    };
    seen.unwrap_or(usual).to_string()
}

/// Whether it is somewhere on the web, where any provider can fetch it.
pub(super) fn is_web(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

fn inline_text<'h>(history: &'h History, item: &Item, media: &Media) -> Option<Cow<'h, str>> {
    let MediaSource::Inline(span) = &media.source else { return None };
    Raw::trusted(&history.message(item.message).raw[span.range()]).str()
}
