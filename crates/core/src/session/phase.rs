//! The states of a session, as types.
//!
//! ```text
//!             prepare                    prepare: a new epoch with a question
//!   Fresh ───────────────►  Growing  ─────────────────────────────────────────►  Drafted
//!                            ▲  │  ▲                                              │  │
//!                            │  │  └── prepare without an answer: it was sent ────┘  │
//!                            │  │  ◄── answer: back to what had been sent before ────┘
//!            prepare         │  │ sync: the host changed the past
//!                            │  ▼
//!                         Rewritten
//! ```

use std::sync::Arc;

use bytestring::ByteString;

use super::past::Past;
use super::prepared::Origin;
use crate::history::MessageId;
use crate::summary::{Asked, Summary};
use crate::view::State;

/// What a session has sent, and what it waits for.
#[derive(Clone, Default)]
// A session has one of these.
#[allow(clippy::large_enum_variant)]
pub(super) enum Phase {
    /// Nothing was sent.
    #[default]
    Fresh,
    /// Something was sent; the next view is that one plus what is new.
    Growing(Epoch, Ahead),
    /// The host changed what was sent; the epoch holds what is left of it.
    Rewritten(Epoch),
    /// An epoch was opened, and an answer may still make its view better.
    Drafted(Box<Draft>),
}

/// An epoch whose view may not have been sent yet.
#[derive(Clone)]
pub(super) struct Draft {
    pub(super) epoch: Epoch,
    /// What was asked for a better one.
    pub(super) asked: Asked,
    /// What had been sent before it.
    pub(super) before: Phase,
    /// The summary that was shown then.
    pub(super) shown: Option<Summary>,
}

/// A question for a later epoch.
#[derive(Clone, Default)]
pub(super) struct Ahead {
    /// What was asked and not answered yet.
    pub(super) asked: Option<Asked>,
    /// Tokens of the history when such a question was last looked for.
    pub(super) looked_at: Option<usize>,
}

/// A stretch of requests during which views only grow at the end.
#[derive(Clone, Default)]
pub(super) struct Epoch {
    /// 0 while nothing was folded at once.
    pub(super) number: u32,
    /// Its folds, and what the view costs.
    pub(super) state: State,
    /// Messages of the history that the last view was made of.
    pub(super) messages: MessageId,
    pub(super) view: Outgoing,
    pub(super) head: Option<ByteString>,
    /// Tokens of the history when the epoch was opened, if it did not reach its target.
    pub(super) missed: Option<usize>,
}

/// The messages of a view, shared with whoever was handed them: they grow without being copied once those are gone.
#[derive(Clone, Default)]
pub(super) struct Outgoing {
    pub(super) messages: Arc<Vec<ByteString>>,
    pub(super) origins: Arc<Vec<Origin>>,
    /// Messages of the history's list that were looked at: the next one has this number in it.
    pub(super) listed: usize,
}

impl Outgoing {
    pub(super) fn push(&mut self, message: ByteString, origin: Origin) {
        Arc::make_mut(&mut self.messages).push(message);
        Arc::make_mut(&mut self.origins).push(origin);
    }

    pub(super) fn truncate(&mut self, messages: usize, listed: usize) {
        Arc::make_mut(&mut self.messages).truncate(messages);
        Arc::make_mut(&mut self.origins).truncate(messages);
        self.listed = listed;
    }
}

impl Epoch {
    fn counted_again(self, past: &Past) -> Epoch {
        let state = self.state.counted_again(past.history(), past.tally(), self.messages);
        // Whether it may be tried again is measured in tokens, too.
        let missed = self.missed.map(|_| past.tally().total());
        Epoch { state, missed, ..self }
    }
}

impl Phase {
    /// The epoch of the newest view, whether it was sent or only drafted.
    pub(super) fn epoch(&self) -> Option<&Epoch> {
        match self {
            Phase::Fresh => None,
            Phase::Growing(epoch, _) | Phase::Rewritten(epoch) => Some(epoch),
            Phase::Drafted(draft) => Some(&draft.epoch),
        }
    }

    /// What had surely been sent: not a draft.
    pub(super) fn sent(&self) -> Option<&Epoch> {
        match self {
            Phase::Drafted(draft) => draft.before.sent(),
            other => other.epoch(),
        }
    }

    /// A draft that nobody answered was sent.
    pub(super) fn accepted(self) -> Phase {
        match self {
            Phase::Drafted(draft) => Phase::Growing(draft.epoch, Ahead::default()),
            other => other,
        }
    }

    /// The same view, with what it costs by other counts.
    pub(super) fn counted_again(self, past: &Past) -> Phase {
        match self.accepted() {
            Phase::Growing(epoch, ahead) => Phase::Growing(epoch.counted_again(past), ahead),
            Phase::Rewritten(epoch) => Phase::Rewritten(epoch.counted_again(past)),
            other @ (Phase::Fresh | Phase::Drafted(_)) => other,
        }
    }

    /// The question that waits, whatever it is for.
    pub(super) fn asked(&self) -> Option<&Asked> {
        match self {
            Phase::Fresh | Phase::Rewritten(_) => None,
            Phase::Growing(_, ahead) => ahead.asked.as_ref(),
            Phase::Drafted(draft) => Some(&draft.asked),
        }
    }

    /// Nobody will answer the question of this key.
    pub(super) fn give_up(self, key: &str) -> Phase {
        match self {
            Phase::Drafted(draft) if draft.asked.question.key == key => Phase::Drafted(draft).accepted(),
            Phase::Growing(epoch, mut ahead) => {
                ahead.asked.take_if(|asked| asked.question.key == key);
                Phase::Growing(epoch, ahead)
            }
            other => other,
        }
    }
}
