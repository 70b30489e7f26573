//! What of a change is no news: the lines around it that an edit repeats.
//!
//! An edit names the text that it replaces, a patch the lines around its own. They say where an edit stands, and the next one
//! often begins there, so they are told with what it wrote, but are worth less. Where it wrote nothing, they are not told: they
//! would read as if they were what it changed.

use std::collections::HashSet;
use std::ops::Range;

use super::analysis::Line;
use crate::count::sheet::{Sheet, StringSheet};
use crate::json::Raw;

/// The names under which tools take the text that is replaced.
const OLD: [&str; 5] = ["\"old_string\"", "\"old_str\"", "\"old_text\"", "\"oldText\"", "\"oldString\""];

/// Whether a string among the arguments is what an edit replaced: told beside the new text, nobody could tell which is which.
pub(super) fn is_replaced(arguments: &str, span: &Range<usize>) -> bool {
    let key = arguments[..span.start].trim_end().trim_end_matches(':').trim_end();
    OLD.iter().any(|old| key.ends_with(old))
}

/// Whether arguments are a script of Codex that runs commands and writes nothing: the line that tells the step has them.
pub(super) fn only_runs(arguments: &str) -> bool {
    arguments.contains("tools.exec_command(") && !arguments.contains("*** Begin Patch")
}

/// Marks the lines of a string that its call has not changed.
pub(super) fn mark(
    arguments: &str,
    strings: &[StringSheet],
    span: &Range<usize>,
    sheet: &Sheet,
    lines: &mut [Line],
) -> News {
    let replaced = strings.iter().filter(|string| is_replaced(arguments, &string.span));
    let old: HashSet<u64> =
        replaced.flat_map(|string| string.sheet.lines.iter().filter_map(|line| line.key)).collect();
    let text = Raw::trusted(&arguments[span.clone()]).str().unwrap_or_default();
    let is_patch = text.contains("*** Begin Patch");
    if old.is_empty() && !is_patch {
        return News::All;
    }
    for (line, read) in lines.iter_mut().zip(&sheet.lines) {
        let is_around = is_patch && !text[read.span.clone()].starts_with(['+', '-']);
        line.is_unchanged = is_around || read.key.is_none_or(|key| old.contains(&key));
    }
    match lines.iter().all(|line| line.is_unchanged) {
        true => News::Nothing,
        false => News::Some,
    }
}

/// What of a string is news.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    All,
    Some,
    Nothing,
}
