//! What is folded when the agent's work is done and the user has the word.

use super::prepare::Opened;
use super::{EpochReason, Prepared, Session};
use crate::folding::passes::{Cache, Cx, Pruning};
use crate::folding::runner::{end, run};
use crate::history::{ItemId, MessageId};
use crate::summary::Summaries;

/// The newest turns that stand as they are, whatever else is folded: the next one goes on from them.
const NEWEST_TURNS: u32 = 2;

/// The part of the limit that a new epoch has to save: with it the provider's cache is lost.
const WORTH: usize = 5;

impl Session {
    /// What clearing old outputs of tools would bring now, by the policy's own `prune_outputs` or the usual one. Nothing is
    /// changed; O(history).
    pub fn pruning(&self) -> Pruning {
        let (cx, _) = self.epoch_cx(self.limit(), Cache::Cold);
        self.setup.policy.pruning(&self.look(), &cx)
    }

    /// To be called when the agent's work is done and the user has the word: folds what the next epoch would fold, down to its
    /// target, if that saves at least a fifth of the limit, and the newest two turns stand; or what the policy's passes of `when = "end"` find
    /// worth it. Never a new summary.
    pub fn settle(&mut self) -> Option<Prepared> {
        let sent = self.phase.epoch()?;
        if sent.messages == MessageId::FIRST {
            return None;
        }
        let opened = if self.setup.policy.has_end() { self.at_end() } else { self.as_next_epoch() };
        Some(self.begin(EpochReason::Settled, opened?))
    }

    /// The first item of the newest turns, where there are older ones.
    fn newest_turns(&self) -> Option<ItemId> {
        let older = self.history().turns().checked_sub(NEWEST_TURNS)?;
        let items = self.history().items();
        let first = items.partition_point(|item| item.turn <= older);
        // What stands before the first turn is no turn: a system prompt.
        (older > 0 && first > 0).then(|| ItemId::new(first))
    }

    fn as_next_epoch(&self) -> Option<Opened> {
        let stays_from = self.newest_turns()?;
        let limit = self.limit();
        // An epoch that missed its target would miss it again.
        self.phase.epoch().filter(|sent| sent.missed.is_none())?;
        let summaries = Summaries { asks: false, ..self.summaries.clone() };
        let (cx, target) = self.epoch_cx(limit, Cache::Cold);
        let cx = Cx { stays_from, ..cx }.with_summaries(&summaries, &self.setup.templates);
        let opened = Opened::of(run(&self.setup.policy, self.history(), self.tally(), &cx).ok()?, target);
        let known =
            self.summaries.newest().map_or((0, MessageId::FIRST), |known| (known.round, known.through));
        let is_new = opened.summary.as_ref().is_some_and(|it| it.round > known.0 || it.through > known.1);
        let saved = self.look().tokens().saturating_sub(opened.trace.after);
        (saved >= limit / WORTH && !is_new).then_some(opened)
    }

    /// What the passes for the end of the work make of the last view, whatever its size. How many turns stand is theirs to say.
    fn at_end(&self) -> Option<Opened> {
        let (cx, _) = self.epoch_cx(self.limit(), Cache::Cold);
        let cx = Cx { target: 0, ..cx };
        // There is no target to be missed: they fold what they find worth it.
        Some(Opened::of(end(&self.setup.policy, self.look(), &cx)?, usize::MAX))
    }
}
