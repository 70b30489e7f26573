//! The next request of a session.

use std::ops::Range;
use std::sync::Arc;

use bytestring::ByteString;

use super::phase::{Ahead, Draft, Epoch, Outgoing, Phase};
use super::prepared::{EpochReason, Origin, Prepared};
use super::{Event, Session, is_listed};
use crate::folding::passes::{Cache, Cx};
use crate::folding::persist::Persister;
use crate::folding::runner::{CannotFit, Run, arrive, refused, run, target_beside};
use crate::history::{History, ItemId, ItemKind, MessageId, Slot};
use crate::summary::{Asked, Summary};
use crate::view::changes::Changes;
use crate::view::original::Originals;
use crate::view::trace::Trace;
use crate::view::{State, View};

/// An epoch that missed its target is not tried again for a cold cache before the history has grown by this part of
/// the limit.
pub(super) const GROWTH: usize = 20;

/// Steps that say little about how fast a session grows: the task is larger than they are.
const FEW_STEPS: usize = 4;

/// What was done for a request.
struct Done {
    opened: Option<EpochReason>,
    /// Messages at the beginning that are those of the request before.
    unchanged: usize,
    trace: Trace,
    events: Vec<Event>,
}

impl Session {
    /// What to send now. `cache` says whether the provider still holds the last request; before the first request it does
    /// not, whatever is said.
    ///
    /// After an error the session is as good as before: more can be pushed, and the next call tries again.
    pub fn prepare(&mut self, cache: Cache) -> Result<Prepared, Box<CannotFit>> {
        // Whoever prepares again without an answer has sent the view that there was.
        self.phase = std::mem::take(&mut self.phase).accepted();
        let limit = self.limit();
        let cache = if self.phase.sent().is_some() { cache } else { Cache::Cold };
        let is_new = self.sent_messages() < self.past.end() || matches!(self.phase, Phase::Rewritten(_));
        if !is_new && self.sent_tokens() <= limit {
            let trace = Trace::unchanged(&self.setup.policy.name, self.sent_tokens(), limit);
            let unchanged = self.view().len();
            return Ok(self.hand_out(Done { opened: None, unchanged, trace, events: Vec::new() }));
        }
        let phase = std::mem::take(&mut self.phase);
        let was_rewritten = matches!(phase, Phase::Rewritten(_));
        let (mut epoch, ahead) = match phase {
            Phase::Fresh | Phase::Drafted(_) => (Epoch::default(), Ahead::default()),
            Phase::Rewritten(epoch) => (epoch, Ahead::default()),
            Phase::Growing(epoch, ahead) => (epoch, ahead),
        };
        let view = View::resume(self.history(), self.tally(), std::mem::take(&mut epoch.state));
        let Run { view, trace, originals, .. } =
            arrive(&self.setup.policy, view, &self.cx(limit, cache, epoch.messages));
        let reason = self.reason(&epoch, &view, limit, cache);
        // What the host changed may stand anywhere before what is new.
        let from = if was_rewritten { MessageId::FIRST } else { epoch.messages };
        let is_refused = || refused(&view, &self.cx(limit, cache, epoch.messages), from).is_some();
        let reason = reason.or_else(|| is_refused().then_some(EpochReason::Refused));
        let unchanged = epoch.view.messages.len();
        if reason.is_none() {
            let new = epoch.messages..self.past.end();
            epoch.view.extend(self.history(), view.changes(), new.clone());
            epoch.head = head(self.history(), view.changes(), new).or(epoch.head);
            epoch.messages = self.past.end();
        }
        epoch.state = view.into_state();
        self.keep(originals);
        let Some(reason) = reason else {
            epoch.number += u32::from(was_rewritten);
            self.phase = Phase::Growing(epoch, ahead);
            let opened = was_rewritten.then_some(EpochReason::Rewritten);
            return Ok(self.hand_out(Done { opened, unchanged, trace, events: Vec::new() }));
        };
        self.phase = if was_rewritten { Phase::Rewritten(epoch) } else { Phase::Growing(epoch, ahead) };
        let (cx, target) = self.epoch_cx(limit, cache);
        let opened = Opened::of(run(&self.setup.policy, self.history(), self.tally(), &cx)?, target);
        Ok(self.begin(reason, opened))
    }

