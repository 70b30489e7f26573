//! Whether a result still shows a file as it stands.

use std::collections::HashMap;

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

    /// Whether a file that a result shows was shown or written whole since.
    pub(super) fn is_replaced(&self, record: &CallRecord) -> bool {
        let newest = shown(record).and_then(|path| self.whole.get(path));
        newest.is_some_and(|newest| *newest > record.result)
    }
}

/// The file that a result shows.
fn shown(record: &CallRecord) -> Option<&str> {
    record.only_path().filter(|_| record.verbs().any(|verb| verb == Verb::Read))
}
