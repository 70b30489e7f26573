//! What a provider's cache holds of a view, message by message.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use bytestring::ByteString;
use enfold::count::media::ImageRule;
use enfold::count::{CachedCounter, Counter, Tally};
use enfold::history::{History, Item, MessageId, Slot};
use enfold::wire::Wire;

use crate::words::{Mark, Words};

/// Texts whose counts are remembered: a view that is folded anew repeats most of the one before.
const REMEMBERED: usize = 1 << 14;

/// The last request as it was sent.
pub(crate) struct Held {
    wire: &'static dyn Wire,
    counter: Arc<dyn Counter>,
    image: ImageRule,
    head: Option<ByteString>,
    history: History,
    /// How often a request did not go on from the one before, the first among them.
    begun: usize,
    tally: Tally,
    shown: Option<Shown>,
}

/// What the last request says.
#[derive(Default)]
struct Shown {
    messages: usize,
    /// What each of its messages says, and what those of the request before said: most of them come again.
    words: HashMap<ByteString, Rc<Words>>,
    names: HashSet<Mark>,
    lines: HashSet<Mark>,
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
    /// `reads` says whether anybody asks what the requests say.
    pub(crate) fn new(
        wire: &'static dyn Wire,
        counter: Arc<dyn Counter>,
        image: ImageRule,
        reads: bool,
    ) -> Held {
        let counter: Arc<dyn Counter> = Arc::new(CachedCounter::new(counter, REMEMBERED));
        let (history, tally) = (History::new(), Tally::new(counter.clone(), image));
        Held { wire, counter, image, head: None, history, begun: 0, tally, shown: reads.then(Shown::default) }
    }

    /// Sends a view, of whose messages the first `known` are those of the request before. Messages that are the very same
    /// are told by where they stand in memory, so this costs next to nothing beside what differs.
    pub(crate) fn send(&mut self, head: Option<&ByteString>, view: &[ByteString], known: usize) -> Sent {
        let before = self.history.messages();
        let is_head_same = self.head.as_ref() == head;
        // The system prompt stands first.
        let beside = usize::from(before.first().is_some_and(|message| message.slot == Slot::Head));
        let same = match is_head_same {
            true => {
                let both = before[beside + known..].iter().zip(&view[known..]);
                known + both.take_while(|(old, new)| is_same(&old.raw, new)).count()
            }
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
        if let Some(shown) = &mut self.shown {
            shown.read(&self.history);
        }
        Sent { tokens: self.tally.total(), same: tokens_same, is_broken: !is_first && !goes_on }
    }

    fn begin(&mut self, head: Option<&ByteString>) {
        self.begun += 1;
        self.history = History::new();
        self.tally = Tally::new(self.counter.clone(), self.image);
        self.head = head.cloned();
        if let Some((head, parsed)) = head.and_then(|head| Some((head, self.wire.read_head(head).ok()?))) {
            self.history.push(head.clone(), parsed);
        }
        if let Some(shown) = &mut self.shown {
            shown.begin();
        }
    }

    /// Whether a name stands in the last request.
    pub(crate) fn has_name(&self, name: Mark) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.names.contains(&name))
    }

    /// Whether a line does.
    pub(crate) fn has_line(&self, line: Mark) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.lines.contains(&line))
    }

    /// Its items. While [`Held::begun`] stays the same, they only become more.
    pub(crate) fn items(&self) -> &[Item] {
        self.history.items()
    }

    /// The number of the view of which the last request is a part: another one where it did not go on from the one before.
    pub(crate) fn begun(&self) -> usize {
        self.begun
    }

    /// Whether a message stands in it as it is.
    pub(crate) fn has_message(&self, message: &ByteString) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.words.contains_key(message))
    }
}

impl Shown {
    /// Nothing is shown any more. What was said by what is known by now is not found a second time.
    fn begin(&mut self) {
        self.messages = 0;
        (self.names, self.lines) = Default::default();
    }

    fn read(&mut self, history: &History) {
        let is_anew = self.messages == 0;
        let known = if is_anew { std::mem::take(&mut self.words) } else { HashMap::new() };
        for (id, message) in history.messages_from(MessageId::new(self.messages)) {
            let found = || Rc::new(Words::of(history.items_of(id)));
            let words = known.get(&message.raw).cloned().unwrap_or_else(found);
            self.names.extend(&words.names);
            self.lines.extend(&words.lines);
            self.words.insert(message.raw.clone(), words);
        }
        self.messages = history.messages().len();
    }
}

fn is_same(one: &ByteString, other: &ByteString) -> bool {
    (one.as_ptr() == other.as_ptr() && one.len() == other.len()) || one == other
}
