//! One conversation: what was sent last, what to send now.
//!
//! ```text
//!  a turn          take over the request ──► prepare ──► seal ──► would the provider take it? ──► send
//!                        │ something fails                              │ no
//!                        └──────────► what was sent last, and the rest as it came ◄──┘
//!  something else  (a count, the client's own compaction): what was sent last, and the rest as it came
//! ```
//!
//! Once a view has been sent, the originals in its place would be another past for the provider: a lost cache, and on some
//! models a refusal. So a failure does not fall back to the request as it came, unless nothing was folded yet.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use enfold::finding::Finding;
use enfold::history::Role;
use enfold::json::Raw;
use enfold::session::{EpochReason, Origin, Prepared};
use enfold::validate::{Baseline, Request};
use enfold::wire::is_same;
use enfold::{Envelope, Session};
use enfold_coordinator::{Coordinator, Error};

/// How often to look whether a conversation is free.
const LOOK: Duration = Duration::from_millis(2);

/// A conversation, shared.
pub(crate) struct Thread {
    pub(crate) id: String,
    state: Mutex<State>,
    used: AtomicU64,
}

/// A conversation, held by one request at a time.
pub(crate) struct State {
    pub(crate) coordinator: Coordinator,
    live: Option<Live>,
    /// Tokens a view may take, and the model's window.
    pub(crate) limit: usize,
    pub(crate) window: usize,
}

/// What was sent last.
struct Live {
    prepared: Arc<Prepared>,
    /// Messages of the client's list that it was made of.
    listed: usize,
}

/// What to send, and what came of making it.
pub(crate) struct Folded {
    /// `None`: the request as it came.
    pub(crate) body: Option<Bytes>,
    /// Tokens of everything that happened, and of what is sent of it.
    pub(crate) before: usize,
    pub(crate) after: usize,
    pub(crate) opened: Option<EpochReason>,
    pub(crate) folds: usize,
    /// Why something else is sent than was meant to be.
    pub(crate) failed: Option<String>,
    /// What a provider would have refused.
    pub(crate) refused: Vec<Finding>,
}

/// How much of a conversation a request repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overlap {
    /// Messages that both begin with.
    pub(crate) shared: usize,
    /// Messages of the conversation.
    pub(crate) known: usize,
    /// Messages of the request.
    pub(crate) asked: usize,
    /// Whether the model, or a user, wrote one of the shared ones.
    pub(crate) has_answer: bool,
    pub(crate) has_words: bool,
    /// Whether the conversation has calls.
    pub(crate) has_calls: bool,
}

impl Thread {
    pub(crate) fn new(id: String, coordinator: Coordinator, limit: usize, window: usize) -> Thread {
        let state = State { coordinator, live: None, limit, window };
        Thread { id, state: Mutex::new(state), used: AtomicU64::new(0) }
    }

    /// Waits until nobody else has it; `None` when there is no patience left.
    pub(crate) fn hold(&self, patience: Duration) -> Option<MutexGuard<'_, State>> {
        let since = Instant::now();
        loop {
            match self.state.try_lock() {
                Ok(state) => return Some(state),
                // Whoever panicked has left a session that begins again from what is stored.
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if since.elapsed() > patience => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
            }
        }
    }

    pub(crate) fn touch(&self, now: u64) {
        self.used.store(now, Ordering::Relaxed);
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }
}

impl State {
    /// How much of this conversation a request repeats. O(request).
    pub(crate) fn overlap(&self, envelope: &Envelope) -> Overlap {
        let history = self.coordinator.session().history();
        let listed = || history.listed().map(|(_, message)| message);
        let both = listed().zip(envelope.messages());
        let shared = both.take_while(|(known, asked)| is_same(&known.raw, asked)).count();
        let is_shared = |role: Role| listed().take(shared).any(|message| message.role == role);
        Overlap {
            shared,
            known: listed().count(),
            asked: envelope.messages().len(),
            has_answer: is_shared(Role::Assistant),
            has_words: is_shared(Role::User),
            has_calls: history
                .message_ids()
                .any(|id| history.items_of(id).iter().any(|item| item.call().is_some())),
        }
    }

    /// The next request of the conversation.
    ///
    /// # Errors
    /// If another process is compacting it.
    pub(crate) fn turn(&mut self, envelope: &Envelope) -> Result<Folded, Error> {
        let made = self.coordinator.sync_request(envelope).and_then(|_| self.coordinator.prepare());
        let prepared = match made {
            Ok(prepared) => prepared,
            Err(error @ Error::BeingCompacted { .. }) => return Err(error),
            Err(error) => return Ok(self.replay(envelope, error.to_string())),
        };
        self.sealed(envelope, prepared)
    }

    /// The same request once more, shorter: the provider refused the last one as too long. `None` if nothing more can go.
    pub(crate) fn harder(&mut self, envelope: &Envelope) -> Option<Folded> {
        let before = self.live.as_ref()?.prepared.tokens;
        self.coordinator.overflowed(None);
        let prepared = self.coordinator.prepare().ok().filter(|prepared| prepared.tokens < before)?;
        self.sealed(envelope, prepared).ok()
    }

