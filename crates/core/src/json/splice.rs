//! Changing a text at chosen byte ranges and copying everything else.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Kind, Raw};

/// Puts `with` in place of the bytes at `span`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The bytes that go.
    pub(crate) span: Range<usize>,
    /// What stands there instead; empty removes.
    pub(crate) with: String,
}

/// Applies `edits` to `text`. They may come in any order but must not overlap.
///
/// # Panics
/// If two edits overlap or one reaches past the end: edits come from spans of the same text.
pub(crate) fn splice(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let grown: usize = edits.iter().map(|edit| edit.with.len()).sum();
    let mut out = String::with_capacity(text.len() + grown);
    let mut copied = 0;
    for edit in edits {
        assert!(copied <= edit.span.start, "edits of one text do not overlap");
        out.push_str(&text[copied..edit.span.start]);
        out.push_str(&edit.with);
        copied = edit.span.end;
    }
    out.push_str(&text[copied..]);
    out
}

/// The bytes to cut so that the values at `spans` leave their arrays and objects and what remains is JSON: each value,
/// its key if it has one, and one separator. `text` is the JSON they stand in.
pub(crate) fn removals(text: &str, spans: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut by_container: BTreeMap<usize, (Vec<Child>, BTreeSet<usize>)> = BTreeMap::new();
    for span in spans {
        if let Some((container, children, nth)) = holder(text, span) {
            by_container.entry(container).or_insert_with(|| (children, BTreeSet::new())).1.insert(nth);
        }
    }
    by_container.into_values().flat_map(|(children, gone)| runs(&children, &gone)).collect()
}

/// A member or element: where it starts (with its key) and where it ends.
#[derive(Clone, Copy)]
struct Child {
    start: usize,
    end: usize,
}

/// The container that directly holds the value at `span`: its place, its children, and which of them it is.
fn holder(text: &str, span: &Range<usize>) -> Option<(usize, Vec<Child>, usize)> {
    let mut container = Raw::trusted(text);
    loop {
        let pairs: Vec<(usize, Raw)> = match container.kind() {
            Kind::Array => container.elements().map(|value| (value.span_in(text).start, value)).collect(),
            Kind::Object => {
                container.members_with_keys().map(|(key, value)| (key.span_in(text).start, value)).collect()
            }
            _ => return None,
        };
        let nth = pairs.iter().position(|(_, value)| {
            let own = value.span_in(text);
            own.start <= span.start && span.end <= own.end
        })?;
        if pairs[nth].1.span_in(text) == *span {
            let child = |(start, value): &(usize, Raw)| Child { start: *start, end: value.span_in(text).end };
            return Some((container.span_in(text).start, pairs.iter().map(child).collect(), nth));
        }
        container = pairs[nth].1;
    }
}

/// One cut per run of neighbours: from the end of the one before, or up to the start of the one behind.
fn runs(children: &[Child], gone: &BTreeSet<usize>) -> Vec<Range<usize>> {
    let mut cuts = Vec::new();
    for first in gone.iter().copied().filter(|nth| *nth == 0 || !gone.contains(&(nth - 1))) {
        let behind = (first..).find(|nth| !gone.contains(nth)).unwrap_or(children.len());
        cuts.push(match (first.checked_sub(1), children.get(behind)) {
            (Some(before), _) => children[before].end..children[behind - 1].end,
            (None, Some(next)) => children[first].start..next.start,
            (None, None) => children[first].start..children[behind - 1].end,
        });
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn without(text: &str, values: &[&str]) -> String {
        let span = |value: &&str| {
            let at = text.find(value).unwrap();
            at..at + value.len()
        };
        let spans: Vec<_> = values.iter().map(span).collect();
        let cuts = removals(text, &spans).into_iter().map(|span| Edit { span, with: String::new() });
        splice(text, cuts.collect())
    }

    #[test]
    fn a_value_leaves_with_its_key_and_one_separator() {
        assert_eq!(without(r#"{"a": 1, "b": 2, "c": 3}"#, &["2"]), r#"{"a": 1, "c": 3}"#);
        assert_eq!(without(r#"{"a": 1, "b": 2}"#, &["1"]), r#"{"b": 2}"#);
        assert_eq!(without(r#"{"a": 1}"#, &["1"]), r#"{}"#);
        assert_eq!(
            without(r#"{"x":[ {"t":1}, {"t":2} ,{"t":3}]}"#, &[r#"{"t":2}"#]),
            r#"{"x":[ {"t":1} ,{"t":3}]}"#
        );
    }

    #[test]
    fn neighbours_leave_together() {
        assert_eq!(without("[1, 2, 3, 4]", &["1", "2"]), "[3, 4]");
        assert_eq!(without("[1, 2, 3, 4]", &["3", "2"]), "[1, 4]");
        assert_eq!(without("[1, 2, 3, 4]", &["1", "3", "4"]), "[2]");
        assert_eq!(without("[1, 2]", &["1", "2"]), "[]");
    }
}
