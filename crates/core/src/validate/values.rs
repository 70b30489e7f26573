//! Looking at raw values: what is there, what it is, how to name it in a finding.

use std::borrow::Cow;

use crate::json::{Kind, Raw};

/// Longest piece of the input that a finding quotes, in characters.
const QUOTED: usize = 64;

/// The values under `keys`, found in one walk over the members. `null` counts as not there.
pub(super) fn pick<'a, const N: usize>(raw: Raw<'a>, keys: [&str; N]) -> [Option<Raw<'a>>; N] {
    let mut found = [None; N];
    for (name, value) in raw.members() {
        if let Some(nth) = keys.iter().position(|key| *key == name) {
            found[nth] = Some(value).filter(|value| !value.is_null());
        }
    }
    found
}

/// The text of a value, if it is a string.
pub(super) fn text<'a>(value: Option<Raw<'a>>) -> Option<Cow<'a, str>> {
    value.and_then(Raw::str)
}

/// Whether a value is a string that begins so. Only one that may is unescaped: contents are long.
pub(super) fn begins_with(value: Option<Raw>, start: &str) -> bool {
    let literal = value.map_or("", Raw::text);
    let may = literal
        .strip_prefix('"')
        .is_some_and(|rest| rest.starts_with('\\') || rest.get(..1) == start.get(..1));
    may && text(value).is_some_and(|text| text.starts_with(start))
}

/// Whether a value is of a kind.
pub(super) fn is(value: Option<Raw>, kind: Kind) -> bool {
    value.is_some_and(|value| value.kind() == kind)
}

/// A piece of the input, quoted and clipped.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// What a value is, in words: "a number"; "missing" for none.
pub(super) fn what(value: Option<Raw>) -> &'static str {
    match value.map(Raw::kind) {
        None => "missing",
        Some(Kind::Null) => "null",
        Some(Kind::Bool) => "a boolean",
        Some(Kind::Number) => "a number",
        Some(Kind::String) => "a string",
        Some(Kind::Array) => "an array",
        Some(Kind::Object) => "an object",
    }
}

/// Whether `id` is not empty and made only of ASCII letters, digits and `others`.
pub(super) fn is_word(id: &str, others: &[u8]) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || others.contains(&byte))
}