    /// Why a view cannot simply be sent.
    fn reason(&self, epoch: &Epoch, view: &View, limit: usize, cache: Cache) -> Option<EpochReason> {
        let policy = &self.setup.policy.epoch;
        let mut fresh = view.items_from(epoch.messages);
        let is_orphaned = |item: ItemId| view.history().pair(item).is_some_and(|call| !view.has(call));
        let is_large = view.tokens() > policy.cold_above.of(limit);
        let is_over = policy.above.is_reached(view.tokens(), limit);
        // A view that could not be made smaller is not tried again with each message, as long as it fits.
        let may_try = epoch.missed.is_none_or(|since| self.has_grown(since, limit));
        if view.tokens() > limit || (is_over && may_try) {
            Some(EpochReason::Overflow)
        } else if fresh.any(|(id, item)| item.result().is_some() && is_orphaned(id)) {
            Some(EpochReason::Unpaired)
        } else if cache == Cache::Cold && is_large && may_try {
            Some(EpochReason::Cold)
        } else {
            None
        }
    }

    /// Whether the history has grown enough since it had so many tokens to try something again.
    pub(super) fn has_grown(&self, since: usize, limit: usize) -> bool {
        self.tally().total() > since + limit / GROWTH
    }

    /// What an epoch is folded with, and what its policy aims at.
    pub(super) fn epoch_cx(&self, limit: usize, cache: Cache) -> (Cx<'_>, usize) {
        let epoch = &self.setup.policy.epoch;
        let cx = self.cx(limit, cache, MessageId::FIRST);
        let aim = epoch.aim(limit, self.growth());
        let target = target_beside(aim, self.tally(), &cx);
        let starts = Some(epoch.above.of(limit)).filter(|starts| *starts < limit);
        let sent = self.phase.sent().map(|epoch| epoch.state.changes());
        (Cx { target, starts, sent, ..cx }, aim)
    }

    /// Tokens that a step has added, as far as there are enough of them to tell.
    fn growth(&self) -> usize {
        match self.history().steps() as usize {
            0..FEW_STEPS => 0,
            steps => self.tally().total() / steps,
        }
    }

    pub(super) fn cx(&self, limit: usize, cache: Cache, first_unsent: MessageId) -> Cx<'_> {
        Cx {
            window: self.setup.window,
            cache,
            first_unsent,
            blobs: self.setup.blobs.as_deref(),
            persister: self.setup.persister.as_ref().map(|kept| Persister::of(kept, self.history())),
            opener: &self.setup.opener,
            hidden: Some(&self.originals),
            signed: Some(self.past.signed()),
            stretches: Some(self.past.stretches()),
            ..Cx::new(limit, self.past.facts(), &self.setup.handles, self.setup.wire)
                .within(&self.setup.around)
                .with_summaries(&self.summaries, &self.setup.templates)
        }
    }

    /// Begins an epoch with this view.
    pub(super) fn begin(&mut self, reason: EpochReason, opened: Opened) -> Prepared {
        let Opened { mut epoch, trace, originals, summary, asked, is_missed } = opened;
        let shown = self.summaries.shown.clone();
        if summary.is_some() {
            self.summaries.shown = summary;
            self.summaries.ready = None;
        }
        self.keep(originals);
        self.past.settle();
        let before = std::mem::take(&mut self.phase);
        let unchanged = before.epoch().map_or(0, |before| {
            let both = epoch.view.messages.iter().zip(before.view.messages.iter());
            both.take_while(|(new, old)| new == old).count()
        });
        epoch.number = before.epoch().map_or(0, |before| before.number) + 1;
        epoch.missed = is_missed.then(|| self.tally().total());
        self.phase = match asked {
            Some(asked) => Phase::Drafted(Box::new(Draft { epoch, asked: *asked, before, shown })),
            None => Phase::Growing(epoch, Ahead::default()),
        };
        self.tools = Default::default();
        let events = Event::of_epoch(self, reason, &trace);
        self.hand_out(Done { opened: Some(reason), unchanged, trace, events })
    }

    fn keep(&mut self, originals: Originals) {
        self.unstored.extend(originals.iter().map(|(handle, original)| (*handle, original.clone())));
        self.originals.extend(originals);
    }

    fn hand_out(&mut self, done: Done) -> Prepared {
        self.look_for_tools();
        let mut events = done.events;
        events.append(&mut self.noticed);
        let originals = std::mem::take(&mut self.unstored);
        let nothing = Epoch::default();
        let epoch = self.phase.epoch().unwrap_or(&nothing);
        let question = match &self.phase {
            Phase::Drafted(draft) => Some(draft.asked.question.clone()),
            _ => None,
        };
        Prepared {
            unchanged: done.unchanged,
            tokens: epoch.state.tokens(),
            epoch: epoch.number,
            opened: done.opened,
            reached_target: epoch.missed.is_none(),
            trace: done.trace,
            originals,
            tools: self.tools.0.clone(),
            summary: self.shown_summary().cloned(),
            question,
            events,
            head: epoch.head.clone(),
            messages: epoch.view.messages.clone(),
            origins: epoch.view.origins.clone(),
        }
    }

    /// The summary that stands in the last view.
    pub(super) fn shown_summary(&self) -> Option<&Summary> {
        self.summaries.shown.as_ref().filter(|_| self.summary_text().is_some())
    }

    /// The tools of the view: within an epoch only its new messages can add some.
    fn look_for_tools(&mut self) {
        let Some(epoch) = self.phase.epoch() else { return };
        let history = self.past.history();
        let changes = epoch.state.changes();
        let items = changes.kept(self.tools.1..epoch.messages).flat_map(|id| history.message(id).item_ids());
        for id in items.filter(|id| !changes.is_removed(history, *id)) {
            if let ItemKind::Call(call) = &history.item(id).kind
                && !self.tools.0.contains(&*call.name)
            {
                Arc::make_mut(&mut self.tools.0).insert(call.name.to_string());
            }
        }
        self.tools.1 = epoch.messages;
    }
}

