//! How many lines of a text came and went, as a diff counts them.

use std::collections::HashMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::lines::split;

/// Texts that differ in more lines than this between their common start and end are compared as bags of lines: a diff may
/// cost the product of both lengths.
const MOST_LINES: usize = 3_000;

/// Lines that came and lines that went. Exact where a diff is affordable; else lines that only changed their place do not
/// count.
pub(super) fn line_diff(old: &str, new: &str) -> (usize, usize) {
    let (old, new): (Vec<&str>, Vec<&str>) = (split(old).collect(), split(new).collect());
    slices_diff(&old, &new)
}

pub(super) fn slices_diff(old: &[&str], new: &[&str]) -> (usize, usize) {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    match old.len() + new.len() {
        _ if old.is_empty() || new.is_empty() => (new.len(), old.len()),
        lines if lines <= MOST_LINES => exact(old, new),
        _ => as_bags(old, new),
    }
}

fn exact(old: &[&str], new: &[&str]) -> (usize, usize) {
    let ops = capture_diff_slices(Algorithm::Myers, old, new);
    ops.iter().fold((0, 0), |(added, removed), op| match op {
        DiffOp::Equal { .. } => (added, removed),
        DiffOp::Delete { old_len, .. } => (added, removed + old_len),
        DiffOp::Insert { new_len, .. } => (added + new_len, removed),
        DiffOp::Replace { old_len, new_len, .. } => (added + new_len, removed + old_len),
    })
}

fn as_bags(old: &[&str], new: &[&str]) -> (usize, usize) {
    let mut left: HashMap<&str, usize> = HashMap::new();
    old.iter().for_each(|line| *left.entry(line).or_default() += 1);
    let mut kept = 0;
    for line in new {
        if let Some(count) = left.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            kept += 1;
        }
    }
    (new.len() - kept, old.len() - kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lines_in_the_middle_do_not_count() {
        assert_eq!(line_diff("a1\nb\nc\nd1", "a2\nb\nc\nd2"), (2, 2));
        assert_eq!(line_diff("a\nb\n", "a\nb\n"), (0, 0));
        assert_eq!(line_diff("", "a\nb\n"), (2, 0));
        assert_eq!(line_diff("a\n", ""), (0, 1));
    }

    #[test]
    fn huge_texts_are_compared_in_linear_time() {
        let lines = |range: std::ops::Range<usize>| range.map(|n| format!("{n}\n")).collect::<String>();
        assert_eq!(line_diff(&lines(0..200_000), &lines(1..200_001)), (1, 1));
    }
}
