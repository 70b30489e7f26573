//! The next request of a session.

use std::collections::BTreeSet;
use std::time::Duration;

use bytestring::ByteString;

use super::resume::Opening;
use super::summaries::Waiting;
use super::{Session, is_listed};
use crate::folding::passes::{Cache, Cx};
use crate::folding::runner::{CannotFit, Originals, Run, arrive, run};
use crate::history::{ItemId, ItemKind, MessageId, Slot};
use crate::summary::{Asked, Question, Summary};
use crate::view::trace::Trace;
use crate::view::{State, View};

/// What to send now.
#[derive(Debug)]
pub struct Prepared<'s> {
    /// The system prompt, where the format keeps it beside the list.
    pub head: Option<&'s ByteString>,
    /// The messages.
    pub messages: &'s [ByteString],
    /// How many of them, from the first on, are those of the request before, byte for byte.
    pub unchanged: usize,
    /// Tokens of the view, by our count.
    pub tokens: usize,
    /// The epoch it belongs to. Within one, each view is the one before plus new messages.
    pub epoch: u32,
    /// Why this request opened it, if it did.
    pub opened: Option<EpochReason>,
    /// What was done for this request and why.
    pub trace: Trace,
    /// What is hidden from now on: to be stored before the view leaves.
    pub originals: Originals,
    /// The summary that stands in the view.
    pub summary: Option<&'s Summary>,
    /// What a model may be asked before this view is sent. The view is good without: [`Session::answer`] and another
    /// call of [`Session::prepare`] give a better one.
    pub question: Option<&'s Question>,
}

/// Why a new epoch began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpochReason {
    /// The view would have been over the limit.
    Over,
    /// The provider had forgotten the last request, so that folding cost nothing.
    Cold,
    /// A result arrived for a call that was left out.
    Unpaired,
    /// The host changed what was sent before.
    Rewritten,
    /// The agent's work was done, and folding saved much.
    Settled,
}

impl Session {
    /// What to send now. `now` is any clock that only goes forward; `cache` is how long the provider keeps a request
    /// after it was last used (zero: not at all).
    ///
    /// After an error the session is as good as before: more can be pushed, and the next call tries again.
    pub fn prepare(&mut self, now: Duration, cache: Duration) -> Result<Prepared<'_>, Box<CannotFit>> {
        let is_kept = self.sent.at.is_some_and(|then| now.saturating_sub(then) <= cache);
        let cache = if is_kept { Cache::Warm } else { Cache::Cold };
        // Whoever prepares again without an answer has sent the view that there was.
        self.waiting.take_if(|waiting| waiting.gives_up());
        let limit = self.calibration.counted_within(self.setup.limit);
        let is_new = self.sent.messages < self.history.messages().len() || self.sent.was_rewritten;
        if !is_new && self.sent.tokens <= limit {
            self.sent.at = Some(now);
            let trace = Trace::unchanged(&self.setup.policy.name, self.sent.tokens, limit);
            return Ok(self.prepared(None, self.sent.view.len(), trace));
        }
        let state = std::mem::take(&mut self.sent.state);
        let view = View::resume(&self.history, &self.tally, state);
        let cx = self.cx(limit, cache, self.sent.messages);
        let arrived = arrive(&self.setup.policy, view, &cx);
        let reason = reason(self, &arrived.view, limit, cache);
        let Run { view, trace, originals, .. } = arrived;
        match reason {
            None => {
                self.sent.at = Some(now);
                let rewritten = std::mem::take(&mut self.sent.was_rewritten);
                let opened = rewritten.then_some(EpochReason::Rewritten);
                self.sent.epoch += u32::from(rewritten);
                let unchanged = self.sent.view.len();
                let new: Vec<ByteString> = listed(&view, self.sent.messages).collect();
                let head = head(&view, self.sent.messages);
                let state = view.into_state();
                self.keep(originals);
                self.sent.view.extend(new);
                self.sent.head = head.or(self.sent.head.take());
                self.send(state);
                Ok(self.prepared(opened, unchanged, trace))
            }
            Some(reason) => {
                let state = view.into_state();
                self.keep(originals);
                self.sent.state = state;
                self.open_epoch(reason, limit, cache, now)
            }
        }
    }

    fn open_epoch(
        &mut self,
        reason: EpochReason,
        limit: usize,
        cache: Cache,
        now: Duration,
    ) -> Result<Prepared<'_>, Box<CannotFit>> {
        let (cx, target) = self.epoch_cx(limit, cache);
        let done = run(&self.setup.policy, &self.history, &self.tally, &cx)?;
        let opening = self.opening_now(limit, cache);
        let epoch = NewEpoch::of(done, target);
        Ok(self.begin(reason, opening, epoch, now))
    }

    /// What an epoch is folded with, and how far.
    pub(super) fn epoch_cx(&self, limit: usize, cache: Cache) -> (Cx<'_>, usize) {
        let target = self.setup.policy.epoch.target.of(limit);
        (Cx { target, ..self.cx(limit, cache, 0) }, target)
    }

    /// Begins an epoch with this view.
    pub(super) fn begin(
        &mut self,
        reason: EpochReason,
        opening: Opening,
        epoch: NewEpoch,
        at: Duration,
    ) -> Prepared<'_> {
        let NewEpoch { new, head, state, trace, originals, missed, summary, asked } = epoch;
        self.waiting =
            asked.map(|asked| Waiting::for_now(*asked, self.sent.clone(), self.told.shown.clone()));
        // After the copy: a view that an answer takes the place of was not sent, and a cold cache is still cold.
        self.sent.at = Some(at);
        if summary.is_some() {
            self.told.shown = summary;
            self.told.ready = None;
        }
        self.asked_ahead = None;
        self.keep(originals);
        let unchanged = new.iter().zip(&self.sent.view).take_while(|(new, old)| new == old).count();
        self.sent.missed = missed.then(|| self.tally.total());
        self.sent.view = new;
        self.sent.head = head;
        self.sent.epoch += 1;
        self.sent.was_rewritten = false;
        self.sent.opening = Some(opening);
        self.send(state);
        self.prepared(Some(reason), unchanged, trace)
    }

    pub(super) fn cx(&self, limit: usize, cache: Cache, fresh: MessageId) -> Cx<'_> {
        Cx {
            window: self.setup.window,
            cache,
            fresh,
            blobs: self.setup.blobs.as_deref(),
            hidden: Some(&self.originals),
            told: Some(&self.told),
            templates: &self.setup.templates,
            ..Cx::new(limit, &self.facts, &self.setup.handles, self.setup.wire).within(&self.setup.around)
        }
    }

    fn keep(&mut self, originals: Originals) {
        self.sent.hidden.extend(originals.iter().map(|(handle, text)| (*handle, text.clone())));
        self.originals.extend(originals);
    }

    fn send(&mut self, state: State) {
        self.sent.tokens = state.tokens();
        self.sent.state = state;
        self.sent.messages = self.history.messages().len();
    }

    fn prepared(&mut self, opened: Option<EpochReason>, unchanged: usize, trace: Trace) -> Prepared<'_> {
        let originals = std::mem::take(&mut self.sent.hidden);
        Prepared {
            head: self.sent.head.as_ref(),
            messages: &self.sent.view,
            unchanged,
            tokens: self.sent.tokens,
            epoch: self.sent.epoch,
            opened,
            trace,
            originals,
            summary: self.told.shown.as_ref().filter(|_| self.sent.state.changes().inserted().is_some()),
            question: self.waiting.as_ref().and_then(Waiting::question),
        }
    }

    /// The tools that the last view still refers to, for hosts that load tools when they are needed. O(history).
    pub fn tools_in_view(&self) -> BTreeSet<&str> {
        self.tools_in_view_from(0)
    }

    /// Those of the messages from `from` on. Within an epoch the messages before stay as they are, and so do their tools.
    pub fn tools_in_view_from(&self, from: MessageId) -> BTreeSet<&str> {
        let first = self
            .history
            .messages()
            .get(from)
            .map_or(self.history.items().len(), |message| message.items.start);
        let items = self.history.items().iter().enumerate().skip(first);
        let calls = items.filter(|(id, item)| {
            item.message < self.sent.messages
                && matches!(item.kind, ItemKind::Call(_))
                && !self.sent.state.changes().is_removed(&self.history, *id)
        });
        calls.filter_map(|(id, _)| self.history.tool(id)).collect()
    }
}