/// A run of a policy as an epoch, apart from the history it was made of.
pub(super) struct Opened {
    pub(super) epoch: Epoch,
    pub(super) trace: Trace,
    originals: Originals,
    pub(super) summary: Option<Summary>,
    asked: Option<Box<Asked>>,
    /// It did not come down to its target.
    is_missed: bool,
}

impl Opened {
    pub(super) fn of(run: Run, target: usize) -> Opened {
        let summary = run.summary().cloned();
        let Run { view, trace, originals, asked } = run;
        let (history, messages) = (view.history(), view.history().next_message());
        let epoch = Epoch::of(history, view.into_state(), messages);
        Opened { epoch, is_missed: trace.after > target, trace, originals, summary, asked }
    }
}

impl Epoch {
    /// An epoch whose view is made of the first messages of a history.
    pub(super) fn of(history: &History, state: State, messages: MessageId) -> Epoch {
        let mut view = Outgoing::default();
        view.extend(history, state.changes(), MessageId::FIRST..messages);
        let head = head(history, state.changes(), MessageId::FIRST..messages);
        Epoch { view, head, messages, state, ..Epoch::default() }
    }
}

impl Outgoing {
    /// Appends what a view has of these messages of the history.
    pub(super) fn extend(&mut self, history: &History, changes: &Changes, messages: Range<MessageId>) {
        let mut kept = changes.kept(messages.clone()).peekable();
        for id in MessageId::each(messages) {
            let inserted = changes.inserted().filter(|inserted| inserted.before == id);
            if let Some(inserted) = inserted {
                self.push(inserted.raw.clone(), Origin::New);
            }
            let message = history.message(id);
            let stands = kept.next_if_eq(&id).is_some();
            // What is no JSON stands in a file and is never sent.
            if message.slot == Slot::Head || history.is_rubble(id) {
                continue;
            }
            if let Some(raw) = stands.then(|| changes.message(history, id)).flatten() {
                let is_same = raw.as_ptr() == message.raw.as_ptr() && raw.len() == message.raw.len();
                let origin = if is_same { Origin::Same } else { Origin::Changed };
                self.push(raw, origin(self.listed));
            }
            self.listed += 1;
        }
    }
}

/// A whole history as a view leaves it.
pub(crate) struct Sent {
    pub(crate) head: Option<ByteString>,
    pub(crate) messages: Vec<ByteString>,
    pub(crate) origins: Vec<Origin>,
}

impl Sent {
    pub(crate) fn of(history: &History, changes: &Changes) -> Sent {
        let all = || MessageId::FIRST..history.next_message();
        let mut view = Outgoing::default();
        view.extend(history, changes, all());
        let head = head(history, changes, all());
        Sent {
            head,
            messages: Arc::unwrap_or_clone(view.messages),
            origins: Arc::unwrap_or_clone(view.origins),
        }
    }
}

/// The newest system prompt among these messages.
fn head(history: &History, changes: &Changes, messages: Range<MessageId>) -> Option<ByteString> {
    let newest = MessageId::each(messages).rev();
    newest.filter(|id| !is_listed(history, *id)).find_map(|id| changes.message(history, id))
}
