//! Objects that were written before. Hosts give their whole list with every request; nearly all of it is what they gave
//! before.
//!
//! An object is the same only if nothing in it changed, and dicts can change. So of each object the walk keeps what it met:
//! texts and numbers, which cannot change, by identity, and how many there are in each dict and list. Walking along these costs
//! a pointer comparison per value and copies nothing.

use bytestring::ByteString;
use enfold_bindings::{Error, Message};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::walk::Writer;

/// What a walk met.
pub(crate) enum Mark {
    /// A key, or a value that cannot change.
    Leaf(Py<PyAny>),
    /// A dict of so many entries.
    Dict(usize),
    /// A list of so many values.
    List(usize),
}

/// An object and the text it was written as.
pub(crate) struct Known {
    object: Py<PyAny>,
    marks: Vec<Mark>,
    message: Message,
}

impl Known {
    /// Writes an object.
    pub(crate) fn write(object: &Bound<'_, PyAny>, place: usize) -> Result<Known, Error> {
        let Writer { text, marks, .. } = Writer::message(object, place)?;
        Ok(Known { object: object.clone().unbind(), marks, message: Message::written(text) })
    }

    /// Knows an object that was read from this text.
    pub(crate) fn read(object: &Bound<'_, PyAny>, place: usize, text: &ByteString) -> Result<Known, Error> {
        let Writer { marks, .. } = Writer::message(object, place)?;
        Ok(Known { object: object.clone().unbind(), marks, message: Message::written(text.clone()) })
    }

    /// The text, if this is the object and nothing in it changed.
    pub(crate) fn of(&self, object: &Bound<'_, PyAny>) -> Option<&Message> {
        if !self.object.is(object) {
            return None;
        }
        let mut marks = self.marks.iter();
        (is_same(object, &mut marks) && marks.next().is_none()).then_some(&self.message)
    }

    pub(crate) fn message(&self) -> &Message {
        &self.message
    }

    pub(crate) fn object<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.object.bind(py).clone()
    }
}

fn is_same(value: &Bound<'_, PyAny>, marks: &mut std::slice::Iter<Mark>) -> bool {
    match marks.next() {
        Some(Mark::Leaf(leaf)) => leaf.is(value),
        Some(Mark::Dict(length)) => value.cast::<PyDict>().is_ok_and(|dict| {
            let mut entries = dict.iter();
            dict.len() == *length
                && entries.all(|(key, value)| {
                    matches!(marks.next(), Some(Mark::Leaf(leaf)) if leaf.is(&key)) && is_same(&value, marks)
                })
        }),
        Some(Mark::List(length)) => {
            let (list, tuple) = (value.cast::<PyList>(), value.cast::<PyTuple>());
            let item = |nth| match (&list, &tuple) {
                (Ok(list), _) => list.get_item(nth).ok(),
                (_, Ok(tuple)) => tuple.get_item(nth).ok(),
                _ => None,
            };
            let there = value.len().unwrap_or(0);
            (list.is_ok() || tuple.is_ok())
                && there == *length
                && (0..*length).all(|nth| item(nth).is_some_and(|item| is_same(&item, marks)))
        }
        None => false,
    }
}
