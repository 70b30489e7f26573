//! Taking over a host's whole list of messages instead of one message after the other.

use bytestring::ByteString;

use super::{PushError, Session, is_listed};
use crate::count::Tally;
use crate::history::MessageId;
use crate::history::{History, Parsed};
use crate::understand::facts::Facts;

/// How a list of messages compares with the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synced {
    /// It is the history and this many new messages.
    Grown(usize),
    /// It differs from the history from this message of the list on: the host changed the past. What was sent before
    /// that message stays as it was sent; from there on the host's version stands.
    Rewritten {
        /// The first message that differs, counted from 0.
        at: usize,
    },
}

impl Session {
    /// Takes over a host's list of messages: the history as far as it is the same, then what is new. Comparing costs
    /// time in proportion to the list, everything else to what is new.
    pub fn sync<M: Into<ByteString>>(
        &mut self,
        messages: impl IntoIterator<Item = M>,
    ) -> Result<Synced, PushError> {
        let messages: Vec<ByteString> = messages.into_iter().map(Into::into).collect();
        let known: Vec<MessageId> =
            (0..self.history.messages().len()).filter(|id| is_listed(&self.history, *id)).collect();
        let same = known.iter().zip(&messages);
        let same = same.take_while(|(id, message)| self.history.messages()[**id].raw == **message).count();
        // All of them first: a list with rubbish in it changes nothing.
        let parsed: Vec<Parsed> =
            messages[same..].iter().map(|message| self.parse(message)).collect::<Result<_, _>>()?;
        let new: Vec<(ByteString, Parsed)> = messages.into_iter().skip(same).zip(parsed).collect();
        if same == known.len() {
            let count = new.len();
            self.append_all(new);
            return Ok(Synced::Grown(count));
        }
        self.rewrite(known[same], new);
        Ok(Synced::Rewritten { at: same })
    }

    fn append_all(&mut self, new: Vec<(ByteString, Parsed)>) {
        for (raw, parsed) in new {
            self.append(raw, parsed);
        }
    }

    /// Begins a new history: the messages before `at`, then these. The folds of what stays remain, unless one of them
    /// would part a pair or names something that is gone.
    fn rewrite(&mut self, at: MessageId, new: Vec<(ByteString, Parsed)>) {
        let old = std::mem::replace(&mut self.history, History::new());
        let counter = self.tally.shared_counter();
        self.tally = Tally::new(counter, self.setup.image);
        self.facts = Facts::new(self.setup.policy.understanding.clone());
        for (id, message) in old.messages().iter().enumerate().take(at) {
            let is_head = !is_listed(&old, id);
            let again =
                if is_head { self.push_head(message.raw.clone()) } else { self.push(message.raw.clone()) };
            debug_assert!(again.is_ok(), "what was taken once is taken again");
        }
        let items = self.history.items().len();
        self.append_all(new);
        let parts_a_pair = {
            let dropped = self.sent.state.changes().dropped().filter(|message| *message < at);
            let mut items = dropped.flat_map(|message| self.history.messages()[message].items.clone());
            items.any(|item| {
                self.history.pair(item).is_some_and(|pair| self.history.items()[pair].message >= at)
            })
        };
        self.waiting = None;
        self.asked_ahead = None;
        let tells_past = self.told.truncate(at);
        let at = if tells_past || parts_a_pair || self.sent.state.refers_past(items) { 0 } else { at };
        let kept = (0..at).filter(|id| is_listed(&self.history, *id));
        let kept = kept.filter(|id| !self.sent.state.changes().is_dropped(*id)).count();
        let inserted = self.sent.state.changes().inserted().filter(|inserted| inserted.before < at);
        let kept = kept + usize::from(inserted.is_some());
        self.sent.state.truncate(at, if at == 0 { 0 } else { items });
        self.sent.view.truncate(kept);
        self.sent.messages = self.sent.messages.min(at);
        self.sent.was_rewritten = true;
    }
}
