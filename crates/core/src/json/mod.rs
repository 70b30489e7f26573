//! JSON read in place: values are windows into the text they stand in.
//!
//! A history must leave Enfold byte for byte as it came, so nothing here builds a tree that would have to be
//! written out again. [`Raw`] is a validated value that remembers its exact text; members and elements are found
//! on demand, without recursion and without allocation, so depth and size of the input cost nothing extra.
//! `serde_json` validates (iteratively, so 100,000 levels are no danger) and decodes strings.

mod scan;
mod splice;
mod write;

use std::borrow::Cow;
use std::ops::Range;

pub use scan::{Elements, Members};
pub(crate) use splice::{Edit, removals, splice};
pub use write::{ObjectWriter, quote};

/// A valid JSON value: the slice of its text, without surrounding white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw<'a> {
    text: &'a str,
}

/// What a JSON value is, seen from its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// Any number, in the spelling of its author.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// Text that is not JSON: where it stops being JSON, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why} at byte {at}")]
pub struct NotJson {
    /// Byte offset in the text given.
    pub at: usize,
    /// The parser's reason.
    pub why: String,
}

impl<'a> Raw<'a> {
    /// Validates `text` as exactly one JSON value (white space around it is allowed). O(length), no recursion.
    pub fn parse(text: &'a str) -> Result<Raw<'a>, NotJson> {
        match serde_json::from_str::<&serde_json::value::RawValue>(text) {
            Ok(value) => Ok(Raw { text: value.get() }),
            Err(error) => Err(NotJson::new(text, &error)),
        }
    }

    /// Validates the first JSON value of `text` and returns it with what follows.
    pub(crate) fn parse_prefix(text: &'a str) -> Result<(Raw<'a>, &'a str), NotJson> {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<&serde_json::value::RawValue>();
        match values.next() {
            Some(Ok(value)) => {
                let end = values.byte_offset();
                Ok((Raw { text: value.get() }, &text[end..]))
            }
            Some(Err(error)) => Err(NotJson::new(text, &error)),
            None => Err(NotJson { at: text.len(), why: "there is no value".into() }),
        }
    }

    /// For values cut out of an already validated text.
    pub(crate) fn trusted(text: &'a str) -> Raw<'a> {
        Raw { text }
    }

    /// The value exactly as it was written.
    pub fn text(self) -> &'a str {
        self.text
    }

    /// Which of the six kinds of value this is.
    pub fn kind(self) -> Kind {
        match self.text.as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    /// True for `null`.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The members of an object in the order they were written; none for any other value.
    pub fn members(self) -> Members<'a> {
        Members::of(self)
    }

    /// The members of an object, keys as they were written.
    pub(crate) fn members_with_keys(self) -> impl Iterator<Item = (Raw<'a>, Raw<'a>)> {
        scan::pairs(self)
    }

    /// The elements of an array; none for any other value.
    pub fn elements(self) -> Elements<'a> {
        Elements::of(self)
    }

