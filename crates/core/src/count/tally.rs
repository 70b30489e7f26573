//! The counts of a growing history.

use std::sync::{Arc, OnceLock};

use super::media::ImageRule;
use super::sheet::Sheets;
use super::{CachedCounter, Counter, weigh};
use crate::history::{History, Item, ItemId, MessageId};

/// Tokens per item, per message and in total. [`update`](Tally::update) counts only what is new.
///
/// It also keeps what folding knows of each text: its lines, what they cost and name. That is found when it is first
/// asked for, or, in a tally that reads ahead, together with the count: both in one go take little
/// more than the count alone.
#[derive(Clone)]
pub struct Tally {
    counter: Arc<dyn Counter>,
    rule: ImageRule,
    /// The first message whose lines are read together with its count.
    ahead: Option<MessageId>,
    /// Bytes of a text whose lines are looked at.
    most: usize,
    items: Vec<usize>,
    sheets: Vec<OnceLock<Arc<Sheets>>>,
    messages: Vec<usize>,
    total: usize,
    /// Whose lines have been forgotten: the items before this one.
    forgotten: ItemId,
}

/// How many budgets of tokens a fold looks at line by line, the newest. `docs/decisions/0027-a-horizon.md` says what others
/// cost.
pub(crate) const HORIZON: usize = 8;

/// A token takes about as many of a text. Of a single text that is longer than the horizon, the ends are looked at.
const BYTES_OF_TEXT: usize = 4;

/// A token of a session rarely takes more, its share of the JSON included.
const BYTES: usize = 6;

/// Texts of a view.
const REMEMBERED_COUNTS: usize = 1 << 14;

impl Tally {
    /// A tally of nothing yet.
    pub fn new(counter: Arc<dyn Counter>, rule: ImageRule) -> Tally {
        Tally {
            counter,
            rule,
            ahead: None,
            most: usize::MAX,
            items: Vec::new(),
            sheets: Vec::new(),
            messages: Vec::new(),
            total: 0,
            forgotten: ItemId::FIRST,
        }
    }

    /// The same, for a history that will be folded to so many tokens, now or later: reads the lines of what it counts.
    pub(crate) fn reading_ahead(mut self, limit: usize) -> Tally {
        self.ahead = Some(MessageId::FIRST);
        self.most = limit.saturating_mul(HORIZON * BYTES_OF_TEXT);
        self
    }

    /// The tally of a whole history.
    pub fn of(history: &History, counter: Arc<dyn Counter>, rule: ImageRule) -> Tally {
        let mut tally = Tally::new(counter, rule);
        tally.update(history);
        tally
    }

    /// The tally of a history that is about to be folded to `limit` tokens: where it is surely over, the lines that the fold
    /// will look at are read in the same go, and what is counted on its way into the view is not counted again when it stands
    /// there.
    pub fn to_fit(history: &History, limit: usize, counter: Arc<dyn Counter>, rule: ImageRule) -> Tally {
        let sizes = || history.messages().iter().map(|message| message.raw.len());
        let counter = Arc::new(CachedCounter::new(counter, REMEMBERED_COUNTS));
        let mut tally = Tally::new(counter, rule).reading_ahead(limit);
        let mut left = limit.saturating_mul(HORIZON * BYTES);
        let near = sizes().rev().take_while(|size| {
            let fits = left > 0;
            left = left.saturating_sub(*size);
            fits
        });
        let first = MessageId::new(history.messages().len() - near.count());
        let is_over = sizes().sum::<usize>() > limit.saturating_mul(BYTES);
        tally.ahead = is_over.then_some(first);
        tally.update(history);
        tally
    }

    /// Counts what `history` has more than at the last update. O(new items). Always give it the same history: what
    /// was counted is not looked at again.
    pub fn update(&mut self, history: &History) {
        for (id, message) in history.messages_from(MessageId::new(self.messages.len())) {
            let items = history.items_of(id);
            let first = self.items.len();
            for item in items {
                let (tokens, sheets) = self.count(id, item, &message.raw);
                self.items.push(tokens);
                self.sheets.push(sheets);
            }
            let tokens =
                self.items[first..].iter().sum::<usize>() + weigh::count_overhead(message.role, items);
            self.messages.push(tokens);
            self.total += tokens;
        }
    }

    /// Forgets the messages from `message` on, whose items begin with `item`.
    pub(crate) fn truncate(&mut self, message: MessageId, item: ItemId) {
        self.total -= self.messages.drain(message.index()..).sum::<usize>();
        self.items.truncate(item.index());
        self.sheets.truncate(item.index());
        self.forgotten = self.forgotten.min(item);
    }

    /// Forgets the lines of the items before this one: they are rarely looked at again. O(those not forgotten before).
    pub(crate) fn forget_lines(&mut self, before: ItemId) {
        for item in ItemId::each(self.forgotten..before) {
            self.sheets[item.index()].take();
        }
        self.forgotten = self.forgotten.max(before);
    }

    /// How many items have their lines kept.
    #[cfg(test)]
    pub(crate) fn known_lines(&self) -> usize {
        self.sheets.iter().filter(|sheets| sheets.get().is_some()).count()
    }

    fn count(&self, message: MessageId, item: &Item, raw: &str) -> (usize, OnceLock<Arc<Sheets>>) {
        let sheets = OnceLock::new();
        if self.ahead.is_none_or(|first| message < first) {
            return (weigh::count_item(&*self.counter, self.rule, item, raw), sheets);
        }
        let read = sheets.get_or_init(|| Arc::new(Sheets::read(item, raw, &*self.counter, self.most)));
        let is_apart = item.result().is_some_and(|result| result.structure.is_some());
        let tokens = match &**read {
            Sheets::Texts(texts) if !is_apart => texts.iter().map(|sheet| sheet.tokens).sum(),
            _ => weigh::count_item(&*self.counter, self.rule, item, raw),
        };
        (tokens, sheets)
    }

    /// What folding knows of an item's texts, as they stand in the history.
    ///
    /// # Panics
    /// If the item is not counted yet.
    pub(crate) fn sheets(&self, history: &History, item: ItemId) -> &Arc<Sheets> {
        let read = || {
            let item = history.item(item);
            let raw = &history.message(item.message).raw;
            Arc::new(Sheets::read(item, raw, &*self.counter, self.most))
        };
        self.sheets[item.index()].get_or_init(read)
    }

    /// The tokens of an item, without the overhead of its message.
    ///
    /// # Panics
    /// If the item is not counted yet.
    pub fn item(&self, item: ItemId) -> usize {
        self.items[item.index()]
    }

    /// The tokens of a message, overhead included.
    ///
    /// # Panics
    /// If the message is not counted yet.
    pub fn message(&self, message: MessageId) -> usize {
        self.messages[message.index()]
    }

    /// The tokens of every message counted so far, oldest first.
    pub fn messages(&self) -> &[usize] {
        &self.messages
    }

    /// The tokens of everything counted so far.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Bytes of a text whose lines are looked at.
    pub(crate) fn most_of_a_text(&self) -> usize {
        self.most
    }

    /// The counter behind the numbers, to count something else with.
    pub(crate) fn shared_counter(&self) -> Arc<dyn Counter> {
        self.counter.clone()
    }

    /// The counter behind the numbers.
    pub fn counter(&self) -> &dyn Counter {
        &*self.counter
    }
}

impl std::fmt::Debug for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tally")
            .field("counter", &self.counter.name())
            .field("messages", &self.messages.len())
            .field("total", &self.total)
            .finish()
    }
}
