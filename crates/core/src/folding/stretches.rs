//! What is known of stretches of a history that have left the view, kept from epoch to epoch.
//!
//! The oldest stretch of a long session begins at the same message in every epoch and only grows. Its handle is a hash of all
//! its bytes, and the line that tells it counts all its calls; both are carried on from where the last epoch left them, so an
//! epoch pays for what has left since then. Nothing here changes a result: without it, the same is found from the beginning.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::folding::telling::{Kind, Subject, kind, kind_of_message, subjects};
use crate::history::{History, MessageId, Role};
use crate::understand::files::FileTracker;
use crate::view::fold::{Handle, HandleKey, LinesHash};

/// Files and programs that are remembered of each kind of call, the newest. More are never named.
const MOST_SUBJECTS: usize = 40;

/// Beginnings whose hashes are carried from epoch to epoch, the oldest.
const MOST_BEGINNINGS: usize = 32;

/// Hashes of shorter stretches are not kept: they are soon made again.
const SHORT: usize = 32;

/// Of one history and one key.
#[derive(Default)]
pub(crate) struct Stretches(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// Where the horizon is: what stands before it leaves whole.
    horizon: MessageId,
    /// Per beginning the hash up to a horizon, with its end.
    hashes: BTreeMap<MessageId, (MessageId, LinesHash)>,
    /// Of this epoch: hashes by beginning and end.
    recent: BTreeMap<(MessageId, MessageId), LinesHash>,
    /// Per beginning what the messages up to an end held.
    held: BTreeMap<MessageId, (MessageId, Held)>,
}

/// What the messages of a stretch held.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    /// Its calls, kind by kind.
    pub(crate) calls: BTreeMap<Kind, Calls>,
    /// Its first and its last step.
    pub(crate) steps: Option<(u32, u32)>,
    /// Responses of the model.
    pub(crate) responses: usize,
}

/// Calls of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    pub(crate) count: usize,
    /// What the newest of them were about, oldest first.
    pub(crate) about: Vec<Subject>,
}

impl Stretches {
    /// Another epoch begins. What was hashed behind the horizon, or where there is none, is carried on from its longest.
    pub(crate) fn begin(&self) {
        let mut known = self.known();
        for ((start, end), hash) in std::mem::take(&mut known.recent) {
            if start >= known.horizon {
                known.carry(start, end, hash);
            }
        }
    }

    /// What stands before this message leaves whole from now on.
    pub(crate) fn set_horizon(&self, horizon: MessageId) {
        self.known().horizon = horizon;
    }

    pub(crate) fn horizon(&self) -> MessageId {
        self.known().horizon
    }

    /// The handle of a stretch of messages as they stand, a line each.
    pub(crate) fn handle(&self, key: &HandleKey, history: &History, of: Range<MessageId>) -> Handle {
        self.known().hash(key, history, of).handle()
    }

    /// What a stretch held.
    pub(crate) fn held(&self, history: &History, tracker: &FileTracker, of: Range<MessageId>) -> Held {
        let mut known = self.known();
        let (end, held) = known.held.entry(of.start).or_insert((of.start, Held::default()));
        if *end > of.end {
            (*end, *held) = (of.start, Held::default());
        }
        for id in MessageId::each(*end..of.end) {
            held.add(history, tracker, id);
        }
        *end = of.end;
        held.clone()
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn carry(&mut self, start: MessageId, end: MessageId, hash: LinesHash) {
        self.hashes.insert(start, (end, hash));
        if self.hashes.len() > MOST_BEGINNINGS {
            self.hashes.pop_last();
        }
    }

    fn hash(&mut self, key: &HandleKey, history: &History, of: Range<MessageId>) -> LinesHash {
        let recent = self.recent.range((of.start, of.start)..=(of.start, of.end)).next_back();
        let recent = recent.map(|((_, end), hash)| (*end, hash));
        let older = self.hashes.get(&of.start).map(|(end, hash)| (*end, hash));
        let nearest = recent.into_iter().chain(older).filter(|(end, _)| *end <= of.end);
        let (mut at, mut hash) = match nearest.max_by_key(|(end, _)| *end) {
            Some((end, hash)) => (end, hash.clone()),
            None => (of.start, key.lines()),
        };
        if (at..of.end).contains(&self.horizon) && of.start < self.horizon {
            hash.push_all(history, at..self.horizon);
            at = self.horizon;
            self.carry(of.start, at, hash.clone());
        }
        hash.push_all(history, at..of.end);
        if of.end.index() - of.start.index() > SHORT {
            self.recent.insert((of.start, of.end), hash.clone());
        }
        hash
    }
}

impl Held {
    fn add(&mut self, history: &History, tracker: &FileTracker, id: MessageId) {
        let message = history.message(id);
        let step = history.items_of(id).iter().find_map(|item| item.step);
        let is_new_step = step.is_some_and(|step| self.steps.is_none_or(|(_, last)| step > last));
        if let Some(step) = step {
            let (first, last) = self.steps.unwrap_or((step, step));
            self.steps = Some((first.min(step), last.max(step)));
        }
        self.responses += usize::from(message.role == Role::Assistant && (step.is_none() || is_new_step));
        if step.is_none() {
            self.calls.entry(kind_of_message(message.role)).or_default().count += 1;
        }
        for record in message.item_ids().filter_map(|item| tracker.call(item)) {
            let calls = self.calls.entry(kind(record)).or_default();
            calls.count += 1;
            calls.add(subjects(history, record));
        }
    }
}

impl Calls {
    /// Names some more; of what is named twice, the newer stays.
    fn add(&mut self, about: Vec<Subject>) {
        self.about.extend(about);
        if self.about.len() > 4 * MOST_SUBJECTS {
            let mut seen = HashSet::new();
            let about = std::mem::take(&mut self.about);
            let newest = about.into_iter().rev().filter(|subject| seen.insert(subject.name.clone()));
            self.about = newest.take(MOST_SUBJECTS).collect();
            self.about.reverse();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::notation;

    #[test]
    fn a_hash_that_is_carried_on_is_that_of_the_whole_stretch() {
        let text: String = (0..200).map(|nth| format!("user: line {nth}\n")).collect();
        let history = notation::parse(&text).unwrap();
        let key = HandleKey::guessable("");
        let stretches = Stretches::default();
        // Horizons and ends come and go.
        for (horizon, start, end) in [
            (0, 1, 90),
            (0, 1, 60),
            (40, 1, 70),
            (40, 1, 120),
            (80, 1, 150),
            (80, 1, 81),
            (60, 1, 199),
            (60, 70, 199),
        ] {
            stretches.begin();
            stretches.set_horizon(MessageId::new(horizon));
            let of = MessageId::new(start)..MessageId::new(end);
            let whole = key.handle_of_messages(&history, &MessageId::each(of.clone()).collect::<Vec<_>>());
            assert_eq!(stretches.handle(&key, &history, of.clone()), whole, "{of:?} behind {horizon}");
            assert_eq!(stretches.handle(&key, &history, of.clone()), whole, "{of:?} once more");
        }
    }
}
