//! The past of a session: what happened, how much it takes and what it means, pushed together.

use std::sync::Arc;

use bytestring::ByteString;

use crate::count::media::ImageRule;
use crate::count::{Counter, Tally};
use crate::folding::bonds::Signed;
use crate::folding::stretches::Stretches;
use crate::history::{History, MessageId, Parsed};
use crate::understand::facts::{Facts, Understanding};

/// History, counts and facts. A message goes into all three or into none, so they are never out of step.
pub(super) struct Past {
    history: History,
    tally: Tally,
    facts: Facts,
    /// What carries a signature.
    signed: Signed,
    /// What epochs have found of stretches that left.
    stretches: Stretches,
    understanding: Understanding,
    image: ImageRule,
    /// Tokens that views may take.
    limit: usize,
}

impl Past {
    pub(super) fn new(
        counter: Arc<dyn Counter>,
        image: ImageRule,
        understanding: Understanding,
        limit: usize,
    ) -> Past {
        Past {
            history: History::new(),
            // An epoch finds everything ready.
            tally: Tally::new(counter, image).reading_ahead(limit),
            facts: Facts::new(understanding.clone()),
            signed: Signed::default(),
            stretches: Stretches::default(),
            understanding,
            image,
            limit,
        }
    }

    /// The same without any message. The counts of those before `at`, which will come again, are kept.
    pub(super) fn emptied(&self, at: MessageId) -> Past {
        let mut tally = self.tally.clone();
        tally.truncate(at, self.history.message(at).items.start);
        let (counter, understanding) = (self.tally.shared_counter(), self.understanding.clone());
        Past { tally, ..Past::new(counter, self.image, understanding, self.limit) }
    }

    /// Counts with something else, also what is there.
    pub(super) fn count_with(&mut self, counter: Arc<dyn Counter>, image: ImageRule) {
        (self.tally, self.image) = (Tally::new(counter, image).reading_ahead(self.limit), image);
        self.tally.update(&self.history);
    }

    /// Appends a message. O(message).
    pub(super) fn push(&mut self, raw: ByteString, parsed: Parsed) -> MessageId {
        let message = self.history.push(raw, parsed);
        self.tally.update(&self.history);
        self.facts.update(&self.history);
        self.signed.update(&self.history);
        message
    }

    pub(super) fn history(&self) -> &History {
        &self.history
    }

    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    pub(super) fn signed(&self) -> &Signed {
        &self.signed
    }

    pub(super) fn stretches(&self) -> &Stretches {
        &self.stretches
    }

    /// An epoch has begun: lines from beyond its horizon are forgotten.
    pub(super) fn settle(&mut self) {
        let horizon = self.stretches.horizon().min(self.history.next_message());
        self.tally.forget_lines(self.history.first_item(horizon));
    }

    /// Handles are made otherwise from now on.
    pub(super) fn forget_stretches(&mut self) {
        self.stretches = Stretches::default();
    }

    /// Notes a file as changed by the session, now and when the past is read again.
    pub(super) fn mark_modified(&mut self, path: &str) {
        self.understanding.modified.push(path.to_string());
        self.facts.mark_modified(path);
    }

    /// One behind the last message.
    pub(super) fn end(&self) -> MessageId {
        self.history.next_message()
    }

    /// Notes that an item holds what somebody has just opened, while all such items together take at most `most` tokens.
    pub(super) fn recall(&mut self, item: crate::history::ItemId, most: usize) {
        let tally = &self.tally;
        self.facts.recall(item, most, |item| tally.item(item));
    }
}