/// Why a view cannot simply be sent.
fn reason(session: &Session, view: &View, limit: usize, cache: Cache) -> Option<EpochReason> {
    let history = view.history();
    let fresh = view.items_from(session.sent.messages);
    let is_orphaned = |item: ItemId| history.pair(item).is_some_and(|call| !view.has(call));
    let grown = |since: usize| session.tally.total() > since + limit / GROWTH;
    let is_large = view.tokens() > session.setup.policy.epoch.cold_above.of(limit);
    let is_over = session.setup.policy.epoch.above.is_reached(view.tokens(), limit);
    // A view that could not be made smaller is not tried again with each message, as long as it fits.
    if view.tokens() > limit || (is_over && session.sent.missed.is_none_or(grown)) {
        Some(EpochReason::Over)
    } else if fresh.filter(|(_, item)| item.result().is_some()).any(|(id, _)| is_orphaned(id)) {
        Some(EpochReason::Unpaired)
    } else if cache == Cache::Cold && is_large && session.sent.missed.is_none_or(grown) {
        Some(EpochReason::Cold)
    } else {
        None
    }
}

/// What a run gives to begin an epoch with.
pub(super) struct NewEpoch {
    new: Vec<ByteString>,
    head: Option<ByteString>,
    state: State,
    pub(super) trace: Trace,
    originals: Originals,
    /// It did not reach its target.
    missed: bool,
    pub(super) summary: Option<Summary>,
    asked: Option<Box<Asked>>,
}

impl NewEpoch {
    pub(super) fn of(run: Run, target: usize) -> NewEpoch {
        let Run { view, trace, originals, summary, asked } = run;
        let new = listed(&view, 0).collect();
        let head = head(&view, 0);
        let missed = trace.after > target;
        NewEpoch { new, head, state: view.into_state(), trace, originals, missed, summary, asked }
    }
}

/// An epoch that missed its target is not tried again for a cold cache before the history has grown by this part of
/// the limit.
pub(super) const GROWTH: usize = 20;

/// The messages of a view's list, from a message of the history on.
pub(super) fn listed<'v>(view: &'v View, from: MessageId) -> impl Iterator<Item = ByteString> + 'v {
    let all = view.changes().sequence(view.history(), from);
    all.filter(|(slot, _)| *slot == Slot::List).map(|(_, raw)| raw)
}

/// The newest system prompt among the messages from `from` on.
fn head(view: &View, from: MessageId) -> Option<ByteString> {
    let messages = from..view.history().messages().len();
    messages.rev().filter(|id| !is_listed(view.history(), *id)).find_map(|id| view.message(id))
}
