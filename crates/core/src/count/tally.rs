//! The counts of a growing history.

use std::sync::Arc;

use super::media::ImageRule;
use super::{Counter, weigh};
use crate::history::History;
use crate::history::{ItemId, MessageId};

/// Tokens per item, per message and in total. [`update`](Tally::update) counts only what is new.
#[derive(Clone)]
pub struct Tally {
    counter: Arc<dyn Counter>,
    rule: ImageRule,
    items: Vec<usize>,
    messages: Vec<usize>,
    total: usize,
}

impl Tally {
    /// A tally of nothing yet.
    pub fn new(counter: Arc<dyn Counter>, rule: ImageRule) -> Tally {
        Tally { counter, rule, items: Vec::new(), messages: Vec::new(), total: 0 }
    }

    /// The tally of a whole history.
    pub fn of(history: &History, counter: Arc<dyn Counter>, rule: ImageRule) -> Tally {
        let mut tally = Tally::new(counter, rule);
        tally.update(history);
        tally
    }

    /// Counts what `history` has more than at the last update. O(new items). Always give it the same history: what
    /// was counted is not looked at again.
    pub fn update(&mut self, history: &History) {
        for (id, message) in history.messages().iter().enumerate().skip(self.messages.len()) {
            let items = history.items_of(id);
            let counts =
                items.iter().map(|item| weigh::count_item(&*self.counter, self.rule, item, &message.raw));
            let first = self.items.len();
            self.items.extend(counts);
            let tokens =
                self.items[first..].iter().sum::<usize>() + weigh::count_overhead(message.role, items);
            self.messages.push(tokens);
            self.total += tokens;
        }
    }

    /// The tokens of an item, without the overhead of its message.
    ///
    /// # Panics
    /// If the item is not counted yet.
    pub fn item(&self, item: ItemId) -> usize {
        self.items[item]
    }

    /// The tokens of a message, overhead included.
    ///
    /// # Panics
    /// If the message is not counted yet.
    pub fn message(&self, message: MessageId) -> usize {
        self.messages[message]
    }

    /// The tokens of every message counted so far, oldest first.
    pub fn messages(&self) -> &[usize] {
        &self.messages
    }

    /// The tokens of everything counted so far.
    pub fn total(&self) -> usize {
        self.total
    }

    /// The counter behind the numbers, to count something else with.
    pub fn shared_counter(&self) -> Arc<dyn Counter> {
        self.counter.clone()
    }

    /// The counter behind the numbers.
    pub fn counter(&self) -> &dyn Counter {
        &*self.counter
    }
}

impl std::fmt::Debug for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tally")
            .field("counter", &self.counter.name())
            .field("messages", &self.messages.len())
            .field("total", &self.total)
            .finish()
    }
}
