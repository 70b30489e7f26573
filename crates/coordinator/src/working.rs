//! A guard that settles when the agent's work ends, however it ends.

use std::ops::{Deref, DerefMut};

use crate::Coordinator;

/// A session while the agent works on it. When it goes, also by an error or a panic, the session settles: what the next
/// request need not hold is folded while the user has the word.
pub struct Working<'c>(&'c mut Coordinator);

impl<'c> Working<'c> {
    pub(crate) fn new(session: &'c mut Coordinator) -> Working<'c> {
        Working(session)
    }
}

impl Deref for Working<'_> {
    type Target = Coordinator;

    fn deref(&self) -> &Coordinator {
        self.0
    }
}

impl DerefMut for Working<'_> {
    fn deref_mut(&mut self) -> &mut Coordinator {
        self.0
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        // What could not be stored is not folded; the next request sees to it.
        self.0.settle().ok();
    }
}
