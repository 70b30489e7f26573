//! What can go wrong, and what is left of the session then.

use std::time::Duration;

use enfold::folding::runner::CannotFit;
use enfold::session::PushError;

/// Why there is no view. In every case the session is as good as before, and the next call tries again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A message that is none.
    #[error(transparent)]
    Push(#[from] PushError),
    /// What must stay does not fit.
    #[error(transparent)]
    CannotFit(#[from] Box<CannotFit>),
    /// The store failed: nothing was written, and nothing that hides what is not stored may be sent.
    #[error("the session cannot be stored: {0}")]
    Store(#[from] enfold_store::Error),
    /// Another process compacts the session, and took longer than the patience there was.
    #[error(
        "session `{session}` is being compacted by {by}, for {left:?} more at the latest; try again then"
    )]
    BeingCompacted {
        /// The session.
        session: String,
        /// Who does.
        by: String,
        /// How long their lease lasts.
        left: Duration,
    },
    /// The store has the session in another format.
    #[error(
        "session `{session}` is stored in {stored}, not in {asked}: open it with that format, or under another id"
    )]
    OtherFormat {
        /// The session.
        session: String,
        /// Its format.
        stored: String,
        /// The one asked for.
        asked: &'static str,
    },
    /// Others wrote to the session all the time.
    #[error("session `{0}` is written to by others all the time; one process at a time should go on with it")]
    Crowded(String),
}
