//! What a file holds at any step, as far as the session determines it.
//!
//! Reads, writes, edits and patches are replayed. A run that may have changed anything makes what was known
//! doubtful; seeing lines again makes these lines certain again.

use std::collections::BTreeMap;

use bytestring::ByteString;

use super::lines::{Fit, KnownLines};
use super::operation::{Change, Effect, Operation, Replacement, Verb};
use super::outcome::Outcome;
use super::paths;
use super::shown::{self, ShownLines};
use super::vocabulary::Vocabulary;
use super::walk::{Answered, Walk};
use crate::history::History;

/// What is known of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    /// Its content.
    pub content: Content,
    /// How sure that is.
    pub certainty: Certainty,
}

/// The content of a file, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing is known.
    Unknown,
    /// The file is not there.
    Absent,
    /// Some lines are known.
    Partial {
        /// Runs of neighbouring lines, in order.
        runs: Vec<Run>,
        /// How many lines the file has, where known.
        total: Option<usize>,
    },
    /// All of it is known.
    Whole(String),
}

/// Neighbouring lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The number of the first, counted from 1.
    pub first: usize,
    /// Their texts.
    pub lines: Vec<ByteString>,
}

/// How sure a content is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// The history determines it.
    Certain,
    /// Something may have changed it unseen.
    Doubtful {
        /// The step of the first thing that may have.
        since: u32,
        /// What that was.
        because: String,
    },
}

/// How lines that a read showed compare with what the replay expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The file.
    pub path: String,
    /// The step of the read.
    pub step: u32,
    /// How many lines were shown.
    pub shown: usize,
    /// How many of them were certain before.
    pub determined: usize,
    /// How many of these were as expected.
    pub equal: usize,
    /// How many were known before but doubtful.
    pub doubtful: usize,
    /// How many of these were as expected.
    pub doubtful_equal: usize,
    /// The first line that was not: its number, what was expected and what was shown.
    pub first_difference: Option<(usize, String, String)>,
}

/// The state of `path` after step `step`. `None` where the session never touches such a file.
///
/// A relative path also finds a file whose full path ends with it, if only one does.
pub fn file_at(history: &History, vocabulary: &Vocabulary, path: &str, step: u32) -> Option<FileState> {
    let mut replay = Replay::default();
    let mut walk = Walk::new(vocabulary.clone());
    for answered in walk.advance(history).iter().filter(|answered| answered.step <= step) {
        replay.apply(history, answered);
    }
    replay.find(path).map(|path| replay.state(&path))
}

/// Replays the calls of a session onto its files.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    files: BTreeMap<String, Model>,
    now: u64,
    step: u32,
    turn: u32,
}

#[derive(Clone, Debug, Default)]
struct Model {
    known: KnownLines,
    absent: bool,
    /// The state before the last edit, for tools that can take it back.
    before: Option<KnownLines>,
    doubt: Option<(u32, String)>,
}

impl Replay {
    /// Replays one call and compares what it shows with what was expected.
    pub fn apply(&mut self, history: &History, answered: &Answered) -> Vec<Comparison> {
        let result = &history.items()[answered.result];
        let text = result.text();
        let outcome = Outcome::of(&text, result.result().is_some_and(|result| result.is_error));
        self.step = answered.step;
        if std::mem::replace(&mut self.turn, answered.turn) != answered.turn {
            self.now += 2;
            self.doubt_all("the user had their turn", |_| true);
        }
        let mut comparisons = Vec::new();
        for operation in &answered.operations {
            self.now += 2;
            comparisons.extend(self.operation(operation, &outcome));
            if operation.effect == Effect::Anything && !was_refused(&outcome) {
                let because = operation.command.clone().unwrap_or_else(|| operation.verb.name().to_string());
                self.doubt_all(&because, |_| true);
            }
        }
        comparisons
    }

    /// What is known of a file.
    pub fn state(&self, path: &str) -> FileState {
        let Some(model) = self.files.get(path) else {
            return FileState { content: Content::Unknown, certainty: Certainty::Certain };
        };
        let content = match model.known.text() {
            _ if model.absent => Content::Absent,
            Some(text) => Content::Whole(text),
            None if model.known.is_empty() => Content::Unknown,
            None => {
                let runs = model.known.runs().into_iter().map(|(first, lines)| Run { first, lines });
                Content::Partial { runs: runs.collect(), total: model.known.total() }
            }
        };
        let certainty = match &model.doubt {
            Some((since, because)) if model.absent || !model.known.is_sure() => {
                Certainty::Doubtful { since: *since, because: because.clone() }
            }
            _ => Certainty::Certain,
        };
        FileState { content, certainty }
    }

