//! JSON as units: what is kept or left out of a list of rows or an object of many fields, so that JSON remains.
//!
//! A row of a list, a field of an object and a piece of a long string are units. Whatever is left out, brackets and keys around
//! what stays remain, and a mark stands where something is missing: as a string in place of rows, under the key `…` in place of
//! fields, on a line of its own inside a string.
//!
//! ```text
//! [{"id":1,"title":"One"},{"id":2,…},{"id":3,…},{"id":4,"title":"Four"}]
//! [{"id":1,"title":"One"},"[2 rows #482913077]",{"id":4,"title":"Four"}]
//! ```

use std::ops::Range;

use super::lines;
use crate::json::{Kind, Raw, quote};

/// What is no longer than this is one unit: a row, a field with all that it holds.
const LONG: usize = 400;

/// Short values side by side are one unit up to this many bytes.
const PACKED: usize = 120;

/// Values nested deeper are one unit.
const DEEPEST: usize = 32;

/// Stands for the names of fields that are left out.
const KEY: &str = "…";

/// What a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Elements of a list.
    Rows(usize),
    /// Members of an object.
    Fields(usize),
    /// Lines of a string.
    Lines(usize),
    /// Characters of a line.
    Chars(usize),
}

/// The units of a value, in order.
pub(crate) fn units(json: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let whole = Raw::trusted(json.trim());
    let _ = Value::of(json, whole, 0, &mut found);
    found
}

/// The value with the units that are kept, and a mark for each run of others.
pub(crate) fn join(
    json: &str,
    is_kept: &dyn Fn(&Range<usize>) -> bool,
    mark: &mut dyn FnMut(Missing) -> String,
) -> String {
    let mut spans = Vec::new();
    let root = Value::of(json, Raw::trusted(json.trim()), 0, &mut spans);
    let keep: Vec<bool> = spans.iter().map(is_kept).collect();
    let mut writer = Writer { json, spans: &spans, keep: &keep, mark, out: String::new() };
    if writer.is_whole(&root.units) {
        return json.to_string();
    }
    writer.value(&root);
    writer.out
}

/// The first and the last so many bytes, by units, and a mark for what is between; `None` where nothing would be left out.
pub(crate) fn ends(json: &str, bytes: usize, mark: &mut dyn FnMut(&str) -> String) -> Option<String> {
    let tail = json.len().saturating_sub(bytes);
    let all = units(json);
    let is_kept = |unit: &Range<usize>| unit.end <= bytes || unit.start >= tail;
    let first = all.iter().find(|unit| !is_kept(unit))?.start;
    let last = all.iter().rev().find(|unit| !is_kept(unit))?.end;
    let mut note = Some(mark(&json[first..last]));
    Some(join(json, &is_kept, &mut |_| note.take().unwrap_or_else(|| "…".into())))
}

/// A value, or a run of short ones, with the units it is made of.
struct Value {
    /// With its key, where it is a field.
    span: Range<usize>,
    units: Range<usize>,
    shape: Shape,
}

enum Shape {
    /// One unit.
    Unit {
        /// How many elements or members it holds.
        count: usize,
    },
    /// A string that is cut. Its literal.
    Text(Range<usize>),
    /// A list or an object that is cut.
    Nest { is_list: bool, inside: Vec<Value> },
}

impl Value {
    fn of(json: &str, value: Raw, depth: usize, units: &mut Vec<Range<usize>>) -> Value {
        let span = value.span_in(json);
        let first = units.len();
        let shape = match value.kind() {
            _ if span.len() <= LONG || depth > DEEPEST => Shape::Unit { count: 1 },
            Kind::String => Shape::Text(span.clone()),
            Kind::Array => {
                let elements = value.elements().map(|element| (element.span_in(json).start, element));
                Shape::Nest { is_list: true, inside: inside(json, elements, depth, units) }
            }
            Kind::Object => {
                let members =
                    value.members_with_keys().map(|(key, member)| (key.span_in(json).start, member));
                Shape::Nest { is_list: false, inside: inside(json, members, depth, units) }
            }
            Kind::Null | Kind::Bool | Kind::Number => Shape::Unit { count: 1 },
        };
        match &shape {
            Shape::Unit { .. } => units.push(span.clone()),
            Shape::Text(literal) => cut_string(json, literal, units),
            Shape::Nest { inside, .. } if inside.is_empty() => units.push(span.clone()),
            Shape::Nest { .. } => {}
        }
        Value { span, units: first..units.len(), shape }
    }

