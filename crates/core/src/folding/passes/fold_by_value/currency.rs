//! Whether a result still shows a file as it stands.

use std::collections::{HashMap, HashSet};

use super::weights;
use crate::understand::calls::CallRecord;
use crate::understand::files::FileTracker;
use crate::understand::operation::{Change, Verb};

/// What became of the files of a session.
pub(super) struct Currency<'a> {
    /// Files that the session changed.
    changed: HashSet<&'a str>,
    /// The newest call that shows or writes all of a file.
    whole: HashMap<&'a str, &'a CallRecord>,
}

impl<'a> Currency<'a> {
    pub(super) fn of(tracker: &'a FileTracker) -> Currency<'a> {
        let changed = tracker.changes().map(|(_, change)| change.path.as_str()).collect();
        let mut whole = HashMap::new();
        for record in tracker.calls().iter().filter(|record| !record.ending.went_wrong()) {
            for operation in &record.operations {
                let shows_all = operation.verb == Verb::Read && operation.lines.is_none();
                let writes_all = matches!(operation.change, Change::Whole(_));
                if let Some(path) = operation.path.as_deref().filter(|_| shows_all || writes_all) {
                    whole.insert(path, record);
                }
            }
        }
        Currency { changed, whole }
    }

    /// Factor on what a result is worth.
    pub(super) fn of_result(&self, record: &CallRecord) -> f64 {
        let Some(path) = record.read_file().or_else(|| record.only_path()) else { return 1.0 };
        let is_read = record.verbs().any(|verb| verb == Verb::Read);
        match self.whole.get(path) {
            _ if !is_read => 1.0,
            Some(newer) if newer.result > record.result => weights::REPLACED,
            _ if self.changed.contains(path) => weights::CURRENT,
            _ => 1.0,
        }
    }
}
