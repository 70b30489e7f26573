//! The changes that calls make to files, with how many lines came and went.

use super::calls::CallRecord;
use super::file_state::Replay;
use super::lines::split;
use super::operation::{Change, Operation, Verb};
use super::patch::PatchLine;

/// One change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// What was done.
    pub verb: Verb,
    /// The file.
    pub path: String,
    /// Where it went, if it was moved or copied.
    pub to: Option<String>,
    /// Lines that came, where known.
    pub added: Option<usize>,
    /// Lines that went, where known.
    pub removed: Option<usize>,
}

/// The changes a call made to files that were as `before` says. None where it was refused or failed.
pub(super) fn changes(record: &CallRecord, before: &Replay) -> Vec<FileChange> {
    if record.ending.failed {
        return Vec::new();
    }
    let written = record.operations.iter().filter(|operation| operation.verb.writes());
    let change = |operation: &Operation| {
        let path = operation.path.clone()?;
        let (added, removed) = count(operation, before.line_count(&path));
        // A file that is there is not made by writing it whole.
        let verb = match operation.verb {
            Verb::Create if before.is_there(&path) => Verb::Edit,
            verb => verb,
        };
        Some(FileChange { verb, to: operation.to.clone(), added, removed, path })
    };
    written.filter_map(change).collect()
}

/// Lines added and removed by a change of a file that had `before` lines.
fn count(operation: &Operation, before: Option<usize>) -> (Option<usize>, Option<usize>) {
    let lines = |text: &str| split(text).count();
    match (&operation.change, operation.verb) {
        (_, Verb::Delete) => (Some(0), before),
        (Change::None, Verb::Move | Verb::Copy) => (Some(0), Some(0)),
        (Change::None, _) => (Some(0), Some(0)),
        (Change::Whole(text), _) => (Some(lines(text)), Some(before.unwrap_or(0))),
        (Change::Append(text) | Change::Insert { text, .. }, _) => (Some(lines(text)), Some(0)),
        (Change::Lines { first, last, text }, _) => {
            (Some(text.as_deref().map_or(0, lines)), Some((last + 1).saturating_sub(*first)))
        }
        (Change::Replace(all), _) => {
            let each = all.iter().map(|replacement| differing(&replacement.old, &replacement.new));
            let (added, removed) = each.fold((0, 0), |sum, each| (sum.0 + each.0, sum.1 + each.1));
            (Some(added), Some(removed))
        }
        (Change::Patch(hunks), _) => {
            let lines = || hunks.iter().flat_map(|hunk| &hunk.lines);
            let added = lines().filter(|line| matches!(line, PatchLine::Add(_))).count();
            let removed = lines().filter(|line| matches!(line, PatchLine::Remove(_))).count();
            (Some(added), Some(removed))
        }
        (Change::Undo | Change::Unknown, _) => (None, None),
    }
}

/// Lines of `new` and of `old` between what both begin and end with.
fn differing(old: &str, new: &str) -> (usize, usize) {
    let (old, new): (Vec<&str>, Vec<&str>) = (split(old).collect(), split(new).collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    (new.len() - head - tail, old.len() - head - tail)
}
