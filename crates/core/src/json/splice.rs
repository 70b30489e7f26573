//! Changing a text at chosen byte ranges and copying everything else.

use std::ops::Range;

/// Puts `with` in place of the bytes at `span`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that go.
    pub span: Range<usize>,
    /// What stands there instead; empty removes.
    pub with: String,
}

/// Applies `edits` to `text`. They may come in any order but must not overlap.
///
/// # Panics
/// If two edits overlap or one reaches past the end: edits come from spans of the same text.
pub fn splice(text: &str, mut edits: Vec<Edit>) -> String {
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
