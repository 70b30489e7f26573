//! A Python object as JSON text: dict, list, tuple, str, int, float, bool, None. Anything else is refused with its path.

use std::fmt::Write;

use enfold_bindings::{Code, Error};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::known::Mark;

/// How deep values may be nested. Whatever refers to itself is deeper.
const DEEPEST: usize = 200;

/// Writes a value and notes what it is made of.
pub(crate) struct Writer {
    pub(crate) text: String,
    /// What was written, in order; see [`crate::known`].
    pub(crate) marks: Vec<Mark>,
    /// Where the walk is, from the outside in; on an error, where it went wrong.
    path: Vec<Step>,
}

enum Step {
    Key(String),
    Index(usize),
}

impl Writer {
    /// The text of an object and the marks of what it is made of. `message` is its place in the list it came from.
    pub(crate) fn message(value: &Bound<'_, PyAny>, message: usize) -> Result<Writer, Error> {
        let mut writer = Writer { text: String::new(), marks: Vec::new(), path: Vec::new() };
        let what = match value.cast::<PyDict>() {
            Ok(_) => writer.value(value).err(),
            Err(_) => Some(format!("a message is a dict, not {}{}", described(value), remedy(value))),
        };
        match what {
            None => Ok(writer),
            Some(what) => Err(Error::of_message(message, writer.at(&what))),
        }
    }

    /// The text of an option's value.
    pub(crate) fn option(value: &Bound<'_, PyAny>) -> Result<String, Error> {
        let mut writer = Writer { text: String::new(), marks: Vec::new(), path: Vec::new() };
        match writer.value(value) {
            Ok(()) => Ok(writer.text),
            Err(what) => Err(Error::new(Code::BadOption, writer.at(&what))),
        }
    }

    /// What is wrong, with the place: `content[2].text: …`.
    fn at(&self, what: &str) -> String {
        let mut place = String::new();
        for step in &self.path {
            match step {
                Step::Key(key) if place.is_empty() => place += key,
                Step::Key(key) => place += &format!(".{key}"),
                Step::Index(nth) => place += &format!("[{nth}]"),
            }
        }
        if place.is_empty() { what.to_string() } else { format!("{place}: {what}") }
    }

    fn value(&mut self, value: &Bound<'_, PyAny>) -> Result<(), String> {
        if self.path.len() > DEEPEST {
            // The whole way down says no more than its beginning.
            self.path.truncate(4);
            return Err(format!("nested deeper than {DEEPEST} values, or it holds itself"));
        }
        if let Ok(text) = value.cast::<PyString>() {
            self.leaf(value);
            return self.string(text);
        }
        if let Ok(dict) = value.cast::<PyDict>() {
            return self.dict(dict);
        }
        if let Ok(list) = value.cast::<PyList>() {
            return self.list(list.len(), |nth| list.get_item(nth).ok());
        }
        if let Ok(tuple) = value.cast::<PyTuple>() {
            return self.list(tuple.len(), |nth| tuple.get_item(nth).ok());
        }
        self.leaf(value);
        if value.is_none() {
            self.text += "null";
        } else if let Ok(truth) = value.cast::<PyBool>() {
            self.text += if truth.is_true() { "true" } else { "false" };
        } else if let Ok(number) = value.cast::<PyInt>() {
            return self.integer(number);
        } else if let Ok(number) = value.cast::<PyFloat>() {
            return self.float(number.value());
        } else {
            return Err(format!("{} is no JSON value{}", described(value), remedy(value)));
        }
        Ok(())
    }

    fn dict(&mut self, dict: &Bound<'_, PyDict>) -> Result<(), String> {
        self.marks.push(Mark::Dict(dict.len()));
        self.text.push('{');
        for (nth, (key, value)) in dict.iter().enumerate() {
            if nth > 0 {
                self.text.push(',');
            }
            let Ok(name) = key.cast::<PyString>() else {
                return Err(format!("a key is {}; keys of JSON are str", described(&key)));
            };
            self.leaf(&key);
            self.string(name)?;
            self.text.push(':');
            self.path.push(Step::Key(name.to_string_lossy().into_owned()));
            self.value(&value)?;
            self.path.pop();
        }
        self.text.push('}');
        Ok(())
    }

    fn list<'py>(
        &mut self,
        length: usize,
        item: impl Fn(usize) -> Option<Bound<'py, PyAny>>,
    ) -> Result<(), String> {
        self.marks.push(Mark::List(length));
        self.text.push('[');
        for nth in 0..length {
            if nth > 0 {
                self.text.push(',');
            }
            self.path.push(Step::Index(nth));
            let item = item(nth).ok_or("the list changed while it was read")?;
            self.value(&item)?;
            self.path.pop();
        }
        self.text.push(']');
        Ok(())
    }

    fn leaf(&mut self, value: &Bound<'_, PyAny>) {
        self.marks.push(Mark::Leaf(value.clone().unbind()));
    }

    fn string(&mut self, text: &Bound<'_, PyString>) -> Result<(), String> {
        let text = text.to_cow().map_err(|_| {
            "the text holds half of a surrogate pair, which is no character; decode it with errors='replace'"
        })?;
        quote(&text, &mut self.text);
        Ok(())
    }

    fn integer(&mut self, number: &Bound<'_, PyInt>) -> Result<(), String> {
        if let Ok(small) = number.extract::<i64>() {
            let _ = write!(self.text, "{small}");
            return Ok(());
        }
        // The type's own, so that a subclass with words of its own (an enum) still is a number.
        let written = number.py().get_type::<PyInt>().call_method1("__repr__", (number,));
        let written = written.and_then(|written| written.extract::<String>());
        self.text +=
            &written.map_err(|_| "the number has more digits than Python writes; give it as a text")?;
        Ok(())
    }

    fn float(&mut self, number: f64) -> Result<(), String> {
        if !number.is_finite() {
            return Err(format!("{number} is no JSON number; leave it out or say null"));
        }
        let _ = write!(self.text, "{number:?}");
        Ok(())
    }
}

/// What a value is, for people.
fn described(value: &Bound<'_, PyAny>) -> String {
    match value.get_type().name() {
        Ok(name) => format!("a `{}`", name.to_string_lossy()),
        Err(_) => "something without a type".into(),
    }
}

fn remedy(value: &Bound<'_, PyAny>) -> &'static str {
    let has = |name: &str| value.hasattr(name).unwrap_or(false);
    if value.is_instance_of::<pyo3::types::PyBytes>() {
        "; decode it, or give it as base64 where the format has a place for it"
    } else if has("model_dump") {
        "; give its .model_dump()"
    } else if has("to_dict") {
        "; give its .to_dict()"
    } else {
        ""
    }
}

/// A text as JSON writes it: compact, everything but control characters, `"` and `\` as it is.
fn quote(text: &str, out: &mut String) {
    out.reserve(text.len() + 2);
    out.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0x00..=0x1f => "",
            _ => continue,
        };
        out.push_str(&text[from..at]);
        match escape {
            "" => _ = write!(out, "\\u{byte:04x}"),
            escape => out.push_str(escape),
        }
        from = at + 1;
    }
    out.push_str(&text[from..]);
    out.push('"');
}
