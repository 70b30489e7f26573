//! What is known about a history before anything is folded.

use std::collections::BTreeSet;

use crate::history::History;
use crate::item::{ItemId, MessageId};
use crate::understand::files::FileTracker;
use crate::understand::priorities::{Priority, PriorityOptions, priorities};

/// Understanding of a history: files, priorities, what must stay.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    tracker: FileTracker,
    priorities: Vec<Priority>,
    open: BTreeSet<ItemId>,
}

impl Facts {
    /// Everything known about a history.
    pub fn of(history: &History) -> Facts {
        let mut facts = Facts::default();
        facts.update(history);
        facts
    }

    /// Takes in what the history has more than the last time.
    pub fn update(&mut self, history: &History) {
        self.tracker.update(history);
        self.priorities = priorities(history, &self.tracker, &PriorityOptions::default());
        self.open.clone_from(history.open_calls());
    }

    /// The files of the session.
    pub fn tracker(&self) -> &FileTracker {
        &self.tracker
    }

    /// How much an item matters.
    pub fn priority(&self, item: ItemId) -> Priority {
        self.priorities[item]
    }

    /// Whether an item must stay as it is: system, agent instructions, original and current task, unanswered calls.
    pub fn is_protected(&self, item: ItemId) -> bool {
        self.priorities[item] >= Priority::CurrentTask || self.open.contains(&item)
    }

    /// Whether something in a message must stay as it is.
    pub fn is_protected_message(&self, history: &History, message: MessageId) -> bool {
        history.messages()[message].items.clone().any(|item| self.is_protected(item))
    }
}