    /// How many lines a file has, where known.
    pub fn line_count(&self, path: &str) -> Option<usize> {
        self.files.get(path).filter(|model| !model.absent).and_then(|model| model.known.total())
    }

    /// The tracked path that `path` means: itself, or the only one that ends with it.
    pub fn find(&self, path: &str) -> Option<String> {
        let path = paths::normalise(path);
        if self.files.contains_key(&path) {
            return Some(path);
        }
        let ending = format!("/{path}");
        let mut fitting = self.files.keys().filter(|known| known.ends_with(&ending));
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => Some(only.clone()),
            _ => None,
        }
    }

    /// Gives files that were known by a relative path their full one.
    pub(super) fn anchor(&mut self, directory: &str) {
        let relative: Vec<String> =
            self.files.keys().filter(|path| !paths::is_anchored(path)).cloned().collect();
        for path in relative {
            if let Some(model) = self.files.remove(&path) {
                let full = paths::join(Some(directory), &path);
                // The later evidence is in the one that is being used now.
                self.files.entry(full).or_insert(model);
            }
        }
    }

    fn operation(&mut self, operation: &Operation, outcome: &Outcome<'_>) -> Option<Comparison> {
        let path = operation.path.as_deref()?;
        if operation.verb == Verb::Read {
            let shown = shown::lines_of(operation, outcome)?;
            return Some(self.observe(path, &shown));
        }
        if !operation.verb.writes() || outcome.failed {
            return None;
        }
        if path.contains(['*', '?', '{']) {
            self.doubt_all(path, |_| true);
            return None;
        }
        match operation.verb {
            Verb::Delete => self.remove(path),
            Verb::Move | Verb::Copy => self.transfer(operation, path),
            _ => self.change(path, operation, outcome),
        }
        if !outcome.succeeded() {
            // Part of the command failed; whether this part did, nobody said.
            let ending = format!("exit status {}", outcome.exit.unwrap_or(-1));
            self.doubt_all(&ending, |known| known == path);
        }
        None
    }

    fn observe(&mut self, path: &str, shown: &ShownLines<'_>) -> Comparison {
        let (now, step) = (self.now, self.step);
        let model = self.files.entry(path.to_string()).or_default();
        let comparison = compare(&model.known, path, step, shown);
        model.absent = false;
        if model.known.observe(shown.first, &shown.lines, shown.at_end, now) == Fit::Contradicts {
            model.doubt = Some((step, "the file changed unseen".to_string()));
        }
        for (number, line) in (shown.first..).zip(&shown.lines) {
            if line.len() >= shown::CUT_LINE {
                model.known.forget_line(number);
            }
        }
        comparison
    }

    fn change(&mut self, path: &str, operation: &Operation, outcome: &Outcome<'_>) {
        let now = self.now;
        let is_directory = !self.files.contains_key(path) && {
            let inside = format!("{}/", path.trim_end_matches('/'));
            path == "."
                || self
                    .files
                    .range(inside.clone()..)
                    .next()
                    .is_some_and(|(known, _)| known.starts_with(&inside))
        };
        if is_directory {
            let inside = format!("{path}/");
            self.doubt_all(path, |known| path == "." || known.starts_with(&inside));
            return;
        }
        let model = self.files.entry(path.to_string()).or_default();
        let before = model.known.clone();
        if model.absent {
            model.known = KnownLines::default();
            model.absent = false;
        }
        let view = if outcome.truncated { None } else { shown::numbered(outcome.body) };
        let understood = apply_change(&mut model.known, &operation.change, model.before.as_ref(), now);
        match (understood, view) {
            (true, Some((first, lines))) if lines.len() > 1 => {
                model.known.observe(first, &lines, false, now);
            }
            (true, _) => {}
            (false, Some((first, lines))) if lines.len() > 1 => {
                model.known = before.clone();
                match shift_of(&operation.change) {
                    Some(shift) => model.known.edited_near(first, &lines, shift, now),
                    None => {
                        model.known = KnownLines::default();
                        model.known.observe(first, &lines, false, now);
                    }
                }
            }
            (false, _) => model.known = KnownLines::default(),
        }
        model.before = Some(before);
    }

    fn remove(&mut self, path: &str) {
        let inside = format!("{path}/");
        for (known, model) in &mut self.files {
            if known == path || known.starts_with(&inside) {
                *model = Model { absent: true, ..Model::default() };
            }
        }
        self.files.entry(path.to_string()).or_insert(Model { absent: true, ..Model::default() });
    }

    /// Moves or copies a file, or all that is known inside a directory.
    fn transfer(&mut self, operation: &Operation, from: &str) {
        let Some(to) = &operation.to else { return };
        let inside = format!("{from}/");
        let moved: Vec<(String, Model)> = self
            .files
            .iter()
            .filter(|(path, _)| *path == from || path.starts_with(&inside))
            .map(|(path, model)| (format!("{to}{}", &path[from.len()..]), model.clone()))
            .collect();
        if moved.is_empty() {
            self.files.insert(to.clone(), Model::default());
        }
        self.files.extend(moved);
        if operation.verb == Verb::Move {
            self.remove(from);
            if let (Change::Patch(_), Some(model)) = (&operation.change, self.files.get_mut(to)) {
                let understood = apply_change(&mut model.known, &operation.change, None, self.now);
                if !understood {
                    model.known = KnownLines::default();
                }
            }
        }
    }

    fn doubt_all(&mut self, because: &str, which: impl Fn(&str) -> bool) {
        let (now, step) = (self.now, self.step);
        for (_, model) in self.files.iter_mut().filter(|(path, _)| which(path)) {
            let sure = model.known.is_sure();
            model.known.doubt(now);
            if sure || model.doubt.is_none() {
                model.doubt = Some((step, because.to_string()));
            }
        }
    }
}

