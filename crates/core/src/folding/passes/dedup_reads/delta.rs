//! A read as a unified diff against another read.

use std::collections::HashMap;

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use super::reads::{Line, Read};

/// What differs between two reads.
pub(super) struct Delta {
    /// Hunks of a unified diff, with the file's line numbers.
    pub(super) hunks: String,
    /// The lines of the older read that it starts from; `None` for all.
    pub(super) part: Option<(usize, usize)>,
}

/// Lines around a change: line numbers already say where it is.
const CONTEXT: usize = 1;

/// The diff that makes `new` of `old`; `None` if nothing differs, if it cannot give `new` back byte for byte, or if more
/// than `share` of the lines differ.
pub(super) fn between(old: &Read, new: &Read, share: f64) -> Option<Delta> {
    if gutter(old)? != gutter(new)? {
        return None;
    }
    let (first, last) = (new.lines.first()?.number, new.lines.last()?.number);
    let is_all = old.is_all && new.is_all;
    let part = |line: &&Line| is_all || (first..=last).contains(&line.number);
    let from: Vec<&Line> = old.lines.iter().filter(part).collect();
    if from.first()?.number != first {
        return None;
    }
    let contents = |lines: &[&Line<'_>]| lines.iter().map(|line| line.content.to_string()).collect();
    let olds: Vec<String> = contents(&from);
    let news: Vec<String> = contents(&new.lines.iter().collect::<Vec<_>>());
    if (different(&olds, &news) as f64) > share * news.len() as f64 {
        return None;
    }
    let ops = capture_diff_slices(Algorithm::Myers, &olds, &news);
    let hunks: String =
        group_diff_ops(ops, CONTEXT).iter().map(|ops| hunk(ops, first, &olds, &news)).collect();
    if hunks.is_empty() {
        return None;
    }
    let part = (from.len() < old.lines.len()).then(|| (first, from.last().map_or(first, |line| line.number)));
    Some(Delta { hunks, part })
}

/// Lines of `new` that are not among those of `old`: at least so many must stand in a diff. Cheap, so that texts with
/// little in common are never compared.
fn different(old: &[String], new: &[String]) -> usize {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in old {
        *counts.entry(line).or_default() += 1;
    }
    let mut is_new = |line: &&String| match counts.get_mut(line.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    new.iter().filter(|line| is_new(line)).count()
}

fn hunk(ops: &[DiffOp], first: usize, old: &[String], new: &[String]) -> String {
    let (Some(start), Some(end)) = (ops.first(), ops.last()) else { return String::new() };
    let olds = start.old_range().start..end.old_range().end;
    let news = start.new_range().start..end.new_range().end;
    // As in any unified diff, an empty side is named by the line before it.
    let place = |range: &std::ops::Range<usize>| match range.len() {
        0 => format!("{},0", (first + range.start).saturating_sub(1)),
        1 => format!("{}", first + range.start),
        len => format!("{},{len}", first + range.start),
    };
    let mut out = format!("@@ -{} +{} @@\n", place(&olds), place(&news));
    let mut push = |mark: char, lines: &[String]| {
        for line in lines {
            out.push(mark);
            out.push_str(line);
            out.push('\n');
        }
    };
    for op in ops {
        match op {
            DiffOp::Equal { old_index, len, .. } => push(' ', &old[*old_index..old_index + len]),
            _ => {
                push('-', &old[op.old_range()]);
                push('+', &new[op.new_range()]);
            }
        }
    }
    out
}

/// What stands before each line: nothing, or its number in a field of some width and a mark. `None` where it is
/// anything else, so that the lines could not be written again from their contents and numbers.
fn gutter<'r>(read: &'r Read) -> Option<(usize, &'r str)> {
    let before = |line: &Line| {
        let raw = &read.text[line.span.clone()];
        raw.strip_suffix(line.content).map(|before| before.len())
    };
    let first = read.lines.first()?;
    let head = &read.text[first.span.start..first.span.start + before(first)?];
    let mark = head.trim_start_matches(' ').trim_start_matches(|c: char| c.is_ascii_digit());
    let width = head.len() - mark.len();
    let is_regular = |line: &Line| {
        let raw = &read.text[line.span.clone()];
        match head.is_empty() {
            true => raw == line.content,
            false => raw == format!("{:>width$}{mark}{}", line.number, line.content),
        }
    };
    read.lines.iter().all(is_regular).then_some((width, mark))
}
