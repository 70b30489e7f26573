//! Conversations that are under way: found by identity and by what they hold, opened from the store, let go when others are
//! used more. What a conversation is stands in the store, so another process finds the same ones.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use enfold::Envelope;
use enfold::count::budget::{Budget, OutputReserve, Rules};
use enfold::count::models::Model;
use enfold::wire::Wire;
use enfold_coordinator::{Config as SessionConfig, Coordinator, Error, Sink};
use enfold_store::{Error as StoreError, NewSession, Store, StoredSession};

use crate::config::Config;
use crate::identity::{Identity, Strength};
use crate::thread::{Overlap, Thread};

/// Conversations that are kept in memory. One takes about as much as its messages; others are read again from the store.
const MOST_LIVE: usize = 64;

/// Conversations of one identity that are looked at: the newest of those that begin alike.
const MOST_ALIKE: usize = 12;

/// Conversations, live and stored.
pub(crate) struct Threads {
    store: Arc<dyn Store>,
    secret: Vec<u8>,
    config: Config,
    sink: Sink,
    clock: fn() -> Duration,
    live: Mutex<HashMap<String, Arc<Thread>>>,
    uses: AtomicU64,
}

/// What is needed to open a conversation.
pub(crate) struct Kind<'a> {
    pub(crate) wire: &'static dyn Wire,
    pub(crate) model: &'a Model,
    /// Tokens that the client wants for the answer.
    pub(crate) output: Option<usize>,
}

/// Where a request belongs.
pub(crate) enum Place {
    /// To this conversation, of which it repeats so much.
    Known(Arc<Thread>, Overlap),
    /// To one that is to be begun under this id.
    New(String),
}