/// Changes what is known; false where the place or the change is not known.
fn apply_change(known: &mut KnownLines, change: &Change, before: Option<&KnownLines>, now: u64) -> bool {
    match change {
        Change::None => true,
        Change::Whole(text) => {
            *known = KnownLines::whole(text, now);
            true
        }
        Change::Append(text) => known.append(text, now),
        Change::Replace(all) => all.iter().all(|replacement| known.replace(replacement, now)),
        Change::Insert { after, text } => {
            let lines: Vec<&str> = super::lines::split(text).collect();
            known.splice(after + 1, *after, &lines, now);
            true
        }
        Change::Lines { first, last, text } => {
            let lines: Vec<&str> = super::lines::split(text.as_deref().unwrap_or("")).collect();
            let first = (*first).max(1);
            let last = known.total().map_or(*last, |total| (*last).min(total));
            known.splice(first, last.max(first - 1), &lines, now);
            true
        }
        Change::Patch(hunks) => known.patch(hunks, now),
        Change::Undo => before.is_some_and(|before| {
            *known = before.clone();
            true
        }),
        Change::Unknown => false,
    }
}

/// By how many lines what follows an edit moves.
fn shift_of(change: &Change) -> Option<isize> {
    let feeds = |text: &str| text.matches('\n').count() as isize;
    match change {
        Change::Replace(all) => match all.as_slice() {
            [Replacement { old, new, occurrences: super::operation::Occurrences::Single }] => {
                Some(feeds(new) - feeds(old))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether the call was never made.
fn was_refused(outcome: &Outcome<'_>) -> bool {
    const REFUSALS: [&str; 3] = ["The user doesn't want to proceed", "<tool_use_error>", "Permission to use"];
    outcome.failed && REFUSALS.iter().any(|mark| outcome.body.trim_start().starts_with(mark))
}

fn compare(known: &KnownLines, path: &str, step: u32, shown: &ShownLines<'_>) -> Comparison {
    let mut lines = shown.lines.as_slice();
    let past_end = known.total().is_some_and(|total| shown.first + lines.len() == total + 2);
    if lines.last() == Some(&"") && (shown.at_end || past_end) {
        lines = &lines[..lines.len() - 1];
    }
    let mut comparison = Comparison {
        path: path.to_string(),
        step,
        shown: lines.len(),
        determined: 0,
        equal: 0,
        doubtful: 0,
        doubtful_equal: 0,
        first_difference: None,
    };
    for (number, text) in (shown.first..).zip(lines) {
        let expected = match known.line(number) {
            Some((expected, false)) => {
                comparison.doubtful += 1;
                comparison.doubtful_equal += usize::from(&**expected == *text);
                continue;
            }
            Some((expected, true)) => expected.clone(),
            None if known.is_whole() && known.is_sure() => ByteString::from_static("(no such line)"),
            _ => continue,
        };
        comparison.determined += 1;
        if &*expected == *text || (text.len() >= shown::CUT_LINE && expected.starts_with(&text[..cut(text)]))
        {
            comparison.equal += 1;
        } else if comparison.first_difference.is_none() {
            comparison.first_difference = Some((number, expected.to_string(), (*text).to_string()));
        }
    }
    comparison
}

fn cut(text: &str) -> usize {
    (0..=shown::CUT_LINE.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
