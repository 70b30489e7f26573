//! By file: how often it was read and changed, and what that took.

use std::collections::HashMap;

use enfold::file::document::Document;
use enfold::history::ItemId;
use enfold::understand::files::{Access, FileRecord, FileTracker};
use enfold::understand::operation::{Lines, Verb};
use serde::Serialize;

use crate::counting::Counted;

#[derive(Debug, Serialize)]
pub struct FileShare {
    pub path: String,
    pub reads: usize,
    /// Reads of lines that had been read before and that nothing had changed since.
    pub repeated_reads: usize,
    pub writes: usize,
    pub modified: bool,
    /// Tokens of the calls and results that touch it; those of a call that touches several files are divided.
    pub tokens: usize,
    pub accesses: Vec<AccessRow>,
}

#[derive(Debug, Serialize)]
pub struct AccessRow {
    pub step: u32,
    pub verb: &'static str,
    pub message: usize,
    pub repeated: bool,
}

/// Every file, the one that takes most first.
pub fn files(document: &Document, counted: &Counted, tracker: &FileTracker) -> Vec<FileShare> {
    let mut sharers: HashMap<ItemId, usize> = HashMap::new();
    for (_, record) in tracker.files() {
        for result in results(record) {
            *sharers.entry(result).or_default() += 1;
        }
    }
    let of = |(path, record)| share(path, record, document, counted, &sharers);
    let mut files: Vec<FileShare> = tracker.files().map(of).collect();
    files.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.path.cmp(&b.path)));
    files
}

fn share(
    path: &str,
    record: &FileRecord,
    document: &Document,
    counted: &Counted,
    sharers: &HashMap<ItemId, usize>,
) -> FileShare {
    let history = &document.history;
    let tokens_of = |result: ItemId| {
        let call = history.pair(result).map_or(0, |call| counted.tally.item(call));
        (call + counted.tally.item(result)) / sharers.get(&result).copied().unwrap_or(1)
    };
    let mut seen = Seen::default();
    let rows = record.accesses.iter().map(|access| AccessRow {
        step: access.step,
        verb: access.verb.name(),
        message: history.item(access.result).message.number(),
        repeated: seen.again(access),
    });
    let accesses: Vec<AccessRow> = rows.collect();
    FileShare {
        path: path.to_string(),
        reads: record.reads,
        repeated_reads: accesses.iter().filter(|access| access.repeated).count(),
        writes: record.accesses.iter().filter(|access| access.verb.writes()).count(),
        modified: record.is_modified,
        tokens: results(record).into_iter().map(tokens_of).sum(),
        accesses,
    }
}

/// The results of a file's accesses, each once: one command may read a file twice.
fn results(record: &FileRecord) -> Vec<ItemId> {
    let mut results: Vec<ItemId> = record.accesses.iter().map(|access| access.result).collect();
    results.dedup();
    results
}

/// The lines read since the last change.
#[derive(Default)]
struct Seen {
    /// First and last lines, ends included, apart from each other.
    spans: Vec<(usize, usize)>,
    /// Reads counted from the end of the file.
    tails: Vec<Lines>,
}

impl Seen {
    /// Takes in an access; true for a read that shows nothing new.
    fn again(&mut self, access: &Access) -> bool {
        if access.verb.writes() {
            *self = Seen::default();
        }
        if access.verb != Verb::Read {
            return false;
        }
        let span = match access.lines {
            None => (1, usize::MAX),
            Some(Lines::Span { first, last }) => (first, last.unwrap_or(usize::MAX)),
            Some(tail @ Lines::Last(_)) => {
                let again = self.tails.contains(&tail) || self.spans.contains(&(1, usize::MAX));
                self.tails.push(tail);
                return again;
            }
        };
        let again = self.spans.iter().any(|(first, last)| *first <= span.0 && span.1 <= *last);
        self.add(span);
        again
    }

    /// Joins a span with those it touches.
    fn add(&mut self, (mut first, mut last): (usize, usize)) {
        self.spans.retain(|(start, end)| {
            let apart = last.saturating_add(1) < *start || end.saturating_add(1) < first;
            if !apart {
                (first, last) = (first.min(*start), last.max(*end));
            }
            apart
        });
        self.spans.push((first, last));
    }
}