impl Threads {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        secret: Vec<u8>,
        config: Config,
        sink: Sink,
        clock: fn() -> Duration,
    ) -> Threads {
        Threads { store, secret, config, sink, clock, live: Mutex::default(), uses: AtomicU64::new(0) }
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Finds where a request belongs.
    pub(crate) fn find(&self, identity: &Identity, envelope: &Envelope, kind: &Kind) -> Result<Place, Error> {
        let newest = self.newest(&identity.base)?;
        let mut best: Option<(Arc<Thread>, Overlap)> = None;
        for nth in (1..=newest).rev().take(MOST_ALIKE) {
            let thread = self.open(&numbered(&identity.base, nth), &identity.name, kind)?;
            let Some(state) = thread.hold(self.config.patience) else { continue };
            let overlap = state.overlap(envelope);
            drop(state);
            let is_better = best.as_ref().is_none_or(|(_, other)| overlap.shared > other.shared);
            if belongs(identity.strength, &overlap) && is_better {
                best = Some((thread, overlap));
            }
        }
        Ok(match best {
            Some((thread, overlap)) => Place::Known(thread, overlap),
            None => Place::New(numbered(&identity.base, newest + 1)),
        })
    }

    /// Opens a conversation, live or stored; begins it if there is none.
    pub(crate) fn open(&self, id: &str, name: &str, kind: &Kind) -> Result<Arc<Thread>, Error> {
        let now = self.uses.fetch_add(1, Ordering::Relaxed);
        if let Some(thread) = self.lock().get(id) {
            thread.touch(now);
            return Ok(thread.clone());
        }
        let thread = Arc::new(self.read(id, name, kind)?);
        thread.touch(now);
        let mut live = self.lock();
        // Another request may have been quicker; there is one of each.
        let thread = live.entry(id.into()).or_insert(thread).clone();
        let_go(&mut live);
        Ok(thread)
    }

    /// Reads a conversation from the store; begins it there if there is none.
    fn read(&self, id: &str, name: &str, kind: &Kind) -> Result<Thread, Error> {
        let (limit, window) = self.room(kind.model, kind.output);
        let session = NewSession {
            id: id.into(),
            name: name.into(),
            wire: kind.wire.name().into(),
            policy: self.config.policy.name.clone(),
            model: Some(kind.model.id.clone()),
        };
        match self.store.create(&session, (self.clock)()) {
            Ok(()) | Err(StoreError::SessionExists(_)) => {}
            Err(error) => return Err(error.into()),
        }
        let config = SessionConfig {
            window,
            model: Some(kind.model.id.clone()),
            counter: kind.model.counter(),
            image: kind.model.image,
            cache: Duration::from_secs(kind.model.cache.ttl.unwrap_or(300).into()),
            patience: self.config.patience,
            secret: self.secret.clone(),
            blobs: self.config.blobs.clone(),
            sink: Some(self.sink.clone()),
            clock: Arc::new(self.clock),
            ..SessionConfig::new(kind.wire, self.config.policy.clone(), limit)
        };
        let coordinator = Coordinator::open(self.store.clone(), id, config)?;
        Ok(Thread::new(id.into(), coordinator, limit, window))
    }

    /// A conversation to be looked at: the live one, or one read for this purpose. That is not shared with requests, whose
    /// conversations are opened with what the client says: looking changes nothing.
    pub(crate) fn look(&self, stored: &StoredSession) -> Result<Option<Arc<Thread>>, Error> {
        if let Some(thread) = self.live(&stored.session.id) {
            return Ok(Some(thread));
        }
        let Some(wire) = enfold::wire::named(&stored.session.wire) else { return Ok(None) };
        let model = self.config.table.resolve(stored.session.model.as_deref().unwrap_or_default()).model;
        let kind = Kind { wire, model: &model, output: None };
        self.read(&stored.session.id, &stored.session.name, &kind).map(|thread| Some(Arc::new(thread)))
    }

    /// The live one of this id.
    pub(crate) fn live(&self, id: &str) -> Option<Arc<Thread>> {
        self.lock().get(id).cloned()
    }

    /// Tokens that a view may take, and the model's window.
    pub(crate) fn room(&self, model: &Model, output: Option<usize>) -> (usize, usize) {
        room(&self.config.policy.budget, self.config.window, model, output)
    }

    /// How many conversations of this identity there are.
    fn newest(&self, base: &str) -> Result<u32, Error> {
        let is_there = |nth: u32| -> Result<bool, Error> {
            let id = numbered(base, nth);
            let is_live = self.lock().contains_key(&id);
            Ok(is_live || self.store.session(&id)?.is_some())
        };
        let mut beyond = 1;
        while is_there(beyond)? {
            beyond *= 2;
        }
        let (mut last, mut beyond) = (beyond / 2, beyond);
        while last + 1 < beyond {
            let middle = last + (beyond - last) / 2;
            if is_there(middle)? { last = middle } else { beyond = middle }
        }
        Ok(last)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Thread>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tokens that a view may take under the rules of a policy, and the window: the operator's, else the model's, whose price
/// cliff is not gone beyond. `output` is what the client asks for as an answer.
fn room(rules: &Rules, window: Option<usize>, model: &Model, output: Option<usize>) -> (usize, usize) {
    let max_input = model.max_input.into_iter().chain(model.cliff()).min().filter(|_| window.is_none());
    let window = window.unwrap_or(model.context);
    // Clients ask for as much as a model can write, and get less in nearly every answer.
    let output = output.unwrap_or(rules.output_reserve.tokens(Some(model))).min(window / 8);
    let usual = Rules::default().safety;
    let rules = Rules {
        // The request is whole: its system prompt and tools are counted.
        system_reserve: 0,
        output_reserve: OutputReserve::Tokens(output),
        // What a policy says stands; the usual margin is made for large windows.
        safety: if rules.safety == usual { usual.min(window / 20) } else { rules.safety },
        ..rules.clone()
    };
    let usable = Budget::of_window(window, max_input, output, rules).map(|budget| budget.usable);
    (usable.unwrap_or(window / 2), window)
}

/// Lets go of the conversation used longest ago, if there are too many and nobody has it.
fn let_go(live: &mut HashMap<String, Arc<Thread>>) {
    while live.len() > MOST_LIVE {
        let idle = live.values().filter(|thread| Arc::strong_count(thread) == 1);
        let Some(id) = idle.min_by_key(|thread| thread.used()).map(|thread| thread.id.clone()) else {
            return;
        };
        live.remove(&id);
    }
}

fn numbered(base: &str, nth: u32) -> String {
    if nth == 1 { base.to_string() } else { format!("{base}-{nth}") }
}

/// Whether a request is of a conversation. A wrong yes makes two conversations take turns in one place, and a wrong no begins
/// one anew; neither sends a body that is wrong.
fn belongs(strength: Strength, overlap: &Overlap) -> bool {
    let Overlap { shared, known, asked, has_answer, has_words, .. } = *overlap;
    let is_begun = known > 0;
    // The same request again, or that and more.
    let is_grown = shared == known && has_words;
    // The client has summed up: shorter by far, and nothing of it is known. An agent beside it would have its own name.
    let is_compacted = shared == 0 && asked * 4 < known;
    match strength {
        _ if !is_begun || is_grown || has_answer => true,
        Strength::Named => has_words || is_compacted,
        Strength::Guessed => false,
    }
}

#[cfg(test)]
mod tests {
    use enfold::count::models::Table;

    use super::*;

    fn overlap(shared: usize, known: usize, asked: usize) -> Overlap {
        let (has_answer, has_words) = (shared > 1, shared > 0);
        Overlap { shared, known, asked, has_answer, has_words, has_calls: false }
    }

    #[test]
    fn sessions_that_begin_alike_are_told_apart_by_what_the_model_said() {
        assert!(belongs(Strength::Guessed, &overlap(1, 1, 3)), "it grew");
        assert!(belongs(Strength::Guessed, &overlap(4, 6, 5)), "it was wound back");
        assert!(!belongs(Strength::Guessed, &overlap(1, 6, 1)), "another one with the same first words");
        assert!(!belongs(Strength::Guessed, &overlap(0, 6, 3)));
    }

    #[test]
    fn a_named_conversation_may_be_wound_back_to_its_beginning_or_summed_up() {
        assert!(belongs(Strength::Named, &overlap(1, 6, 1)));
        assert!(belongs(Strength::Named, &overlap(0, 40, 1)), "summed up");
        assert!(!belongs(Strength::Named, &overlap(0, 4, 3)), "another agent of the same session");
        assert!(!belongs(Strength::Named, &overlap(0, 3, 90)));
    }

    #[test]
    fn a_policys_reserves_are_kept_and_the_usual_ones_fit_the_window() {
        let model = Table::shipped().resolve("gpt-4o").model;
        let usual = Rules::default();
        assert_eq!(room(&usual, None, &model, None), (128_000 - 4_096 - 5_000, 128_000));
        assert_eq!(room(&usual, Some(20_000), &model, None), (20_000 - 2_500 - 1_000, 20_000));
        let mine = Rules { safety: 20_000, output_reserve: OutputReserve::Tokens(8_000), ..usual };
        assert_eq!(room(&mine, None, &model, None), (100_000, 128_000));
        assert_eq!(
            room(&mine, None, &model, Some(10_000)),
            (98_000, 128_000),
            "what the client asks for counts"
        );
    }

    #[test]
    fn a_price_cliff_is_not_gone_beyond_unless_the_operator_says_so() {
        let model = Table::shipped().resolve("gemini-2.5-pro").model;
        let usual = Rules::default();
        assert_eq!(room(&usual, None, &model, None), (200_000 - 5_000, 1_048_576));
        assert_eq!(room(&usual, Some(500_000), &model, None), (500_000 - 4_096 - 5_000, 500_000));
    }
}
