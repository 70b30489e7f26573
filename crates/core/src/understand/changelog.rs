//! The changes that calls make to files, with how many lines came and went.

use super::calls::CallRecord;
use super::file_state::Replay;
use super::line_diff::{line_diff, slices_diff};
use super::lines::split;
use super::operation::{Change, Occurrences, Operation, Replacement, Target, Verb};
use super::patch::PatchLine;
use super::paths;

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

/// The changes a call made to files that were as `before` says; `text` is its result. None where it was refused or failed.
pub(super) fn changes(record: &CallRecord, before: &Replay, text: &str) -> Vec<FileChange> {
    if record.ending.failed {
        return Vec::new();
    }
    let mut changes = Vec::new();
    for operation in record.operations.iter().filter(|operation| operation.verb.writes()) {
        let Some(path) = operation.path.as_deref() else { continue };
        let names = [Some(path), operation.to.as_deref()];
        // A shell puts other names in place of a pattern or a variable, and nobody knows which.
        if record.line.is_some() && names.into_iter().flatten().any(paths::is_open) {
            continue;
        }
        match operation.verb {
            Verb::Delete if before.is_absent(path) || was_not_there(path, text) => {}
            Verb::Delete | Verb::Move if is_directory(operation, path, before) => {
                changes.extend(inside(operation, path, before));
            }
            _ => changes.push(change(operation, path, before)),
        }
    }
    changes
}

fn change(operation: &Operation, path: &str, before: &Replay) -> FileChange {
    let (added, removed) = count(operation, path, before).unzip();
    // A file that is there is not made by writing it whole.
    let verb = match operation.verb {
        Verb::Create if before.is_there(path) => Verb::Edit,
        verb => verb,
    };
    FileChange { verb, to: operation.to.clone(), added, removed, path: path.to_string() }
}

/// So many files of a directory that goes are told one by one.
const MOST_INSIDE: usize = 200;

/// What becomes of the files that are known inside a directory that is removed or moved.
fn inside(operation: &Operation, directory: &str, before: &Replay) -> Vec<FileChange> {
    let is_there = |path: &&str| before.is_there(path) || before.was_written(path);
    let known = before.inside(directory).filter(is_there).take(MOST_INSIDE);
    let change = |path: &str| {
        let to = operation.to.as_ref().map(|to| format!("{to}{}", &path[directory.len()..]));
        let removed = if operation.verb == Verb::Move { Some(0) } else { before.line_count(path) };
        FileChange { verb: operation.verb, path: path.to_string(), to, added: Some(0), removed }
    };
    known.map(change).collect()
}

/// Whether what is removed or moved is a directory, as far as its name and what is known of it tell.
fn is_directory(operation: &Operation, path: &str, before: &Replay) -> bool {
    if operation.target == Target::Directory {
        return true;
    }
    if before.is_there(path) {
        return false;
    }
    // `src` and `build` are directories; `Makefile`, `.env` and `a.txt` are not.
    let name = paths::name(path);
    let is_bare = !name.contains('.') && name.starts_with(|c: char| c.is_ascii_lowercase());
    let may_be = operation.target == Target::Tree || operation.verb == Verb::Move;
    before.inside(path).next().is_some() || (may_be && is_bare)
}

/// Whether `rm` said that there was no such file.
fn was_not_there(path: &str, text: &str) -> bool {
    let named = |line: &str| {
        let quoted =
            line.split_once("cannot remove ").map(|(_, rest)| rest.split(": ").next().unwrap_or(rest));
        let plain = || line.strip_prefix("rm: ")?.strip_suffix(": No such file or directory");
        quoted.or_else(plain).map(|name| name.trim_matches(['\'', '"', '‘', '’', '`']).to_string())
    };
    let mut names = text.lines().filter(|line| line.contains("rm: ")).take(MOST_INSIDE).filter_map(named);
    names.any(|name| path == name || path.strip_suffix(&name).is_some_and(|rest| rest.ends_with('/')))
}

/// Lines added and removed by a change, where the session shows them.
fn count(operation: &Operation, path: &str, before: &Replay) -> Option<(usize, usize)> {
    let lines = |text: &str| split(text).count();
    Some(match (&operation.change, operation.verb) {
        (_, Verb::Delete) => (0, before.line_count(path)?),
        (Change::None, Verb::Copy) => {
            let replaced = operation.to.as_deref().and_then(|to| before.line_count(to));
            (before.line_count(path)?, replaced.unwrap_or(0))
        }
        (Change::None, _) => (0, 0),
        (Change::Whole(text), _) if before.is_there(path) => line_diff(&before.text(path)?, text),
        (Change::Whole(text), _) => (lines(text), 0),
        (Change::Append(text) | Change::Insert { text, .. }, _) => (lines(text), 0),
        (Change::Lines { first, last, text }, _) => {
            let new: Vec<&str> = text.iter().flat_map(|text| split(text)).collect();
            match before.lines(path, *first, *last) {
                Some(old) => slices_diff(&old, &new),
                None => (new.len(), (last + 1).saturating_sub(*first)),
            }
        }
        (Change::Replace(all), _) => {
            let mut sum = (0, 0);
            for replacement in all {
                let (added, removed) = replaced(replacement, path, before)?;
                sum = (sum.0 + added, sum.1 + removed);
            }
            sum
        }
        (Change::Patch(hunks), _) => {
            let lines = || hunks.iter().flat_map(|hunk| &hunk.lines);
            let added = lines().filter(|line| matches!(line, PatchLine::Add(_))).count();
            let removed = lines().filter(|line| matches!(line, PatchLine::Remove(_))).count();
            (added, removed)
        }
        (Change::Undo | Change::Unknown, _) => return None,
    })
}

/// What a replacement changes: once, or wherever the text stands, which only the whole file tells.
fn replaced(replacement: &Replacement, path: &str, before: &Replay) -> Option<(usize, usize)> {
    let Replacement { old, new, occurrences } = replacement;
    let (added, removed) = line_diff(old, new);
    if *occurrences == Occurrences::Single || old.is_empty() {
        return Some((added, removed));
    }
    let text = before.text(path)?;
    let times = match old.contains('\n') {
        true => text.matches(old.as_str()).count(),
        // Two on one line change one line.
        false => split(&text).filter(|line| line.contains(old.as_str())).count(),
    };
    Some((added * times, removed * times))
}
