//! What a file holds at any step, as far as the session determines it.
//!
//! Reads, writes, edits and patches are replayed. A run that may have changed anything makes what was known
//! doubtful; seeing lines again makes these lines certain again.

mod told;

use std::collections::BTreeMap;

use bytestring::ByteString;

use super::calls::{CallReader, CallRecord};
use super::categories::Categories;
use super::ending::{Ending, REFUSALS};
use super::lines::{Fit, KnownLines, Moment, windows};
use super::operation::{Change, Effect, Operation, Replacement, Verb};
use super::paths;
use super::shown::{self, ShownLines};
use super::vocabulary::Vocabulary;
use crate::history::{History, Item};

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
    let mut reader = CallReader::new(vocabulary.clone(), Categories::new());
    for id in history.item_ids() {
        if let Some(record) = reader.read(history, id).filter(|record| record.step <= step) {
            replay.apply(history, &record, None);
        }
    }
    replay.find(path).map(|path| replay.state(&path))
}

/// Replays the calls of a session onto its files.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    files: BTreeMap<String, Model>,
    /// What may have changed any file, in order. A file takes notice when it is next looked at: a session of a thousand
    /// commands and a thousand files must not cost a million steps.
    doubts: Vec<Doubt>,
    now: Moment,
    step: u32,
    turn: u32,
}

/// Something that may have changed files unseen.
#[derive(Clone, Debug)]
struct Doubt {
    at: Moment,
    step: u32,
    because: String,
}

#[derive(Clone, Debug, Default)]
struct Model {
    known: KnownLines,
    absent: bool,
    /// The state before the last edit, for tools that can take it back.
    before: Option<KnownLines>,
    doubt: Option<(u32, String)>,
    /// How many of the replay's doubts it has taken notice of.
    noticed: usize,
}

impl Model {
    /// Takes notice of the doubts that have come up since the last time.
    fn notice(&mut self, doubts: &[Doubt]) {
        let new = &doubts[self.noticed..];
        self.noticed = doubts.len();
        let (Some(first), Some(last)) = (new.first(), new.last()) else { return };
        if self.known.has_no_lines() {
            self.doubt = Some((last.step, last.because.clone()));
        } else if self.doubt.is_none() || self.known.is_sure() {
            self.doubt = Some((first.step, first.because.clone()));
        }
        self.known.doubt(last.at);
    }
}

impl Replay {
    /// Replays one call. How what it shows compares with what was expected is put into `comparisons`, where wanted.
    pub(super) fn apply(
        &mut self,
        history: &History,
        record: &CallRecord,
        mut comparisons: Option<&mut Vec<Comparison>>,
    ) {
        let text = whole_text(history.item(record.result));
        self.step = record.step;
        if std::mem::replace(&mut self.turn, record.turn) != record.turn {
            self.now += 2;
            self.doubt_all("the user had their turn");
        }
        let result = Shows { ending: &record.ending, text: &text };
        for operation in &record.operations {
            self.now += 2;
            self.operation(operation, result, comparisons.as_deref_mut());
            if operation.effect == Effect::Anything && !result.is_refusal() {
                self.doubt_all(operation.command.as_deref().unwrap_or(operation.verb.name()));
            }
        }
    }

    /// What is known of a file.
    pub fn state(&self, path: &str) -> FileState {
        let Some(mut model) = self.files.get(path).cloned() else {
            return FileState { content: Content::Unknown, certainty: Certainty::Certain };
        };
        model.notice(&self.doubts);
        let content = match model.known.text() {
            _ if model.absent => Content::Absent,
            Some(text) => Content::Whole(text),
            None if model.known.is_empty() => Content::Unknown,
            None => {
                let runs = model.known.runs().map(|(first, lines)| Run { first, lines });
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

    /// Whether a file is known not to be there.
    pub(super) fn is_absent(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|model| model.absent)
    }

    /// The text of a file that is known whole.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        self.files.get(path).filter(|model| !model.absent).and_then(|model| model.known.text())
    }

    /// The lines of a file from `first` to `last`, where all of them are known.
    pub(super) fn lines(&self, path: &str, first: usize, last: usize) -> Option<Vec<&str>> {
        let model = self.files.get(path).filter(|model| !model.absent)?;
        let last = model.known.total().map_or(last, |total| last.min(total));
        (first.max(1)..=last).map(|number| model.known.line(number).map(|(text, _)| &**text)).collect()
    }

    /// Whether a file is known to be there: something of it was seen or written.
    pub(super) fn is_there(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|model| !model.absent && !model.known.is_empty())
    }

    /// Whether a file is there because it was written, whether or not anything of it is known.
    pub(super) fn was_written(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|model| !model.absent && model.before.is_some())
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

    fn operation(
        &mut self,
        operation: &Operation,
        result: Shows<'_>,
        comparisons: Option<&mut Vec<Comparison>>,
    ) {
        let Some(path) = operation.path.as_deref() else { return };
        if operation.verb == Verb::Read {
            if let Some(shown) = shown::lines_of(operation, result.ending, result.text) {
                self.observe(path, &shown, result.text, comparisons);
            }
            return;
        }
        if !operation.verb.writes() || result.ending.failed {
            return;
        }
        if path.contains(['*', '?', '{']) {
            self.doubt_all(path);
            return;
        }
        match operation.verb {
            Verb::Delete => self.remove(path),
            Verb::Move | Verb::Copy => self.transfer(operation, path),
            _ => self.change(path, operation, result),
        }
        if !result.ending.succeeded() {
            // Part of the command failed; whether this part did, nobody said.
            let ending = format!("exit status {}", result.ending.exit.unwrap_or(-1));
            self.doubt_one(path, &ending);
        }
    }