    fn count(&self) -> usize {
        match self.shape {
            Shape::Unit { count } => count,
            _ => 1,
        }
    }
}

/// The elements of a list or the members of an object, short ones side by side as one.
fn inside<'a>(
    json: &str,
    children: impl Iterator<Item = (usize, Raw<'a>)>,
    depth: usize,
    units: &mut Vec<Range<usize>>,
) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for (start, child) in children {
        let end = child.span_in(json).end;
        let is_short = !matches!(child.kind(), Kind::Array | Kind::Object) && end - start <= PACKED / 2;
        if let Some(Value { span, shape: Shape::Unit { count }, units: own }) = all.last_mut()
            && is_short
            && end - span.start <= PACKED
            && !json[span.clone()].ends_with(['}', ']'])
        {
            span.end = end;
            *count += 1;
            units[own.start].end = end;
            continue;
        }
        let mut value = Value::of(json, child, depth + 1, units);
        // A key belongs to what it names.
        if let Some(first) = units.get_mut(value.units.start) {
            first.start = start;
        }
        value.span.start = start;
        all.push(value);
    }
    all
}

/// The pieces of a long string, without its quotes: lines where it has any, never parted inside an escape.
fn cut_string(json: &str, literal: &Range<usize>, units: &mut Vec<Range<usize>>) {
    let inner = literal.start + 1..literal.end - 1;
    let text = &json[inner.clone()];
    let mut escapes = escapes(text).peekable();
    let mut border = |at: usize| {
        while escapes.next_if(|escape| escape.end <= at).is_some() {}
        escapes.peek().filter(|escape| escape.start < at).map_or(at, |escape| escape.start)
    };
    let mut start = 0;
    for piece in lines::units(text) {
        let end = border(piece.end);
        if end > start {
            units.push(inner.start + start..inner.start + end);
            start = end;
        }
    }
    if let Some(last) = units.last_mut().filter(|_| start < text.len()) {
        last.end = inner.end;
    }
}