    fn sealed(&mut self, envelope: &Envelope, prepared: Prepared) -> Result<Folded, Error> {
        let body = envelope.seal(&prepared);
        let refused = beyond(envelope, &prepared.origins, &body);
        if !refused.is_empty() {
            let why = "the provider would refuse the view".to_string();
            return Ok(Folded { refused, ..self.replay(envelope, why) });
        }
        let is_changed = body.as_bytes().as_ptr() != envelope.document().source.as_ptr();
        let folded = Folded {
            body: is_changed.then(|| body.into_bytes()),
            before: self.session().tally().total(),
            after: prepared.tokens,
            opened: prepared.opened,
            folds: prepared.trace.folds().count(),
            failed: None,
            refused,
        };
        self.live = Some(Live { prepared: Arc::new(prepared), listed: envelope.messages().len() });
        Ok(folded)
    }

    /// What was sent last, and the rest as it came; the request as it came, if nothing was folded or nothing matches.
    pub(crate) fn aside(&mut self, envelope: &Envelope) -> Folded {
        let body = self.extended(envelope);
        let tokens = self.session().tally().total();
        let after = self.live.as_ref().map_or(tokens, |live| live.prepared.tokens);
        let (refused, failed) = (Vec::new(), None);
        Folded { body, before: tokens, after, opened: None, folds: 0, failed, refused }
    }

    fn replay(&mut self, envelope: &Envelope, why: String) -> Folded {
        Folded { failed: Some(why), ..self.aside(envelope) }
    }

    fn extended(&mut self, envelope: &Envelope) -> Option<Bytes> {
        let overlap = self.overlap(envelope);
        let live = self.live()?;
        let mut view = (*live.prepared).clone();
        let kept = overlap.shared.min(live.listed);
        let is_kept = |origin: &Origin| match origin {
            Origin::Same(nth) | Origin::Changed(nth) => *nth < kept,
            Origin::New => true,
        };
        let stands = view.origins.iter().take_while(|origin| is_kept(origin)).count();
        if view.origins[..stands].iter().enumerate().all(|(nth, origin)| *origin == Origin::Same(nth)) {
            return None;
        }
        let (messages, origins) = (Arc::make_mut(&mut view.messages), Arc::make_mut(&mut view.origins));
        messages.truncate(stands);
        origins.truncate(stands);
        messages.extend(envelope.messages().skip(kept).cloned());
        origins.extend((kept..overlap.asked).map(Origin::Same));
        // The request's own: it may be another one for this purpose.
        view.head = None;
        let body = envelope.seal(&view);
        beyond(envelope, &view.origins, &body).is_empty().then(|| body.into_bytes())
    }

    /// What was sent last. A process that has just begun asks its session, which has it out of the store.
    fn live(&mut self) -> Option<&Live> {
        if self.live.is_none() && !self.session().view().is_empty() {
            let prepared = Arc::new(self.coordinator.prepare().ok()?);
            let places = prepared.origins.iter().filter_map(|origin| match origin {
                Origin::Same(nth) | Origin::Changed(nth) => Some(nth + 1),
                Origin::New => None,
            });
            let listed = places.max().unwrap_or(0);
            self.live = Some(Live { prepared, listed });
        }
        self.live.as_ref()
    }

    /// What was sent last by this process.
    pub(crate) fn prepared(&self) -> Option<&Prepared> {
        self.live.as_ref().map(|live| &*live.prepared)
    }

    /// Tokens of what was sent last.
    pub(crate) fn tokens(&self) -> usize {
        self.live.as_ref().map_or(0, |live| live.prepared.tokens)
    }

    pub(crate) fn session(&self) -> &Session {
        self.coordinator.session()
    }
}

/// What a provider would refuse about a body that it would not have refused about the client's.
fn beyond(envelope: &Envelope, origins: &[Origin], body: &str) -> Vec<Finding> {
    let source = &envelope.document().source;
    if body.as_ptr() == source.as_ptr() {
        return Vec::new();
    }
    let wire = envelope.wire().name();
    let (Ok(before), Ok(after)) = (Raw::parse(source), Raw::parse(body)) else { return Vec::new() };
    let places = origins.iter().map(|origin| match origin {
        Origin::Same(nth) | Origin::Changed(nth) => Some(*nth),
        Origin::New => None,
    });
    let (before, after) = (Request::of(wire, before), Request::of(wire, after));
    // What stands behind the view is the client's own, at its own place.
    let tail = after.messages.len().saturating_sub(origins.len());
    let last = before.messages.len().saturating_sub(tail)..before.messages.len();
    let places: Vec<Option<usize>> = places.chain(last.map(Some)).collect();
    Baseline::of(wire, &before).beyond(&after, &places)
}
