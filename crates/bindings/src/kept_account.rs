//! What is not whole in the views of a session, kept from request to request.

use std::sync::Arc;

use enfold::Session;
use enfold::folding::account::{Account, Done};
use enfold::session::Prepared;

/// The account of the last view. Between two folds it stays as it is: a view then only grows by what is whole.
#[derive(Default)]
pub(crate) struct KeptAccount {
    done: Done,
    last: Arc<Account>,
}

impl KeptAccount {
    /// The account of the view that was just prepared. O(history) where something was folded for it, else O(1).
    pub(crate) fn after(&mut self, prepared: &Prepared, session: &Session) -> Arc<Account> {
        if prepared.opened.is_some() {
            self.done = Done::default();
        }
        if prepared.opened.is_some() || prepared.trace.folds().next().is_some() {
            self.done.note(prepared.trace.folds());
            self.last = Arc::new(session.account(&self.done));
        }
        self.last.clone()
    }
}
