//! What a provider's cache holds of a view, message by message.

use std::sync::Arc;

use bytestring::ByteString;
use enfold::count::media::ImageRule;
use enfold::count::{CachedCounter, Counter, Tally};
use enfold::history::{History, MessageId, Slot};
use enfold::wire::Wire;

use crate::words::{Numbers, Words};

/// Texts whose counts are remembered: a view that is folded anew repeats most of the one before.
const REMEMBERED: usize = 1 << 14;

/// The last request as it was sent.
pub(crate) struct Held {
    wire: &'static dyn Wire,
    counter: Arc<dyn Counter>,
    image: ImageRule,
    head: Option<ByteString>,
    history: History,
    tally: Tally,
    words: Vec<Words>,
}

/// A request beside the one before.
pub(crate) struct Sent {
    /// Its tokens.
    pub(crate) tokens: usize,
    /// Tokens that stood at its beginning in the request before.
    pub(crate) same: usize,
    /// It does not go on from the request before.
    pub(crate) is_broken: bool,
}

impl Held {
    pub(crate) fn new(wire: &'static dyn Wire, counter: Arc<dyn Counter>, image: ImageRule) -> Held {
        let counter: Arc<dyn Counter> = Arc::new(CachedCounter::new(counter, REMEMBERED));
        let (history, tally) = (History::new(), Tally::new(counter.clone(), image));
        Held { wire, counter, image, head: None, history, tally, words: Vec::new() }
    }

    /// Sends a view. Messages that are the very same are told by where they stand in memory, so this costs next to nothing
    /// beside what differs.
    pub(crate) fn send(
        &mut self,
        head: Option<&ByteString>,
        view: &[ByteString],
        numbers: &mut Numbers,
    ) -> Sent {
        let before = self.history.messages();
        let is_head_same = self.head.as_ref() == head;
        // The system prompt stands first.
        let beside = usize::from(before.first().is_some_and(|message| message.slot == Slot::Head));
        let same = match is_head_same {
            true => before[beside..].iter().zip(view).take_while(|(old, new)| is_same(&old.raw, new)).count(),
            false => 0,
        };
        let is_first = before.is_empty();
        let goes_on = is_head_same && beside + same == before.len();
        let tokens_same = match (goes_on, is_head_same) {
            (true, _) => self.tally.total(),
            (false, true) => self.tally.messages()[..beside + same].iter().sum(),
            (false, false) => 0,
        };
        if is_first || !goes_on {
            self.begin(head);
        }
        for message in &view[if goes_on { same } else { 0 }..] {
            let (parsed, _) = self.wire.read_any(message);
            self.history.push(message.clone(), parsed);
        }
        self.tally.update(&self.history);
        for (id, _) in self.history.messages_from(MessageId::new(self.words.len())) {
            self.words.push(Words::of(self.history.items_of(id), numbers));
        }
        Sent { tokens: self.tally.total(), same: tokens_same, is_broken: !is_first && !goes_on }
    }

    fn begin(&mut self, head: Option<&ByteString>) {
        (self.history, self.words) = (History::new(), Vec::new());
        self.tally = Tally::new(self.counter.clone(), self.image);
        self.head = head.cloned();
        if let Some((head, parsed)) = head.and_then(|head| Some((head, self.wire.read_head(head).ok()?))) {
            self.history.push(head.clone(), parsed);
        }
    }

    /// What the messages of the last request say.
    pub(crate) fn words(&self) -> &[Words] {
        &self.words
    }

    /// The last request.
    pub(crate) fn history(&self) -> &History {
        &self.history
    }
}

fn is_same(one: &ByteString, other: &ByteString) -> bool {
    (one.as_ptr() == other.as_ptr() && one.len() == other.len()) || one == other
}
