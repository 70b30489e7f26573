//! Going on with a session in another process, with the very same view.
//!
//! A view follows from the history, the policy, and a few numbers of the moment when its epoch was opened. With these
//! and the messages it can be made again, byte for byte, so that the provider's cache is not lost with the process.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Session;
use super::prepare::{EpochReason, NewEpoch};
use crate::count::Calibration;
use crate::folding::passes::Cache;
use crate::folding::runner::run;
use crate::history::MessageId;
use crate::summary::Told;

/// How an epoch was opened. To be kept with the session's messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    /// Messages that the history had.
    pub messages: MessageId,
    /// Tokens the view had to fit, by our count.
    pub limit: usize,
    /// Whether the provider had forgotten the request before.
    pub cold: bool,
    /// The summaries there were.
    pub told: Told,
    /// How the provider's counts differed from ours.
    pub calibration: Calibration,
}

impl Session {
    /// How the epoch of the last view was opened; `None` while nothing was folded.
    pub fn opening(&self) -> Option<&Opening> {
        self.sent.opening.as_ref()
    }

    /// What the summary in the last view says, if there is one.
    pub fn summary_text(&self) -> Option<&str> {
        self.sent.state.changes().inserted().map(|inserted| inserted.text.as_str())
    }

    pub(super) fn opening_now(&self, limit: usize, cache: Cache) -> Opening {
        Opening {
            messages: self.history.messages().len(),
            limit,
            cold: cache == Cache::Cold,
            told: self.told.clone(),
            calibration: self.calibration.clone(),
        }
    }

    /// Opens an epoch again as another process did. To be called when as many messages are there as were then; the
    /// messages that came later are pushed afterwards. `epoch` is its number, `at` when its view was last sent.
    ///
    /// False if it cannot be opened like this; then the session goes on as a new one does.
    pub fn reopen(&mut self, opening: &Opening, epoch: u32, at: Duration) -> bool {
        if opening.messages != self.history.messages().len() || opening.messages == 0 {
            return false;
        }
        self.calibration = opening.calibration.clone();
        self.told = Told { asks: self.told.asks, ..opening.told.clone() };
        let cache = if opening.cold { Cache::Cold } else { Cache::Warm };
        let (cx, target) = self.epoch_cx(opening.limit, cache);
        let Ok(done) = run(&self.setup.policy, &self.history, &self.tally, &cx) else { return false };
        let new = NewEpoch::of(done, target);
        self.begin(EpochReason::Over, opening.clone(), new, at);
        self.waiting = None;
        self.sent.epoch = epoch;
        true
    }
}
