//! The ledger: what a session is about and how far it has come, computed by code.
//!
//! A summary that a model writes may forget or invent; the ledger cannot. It is exact as far as the history shows, and
//! what it does not show is not in it. [`Ledger::render`] writes it into as many tokens as there are, the most useful lines first.

mod aim;
mod attempts;
mod files;
mod render;
mod requests;
mod stated;
mod telling;
mod test_run;
mod todo;

use serde::Serialize;

use crate::history::History;
use crate::history::ItemId;
use crate::understand::calls::CallRecord;
use crate::understand::facts::Facts;
use crate::understand::finish;

pub use attempts::{CommandEntry, ErrorEntry, Resolution};
pub use files::FileEntry;
pub use requests::Request;
pub use stated::Stated;
pub use todo::{TodoEntry, TodoState};

/// Facts about a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ledger {
    /// What the user asked for first, word for word.
    pub task: Option<String>,
    /// Everything the user asked for, oldest first.
    pub requests: Vec<Request>,
    /// The files touched, the latest first.
    pub files: Vec<FileEntry>,
    /// The commands run, the latest first, each once.
    pub commands: Vec<CommandEntry>,
    /// What went wrong, the latest first.
    pub errors: Vec<ErrorEntry>,
    /// The agent's own plan, as it stands.
    pub todo: Vec<TodoEntry>,
    /// Calls of the last step whose results have not come.
    pub pending: Vec<Pending>,
    /// Conditions and names the user stated.
    pub stated: Stated,
}

/// A call whose result has not come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pending {
    /// The step it belongs to.
    pub step: u32,
    /// The tool.
    pub tool: String,
    /// Its arguments as they stand.
    pub arguments: String,
}

/// What a ledger is drawn from. It grows with the history: taking in what is new costs nothing for what is old.
#[derive(Clone, Debug, Default)]
pub(super) struct Book {
    requests: requests::Requests,
    attempts: attempts::Attempts,
    plan: todo::Plan,
}

impl Book {
    /// Takes in the calls from `first` on. All of them are taken in again where their paths have become known.
    pub(super) fn update_calls(&mut self, history: &History, calls: &[CallRecord], first: usize) {
        if first == 0 {
            self.attempts = attempts::Attempts::default();
            self.plan = todo::Plan::default();
        }
        for record in &calls[first..] {
            self.attempts.add(history, record);
            self.plan.add(history, record);
        }
    }

    /// The agent's own plan, as it stands.
    pub(super) fn plan(&self) -> &[TodoEntry] {
        self.plan.entries()
    }

    /// Takes in what was said in new messages, of which a person typed these `words`.
    pub(super) fn update_requests(&mut self, history: &History, words: &[ItemId]) {
        self.requests.update(history, words);
    }
}

impl Ledger {
    /// The ledger of a history, of which everything is known. Costs work for what is listed and for the user's texts,
    /// not for the history.
    pub fn of(history: &History, facts: &Facts) -> Ledger {
        let book = facts.book();
        let requests = book.requests.all().to_vec();
        Ledger {
            task: requests.first().map(|request| request.text.clone()),
            files: files::files(facts.tracker()),
            commands: book.attempts.commands(),
            errors: book.attempts.errors(),
            todo: book.plan.entries().to_vec(),
            pending: pending(history, facts),
            stated: Stated::of(requests.iter().map(|request| request.text.as_str())),
            requests,
        }
    }
}

/// The calls of the last step that nobody has answered. What the session went on without is not waited for, nor is a call
/// that ends the work.
fn pending(history: &History, facts: &Facts) -> Vec<Pending> {
    let is_last = |call: &ItemId| history.item(*call).step == Some(history.steps());
    let newest = facts.tracker().calls().iter().rev().take_while(|record| record.step == history.steps());
    let mut calls: Vec<ItemId> =
        newest.filter(|record| record.ending.missing).filter_map(|record| record.call).collect();
    calls.extend(history.open_calls().iter().rev().take_while(|call| is_last(call)));
    calls.sort_unstable();
    calls.retain(|call| !finish::ends_work(history, Some(*call)));
    let calls = calls.into_iter().map(|call| history.item(call));
    calls
        .map(|item| Pending {
            step: item.step.unwrap_or(0),
            tool: item.call().map(|call| call.name.to_string()).unwrap_or_default(),
            arguments: item.text().into_owned(),
        })
        .collect()
}
