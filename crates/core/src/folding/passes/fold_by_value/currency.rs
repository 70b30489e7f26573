//! Whether a result still shows a file as it stands.

use std::collections::HashMap;

use super::weights;
use crate::history::ItemId;
use crate::understand::calls::CallRecord;
use crate::understand::operation::{Change, Verb};

/// Of each file the newest results.
pub(super) struct Currency<'a> {
    /// Of a call that shows or writes all of it.
    whole: HashMap<&'a str, ItemId>,
    /// Of a call that changes something in it.
    changed: HashMap<&'a str, ItemId>,
}

impl<'a> Currency<'a> {
    pub(super) fn of(records: &'a [CallRecord]) -> Currency<'a> {
        let mut newest = Currency { whole: HashMap::new(), changed: HashMap::new() };
        for record in records.iter().filter(|record| !record.ending.went_wrong()) {
            for operation in &record.operations {
                let shows_all = operation.verb == Verb::Read && operation.lines.is_none();
                let writes_all = matches!(operation.change, Change::Whole(_));
                let Some(path) = operation.path.as_deref() else { continue };
                if shows_all || writes_all {
                    newest.whole.insert(path, record.result);
                }
                if operation.verb.writes() {
                    newest.changed.insert(path, record.result);
                }
            }
        }
        newest
    }

    /// The result of the newest change to the file that a result shows, where it was changed since.
    pub(super) fn outdated_by(&self, record: &CallRecord) -> Option<ItemId> {
        shown(record)
            .and_then(|path| self.changed.get(path).copied())
            .filter(|newest| *newest > record.result)
    }

    /// Factor on what a result is worth: less where a file that it shows was shown or written whole since.
    pub(super) fn of_result(&self, record: &CallRecord) -> f64 {
        let newest = shown(record).and_then(|path| self.whole.get(path));
        if newest.is_some_and(|newest| *newest > record.result) { weights::REPLACED } else { 1.0 }
    }
}

/// The file that a result shows.
fn shown(record: &CallRecord) -> Option<&str> {
    record.only_path().filter(|_| record.verbs().any(|verb| verb == Verb::Read))
}
