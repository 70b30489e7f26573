//! Which files a session has touched, when and how.

use std::collections::BTreeSet;

use super::calls::{CallReader, CallRecord};
use super::categories::Categories;
use super::changelog::{self, FileChange};
use super::file_state::{Comparison, Content, FileState, Replay};
use super::known_files::KnownFiles;
use super::operation::{Lines, Shown, Verb};
use super::paths;
use super::vocabulary::Vocabulary;
use crate::history::History;
use crate::history::ItemId;

/// The calls and files of a session. [`FileTracker::update`] costs work in proportion to what is new.
#[derive(Clone, Debug, Default)]
pub struct FileTracker {
    reader: CallReader,
    /// The first item that has not been read.
    next: ItemId,
    calls: Vec<CallRecord>,
    replay: Replay,
    files: KnownFiles,
    /// The drives that paths of Windows have named.
    drives: BTreeSet<char>,
    /// Files that somebody else knows to be changed.
    marked: BTreeSet<String>,
}

/// What is known about one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRecord {
    /// Every time it was touched, oldest first.
    pub accesses: Vec<Access>,
    /// Whether the session changed it.
    pub is_modified: bool,
    /// How often it was read.
    pub reads: usize,
    /// How often it was changed.
    pub changes: usize,
    /// Whether the last change removed it.
    pub is_deleted: bool,
    /// Lines that came through the changes, where known.
    pub added: usize,
    /// Lines that went.
    pub removed: usize,
    /// Whether there was a change of which nobody knows how many lines came and went.
    pub is_uncounted: bool,
    /// Why it was changed, in the words of the calls, each once.
    pub intents: Vec<String>,
    last_step: u32,
}

/// One time a file was touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The step; 0 outside steps.
    pub step: u32,
    /// What was done.
    pub verb: Verb,
    /// The lines, where not all.
    pub lines: Option<Lines>,
    /// Whether the result is the text of the file.
    pub shown: Shown,
    /// The call, where the history has it.
    pub call: Option<ItemId>,
    /// Its result.
    pub result: ItemId,
}

impl FileTracker {
    /// A tracker that knows these tools.
    pub fn new(vocabulary: Vocabulary) -> FileTracker {
        FileTracker::with(vocabulary, Categories::new())
    }

    /// A tracker that knows these tools and categories.
    pub fn with(vocabulary: Vocabulary, categories: Categories) -> FileTracker {
        FileTracker { reader: CallReader::new(vocabulary, categories), ..FileTracker::default() }
    }

    /// The tools it knows.
    pub fn vocabulary(&self) -> &Vocabulary {
        self.reader.vocabulary()
    }

    /// The answered calls, in the order of their results.
    pub fn calls(&self) -> &[CallRecord] {
        &self.calls
    }

    /// All changes that were made, oldest first, each with its call. Refused and failed ones are left out.
    pub fn changes(&self) -> impl Iterator<Item = (&CallRecord, &FileChange)> {
        self.calls.iter().flat_map(|record| record.changes.iter().map(move |change| (record, change)))
    }

    /// What the call behind a result did.
    pub fn call(&self, result: ItemId) -> Option<&CallRecord> {
        let nth = self.calls.binary_search_by_key(&result, |record| record.result).ok()?;
        self.calls.get(nth)
    }

    /// Takes in what the history has more than the last time. Returns which is the first of the calls that is new, or
    /// whose paths have become known: then all of them count as new.
    pub fn update(&mut self, history: &History) -> usize {
        self.take_in(history, None)
    }

    /// As [`FileTracker::update`], and tells how what new reads show compares with what the session had determined
    /// before them.
    pub fn update_and_compare(&mut self, history: &History) -> Vec<Comparison> {
        let mut comparisons = Vec::new();
        self.take_in(history, Some(&mut comparisons));
        comparisons
    }

    fn take_in(&mut self, history: &History, mut comparisons: Option<&mut Vec<Comparison>>) -> usize {
        let mut first = self.calls.len();
        for id in ItemId::each(self.next..history.next_item()) {
            let Some(mut record) = self.reader.read(history, id) else { continue };
            self.drives.extend(record.paths().filter_map(paths::drive));
            if !self.drives.is_empty() {
                record.respell(&self.drives);
            }
            if self.place(&mut record) == Paths::Moved {
                first = 0;
            }
            record.changes = changelog::changes(&record, &self.replay, &history.item(id).text());
            self.replay.apply(history, &record, comparisons.as_deref_mut());
            note(&mut self.files, &record);
            self.calls.push(record);
        }
        self.next = history.next_item();
        self.mark();
        first
    }

    /// Notes a file as changed by the session, whatever its calls show: for callers who know better.
    pub fn mark_modified(&mut self, path: &str) {
        self.marked.insert(path.to_string());
        self.mark();
    }

    fn mark(&mut self) {
        for path in &self.marked {
            let path = paths::join(self.reader.standing().directory.as_deref(), path);
            if let Some(file) = self.files.get_mut(&path) {
                file.is_modified = true;
            }
        }
    }

