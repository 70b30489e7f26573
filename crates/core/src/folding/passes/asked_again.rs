//! Whether a call asks once more for what the view does not show whole: then its result stays whole.

use std::borrow::Cow;

use super::Cx;
use crate::history::History;
use crate::understand::calls::CallRecord;
use crate::understand::operation::{Operation, Verb};
use crate::view::View;

/// Earlier calls among which one is looked for that a call repeats.
const REPEATED: usize = 40;

/// Whether a call asks for what an earlier one showed, and the newest of these stands shortened in the view.
pub(super) fn asks_for_hidden(view: &View, cx: &Cx, record: &CallRecord) -> bool {
    let records = cx.facts.tracker().calls();
    let before = records.partition_point(|earlier| earlier.result < record.result);
    let mut earlier =
        records[..before].iter().rev().take(REPEATED).filter(|earlier| view.has(earlier.result));
    let newest =
        earlier.find(|earlier| earlier.tool == record.tool && asks_again(view.history(), earlier, record));
    newest.is_some_and(|newest| view.is_changed(newest.result))
}

/// A file is asked for again by its name and lines, whatever else the model writes into the call; a command by its line. Of
/// other calls only the arguments as a whole say what they ask for. That a call which is no read asks for what was left out,
/// only the same text says.
fn asks_again(history: &History, earlier: &CallRecord, record: &CallRecord) -> bool {
    if only_reads(record) && earlier.operations == record.operations {
        return true;
    }
    let is_same_command = record.line.is_some() && earlier.line == record.line;
    (is_same_command || has_same_arguments(history, earlier, record))
        && printed(history, earlier) == printed(history, record)
}

fn only_reads(record: &CallRecord) -> bool {
    let is_read = |operation: &Operation| operation.verb == Verb::Read && operation.path.is_some();
    !record.operations.is_empty() && record.operations.iter().all(is_read)
}

/// Whether two calls were made with the same arguments, in whatever order they were written.
fn has_same_arguments(history: &History, one: &CallRecord, other: &CallRecord) -> bool {
    let (Some(one), Some(other)) = (one.call, other.call) else { return false };
    let [one, other] = [one, other].map(|call| history.item(call).text());
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    one == other || value(&one).is_some_and(|one| value(&other) == Some(one))
}

/// What the tool printed, without what an agent writes around it: times and counters are new each time.
fn printed<'a>(history: &'a History, record: &CallRecord) -> Cow<'a, str> {
    match history.item(record.result).text() {
        Cow::Borrowed(text) => record.ending.body(text).into(),
        Cow::Owned(text) => record.ending.body(&text).to_string().into(),
    }
}
