//! What a tool returned as an object or a list: the texts inside it that a model reads as texts.
//!
//! A tool that answers `{ stdout, exitCode }` has said what one that answers a string has said, so its `stdout` is a text like
//! any other: folded by its own lines, compared with other reads, taken for what a program printed. Keys, numbers, flags and
//! short strings around such texts are the *frame*: it stays as it is. Where the frame would be much of the whole (records, tables,
//! settings), the value is one text of JSON, whose rows and fields are its units ([`crate::text::json_units`]).

use super::fields::Fields;
use crate::history::{Span, Texts};
use crate::json::{Kind, Raw};

/// A string of so many bytes, or of several lines, is a text.
const LONG: usize = 64;

/// The same among the elements of a list of more than a few: shorter ones are what a row says.
const LONG_IN_LIST: usize = 400;
const FEW: usize = 3;

/// Bytes of a frame that are always few enough.
const FRAME: usize = 400;

/// Beyond these, the frame is at most this part of the value.
const PART: usize = 4;

/// A list of more elements with texts of their own is a list of rows: each text takes a mark of its own where it is folded.
const MOST: usize = 12;

/// Values nested deeper are not taken apart.
const DEEPEST: usize = 32;

/// The texts of a value, and where the value stands if its texts stand inside it.
pub(super) fn texts(fields: &Fields, value: Raw) -> (Texts, Option<Span>) {
    let mut inside = Vec::new();
    if !matches!(value.kind(), Kind::Object | Kind::Array) || !take_apart(value, 0, LONG, &mut inside) {
        return (fields.text(value).into(), None);
    }
    let texts = inside.into_iter().map(|text| fields.text(text)).collect();
    (texts, Some(value.span_in(fields.raw).into()))
}

/// Adds the texts inside a list or an object, and says whether what is left around them is little enough.
fn take_apart<'a>(value: Raw<'a>, depth: usize, long: usize, out: &mut Vec<Raw<'a>>) -> bool {
    let first = out.len();
    let is_list = value.kind() == Kind::Array;
    let long = if value.elements().nth(FEW).is_some() { LONG_IN_LIST } else { long };
    let mut rows = 0;
    let children = value.members().map(|(_, child)| child).chain(value.elements());
    for child in children {
        let before = out.len();
        match child.kind() {
            Kind::String if is_long(child, long) => out.push(child),
            Kind::Object | Kind::Array
                if depth < DEEPEST
                    && child.text().len() >= LONG
                    && !take_apart(child, depth + 1, long, out)
                    && child.text().len() > FRAME =>
            {
                out.push(child);
            }
            _ => {}
        }
        rows += usize::from(out.len() > before);
    }
    let covered: usize = out[first..].iter().map(|text| text.text().len()).sum();
    let frame = value.text().len() - covered;
    let is_apart = covered > 0 && frame <= FRAME.max(value.text().len() / PART) && !(is_list && rows > MOST);
    if !is_apart {
        out.truncate(first);
    }
    is_apart
}

fn is_long(string: Raw, long: usize) -> bool {
    let text = string.text();
    text.len() >= long || (long == LONG && memchr::memmem::find(text.as_bytes(), b"\\n").is_some())
}

#[cfg(test)]
mod tests {
    use bytestring::ByteString;

    use super::*;

    /// The texts of a value; nothing where it is one text of JSON.
    fn inside(value: &str) -> Vec<String> {
        let raw = ByteString::from(value);
        let fields = Fields::of_value(&raw).unwrap();
        let (texts, structure) = texts(&fields, Raw::parse(&raw).unwrap());
        match structure {
            Some(_) => texts.iter().map(|text| text.value.to_string()).collect(),
            None => Vec::new(),
        }
    }

    #[test]
    fn what_a_program_printed_is_a_text() {
        assert_eq!(inside(r#"{"stdout":"a\nb","stderr":"","exitCode":1}"#), ["a\nb"]);
        let long = "word ".repeat(40);
        let content =
            inside(&format!(r#"{{"content":[{{"type":"text","text":"{long}"}}],"isError":false}}"#));
        assert_eq!(content, [long]);
    }

    #[test]
    fn records_are_one_text_of_json() {
        let row = |nth: usize| format!(r#"{{"id":{nth},"title":"Item {nth}","status":"open"}}"#);
        let rows = (0..40).map(row).collect::<Vec<_>>().join(",");
        assert_eq!(inside(&format!("[{rows}]")), [""; 0]);
        let nested = inside(&format!(r#"{{"rows":[{rows}],"total":40}}"#));
        assert_eq!(nested, [format!("[{rows}]")], "the total stays beside them");
    }

    #[test]
    fn passages_are_texts_and_their_ids_stay_beside_them() {
        let passage =
            |nth: usize| format!(r#"{{"id":"p{nth}","text":"{}"}}"#, format!("passage {nth} ").repeat(50));
        let few = (0..5).map(passage).collect::<Vec<_>>().join(",");
        assert_eq!(inside(&format!(r#"{{"passages":[{few}]}}"#)).len(), 5);
        let many = (0..40).map(passage).collect::<Vec<_>>().join(",");
        assert_eq!(inside(&format!(r#"{{"passages":[{many}]}}"#)), [format!("[{many}]")]);
    }

    #[test]
    fn what_is_small_or_no_list_is_taken_as_it_is() {
        for value in [r#"{"ok":true}"#, "[]", "{}", "12", r#"["a","b"]"#] {
            assert_eq!(inside(value), [""; 0], "{value}");
        }
        assert!(
            inside(&format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000))).len() < 2,
            "depth costs no stack"
        );
    }
}
