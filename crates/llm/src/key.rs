//! A key that does not show itself.

use hyper::header::HeaderValue;

use crate::Error;

/// Longest text from a server that is kept in an error, in characters.
const LONGEST_TEXT: usize = 600;

/// Shorter keys are place-holders (`none`, `EMPTY`) whose letters may well stand in a message.
const SHORTEST_SECRET: usize = 8;

/// An API key. Prints as `…`, whichever way it is printed.
#[derive(Clone)]
pub struct Key(String);

impl Key {
    /// Takes a key, without the white space around it.
    pub fn new(text: &str) -> Result<Key, Error> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::Setup("the key is empty or holds characters that no key has".into()));
        }
        Ok(Key(text.to_string()))
    }

    /// `prefix` and the key, as a header that HTTP libraries do not print either.
    pub(crate) fn header(&self, prefix: &str) -> HeaderValue {
        let mut value = HeaderValue::try_from(format!("{prefix}{}", self.0))
            .expect("printable ASCII is a header value, and a key is checked to be that");
        value.set_sensitive(true);
        value
    }

    fn scrub(&self, text: &mut String) {
        if self.0.len() >= SHORTEST_SECRET && text.contains(&self.0) {
            *text = text.replace(&self.0, "…");
        }
    }
}

/// Cuts `key` out of every text of `error`, and only then shortens them: a cut inside a key would hide it from the search.
pub(crate) fn clean(mut error: Error, key: Option<&Key>) -> Error {
    for text in error.texts_mut() {
        if let Some(key) = key {
            key.scrub(text);
        }
        if let Some((end, _)) = text.char_indices().nth(LONGEST_TEXT) {
            text.truncate(end);
            text.push('…');
        }
    }
    error
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("…")
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("…")
    }
}
