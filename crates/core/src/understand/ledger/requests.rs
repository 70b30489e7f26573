//! What the user asked for, and whether it was answered.

use serde::Serialize;

use crate::history::History;
use crate::history::{Item, ItemId, ItemKind, MessageId, Role};
use crate::text::harness;

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

fn from_one<S: serde::Serializer>(message: &MessageId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(message.number() as u64)
}

/// The requests so far, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    all: Vec<Request>,
    /// The first message that has not been read.
    next: MessageId,
    /// The first of those that the last answer closed; work that goes on opens them again.
    closed: usize,
}

impl Requests {
    pub(super) fn all(&self) -> &[Request] {
        &self.all
    }

    /// Reads new messages. Of all that stands in the user's name, a person typed these `words`.
    pub(super) fn update(&mut self, history: &History, words: &[ItemId]) {
        for id in MessageId::each(self.next..history.next_message()) {
            let items = history.items_of(id);
            match history.message(id).role {
                Role::User => self.ask(history, id, words),
                Role::Assistant => {
                    let calls = items.iter().any(|item| item.call().is_some());
                    let speaks = |item: &Item| item.kind == ItemKind::Text && !item.text().trim().is_empty();
                    match calls {
                        true => self.go_on(),
                        false if items.iter().any(speaks) => self.answer(),
                        false => {}
                    }
                }
                Role::System | Role::Developer | Role::Tool | Role::Unknown => {}
            }
        }
        self.next = history.next_message();
    }

    fn ask(&mut self, history: &History, message: MessageId, words: &[ItemId]) {
        let items = history.message(message).items.clone();
        let said = &words[words.partition_point(|item| *item < items.start)..];
        let said = said.iter().take_while(|item| **item < items.end).map(|item| history.item(*item));
        let text = said.map(|item| harness::words(&item.text()).to_string()).collect::<Vec<_>>().join("\n");
        let items = history.items_of(message);
        if let Some(turn) = items.first().map(|item| item.turn).filter(|_| !text.trim().is_empty()) {
            self.all.push(Request { turn, message, text, answered: false });
            // What was answered before somebody asked for more stays answered.
            self.closed = self.all.len();
        }
    }

    /// An answer ends everything asked since the last one.
    fn answer(&mut self) {
        let open = self.all.iter().rev().take_while(|request| !request.answered).count();
        let first = self.all.len() - open;
        self.all[first..].iter_mut().for_each(|request| request.answered = true);
        self.closed = self.closed.min(first);
    }

    /// What looked like an answer was said on the way.
    fn go_on(&mut self) {
        self.all[self.closed..].iter_mut().for_each(|request| request.answered = false);
    }
}