    /// All files, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &FileRecord)> {
        self.files.records().iter().map(|(path, record)| (path.as_str(), record))
    }

    /// One file. Its path is normalised first.
    pub fn file(&self, path: &str) -> Option<&FileRecord> {
        self.files.records().get(&paths::join(self.reader.standing().directory.as_deref(), path))
    }

    /// The files the session changed, in the order of their paths.
    pub fn modified_files(&self) -> impl Iterator<Item = &str> {
        let modified = self
            .files
            .records()
            .iter()
            .filter(|(path, record)| record.is_modified && !self.is_directory(path));
        modified.map(|(path, _)| path.as_str())
    }

    /// Whether a path names a directory: the session knows files in it.
    pub(super) fn is_directory(&self, path: &str) -> bool {
        let inside = format!("{path}/");
        self.files
            .records()
            .range(inside.clone()..)
            .next()
            .is_some_and(|(known, _)| known.starts_with(&inside))
    }

    /// The files touched within the last `age` steps, the latest first, then by path.
    pub fn recent_files(&self, step: u32, age: u32) -> Vec<&str> {
        let mut recent: Vec<(&str, u32)> = self
            .files
            .records()
            .iter()
            .map(|(path, record)| (path.as_str(), record.last_step()))
            .filter(|(_, last)| step.saturating_sub(*last) <= age)
            .collect();
        recent.sort_by_key(|(path, last)| (std::cmp::Reverse(*last), *path));
        recent.into_iter().map(|(path, _)| path).collect()
    }

    /// Whether a file was not touched within the last `age` steps.
    pub fn is_stale(&self, path: &str, step: u32, age: u32) -> bool {
        self.file(path).is_none_or(|record| step.saturating_sub(record.last_step()) > age)
    }

    /// The latest known state of a file.
    pub fn latest(&self, path: &str) -> FileState {
        self.replay.state(&paths::join(self.reader.standing().directory.as_deref(), path))
    }

    /// The first `chars` characters of what is known of a file.
    pub fn preview(&self, path: &str, chars: usize) -> Option<String> {
        let text = match self.latest(path).content {
            Content::Unknown | Content::Absent => return None,
            Content::Whole(text) => text,
            Content::Partial { runs, .. } => runs.first()?.lines.join("\n"),
        };
        Some(text.chars().take(chars).collect())
    }

    /// How many lines a file has, where known.
    pub fn line_count(&self, path: &str) -> Option<usize> {
        self.replay.line_count(&paths::join(self.reader.standing().directory.as_deref(), path))
    }

    /// Gives a call's relative paths their directory. The directory may become known by a file that is named once by its
    /// full path and once by a relative one; then the paths of all calls before become full.
    fn place(&mut self, record: &mut CallRecord) -> Paths {
        if let Some(directory) = &self.reader.standing().directory {
            record.anchor(directory);
            return Paths::AsTheyWere;
        }
        let seen = record.operations.iter().filter(|operation| operation.verb.touches_files());
        let found = seen
            .filter_map(|operation| operation.path.as_deref())
            .find_map(|path| self.files.directory_by(path));
        let Some(directory) = found else { return Paths::AsTheyWere };
        self.reader.set_directory(&directory);
        self.replay.anchor(&directory);
        record.anchor(&directory);
        self.files.clear();
        for record in &mut self.calls {
            record.anchor(&directory);
            note(&mut self.files, record);
        }
        Paths::Moved
    }
}

/// Whether the paths of earlier calls changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paths {
    AsTheyWere,
    Moved,
}

/// Notes at its files what a call did to them.
fn note(files: &mut KnownFiles, record: &CallRecord) {
    let touching = |verb: Verb| verb.touches_files() && verb != Verb::MakeDirectory;
    for operation in record.operations.iter().filter(|operation| touching(operation.verb)) {
        let verb = operation.verb;
        for path in [&operation.path, &operation.to].into_iter().flatten() {
            if record.line.is_some() && paths::is_open(path) {
                continue;
            }
            let file = files.know(path);
            file.reads += usize::from(verb == Verb::Read && !record.ending.failed);
            file.last_step = file.last_step.max(record.step);
            file.accesses.push(Access {
                step: record.step,
                verb,
                lines: operation.lines,
                shown: operation.shown,
                call: record.call,
                result: record.result,
            });
        }
    }
    for change in &record.changes {
        let source = Some(&change.path).filter(|_| change.verb != Verb::Copy);
        let target = change.to.as_ref().filter(|to| Some(*to) != source);
        for path in [source, target].into_iter().flatten() {
            let file = files.know(path);
            file.last_step = file.last_step.max(record.step);
            file.note_change(path, change, record.intent.as_ref());
        }
    }
}

impl FileRecord {
    /// The last step in which the file was touched.
    pub fn last_step(&self) -> u32 {
        self.last_step
    }

    fn note_change(&mut self, path: &str, change: &FileChange, intent: Option<&String>) {
        self.changes += 1;
        self.is_modified = true;
        self.is_uncounted |= change.added.is_none() || change.removed.is_none();
        self.added += change.added.unwrap_or(0);
        self.removed += change.removed.unwrap_or(0);
        let is_gone = change.verb == Verb::Move && change.to.as_deref() != Some(path);
        self.is_deleted = change.verb == Verb::Delete || is_gone;
        if let Some(intent) = intent.filter(|intent| !self.intents.contains(intent)) {
            self.intents.push(intent.clone());
        }
    }
}
