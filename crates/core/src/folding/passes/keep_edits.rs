//! Keeps edits with their reasons; a long row of old edits of one file becomes a list.
//!
//! # What it does
//! Calls that change files, and what they answered, are the work itself: they stay. Only where one file was changed
//! `min_edits` times and more, and not within the last `recent_steps` steps, the steps that did nothing but edit it leave, all
//! but the last, which lists them:
//! ```text
//! [12 edits to src/a.rs between steps 10 and 50 #482913077]
//! - step 10: parse the header first (+12 −3)
//! ```
//! A call stays as the model wrote it or leaves whole.
//!
//! # When it fires
//! When the view is over its target.
//!
//! # What is lost and how to recall it
//! The steps of the old edits. The handle opens them. The latest state of the file is where it was
//! read or written last, or what `file-at` shows.
//!
//! # Example
//! ```before
//! user: Drop the tables
//! assistant
//!   call c1 Edit {"file_path":"a.md","old_string":"row 1 of the table of the first page\nrow 2 of the table of the first page\nrow 3 of the table of the first page\nrow 4 of the table of the first page\nrow 5 of the table of the first page\nrow 6 of the table of the first page\nrow 7 of the table of the first page","new_string":"none","intent":"the first table is out of date"}
//! result c1: ok
//! assistant
//!   call c2 Edit {"file_path":"a.md","old_string":"row 1 of the table of the second page\nrow 2 of the table of the second page\nrow 3 of the table of the second page\nrow 4 of the table of the second page\nrow 5 of the table of the second page\nrow 6 of the table of the second page\nrow 7 of the table of the second page","new_string":"none","intent":"and so is the second"}
//! result c2: ok
//! assistant
//!   call c3 bash {"command":"wc -l a.md"}
//! result c3: 2 a.md
//! ```
//! ```options
//! budget = 300
//! target = 100
//! min_edits = 2
//! recent_steps = 1
//! ```
//! ```after
//! user: Drop the tables
//! assistant
//!   call c2 Edit {"file_path":"a.md","old_string":"row 1 of the table of the second page\nrow 2 of the table of the second page\nrow 3 of the table of the second page\nrow 4 of the table of the second page\nrow 5 of the table of the second page\nrow 6 of the table of the second page\nrow 7 of the table of the second page","new_string":"none","intent":"and so is the second"}
//! result c2: ok
//!   | [2 edits to a.md between steps 1 and 2 #653454746]
//!   | - step 1: the first table is out of date (+1 −7)
//!   | - step 2: and so is the second (+1 −7)
//! assistant
//!   call c3 bash {"command":"wc -l a.md"}
//! result c3: 2 a.md
//! ```
//!
//! # Options
//! - `min_edits`: how many edits of one file make a list (12)
//! - `recent_steps`: a file changed within so many last steps is left alone (10)
//! - `over_limit`: only where the view does not fit (false)

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Cx, Outcome, Pass, PassError};
use crate::history::{MessageId, Spelling, Text};
use crate::understand::calls::CallRecord;
use crate::understand::changelog::FileChange;
use crate::understand::files::FileRecord;
use crate::view::View;
use crate::view::fold::{Change, Fold, FoldKind, Note};

/// See the manual page above.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeepEdits {
    /// How many edits of one file make a list.
    pub min_edits: usize,
    /// A file changed within so many last steps is left alone.
    pub recent_steps: u32,
    /// Only where the view does not fit.
    pub over_limit: bool,
}

impl Default for KeepEdits {
    fn default() -> KeepEdits {
        KeepEdits { min_edits: 12, recent_steps: 10, over_limit: false }
    }
}

impl Pass for KeepEdits {
    fn name(&self) -> &str {
        "keep_edits"
    }

    fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError> {
        if view.tokens() <= if self.over_limit { cx.limit } else { cx.target } {
            return Ok(Outcome::Unchanged("the view is within its target".into()));
        }
        let old = view.history().steps().saturating_sub(self.recent_steps);
        let is_listed = |record: &FileRecord| {
            let mut changes = record.accesses.iter().filter(|access| access.verb.writes());
            changes.clone().count() >= self.min_edits && changes.all(|access| access.step <= old)
        };
        if !cx.facts.tracker().files().any(|(_, record)| is_listed(record)) {
            let why = format!("no file has {} edits and none of them recent; edits stay", self.min_edits);
            return Ok(Outcome::Unchanged(why));
        }
        let mut folds = Vec::new();
        for (path, edits) in by_file(view, cx) {
            let last = edits.last().map_or(0, |edit| edit.record.step);
            if edits.len() >= self.min_edits && last <= old {
                folds.extend(self.fold(view, cx, path, &edits));
            }
        }
        match folds.is_empty() {
            true => Ok(Outcome::Unchanged("edits stay".into())),
            false => Ok(Outcome::Folds(folds)),
        }
    }
}

/// A change of one file that stands in the view.
struct Edit<'a> {
    record: &'a CallRecord,
    change: &'a FileChange,
}

/// The changes of each file by calls that changed nothing else, oldest first.
fn by_file<'a>(view: &View, cx: &Cx<'a>) -> BTreeMap<&'a str, Vec<Edit<'a>>> {
    let mut files: BTreeMap<&str, Vec<Edit>> = BTreeMap::new();
    for record in cx.facts.tracker().calls().iter().filter(|record| view.has(record.result)) {
        let (Some(call), Some(change)) = (record.call, record.lone_change()) else { continue };
        if !cx.is_protected(call) && !cx.is_protected(record.result) {
            files.entry(&change.path).or_default().push(Edit { record, change });
        }
    }
    files
}

impl KeepEdits {
    /// One fold for all edits of a file: the list may be longer than the answer it stands in.
    fn fold(&self, view: &View, cx: &Cx, path: &str, edits: &[Edit]) -> Option<Fold> {
        let (first, last) = (edits.first()?, edits.last()?);
        let (from, to) = (first.record.step, last.record.step);
        let about = format!("{} edits to {path} between steps {from} and {to}", edits.len());
        let older = edits.iter().take(edits.len() - 1);
        let mut messages: Vec<MessageId> =
            older.filter_map(|edit| step_of(view, cx, edit)).flatten().collect();
        messages.sort_unstable();
        let opens = cx.opens_only(view.history(), &messages);
        let note = Note { item: last.record.result, nth: 0, text: list(&about, &opens, edits) };
        let why = format!("{about}, none of them recent");
        let is_text = |text: &Text| text.spelling == Spelling::Quoted;
        let takes_note = view.history().item(note.item).texts.first().is_some_and(is_text);
        let change = Change::Messages { messages, note: Some(note) };
        takes_note.then_some(Fold { kind: FoldKind::Edits, change, why })
    }
}

/// The messages of an edit, if they may leave.
fn step_of(view: &View, cx: &Cx, edit: &Edit) -> Option<[MessageId; 2]> {
    let may_leave = |id: &MessageId| !cx.is_protected_message(view, *id) && !view.changes().is_dropped(*id);
    edit.record.lone_messages(view.history()).filter(|messages| messages.iter().all(may_leave))
}

/// The edits that give a reason, one by one; the others in one line.
fn list(about: &str, opens: &str, edits: &[Edit]) -> String {
    let mut out = format!("[{about}{opens}]");
    let mut others = 0;
    for Edit { record, change, .. } in edits {
        let Some(reason) = record.intent.as_deref().and_then(|intent| intent.lines().next()) else {
            others += 1;
            continue;
        };
        let count = match (change.added, change.removed) {
            (Some(added), Some(removed)) => format!(" (+{added} −{removed})"),
            _ => String::new(),
        };
        out.push_str(&format!("\n- step {}: {reason}{count}", record.step));
    }
    if others > 0 {
        let sum = |of: fn(&FileChange) -> Option<usize>| -> usize {
            edits.iter().filter(|edit| edit.record.intent.is_none()).filter_map(|edit| of(edit.change)).sum()
        };
        let (added, removed) = (sum(|change| change.added), sum(|change| change.removed));
        out.push_str(&format!("\n- {others} without a reason (+{added} −{removed})"));
    }
    out
}
