//! What the user asked for, and whether it was answered.

use serde::Serialize;

use crate::history::History;
use crate::history::{Item, ItemId, ItemKind, MessageId, Role};
use crate::text::harness;
use crate::understand::finish;

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
    /// Whether the user stopped the agent before it could, and asked for something else: neither answered nor open.
    pub interrupted: bool,
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
                Role::User => {
                    if items.iter().any(is_interruption) {
                        self.interrupt();
                    }
                    self.ask(history, id, words);
                }
                Role::Assistant => {
                    let last_call =
                        history.message(id).item_ids().rfind(|item| history.item(*item).call().is_some());
                    let speaks = |item: &Item| item.kind == ItemKind::Text && !item.text().trim().is_empty();
                    match last_call {
                        Some(call) if finish::ends_work(history, Some(call)) => self.answer(),
                        Some(_) => self.go_on(),
                        None if items.iter().any(speaks) => self.answer(),
                        None => {}
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
        let text = said.map(|item| harness::asked(&item.text()).into_owned()).collect::<Vec<_>>().join("\n");
        let items = history.items_of(message);
        let asks = !text.trim().is_empty() && !harness::is_farewell(&text);
        if let Some(turn) = items.first().map(|item| item.turn).filter(|_| asks) {
            if is_going_on(&text) || self.all.last().is_some_and(|last| last.text == text) {
                self.resume();
            }
            self.all.push(Request { turn, message, text, answered: false, interrupted: false });
            // What was answered before somebody asked for more stays answered.
            self.closed = self.all.len();
        }
    }

    /// An answer ends everything asked since the last one.
    fn answer(&mut self) {
        let open = self.all.iter().rev().take_while(|request| !request.answered).count();
        let first = self.all.len() - open;
        self.all[first..].iter_mut().for_each(|request| request.answered = !request.interrupted);
        self.closed = self.closed.min(first);
    }

    /// What was open when the user stopped the agent.
    fn interrupt(&mut self) {
        let open = self.all.iter_mut().rev().take_while(|request| !request.answered);
        open.for_each(|request| request.interrupted = true);
    }

    /// The user wants what they stopped after all.
    fn resume(&mut self) {
        let stopped = self.all.iter_mut().rev().take_while(|request| request.interrupted);
        stopped.for_each(|request| request.interrupted = false);
    }

    /// What looked like an answer was said on the way.
    fn go_on(&mut self) {
        self.all[self.closed..].iter_mut().for_each(|request| request.answered = false);
    }
}

/// A rejected tool call is a correction on the way; only a stop ends what was asked for.
fn is_interruption(item: &Item) -> bool {
    item.texts.iter().any(|text| harness::is_interruption(&text.value))
}

/// `continue`, `go on`, and their like.
fn is_going_on(text: &str) -> bool {
    const WORDS: [&str; 7] = ["continue", "go on", "proceed", "resume", "carry on", "keep going", "go ahead"];
    let text = text.trim().to_ascii_lowercase();
    text.len() <= 60 && WORDS.iter().any(|words| text.contains(words))
}
