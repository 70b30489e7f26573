//! The ledger: what a session is about and how far it has come, computed by code.
//!
//! A summary that a model writes may forget or invent; the ledger cannot. It is exact as far as the history shows, and
//! what it does not show is not in it. [`Ledger::render`] writes it into as many tokens as there are, the most useful lines first.

mod errors;
mod files;
mod render;
mod stated;
mod todo;

use serde::Serialize;

use crate::facts::Facts;
use crate::history::{History, is_harness_note};
use crate::item::{Item, ItemKind, MessageId, Role};

pub use errors::{CommandEntry, ErrorEntry, Resolution};
pub use files::FileEntry;
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
    /// Calls whose results have not come.
    pub pending: Vec<Pending>,
    /// Conditions and names the user stated.
    pub stated: Stated,
}

/// Something the user asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Request {
    /// The turn it began.
    pub turn: u32,
    /// The message. In JSON it counts from 1, as all numbers for people do.
    #[serde(serialize_with = "from_one")]
    pub message: MessageId,
    /// The user's words.
    pub text: String,
    /// Whether the agent ended its work on it with an answer.
    pub answered: bool,
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

fn from_one<S: serde::Serializer>(message: &MessageId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(*message as u64 + 1)
}

impl Ledger {
    /// The ledger of a history, of which everything is known. Linear in its size.
    pub fn of(history: &History, facts: &Facts) -> Ledger {
        let tracker = facts.tracker();
        let requests = requests(history, facts);
        let (commands, errors) = errors::commands_and_errors(history, tracker);
        Ledger {
            task: requests.first().map(|request| request.text.clone()),
            files: files::files(history, tracker, tracker.vocabulary()),
            todo: todo::todo(history, tracker),
            pending: pending(history),
            stated: Stated::of(requests.iter().map(|request| request.text.as_str())),
            requests,
            commands,
            errors,
        }
    }
}

/// What the user asked for, message by message: neither notes of the harness nor injected instructions are requests.
fn requests(history: &History, facts: &Facts) -> Vec<Request> {
    let mut requests: Vec<Request> = Vec::new();
    for (id, message) in history.messages().iter().enumerate() {
        let items = history.items_of(id);
        match message.role {
            Role::User => {
                let asks = |item: &&Item| {
                    item.kind == ItemKind::Text
                        && item.within.is_none()
                        && !is_harness_note(item)
                        && !facts.is_instruction(item)
                };
                let texts: Vec<String> = items.iter().filter(asks).map(Item::text).collect();
                let text = texts.join("\n");
                if let Some(turn) = items.first().map(|item| item.turn).filter(|_| !text.trim().is_empty()) {
                    requests.push(Request { turn, message: id, text, answered: false });
                }
            }
            Role::Assistant => {
                let calls = items.iter().any(|item| item.call().is_some());
                let speaks =
                    items.iter().any(|item| item.kind == ItemKind::Text && !item.text().trim().is_empty());
                if !calls && speaks {
                    answer(&mut requests);
                }
            }
            Role::System | Role::Developer | Role::Tool => {}
        }
    }
    requests
}

/// An answer ends everything asked since the last one.
fn answer(requests: &mut [Request]) {
    for request in requests.iter_mut().rev().take_while(|request| !request.answered) {
        request.answered = true;
    }
}

fn pending(history: &History) -> Vec<Pending> {
    let calls = history.open_calls().iter().map(|call| &history.items()[*call]);
    calls
        .map(|item| Pending {
            step: item.step.unwrap_or(0),
            tool: item.call().map(|call| call.name.to_string()).unwrap_or_default(),
            arguments: item.text(),
        })
        .collect()
}
