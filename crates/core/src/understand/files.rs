//! Which files a session has touched, when and how.

use std::collections::BTreeMap;

use super::categories::Categories;
use super::file_state::{Comparison, Content, FileState, Replay};
use super::operation::{Lines, Shown, Verb};
use super::paths;
use super::vocabulary::Vocabulary;
use super::walk::{Answered, Walk};
use super::work::Work;
use crate::history::History;
use crate::history::ItemId;

/// The files of a session. [`FileTracker::update`] costs work in proportion to what is new.
#[derive(Clone, Debug, Default)]
pub struct FileTracker {
    walk: Walk,
    replay: Replay,
    files: BTreeMap<String, FileRecord>,
    categories: Categories,
    work: BTreeMap<ItemId, Work>,
}

/// What is known about one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRecord {
    /// Every time it was touched, oldest first.
    pub accesses: Vec<Access>,
    /// Whether the session changed it.
    pub is_modified: bool,
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
        FileTracker { walk: Walk::new(vocabulary), categories, ..FileTracker::default() }
    }

    /// The tools it knows.
    pub fn vocabulary(&self) -> &Vocabulary {
        self.walk.vocabulary()
    }

    /// What the call behind a result did.
    pub fn work(&self, result: ItemId) -> Option<&Work> {
        self.work.get(&result)
    }

    /// Takes in what the history has more than the last time. Returns how the reads among it compare with what the
    /// session had determined before.
    pub fn update(&mut self, history: &History) -> Vec<Comparison> {
        let mut comparisons = Vec::new();
        for mut answered in self.walk.advance(history) {
            self.place(&mut answered);
            let tool = history.tool(answered.result).unwrap_or_default();
            self.work.insert(answered.result, Work::of(&answered, tool, &self.categories));
            comparisons.extend(self.replay.apply(history, &answered));
            self.record(history, &answered);
        }
        comparisons
    }

    /// All files, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &FileRecord)> {
        self.files.iter().map(|(path, record)| (path.as_str(), record))
    }

    /// One file. Its path is normalised first.
    pub fn file(&self, path: &str) -> Option<&FileRecord> {
        self.files.get(&paths::join(self.walk.standing().directory.as_deref(), path))
    }

    /// The files the session changed, in the order of their paths.
    pub fn modified_files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|(_, record)| record.is_modified).map(|(path, _)| path.as_str())
    }

    /// The files touched within the last `age` steps, the latest first, then by path.
    pub fn recent_files(&self, step: u32, age: u32) -> Vec<&str> {
        let mut recent: Vec<(&str, u32)> = self
            .files
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
        self.replay.state(&paths::join(self.walk.standing().directory.as_deref(), path))
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
        self.replay.line_count(&paths::join(self.walk.standing().directory.as_deref(), path))
    }

    /// Learns the working directory from a file that is named once by its full path and once by a relative one.
    fn place(&mut self, answered: &mut Answered) {
        if let Some(directory) = &self.walk.standing().directory {
            let directory = directory.clone();
            for operation in &mut answered.operations {
                for path in [&mut operation.path, &mut operation.to].into_iter().flatten() {
                    if operation.verb.touches_files() && !paths::is_anchored(path) {
                        *path = paths::join(Some(&directory), path);
                    }
                }
            }
            return;
        }
        let seen = answered.operations.iter().filter(|operation| operation.verb.touches_files());
        let found =
            seen.filter_map(|operation| operation.path.as_deref()).find_map(|path| self.directory_by(path));
        if let Some(directory) = found {
            self.walk.set_directory(&directory);
            self.replay.anchor(&directory);
            for (path, record) in std::mem::take(&mut self.files) {
                let known = self.files.entry(paths::join(Some(&directory), &path)).or_default();
                known.accesses.extend(record.accesses);
                known.accesses.sort_by_key(|access| access.result);
                known.is_modified |= record.is_modified;
            }
            self.place(answered);
        }
    }

    fn directory_by(&self, path: &str) -> Option<String> {
        let root = |full: &str, relative: &str| {
            let is_long = relative.contains('/') && !relative.starts_with("..");
            full.strip_suffix(relative)
                .filter(|root| is_long && root.ends_with('/') && root.len() > 1)
                .map(String::from)
        };
        let mut others =
            self.files.keys().filter(|known| paths::is_anchored(known) != paths::is_anchored(path));
        match path.starts_with('/') {
            true => others.find_map(|relative| root(path, relative)),
            false if !paths::is_anchored(path) => others.find_map(|full| root(full, path)),
            false => None,
        }
    }

    fn record(&mut self, history: &History, answered: &Answered) {
        let result = &history.items()[answered.result];
        let text = result.text();
        let is_error = result.result().is_some_and(|result| result.is_error);
        let failed = super::outcome::Outcome::of(&text, is_error).failed;
        for operation in answered.operations.iter().filter(|operation| operation.verb.touches_files()) {
            let verb = operation.verb;
            let access = Access {
                step: answered.step,
                verb,
                lines: operation.lines,
                shown: operation.shown,
                call: answered.call,
                result: answered.result,
            };
            for path in [&operation.path, &operation.to].into_iter().flatten() {
                if verb == Verb::MakeDirectory {
                    continue;
                }
                let record = self.files.entry(path.clone()).or_default();
                let source_of_copy = verb == Verb::Copy && Some(path) == operation.path.as_ref();
                record.is_modified |= verb.writes() && !failed && !source_of_copy;
                record.accesses.push(access.clone());
            }
        }
    }
}

impl FileRecord {
    /// The last step in which the file was touched.
    pub fn last_step(&self) -> u32 {
        self.accesses.iter().map(|access| access.step).max().unwrap_or(0)
    }
}
