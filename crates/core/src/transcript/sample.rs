//! The first entries of a source, taken apart once, for the question which format it is in.

use std::borrow::Cow;

use super::builder::entries;
use crate::json::{Kind, Raw};
use crate::source::{Body, Source};

/// Entries looked at to tell one transcript format from another.
const SIZE: usize = 50;

/// Members looked at of each: no format has its mark behind so many.
const MOST_MEMBERS: usize = 10_000;

/// The first entries of a source: its lines, the elements of its array, or the one object it is.
#[derive(Clone, Debug)]
pub struct Sample<'a> {
    /// The entries; those that are no objects have no members.
    pub entries: Vec<Object<'a>>,
    /// Whether the source is one object.
    is_object: bool,
}

/// An object whose members have been found. Looking up a key in the text costs a walk over all of it; here it does not.
#[derive(Clone, Debug, Default)]
pub struct Object<'a> {
    members: Vec<(Cow<'a, str>, Raw<'a>)>,
}

impl<'a> Sample<'a> {
    /// Looks at a source.
    pub fn of(source: &'a Source) -> Sample<'a> {
        let is_object = match &source.body {
            Body::Value(span) => source.raw(span.clone()).kind() == Kind::Object,
            Body::Lines(_) => false,
        };
        Sample { entries: entries(source).take(SIZE).map(|entry| Object::of(entry.raw)).collect(), is_object }
    }

    /// The object the source is, if it is one.
    pub fn root(&self) -> Option<&Object<'a>> {
        self.entries.first().filter(|_| self.is_object)
    }
}

impl<'a> Object<'a> {
    /// Finds the first members; none for a value that is no object.
    pub fn of(raw: Raw<'a>) -> Object<'a> {
        Object { members: raw.members().take(MOST_MEMBERS).collect() }
    }

    /// The value under `key`; of two the last, as everywhere.
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.members.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// The text of the string under `key`.
    pub fn str_at(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key).and_then(Raw::str)
    }

    /// Whether there is such a member.
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The value under `key`, if it is an object.
    pub fn object(&self, key: &str) -> Option<Object<'a>> {
        self.get(key).filter(|value| value.kind() == Kind::Object).map(Object::of)
    }

    /// The elements of the array under `key`; none for any other value.
    pub fn list(&self, key: &str) -> impl Iterator<Item = Raw<'a>> + use<'a> {
        self.get(key).into_iter().flat_map(Raw::elements)
    }

    /// The value under `key`, if it is a string with something in it.
    pub fn text(&self, key: &str) -> Option<Raw<'a>> {
        self.get(key).filter(|value| value.kind() == Kind::String && value.text() != "\"\"")
    }
}
