//! Cache markers: where a client asks its provider to keep a prefix.
//!
//! They belong to a request, not to the history: a client moves them on with every request, and a provider takes four at
//! most. So a session never sees them, and they are put back where the request had them:
//!
//! ```text
//! client    system* task … result7 … result8*        (* a marker)
//! view      system* task+ told … result7 … result8*  (+ one more, where there is room)
//! ```
//!
//! The one more stands before the first change. What is in front of it stays when the next epoch comes, so an entry there is
//! read then, instead of everything being written anew.

use std::ops::Range;

use bytestring::ByteString;

use crate::json::{Edit, Elements, Kind, Raw, removals, splice};

/// The field.
const MARKER: &str = "cache_control";

/// Markers that a provider takes in one request.
pub(super) const MOST: usize = 4;

/// A message without its markers, and the last of them.
pub(super) struct Unmarked {
    pub(super) raw: ByteString,
    pub(super) marker: Option<ByteString>,
    /// How many it had.
    pub(super) count: usize,
}

/// Takes the markers off a message or a system prompt. The very same bytes where there are none.
pub(super) fn unmark(raw: &ByteString) -> Unmarked {
    let markers = markers(raw);
    let Some(last) = markers.last() else {
        return Unmarked { raw: raw.clone(), marker: None, count: 0 };
    };
    let marker = Some(raw[last.clone()].into());
    let gone = removals(raw, &markers).into_iter().map(|span| Edit { span, with: String::new() });
    Unmarked { raw: splice(raw, gone.collect()).into(), marker, count: markers.len() }
}

/// How many markers a value has: a list of tools, a system prompt, a message.
pub(super) fn count(text: &str) -> usize {
    markers(text).len()
}

/// A message with this marker on its last part; `None` if no part of it can carry one.
pub(super) fn mark(message: &str, marker: &str) -> Option<ByteString> {
    let content = Raw::trusted(message).get("content").or_else(|| Raw::trusted(message).get("output"))?;
    let edit = match content.kind() {
        Kind::String if !content.str()?.trim().is_empty() => {
            let part = format!(r#"[{{"type":"text","text":{},"{MARKER}":{marker}}}]"#, content.text());
            Edit { span: content.span_in(message), with: part }
        }
        Kind::Array => {
            let part = content.elements().filter(|part| carries_markers(*part)).last()?;
            // Before the last bracket of an object that is not empty.
            let end = part.span_in(message).end - 1;
            Edit { span: end..end, with: format!(r#","{MARKER}":{marker}"#) }
        }
        _ => return None,
    };
    Some(splice(message, vec![edit]).into())
}

/// Whether a provider takes a marker on this part.
fn carries_markers(part: Raw) -> bool {
    match part.str_at("type").as_deref() {
        _ if part.get(MARKER).is_some() => false,
        None | Some("thinking" | "redacted_thinking") => false,
        Some("text") => part.str_at("text").is_some_and(|text| !text.trim().is_empty()),
        Some(_) => true,
    }
}

/// Where the markers stand: on the value itself, on its parts, on what those hold. Never inside arguments, which are the
/// model's own.
fn markers(text: &str) -> Vec<Range<usize>> {
    if !text.contains(MARKER) {
        return Vec::new();
    }
    let root = Raw::trusted(text);
    let first: Vec<Raw> = parts(root).collect();
    let second: Vec<Raw> = first.iter().flat_map(|part| parts(*part)).collect();
    let holders = std::iter::once(root).chain(first).chain(second);
    let mut spans: Vec<_> =
        holders.filter_map(|holder| holder.get(MARKER)).map(|marker| marker.span_in(text)).collect();
    spans.sort_by_key(|span| span.start);
    spans
}

/// The elements of a list, or of what a message or part has for content.
fn parts(value: Raw) -> Elements {
    match value.kind() {
        Kind::Array => value.elements(),
        _ => value.get("content").unwrap_or(value).elements(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: &str = r#"{"type":"ephemeral"}"#;

    #[test]
    fn a_marker_leaves_and_comes_back() {
        let marked = r#"{"role":"user","content":[{"type":"text","text":"a"}, {"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]}"#;
        let bare = unmark(&marked.into());
        assert_eq!(
            bare.raw,
            r#"{"role":"user","content":[{"type":"text","text":"a"}, {"type":"text","text":"b"}]}"#
        );
        assert_eq!((bare.marker.as_deref(), bare.count), (Some(MARK), 1));
        assert_eq!(mark(&bare.raw, MARK).unwrap(), marked);
    }

    #[test]
    fn markers_inside_results_are_found_and_those_in_arguments_are_the_models_own() {
        let nested = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a","cache_control":{}}]}]}"#;
        assert_eq!(unmark(&nested.into()).count, 1);
        let own = r#"{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"cache_control":1}}]}"#;
        assert_eq!(unmark(&own.into()).raw, own);
    }

    #[test]
    fn thinking_and_empty_texts_carry_none() {
        let thinks = r#"{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"","signature":"s"}]}"#;
        assert!(mark(thinks, MARK).unwrap().contains(r#""text":"a","cache_control""#));
        assert_eq!(mark(r#"{"role":"user","content":[{"type":"text","text":" "}]}"#, MARK), None);
        assert_eq!(mark(r#"{"role":"user","content":""}"#, MARK), None);
        assert_eq!(
            mark(r#"{"role":"user","content":"a"}"#, MARK).unwrap(),
            r#"{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}"#
        );
    }
}
