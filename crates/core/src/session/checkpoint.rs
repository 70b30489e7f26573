//! Going on with a session in another process, with the very same view.
//!
//! What an epoch changed is written down; a view is the messages with these changes. So another process has the same
//! bytes, whatever its version of the passes would do today, and the provider's cache is not lost with the process.

use serde::{Deserialize, Serialize};

use super::phase::{Ahead, Epoch, Phase};
use super::{Session, returned};
use crate::count::Calibration;
use crate::history::MessageId;
use crate::summary::Summaries;
use crate::view::{State, Stored};

/// What a session has sent, apart from its messages. To be kept with them, the newest in place of the one before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Checkpoint {
    /// The number of its epoch.
    pub epoch: u32,
    /// Messages of the history that the last view was made of. More may have been sent since; see
    /// [`Session::newest_answer`].
    pub messages: MessageId,
    /// What the view changes of them.
    pub changes: Stored,
    /// Tokens of the history when the epoch was opened, if it did not reach its target.
    pub missed: Option<usize>,
    /// The summaries there were.
    #[serde(rename = "told")]
    pub summaries: Summaries,
    /// How the provider's counts differed from ours.
    pub calibration: Calibration,
    /// Tokens a view may take since the provider refused a longer one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_above: Option<usize>,
}

impl Checkpoint {
    /// The checkpoint of a session of which these messages were sent as they stand: nothing was folded yet.
    pub fn unfolded(messages: MessageId) -> Checkpoint {
        Checkpoint {
            epoch: 0,
            messages,
            changes: Stored::default(),
            missed: None,
            summaries: Summaries::default(),
            calibration: Calibration::new(),
            refused_above: None,
        }
    }
}

/// A checkpoint that is not one of this history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the checkpoint is of another history: {0}")]
pub struct Mismatch(pub String);

impl Session {
    /// What another process needs beside the messages to go on with the last view; `None` while nothing was folded.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        let epoch =
            self.phase.epoch().filter(|epoch| !epoch.state.changes().is_unchanged() || epoch.number > 0)?;
        Some(Checkpoint {
            epoch: epoch.number,
            messages: epoch.messages,
            changes: epoch.state.store(self.history()),
            missed: epoch.missed,
            summaries: self.summaries.clone(),
            calibration: self.calibration.clone(),
            refused_above: self.setup.refused_above,
        })
    }

    /// Goes on as another process did. To be called when the messages are there that were sent; after an error the
    /// session goes on as a new one does.
    pub fn reopen(&mut self, checkpoint: &Checkpoint) -> Result<(), Mismatch> {
        let messages = checkpoint.messages;
        if messages == MessageId::FIRST || messages > self.past.end() {
            let there = self.past.end();
            return Err(Mismatch(format!("it was made of {messages} messages, and {there} are there")));
        }
        let (history, tally) = (self.past.history(), self.past.tally());
        let state = State::restore(history, tally, &checkpoint.changes, messages).map_err(Mismatch)?;
        self.shown = returned::shown(state.changes());
        let mut epoch = Epoch::of(history, state, messages);
        epoch.number = checkpoint.epoch;
        epoch.missed = checkpoint.missed;
        self.calibration = checkpoint.calibration.clone();
        self.summaries = Summaries { asks: self.summaries.asks, ..checkpoint.summaries.clone() };
        self.setup.refused_above = checkpoint.refused_above;
        self.tools = Default::default();
        self.phase = Phase::Growing(epoch, Ahead::default());
        Ok(())
    }
}