    /// What is known of a file, with all doubts noticed.
    fn model(&mut self, path: &str) -> &mut Model {
        let new = Model { noticed: self.doubts.len(), ..Model::default() };
        let model = self.files.entry(path.to_string()).or_insert(new);
        model.notice(&self.doubts);
        model
    }

    fn observe(
        &mut self,
        path: &str,
        shown: &ShownLines<'_>,
        text: &ByteString,
        comparisons: Option<&mut Vec<Comparison>>,
    ) {
        let (now, step) = (self.now, self.step);
        let model = self.model(path);
        if let Some(comparisons) = comparisons {
            comparisons.push(compare(&model.known, path, step, shown));
        }
        model.absent = false;
        if model.known.observe(shown.first, &shown.lines, text, shown.at_end, now) == Fit::Contradicts {
            model.doubt = Some((step, "the file changed unseen".to_string()));
        }
        for (number, line) in (shown.first..).zip(&shown.lines) {
            if line.len() >= shown::CUT_LINE {
                model.known.forget_line(number);
            }
        }
    }

    fn change(&mut self, path: &str, operation: &Operation, result: Shows<'_>) {
        let now = self.now;
        let is_known = self.files.contains_key(path);
        if !is_known && (path == "." || self.inside(path).next().is_some()) {
            // It is a directory; what changed in it is not said.
            let inside: Vec<String> = match path {
                "." => self.files.keys().cloned().collect(),
                _ => self.inside(path).map(String::from).collect(),
            };
            inside.iter().for_each(|known| self.doubt_one(known, path));
            return;
        }
        let text = result.text;
        let model = self.model(path);
        let before = model.known.clone();
        if model.absent {
            model.known = KnownLines::default();
            model.absent = false;
        }
        let view = if result.ending.truncated { None } else { shown::numbered(result.ending.body(text)) };
        let understood = apply_change(&mut model.known, &operation.change, model.before.as_ref(), now);
        match (understood, view) {
            (true, Some((first, lines))) if lines.len() > 1 => {
                model.known.observe(first, &lines, text, false, now);
            }
            (true, _) => {}
            (false, Some((first, lines))) if lines.len() > 1 => {
                model.known = before.clone();
                match shift_of(&operation.change) {
                    Some(shift) => model.known.edited_near(first, &lines, text, shift, now),
                    None => {
                        model.known = KnownLines::default();
                        model.known.observe(first, &lines, text, false, now);
                    }
                }
            }
            (false, _) => model.known = KnownLines::default(),
        }
        model.before = Some(before);
    }

    /// The known files inside a directory.
    pub(super) fn inside(&self, directory: &str) -> impl Iterator<Item = &str> {
        let inside = format!("{directory}/");
        let after = self.files.range(inside.clone()..);
        after.map(|(known, _)| known.as_str()).take_while(move |known| known.starts_with(&inside))
    }

    fn remove(&mut self, path: &str) {
        let gone = Model { absent: true, noticed: self.doubts.len(), ..Model::default() };
        let inside: Vec<String> = self.inside(path).map(String::from).collect();
        for known in inside {
            self.files.insert(known, gone.clone());
        }
        self.files.insert(path.to_string(), gone);
    }

    /// Moves or copies a file, or all that is known inside a directory.
    fn transfer(&mut self, operation: &Operation, from: &str) {
        let Some(to) = &operation.to else { return };
        let known = self.files.contains_key(from).then_some(from).into_iter().chain(self.inside(from));
        let moved: Vec<(String, Model)> =
            known.map(|path| (format!("{to}{}", &path[from.len()..]), self.files[path].clone())).collect();
        if moved.is_empty() {
            self.files.insert(to.clone(), Model { noticed: self.doubts.len(), ..Model::default() });
        }
        self.files.extend(moved);
        if operation.verb == Verb::Move {
            self.remove(from);
            if let (Change::Patch(_), true) = (&operation.change, self.files.contains_key(to)) {
                let now = self.now;
                let model = self.model(to);
                let understood = apply_change(&mut model.known, &operation.change, None, now);
                if !understood {
                    model.known = KnownLines::default();
                }
            }
        }
    }

    fn doubt_all(&mut self, because: &str) {
        self.doubts.push(Doubt { at: self.now, step: self.step, because: because.to_string() });
    }

    fn doubt_one(&mut self, path: &str, because: &str) {
        let (now, step) = (self.now, self.step);
        if !self.files.contains_key(path) {
            return;
        }
        let model = self.model(path);
        let sure = model.known.is_sure();
        model.known.doubt(now);
        if sure || model.doubt.is_none() {
            model.doubt = Some((step, because.to_string()));
        }
    }
}

/// What a result shows of a call.
#[derive(Clone, Copy)]
struct Shows<'a> {
    ending: &'a Ending,
    text: &'a ByteString,
}

impl Shows<'_> {
    /// Whether the call was never made.
    fn is_refusal(&self) -> bool {
        let body = || self.ending.body(self.text).trim_start();
        self.ending.failed && REFUSALS.iter().any(|mark| body().starts_with(mark))
    }
}

/// All text of an item, shared with the history where it is one piece.
fn whole_text(item: &Item) -> ByteString {
    match &item.texts[..] {
        [text] => text.value.clone(),
        _ => item.text().into_owned().into(),
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
            known.splice(after + 1, *after, windows(text), now);
            true
        }
        Change::Lines { first, last, text } => {
            let lines = windows(text.as_deref().unwrap_or(""));
            let first = (*first).max(1);
            let last = known.total().map_or(*last, |total| (*last).min(total));
            known.splice(first, last.max(first - 1), lines, now);
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
