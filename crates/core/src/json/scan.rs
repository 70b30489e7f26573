//! Finding members and elements in a text that is known to be valid JSON.
//!
//! Validity is what makes this short: the end of a value follows from counting brackets outside strings.

use std::borrow::Cow;

use super::{Kind, Raw};

/// Iterates over the members of an object. Made by [`Raw::members`].
#[derive(Clone, Debug)]
pub struct Members<'a> {
    rest: &'a str,
}

/// Iterates over the elements of an array. Made by [`Raw::elements`].
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    rest: &'a str,
}

impl<'a> Members<'a> {
    pub(super) fn of(raw: Raw<'a>) -> Members<'a> {
        Members { rest: inside(raw, Kind::Object) }
    }
}

impl<'a> Elements<'a> {
    pub(super) fn of(raw: Raw<'a>) -> Elements<'a> {
        Elements { rest: inside(raw, Kind::Array) }
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, Raw<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.next_pair().map(|(key, value)| (key.str().unwrap_or_default(), value))
    }
}

impl<'a> Members<'a> {
    fn next_pair(&mut self) -> Option<(Raw<'a>, Raw<'a>)> {
        let (key, rest) = take_value(skip_to_value(self.rest))?;
        let (value, rest) = take_value(skip_to_value(rest))?;
        self.rest = rest;
        Some((key, value))
    }
}

/// The members of an object with their keys as values.
pub(super) fn pairs<'a>(raw: Raw<'a>) -> impl Iterator<Item = (Raw<'a>, Raw<'a>)> {
    let mut members = Members::of(raw);
    std::iter::from_fn(move || members.next_pair())
}

impl<'a> Iterator for Elements<'a> {
    type Item = Raw<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let (value, rest) = take_value(skip_to_value(self.rest))?;
        self.rest = rest;
        Some(value)
    }
}

/// The text between the brackets of a container of the wanted kind, else nothing.
fn inside<'a>(raw: Raw<'a>, wanted: Kind) -> &'a str {
    let text = raw.text();
    if raw.kind() == wanted { &text[1..text.len() - 1] } else { "" }
}

fn skip_to_value(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\n', '\r', ',', ':'])
}

fn take_value(text: &str) -> Option<(Raw<'_>, &str)> {
    let end = match text.as_bytes().first()? {
        b'"' => string_end(text.as_bytes(), 0),
        b'{' | b'[' => container_end(text.as_bytes()),
        _ => text.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(text.len()),
    };
    Some((Raw::trusted(&text[..end]), &text[end..]))
}

/// One past the closing quote of the string that opens at `start`. Looks for quotes alone: a text has an escape in every
/// line, and quotes more rarely. A quote closes unless an odd number of backslashes stands before it.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(quote) = memchr::memchr(b'"', &bytes[at..]).map(|found| at + found) {
        let escapes = bytes[at..quote].iter().rev().take_while(|byte| **byte == b'\\').count();
        at = quote + 1;
        if escapes % 2 == 0 {
            return at;
        }
    }
    bytes.len()
}

/// One past the bracket that closes the container at the start of `bytes`.
fn container_end(bytes: &[u8]) -> usize {
    let (mut depth, mut at) = (0usize, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}