/// The escapes of a string literal; both halves of a surrogate pair are one.
fn escapes(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    let is_high = |at: usize| matches!(text.get(at + 2..at + 4), Some(hex) if matches!(hex.as_bytes(), [b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B']));
    std::iter::from_fn(move || {
        at += memchr::memchr(b'\\', bytes.get(at..)?)?;
        let start = at;
        let length = match bytes.get(at + 1) {
            Some(b'u') if is_high(at) && text[at + 6..].starts_with("\\u") => 12,
            Some(b'u') => 6,
            _ => 2,
        };
        at = (at + length).min(bytes.len());
        Some(start..at)
    })
}

struct Writer<'a> {
    json: &'a str,
    spans: &'a [Range<usize>],
    keep: &'a [bool],
    mark: &'a mut dyn FnMut(Missing) -> String,
    out: String,
}

impl Writer<'_> {
    fn is_whole(&self, units: &Range<usize>) -> bool {
        self.keep[units.clone()].iter().all(|keep| *keep)
    }

    fn is_gone(&self, units: &Range<usize>) -> bool {
        !self.keep[units.clone()].contains(&true)
    }

    fn copy(&mut self, span: Range<usize>) {
        self.out.push_str(&self.json[span]);
    }

    /// A value of which not all is kept.
    fn value(&mut self, value: &Value) {
        match &value.shape {
            Shape::Unit { .. } => {
                let text = &self.json[value.span.clone()];
                let mark = quote(&(self.mark)(Missing::Chars(text.chars().count())));
                self.out.push_str(&match Raw::trusted(text).kind() {
                    Kind::Object => format!("{{\"{KEY}\":{mark}}}"),
                    Kind::Array => format!("[{mark}]"),
                    _ => mark,
                });
            }
            Shape::Text(literal) => {
                self.copy(value.span.start..literal.start);
                self.string(literal, &value.units);
            }
            Shape::Nest { is_list, inside } => self.nest(value, *is_list, inside),
        }
    }

    fn nest(&mut self, value: &Value, is_list: bool, inside: &[Value]) {
        let Some((first, last)) = inside.first().zip(inside.last()) else {
            return self.copy(value.span.clone());
        };
        self.copy(value.span.start..first.span.start);
        let mut marks = 0;
        let mut nth = 0;
        while let Some(child) = inside.get(nth) {
            if let Some(before) = nth.checked_sub(1).and_then(|before| inside.get(before)) {
                self.copy(before.span.end..child.span.start);
            }
            let run = inside[nth..].iter().take_while(|child| self.is_gone(&child.units)).count();
            if run > 0 {
                let count = inside[nth..nth + run].iter().map(Value::count).sum();
                let mark = (self.mark)(if is_list { Missing::Rows(count) } else { Missing::Fields(count) });
                if !is_list {
                    marks += 1;
                    let key = if marks == 1 { KEY.to_string() } else { format!("{KEY} {marks}") };
                    self.out.push_str(&quote(&key));
                    self.out.push(':');
                }
                self.out.push_str(&quote(&mark));
                nth += run;
                continue;
            }
            match self.is_whole(&child.units) {
                true => self.copy(child.span.clone()),
                false => self.value(child),
            }
            nth += 1;
        }
        self.copy(last.span.end..value.span.end);
    }

    /// The pieces of a string that are kept, with a mark on a line of its own for each gap.
    fn string(&mut self, literal: &Range<usize>, units: &Range<usize>) {
        const FEED: &str = "\\n";
        self.out.push('"');
        let mut nth = units.start;
        while nth < units.end {
            let run = self.keep[nth..units.end].iter().take_while(|keep| **keep == self.keep[nth]).count();
            let span = self.spans[nth].start.max(literal.start + 1)..self.spans[nth + run - 1].end;
            if self.keep[nth] {
                self.copy(span);
            } else {
                if nth > units.start && !self.out.ends_with(FEED) {
                    self.out.push_str(FEED);
                }
                let text = &self.json[span];
                let feeds = memchr::memmem::find_iter(text.as_bytes(), FEED).count();
                let missing = match feeds {
                    0 => Missing::Chars(text.chars().count()),
                    feeds => Missing::Lines(feeds + usize::from(!text.ends_with(FEED))),
                };
                let mark = quote(&(self.mark)(missing));
                self.out.push_str(&mark[1..mark.len() - 1]);
                if nth + run < units.end {
                    self.out.push_str(FEED);
                }
            }
            nth += run;
        }
        self.out.push('"');
    }
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (count, one) = match self {
            Missing::Rows(count) => (count, "row"),
            Missing::Fields(count) => (count, "field"),
            Missing::Lines(count) => (count, "line"),
            Missing::Chars(count) => return write!(f, "{count} chars"),
        };
        write!(f, "{count} {one}{}", if *count == 1 { "" } else { "s" })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    use super::*;

    /// The value with those units that hold one of the words, and `[what is missing]` at each gap.
    fn kept(json: &Json, words: &[&str]) -> String {
        let text = json.to_string();
        let is_kept = |unit: &Range<usize>| words.iter().any(|word| text[unit.clone()].contains(word));
        join(&text, &is_kept, &mut |missing| format!("[{missing}]"))
    }

    #[test]
    fn rows_are_units_and_a_mark_stands_in_place_of_a_run_of_them() {
        let row = |nth: u32| json!({ "id": nth, "title": format!("Item {nth}"), "status": "open" });
        let rows = Json::from((10..40).map(row).collect::<Vec<_>>());
        assert_eq!(
            kept(&rows, &["Item 10", "Item 39"]),
            r#"[{"id":10,"status":"open","title":"Item 10"},"[28 rows]",{"id":39,"status":"open","title":"Item 39"}]"#
        );
    }

    #[test]
    fn fields_are_units_and_their_names_go_with_them() {
        let fields: serde_json::Map<String, Json> =
            (10..40).map(|nth| (format!("setting_{nth}"), json!([nth, nth, nth, nth]))).collect();
        assert_eq!(
            kept(&Json::Object(fields), &["setting_20"]),
            r#"{"…":"[10 fields]","setting_20":[20,20,20,20],"… 2":"[19 fields]"}"#
        );
    }

    #[test]
    fn lines_of_a_string_are_units() {
        let text: String = (10..60).map(|nth| format!("line {nth} \"of many\"\n")).collect();
        let left = kept(&json!({ "id": 1, "text": text }), &["line 10", "line 59"]);
        assert_eq!(
            left,
            r#"{"…":"[1 field]","text":"line 10 \"of many\"\n[48 lines]\nline 59 \"of many\"\n"}"#
        );
    }

    #[test]
    fn nested_lists_keep_what_stands_around_a_row() {
        let row = |nth: u32| json!({ "id": nth, "title": format!("Item {nth} of the list") });
        let page = |name: &str| json!({ "page": name, "sections": (10..30).map(row).collect::<Vec<_>>() });
        let left =
            kept(&json!({ "pages": [page("home"), page("about")], "total": 2 }), &["\"about\"", "Item 12"]);
        assert_eq!(
            left,
            r#"{"pages":[{"…":"[1 field]","sections":["[2 rows]",{"id":12,"title":"Item 12 of the list"},"[17 rows]"]},{"page":"about","sections":["[2 rows]",{"id":12,"title":"Item 12 of the list"},"[17 rows]"]}],"…":"[1 field]"}"#
        );
    }

    #[test]
    fn what_is_left_of_nothing_is_still_a_list_or_an_object() {
        assert_eq!(kept(&json!([1, 2]), &[]), r#"["[5 chars]"]"#);
        assert_eq!(kept(&json!({ "a": 1 }), &[]), r#"{"…":"[7 chars]"}"#);
        assert_eq!(kept(&json!({ "rows": vec!["a word or two"; 90] }), &[]), r#"{"…":"[1 field]"}"#);
    }

    #[test]
    fn the_ends_are_kept_by_rows() {
        let rows = Json::from((10..99).map(|nth| json!({ "row": nth })).collect::<Vec<_>>()).to_string();
        let left = ends(&rows, 30, &mut |hidden| format!("{} bytes", hidden.len())).unwrap();
        assert_eq!(left, r#"[{"row":10},{"row":11},"934 bytes",{"row":97},{"row":98}]"#);
        assert_eq!(ends("[1,2,3]", 30, &mut |_| String::new()), None);
    }

    fn values() -> impl Strategy<Value = Json> {
        let text = prop_oneof!["[a-z \"\\\\\n\u{e9}\u{1f600}]{0,60}", "(line [0-9]\\\\ \"x\"\n){0,80}"];
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            text.prop_map(Json::from)
        ];
        leaf.prop_recursive(5, 120, 30, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..30).prop_map(Json::from),
                prop::collection::btree_map("[a-z…]{1,12}", inner, 0..30)
                    .prop_map(|map| Json::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// Whatever is left out: JSON remains, of the same kind, and what is kept is there word for word.
        #[test]
        fn what_is_left_is_json(value in values(), seed in any::<u64>(), is_pretty in any::<bool>()) {
            let text = if is_pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
            let all = units(&text);
            prop_assert!(all.windows(2).all(|pair| pair[0].end <= pair[1].start), "units stand in order");
            let is_kept = |unit: &Range<usize>| (seed >> (unit.start % 61)) & 1 == 1;
            let left = join(&text, &is_kept, &mut |missing| format!("[{missing} \"#\"]"));
            let read: Json = serde_json::from_str(&left).map_err(|error| TestCaseError::fail(format!("{error}: {left}")))?;
            if value.is_array() || value.is_object() {
                prop_assert_eq!((read.is_array(), read.is_object()), (value.is_array(), value.is_object()));
            }
            for unit in all.iter().filter(|unit| is_kept(unit)) {
                prop_assert!(left.contains(&text[unit.clone()]), "{} in {left}", &text[unit.clone()]);
            }
            prop_assert_eq!(join(&text, &|_| true, &mut |_| unreachable!()), text);
        }
    }
}
