//! Writing the little JSON that Enfold writes itself, and decoding string literals.

use super::Raw;

/// `text` as a JSON string literal.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote_into(&mut out, text);
    out
}

/// Appends `text` to `out` as a JSON string literal.
pub(crate) fn quote_into(out: &mut String, text: &str) {
    out.push_str(&serde_json::to_string(text).expect("a string always serialises"));
}

/// Decodes a valid string literal (with its quotes); lone surrogates become U+FFFD.
pub(super) fn unescape(literal: &str) -> String {
    let whole = || serde_json::from_str::<String>(literal).unwrap_or_else(|_| unescape_lossy(literal));
    unescape_letters(&literal[1..literal.len() - 1]).unwrap_or_else(whole)
}

/// What a literal without numbered escapes says, which most are; `None` for others.
fn unescape_letters(mut rest: &str) -> Option<String> {
    let mut out = String::with_capacity(rest.len());
    while let Some(escape) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..escape]);
        out.push(match rest.as_bytes().get(escape + 1)? {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            _ => return None,
        });
        rest = &rest[escape + 2..];
    }
    out.push_str(rest);
    // Most are kept for as long as the history is.
    out.shrink_to_fit();
    Some(out)
}

/// serde_json reads a string with lone surrogates only as bytes, in which each stands as three invalid ones.
fn unescape_lossy(literal: &str) -> String {
    let bytes: Vec<u8> = serde_bytes_of(literal);
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        // A surrogate is ED, then A0..BF, then one more: utf8_chunks reports three invalid chunks of one byte.
        if chunk.invalid().first() == Some(&0xED) {
            out.push('\u{fffd}');
        }
    }
    out
}

fn serde_bytes_of(literal: &str) -> Vec<u8> {
    struct Bytes;
    impl serde::de::Visitor<'_> for Bytes {
        type Value = Vec<u8>;
        fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
            f.write_str("a string")
        }
        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }
    let mut reader = serde_json::Deserializer::from_str(literal);
    serde::Deserializer::deserialize_bytes(&mut reader, Bytes).unwrap_or_default()
}

/// Writes one JSON object member by member, in the order of the calls.
#[derive(Debug, Default)]
pub struct ObjectWriter {
    out: String,
}

impl ObjectWriter {
    /// An empty object.
    pub fn new() -> ObjectWriter {
        ObjectWriter::default()
    }

    /// Adds a member whose value is a string.
    pub fn string(mut self, key: &str, value: &str) -> ObjectWriter {
        self.key(key);
        quote_into(&mut self.out, value);
        self
    }

    /// Adds a member whose value is JSON already.
    pub fn json(mut self, key: &str, value: &str) -> ObjectWriter {
        self.key(key);
        self.out.push_str(value);
        self
    }

    /// Adds a member copied from a source, byte for byte.
    pub fn raw(self, key: &str, value: Raw) -> ObjectWriter {
        self.json(key, value.text())
    }

    /// Adds a member whose value is an array of values that are JSON already.
    pub fn array<S: AsRef<str>>(mut self, key: &str, values: impl IntoIterator<Item = S>) -> ObjectWriter {
        self.key(key);
        self.out.push('[');
        for (nth, value) in values.into_iter().enumerate() {
            if nth > 0 {
                self.out.push(',');
            }
            self.out.push_str(value.as_ref());
        }
        self.out.push(']');
        self
    }

    /// The object's text.
    pub fn finish(mut self) -> String {
        if self.out.is_empty() {
            self.out.push('{');
        }
        self.out.push('}');
        self.out
    }

    fn key(&mut self, key: &str) {
        self.out.push(if self.out.is_empty() { '{' } else { ',' });
        quote_into(&mut self.out, key);
        self.out.push(':');
    }
}
