//! A session looked at from outside: what stands in the view and what it is about, for people.

use super::Session;
use crate::folding::account::{Account, Done};
use crate::understand::ledger::Ledger;
use crate::view::View;

impl Session {
    /// The last view, over everything that has happened since: what was not sent yet stands as it is. O(history).
    pub fn look(&self) -> View<'_> {
        let state = self.phase.epoch().map(|epoch| epoch.state.clone()).unwrap_or_default();
        View::resume(self.history(), self.tally(), state)
    }

    /// What is not whole in the last view, where `done` knows its folds. O(history).
    pub fn account(&self, done: &Done) -> Account {
        Account::of(&self.look(), self.past.facts(), done)
    }

    /// What the session is about and how far it has come.
    pub fn ledger(&self) -> Ledger {
        Ledger::of(self.history(), self.past.facts())
    }
}
