//! Which lines of a Claude Code log are the session: the chain of parents that leads to the last line, and what hangs
//! beside it.
//!
//! ```text
//! user ─ assistant a (call 1) ─ assistant a (call 2) ─ result 2 ─ assistant b     the chain, from the leaf
//!                   └ result 1                                                    beside it: the result of its call
//! user ─ assistant c                                                              another branch: left out
//! ```
//!
//! One walk over parents and a few over the lines. Parents that form a cycle count as missing.

use std::collections::{HashMap, HashSet};

use super::line::{Kind, Line};

/// Which lines are live.
#[derive(Debug, Default)]
pub(super) struct Live {
    /// For each line, whether it belongs to the session.
    pub(super) lines: Vec<bool>,
    /// Lines with messages on branches that were abandoned, or in a history that was replaced.
    pub(super) abandoned: usize,
    /// Lines whose parent is not in the log.
    pub(super) lost_parents: usize,
    /// Lines that begin anew, without a parent, though others stand before them.
    pub(super) later_roots: usize,
}

/// Finds the live lines.
pub(super) fn live(lines: &[Line]) -> Live {
    let mut live = Live { lines: vec![false; lines.len()], ..Live::default() };
    let by_uuid = lines.iter().enumerate();
    let by_uuid: HashMap<&str, usize> =
        by_uuid.filter_map(|(nth, line)| Some((line.uuid.as_deref()?, nth))).collect();
    let segments = segments(lines, &by_uuid, &mut live.lost_parents);
    let start = keep_unreplaced(lines, &segments, &mut live.lines);
    let ends = segments.iter().filter_map(|segment| segment.last());
    let begins_anew = |nth: &&usize| lines[**nth].is_root && lines[**nth].logical_parent.is_none();
    live.later_roots = ends.filter(|nth| live.lines[**nth] && **nth > start).filter(begins_anew).count();
    add_beside(lines, &by_uuid, start, &mut live.lines);
    let is_left_out =
        |(nth, line): &(usize, &Line)| line.is_main() && line.has_message() && !live.lines[*nth];
    live.abandoned = lines.iter().enumerate().filter(is_left_out).count();
    live
}

/// The chain from the last line, newest first, cut where it could only go on with the line before in the file: at a
/// root, or where the parent is missing.
fn segments(lines: &[Line], by_uuid: &HashMap<&str, usize>, lost_parents: &mut usize) -> Vec<Vec<usize>> {
    // For each line, the nearest earlier one that could be its predecessor.
    let mut before = Vec::with_capacity(lines.len());
    let mut last = None;
    for (nth, line) in lines.iter().enumerate() {
        before.push(last);
        if line.is_main() && line.is_linked() {
            last = Some(nth);
        }
    }
    let says = |line: &Line| line.has_message() || line.kind == Kind::Attachment;
    let leaf = lines.iter().rposition(|line| line.is_main() && says(line));
    let mut seen = vec![false; lines.len()];
    let mut segments = vec![Vec::new()];
    let mut at = leaf;
    while let Some(nth) = at {
        if std::mem::replace(&mut seen[nth], true) {
            break;
        }
        if let Some(segment) = segments.last_mut() {
            segment.push(nth);
        }
        let line = &lines[nth];
        let parent = line.parent.as_deref().or(line.logical_parent.as_deref());
        at = match parent.map(|parent| by_uuid.get(parent)) {
            Some(Some(parent)) if !seen[*parent] => Some(*parent),
            missing => {
                *lost_parents += usize::from(missing.is_some());
                segments.push(Vec::new());
                before[nth]
            }
        };
    }
    segments
}

/// Marks the lines of the segments, except those that a later segment repeats: a fork writes the whole history again
/// under new ids. Returns where the first segment that stays begins.
fn keep_unreplaced(lines: &[Line], segments: &[Vec<usize>], live: &mut [bool]) -> usize {
    let mut repeated: HashSet<&str> = HashSet::new();
    let mut start = lines.len();
    for segment in segments {
        let ids = || segment.iter().filter_map(|nth| lines[*nth].message_id.as_deref());
        if ids().any(|id| repeated.contains(id)) {
            break;
        }
        repeated.extend(ids());
        for nth in segment {
            live[*nth] = true;
            start = start.min(*nth);
        }
    }
    start
}

/// Adds what the chain passes by: other lines of the same responses, results of their calls, and summaries, which the
/// chain passes by where the end of the old context was kept word for word. Lines of a response that hang on a dead
/// branch are copies: a client that forks writes them again.
fn add_beside(lines: &[Line], by_uuid: &HashMap<&str, usize>, start: usize, live: &mut [bool]) {
    let responses: HashSet<&str> =
        chosen(lines, live).filter_map(|line| line.message_id.as_deref()).collect();
    let mut calls: HashSet<&str> =
        chosen(lines, live).flat_map(|line| &line.calls).map(String::as_str).collect();
    let mut answered: HashSet<&str> =
        chosen(lines, live).flat_map(|line| &line.answers).map(String::as_str).collect();
    for (nth, line) in lines.iter().enumerate().skip(start) {
        if live[nth] || !line.is_main() {
            continue;
        }
        let parent = line.parent.as_deref().and_then(|parent| by_uuid.get(parent));
        let same_response = line.message_id.as_deref().is_some_and(|id| responses.contains(id))
            && parent.is_some_and(|parent| live[*parent]);
        let mut answers = line.answers.iter().map(String::as_str);
        let answers = answers.any(|id| calls.contains(id) && !answered.contains(id));
        if same_response || answers || line.kind == Kind::Summary {
            live[nth] = true;
            calls.extend(line.calls.iter().map(String::as_str));
            answered.extend(line.answers.iter().map(String::as_str));
        }
    }
}

fn chosen<'l, 'a>(lines: &'l [Line<'a>], live: &[bool]) -> impl Iterator<Item = &'l Line<'a>> {
    lines.iter().zip(live.to_vec()).filter(|(_, live)| *live).map(|(line, _)| line)
}