    /// The value under `key`. Where a key stands twice the last one wins, as in JavaScript and Python.
    pub fn get(self, key: &str) -> Option<Raw<'a>> {
        self.members().filter(|(name, _)| name == key).last().map(|(_, value)| value)
    }

    /// Follows `keys` through nested objects.
    pub fn at(self, keys: &[&str]) -> Option<Raw<'a>> {
        keys.iter().try_fold(self, |value, key| value.get(key))
    }

    /// The text of a string value. Borrowed where nothing was escaped. A lone surrogate, which no Rust string can
    /// hold, reads as U+FFFD; the raw text still carries it.
    pub fn str(self) -> Option<Cow<'a, str>> {
        if self.kind() != Kind::String {
            return None;
        }
        let inner = &self.text[1..self.text.len() - 1];
        if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
            return Some(Cow::Borrowed(inner));
        }
        Some(Cow::Owned(write::unescape(self.text)))
    }

    /// The text of the string under `key`.
    pub fn str_at(self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key).and_then(Raw::str)
    }

    /// The value of `true` or `false`.
    pub fn bool(self) -> Option<bool> {
        match self.text {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The value of a number that fits `u64` (`3` and `3.0`, not `3.5`).
    pub fn u64(self) -> Option<u64> {
        let number = self.f64()?;
        (number >= 0.0 && number.fract() == 0.0 && number <= u64::MAX as f64).then_some(number as u64)
    }

    /// The value of a number, as nearly as `f64` can hold it.
    pub fn f64(self) -> Option<f64> {
        (self.kind() == Kind::Number).then(|| self.text.parse().ok()).flatten()
    }

    /// Where this value stands inside `outer`, the text it was cut from.
    ///
    /// # Panics
    /// If the value was not cut from `outer`.
    pub(crate) fn span_in(self, outer: &str) -> Range<usize> {
        let start = (self.text.as_ptr() as usize)
            .checked_sub(outer.as_ptr() as usize)
            .filter(|start| start + self.text.len() <= outer.len())
            .expect("a span is asked for in the text the value was cut from");
        start..start + self.text.len()
    }
}

impl NotJson {
    fn new(text: &str, error: &serde_json::Error) -> NotJson {
        let line_start = match error.line() {
            0 | 1 => 0,
            line => memchr::memchr_iter(b'\n', text.as_bytes()).nth(line - 2).map_or(0, |at| at + 1),
        };
        // Where a text ends too early, the fault is the byte that should come next.
        let at = match error.is_eof() {
            true => text.len(),
            false => (line_start + error.column().saturating_sub(1)).min(text.len()),
        };
        let why = error.to_string();
        let why = why.split(" at line ").next().unwrap_or(&why).to_string();
        NotJson { at, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_exact_spelling_of_every_value() {
        let text = r#" { "a" : 1.50e+3 , "b":[ 1,2 ,{"c":null}], "d":"x\u0041" } "#;
        let raw = Raw::parse(text).unwrap();
        assert_eq!(raw.text(), text.trim());
        assert_eq!(raw.get("a").unwrap().text(), "1.50e+3");
        assert_eq!(
            raw.get("b").unwrap().elements().map(Raw::text).collect::<Vec<_>>(),
            ["1", "2", r#"{"c":null}"#]
        );
        assert_eq!(raw.str_at("d").unwrap(), "xA");
        assert_eq!(&text[raw.get("b").unwrap().span_in(text)], r#"[ 1,2 ,{"c":null}]"#);
    }

    #[test]
    fn the_last_of_two_equal_keys_wins() {
        assert_eq!(Raw::parse(r#"{"a":1,"a":2}"#).unwrap().get("a").unwrap().text(), "2");
    }

    #[test]
    fn escaped_keys_are_found() {
        assert_eq!(Raw::parse(r#"{"\u0061":1}"#).unwrap().get("a").unwrap().text(), "1");
    }

    #[test]
    fn brackets_and_quotes_inside_strings_do_not_count() {
        let raw = Raw::parse(r#"{"a":"}]\"\\","b":["]",{"x":"{\\"}],"c":0}"#).unwrap();
        assert_eq!(raw.get("c").unwrap().text(), "0");
        assert_eq!(raw.str_at("a").unwrap(), "}]\"\\");
        assert_eq!(raw.get("b").unwrap().elements().count(), 2);
    }

    #[test]
    fn a_lone_surrogate_reads_as_the_replacement_character() {
        let raw = Raw::parse(r#""a\ud800b""#).unwrap();
        assert_eq!(raw.str().unwrap(), "a\u{fffd}b");
        assert_eq!(raw.text(), r#""a\ud800b""#);
        assert_eq!(Raw::parse(r#""\ud83d\ude00\udc00""#).unwrap().str().unwrap(), "😀\u{fffd}");
    }

    #[test]
    fn a_hundred_thousand_levels_are_read_without_recursion() {
        let text = format!(r#"{{"deep":{}{},"x":1}}"#, "[".repeat(100_000), "]".repeat(100_000));
        let raw = Raw::parse(&text).unwrap();
        assert_eq!(raw.get("x").unwrap().text(), "1");
    }

    #[test]
    fn an_error_names_the_byte() {
        let error = Raw::parse("{\"a\":1,\n\"b\":tru}").unwrap_err();
        assert_eq!(error.at, 15, "{error}");
        let cut = Raw::parse(r#"{"a":"#).unwrap_err();
        assert!(cut.why.contains("EOF"), "{cut}");
        assert_eq!(cut.at, 5, "{cut}");
    }
}
