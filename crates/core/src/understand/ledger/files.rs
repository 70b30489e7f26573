//! The files of a session, as the ledger lists them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::history::History;
use crate::history::ItemId;
use crate::understand::changelog::{ChangeEntry, changelog};
use crate::understand::files::{FileRecord, FileTracker};
use crate::understand::operation::Verb;
use crate::understand::vocabulary::Vocabulary;

/// A file the session touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileEntry {
    /// Its path.
    pub path: String,
    /// How often it was read.
    pub reads: usize,
    /// How often it was changed.
    pub changes: usize,
    /// Whether the session changed it, as far as it shows.
    pub modified: bool,
    /// Whether the last change removed it.
    pub deleted: bool,
    /// Lines that came and went through the changes, where known.
    pub added: usize,
    /// Lines that went.
    pub removed: usize,
    /// The last step that touched it.
    pub last_step: u32,
    /// Why it was changed, in the words of the calls, each once.
    pub intents: Vec<String>,
}

/// All files, the latest first.
pub(super) fn files(history: &History, tracker: &FileTracker, vocabulary: &Vocabulary) -> Vec<FileEntry> {
    let mut changes: BTreeMap<ItemId, Vec<ChangeEntry>> = BTreeMap::new();
    for change in changelog(history, vocabulary) {
        if let Some(call) = change.call {
            changes.entry(call).or_default().push(change);
        }
    }
    let mut files: Vec<FileEntry> =
        tracker.files().map(|(path, record)| entry(path, record, &changes)).collect();
    files.sort_by(|a, b| {
        (b.last_step, b.modified).cmp(&(a.last_step, a.modified)).then_with(|| a.path.cmp(&b.path))
    });
    files
}

fn entry(path: &str, record: &FileRecord, changes: &BTreeMap<ItemId, Vec<ChangeEntry>>) -> FileEntry {
    let mut entry = FileEntry {
        path: path.to_string(),
        reads: record.accesses.iter().filter(|access| access.verb == Verb::Read).count(),
        changes: 0,
        modified: record.is_modified,
        deleted: false,
        added: 0,
        removed: 0,
        last_step: record.last_step(),
        intents: Vec::new(),
    };
    let mut counted = std::collections::BTreeSet::new();
    for access in record.accesses.iter().filter(|access| access.verb.writes()) {
        let Some(call) = access.call.filter(|call| counted.insert(*call)) else { continue };
        // A call may change several files; a relative path in it is the end of the tracker's.
        let of_this = |change: &&ChangeEntry| {
            path.ends_with(change.path.trim_start_matches("./"))
                || change.to.as_ref().is_some_and(|to| path.ends_with(to.trim_start_matches("./")))
        };
        for change in changes.get(&call).into_iter().flatten().filter(of_this) {
            entry.changes += 1;
            entry.added += change.added.unwrap_or(0);
            entry.removed += change.removed.unwrap_or(0);
            entry.deleted = change.verb == Verb::Delete
                || (change.verb == Verb::Move && change.to.as_deref().is_none_or(|to| !path.ends_with(to)));
            if let Some(intent) = change.intent.as_ref().filter(|intent| !entry.intents.contains(intent)) {
                entry.intents.push(intent.clone());
            }
        }
    }
    entry
}
