//! The files of a session, as the ledger lists them.

use serde::Serialize;

use crate::understand::files::{FileRecord, FileTracker};

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
    /// Whether there was a change of which nobody knows how many lines came and went: then there are at least so many.
    pub uncounted: bool,
    /// The last step that touched it.
    pub last_step: u32,
    /// Why it was changed, in the words of the calls, each once.
    pub intents: Vec<String>,
}

/// All files, the latest first.
pub(super) fn files(tracker: &FileTracker) -> Vec<FileEntry> {
    // What was only looked for in vain is no file of the session, and a directory is none at all.
    let is_one =
        |path: &str, file: &FileRecord| (file.is_modified || file.reads > 0) && !tracker.is_directory(path);
    let files = tracker.files().filter(|(path, file)| is_one(path, file));
    let mut files: Vec<FileEntry> = files.map(|(path, file)| entry(path, file)).collect();
    files.sort_by(|a, b| {
        (b.last_step, b.modified).cmp(&(a.last_step, a.modified)).then_with(|| a.path.cmp(&b.path))
    });
    files
}

fn entry(path: &str, file: &FileRecord) -> FileEntry {
    FileEntry {
        path: path.to_string(),
        reads: file.reads,
        changes: file.changes,
        modified: file.is_modified,
        deleted: file.is_deleted,
        added: file.added,
        removed: file.removed,
        uncounted: file.is_uncounted,
        last_step: file.last_step(),
        intents: file.intents.clone(),
    }
}
