//! Whether a result still shows a file as it stands.

use std::collections::HashMap;

use super::weights;
use crate::history::ItemId;
use crate::understand::calls::CallRecord;
use crate::understand::operation::{Change, Verb};

/// Of each file the newest result of a call that shows or writes all of it.
pub(super) struct Currency<'a>(HashMap<&'a str, ItemId>);

impl<'a> Currency<'a> {
    pub(super) fn of(records: &'a [CallRecord]) -> Currency<'a> {
        let mut newest = HashMap::new();
        for record in records.iter().filter(|record| !record.ending.went_wrong()) {
            for operation in &record.operations {
                let shows_all = operation.verb == Verb::Read && operation.lines.is_none();
                let writes_all = matches!(operation.change, Change::Whole(_));
                if let Some(path) = operation.path.as_deref().filter(|_| shows_all || writes_all) {
                    newest.insert(path, record.result);
                }
            }
        }
        Currency(newest)
    }

    /// Factor on what a result is worth: less where a file that it shows was shown or written whole since.
    pub(super) fn of_result(&self, record: &CallRecord) -> f64 {
        let shown = record.only_path().filter(|_| record.verbs().any(|verb| verb == Verb::Read));
        let newest = shown.and_then(|path| self.0.get(path));
        if newest.is_some_and(|newest| *newest > record.result) { weights::REPLACED } else { 1.0 }
    }
}
