//! A view: what the model would be sent, and what it costs.

pub mod changes;
mod check;
pub mod fold;
pub(crate) mod marks;
mod message_set;
pub mod original;
mod references;
pub mod search;
pub(crate) mod shorter;
mod stored;
pub mod trace;

use std::collections::BTreeSet;
use std::ops::Range;

use bytestring::ByteString;

use crate::count::{Tally, weigh};
use crate::history::History;
use crate::history::{Item, ItemId, ItemKind, MessageId, Spelling};
use crate::json::Raw;
use crate::view::changes::{ChangeError, Changes, Inserted, structure_with};
use crate::view::fold::{Change, Fold};
use references::References;

pub use stored::Stored;

/// A history with folds applied, and the tokens of what is left. Always counted on the result.
#[derive(Clone)]
pub struct View<'h> {
    history: &'h History,
    tally: &'h Tally,
    state: State,
}

/// What a view has beside its history: kept while the history grows.
#[derive(Clone, Debug, Default)]
pub struct State {
    changes: Changes,
    items: Vec<usize>,
    messages: Vec<usize>,
    /// Tokens of the message that was put in.
    inserted: usize,
    total: usize,
    references: References,
}

/// What takes a change back.
enum Undo {
    Texts(ItemId, Vec<(usize, String)>),
    Several(Vec<Undo>),
    Items(Vec<ItemId>),
    Messages(Vec<MessageId>, Option<(ItemId, usize, String)>),
    Summary(Vec<MessageId>, Option<Inserted>),
}

/// Each message once, in order.
fn sorted(messages: impl Iterator<Item = MessageId>) -> Vec<MessageId> {
    let mut messages: Vec<MessageId> = messages.collect();
    messages.sort_unstable();
    messages.dedup();
    messages
}

/// What applying a fold did to the number of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Tokens of the view before.
    pub before: usize,
    /// Tokens of the view after.
    pub after: usize,
}

/// A fold that cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FoldError {
    /// The view would not get smaller.
    #[error("it saves nothing ({before} tokens before, {after} after)")]
    SavesNothing {
        /// Tokens before.
        before: usize,
        /// Tokens after.
        after: usize,
    },
    /// It names something that is not there (any more).
    #[error("{0}")]
    Misplaced(String),
    /// Nothing would be left where something stood: many providers refuse an empty text.
    #[error("it leaves an empty text in item {0}")]
    LeavesNothing(ItemId),
    /// A call and its result would be parted.
    #[error("it would part a call from its result (item {0})")]
    PartsPair(ItemId),
}

impl State {
    /// Forgets the messages from `message` on, whose items begin with `item`.
    pub(crate) fn truncate(&mut self, message: MessageId, item: ItemId) {
        self.changes.truncate(message, item);
        self.items.truncate(item.index());
        self.messages.truncate(message.index());
        self.inserted = if self.changes.inserted().is_some() { self.inserted } else { 0 };
        self.total = self.messages.iter().sum::<usize>() + self.inserted;
        self.references.truncate(item);
    }

    /// Tokens of the view.
    pub(crate) fn tokens(&self) -> usize {
        self.total
    }

    /// What differs from the history.
    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }
}

impl<'h> View<'h> {
    /// The view in which nothing is folded.
    pub fn new(history: &'h History, tally: &'h Tally) -> View<'h> {
        View::resume(history, tally, State::default())
    }

    /// A view as it was left, with what its history has more since then. O(new items).
    pub fn resume(history: &'h History, tally: &'h Tally, mut state: State) -> View<'h> {
        let new = ItemId::each(ItemId::new(state.items.len())..history.next_item());
        state.items.extend(new.map(|item| tally.item(item)));
        let new = &tally.messages()[state.messages.len()..];
        state.total += new.iter().sum::<usize>();
        state.messages.extend(new);
        View { history, tally, state }
    }

    /// Shows the messages from `message` on as they are.
    pub(crate) fn forget(&mut self, message: MessageId) {
        let mut state = std::mem::take(&mut self.state);
        state.truncate(message, self.history.first_item(message));
        *self = View::resume(self.history, self.tally, state);
    }

    /// The same view, with each of these stretches drawn together into its first message, which takes the tokens of all: for a
    /// pass that lets them leave whole and need not look at each message.
    pub(crate) fn drawn_together(&self, stretches: &[Range<MessageId>]) -> View<'h> {
        let mut view = self.clone();
        for Range { start, end } in stretches {
            let tokens = self.state.messages[start.index()..end.index()].iter().sum();
            view.state.messages[start.index()..end.index()].fill(0);
            view.state.messages[start.index()] = tokens;
            view.state.changes.drop_stretch(start.next()..*end);
        }
        view
    }

    /// The state of a view of the first `messages` messages with these changes, counted anew where something changed.
    fn counted(
        history: &'h History,
        tally: &'h Tally,
        changes: Changes,
        references: References,
        messages: MessageId,
    ) -> State {
        let items = ItemId::each(ItemId::FIRST..history.first_item(messages));
        let state = State { changes, references, ..State::default() };
        let mut view = View { history, tally, state };
        view.state.items = items.map(|item| view.count_item(item)).collect();
        let messages = MessageId::each(MessageId::FIRST..messages);
        view.state.messages = messages.map(|message| view.count_message(message)).collect();
        view.state.inserted =
            view.state.changes.inserted().map_or(0, |inserted| view.count_inserted(&inserted.text));
        view.state.total = view.state.messages.iter().sum::<usize>() + view.state.inserted;
        view.state
    }

    /// What to keep to go on later.
    pub fn into_state(self) -> State {
        self.state
    }

    /// What really happened.
    pub fn history(&self) -> &'h History {
        self.history
    }

    /// The counts of the history itself.
    pub fn tally(&self) -> &'h Tally {
        self.tally
    }

    /// What differs from the history.
    pub fn changes(&self) -> &Changes {
        &self.state.changes
    }

    /// Tokens of the view.
    pub fn tokens(&self) -> usize {
        self.state.total
    }

    /// Tokens of an item as it stands in the view; 0 if it is gone.
    pub fn item_tokens(&self, item: ItemId) -> usize {
        self.state.items[item.index()]
    }

    /// Tokens of a message as it stands in the view; 0 if it is gone.
    pub fn message_tokens(&self, message: MessageId) -> usize {
        self.state.messages[message.index()]
    }

    /// The items that still stand in the view, oldest first.
    pub fn items(&self) -> impl Iterator<Item = (ItemId, &'h Item)> + '_ {
        self.items_from(MessageId::FIRST)
    }

    /// The same, from a message on.
    pub fn items_from(&self, message: MessageId) -> impl Iterator<Item = (ItemId, &'h Item)> + '_ {
        let first = self.history.first_item(message);
        self.history.items_from(first).filter(|(id, _)| self.has(*id))
    }

    /// Whether an item still stands in the view.
    pub fn has(&self, item: ItemId) -> bool {
        !self.state.changes.is_removed(self.history, item)
    }

    /// A text of an item as it stands in the view.
    pub fn text(&self, item: ItemId, nth: usize) -> &str {
        self.state.changes.text(self.history, item, nth)
    }

    /// Whether something of the item differs from the history.
    pub fn is_changed(&self, item: ItemId) -> bool {
        !self.has(item) || self.state.changes.is_rewritten(item)
    }

    /// Tokens of the message that was put in; 0 if none was.
    pub fn inserted_tokens(&self) -> usize {
        self.state.inserted
    }

    /// A message's bytes; `None` if it is gone.
    pub fn message(&self, message: MessageId) -> Option<ByteString> {
        self.state.changes.message(self.history, message)
    }

    /// Applies a fold if it is sound and the view gets smaller; otherwise nothing changes.
    pub fn apply(&mut self, fold: &Fold) -> Result<Effect, FoldError> {
        let before = self.state.total;
        self.check(&fold.change)?;
        let naming = self.naming(&fold.change);
        let unnamed = self.stop_naming(&naming);
        let undo = match self.put(&fold.change) {
            Ok(put) => Undo::Several(vec![unnamed, put]),
            Err(error) => {
                self.undo(unnamed);
                return Err(error);
            }
        };
        let (rewritten, inserted): (Vec<ItemId>, _) = match &fold.change {
            Change::Texts { item, .. } | Change::Refers { item, .. } => (vec![*item], None),
            Change::Several(all) => (all.iter().map(|(item, _)| *item).collect(), None),
            Change::Items(items) => (items.clone(), None),
            Change::Messages { note, .. } => (note.iter().map(|note| note.item).collect(), None),
            Change::Summary { inserted, .. } => (Vec::new(), Some(&inserted.text)),
        };
        let left = sorted(fold.change.messages());
        let rewritten: BTreeSet<ItemId> = rewritten.into_iter().chain(naming.iter().copied()).collect();
        let counted: Vec<usize> = rewritten.iter().map(|item| self.count_item(*item)).collect();
        let inserted = inserted.map_or(self.state.inserted, |text| self.count_inserted(text));
        let gone = left.iter().map(|message| self.state.messages[message.index()]).sum::<usize>()
            + rewritten.iter().map(|item| self.state.items[item.index()]).sum::<usize>();
        let after = before - gone - self.state.inserted + counted.iter().sum::<usize>() + inserted;
        if after >= before {
            self.undo(undo);
            return Err(FoldError::SavesNothing { before, after });
        }
        for (item, tokens) in rewritten.into_iter().zip(counted) {
            let message = &mut self.state.messages[self.history.item(item).message.index()];
            *message = *message - self.state.items[item.index()] + tokens;
            self.state.items[item.index()] = tokens;
        }
        for message in left {
            self.state.messages[message.index()] = 0;
            for item in self.history.message(message).item_ids() {
                self.state.items[item.index()] = 0;
            }
        }
        self.state.inserted = inserted;
        self.state.total = after;
        naming.iter().for_each(|item| drop(self.state.references.texts.remove(item)));
        self.refer(&fold.change);
        Ok(Effect { before, after })
    }

    /// Makes a change and says how to take it back.
    fn put(&mut self, change: &Change) -> Result<Undo, FoldError> {
        match change {
            Change::Texts { item, texts } => self.put_texts(*item, texts),
            Change::Refers { item, text, .. } => self.put_texts(*item, &[(0, text.clone())]),
            Change::Several(all) => {
                let mut done = Vec::new();
                for (item, texts) in all {
                    match self.put_texts(*item, texts) {
                        Ok(undo) => done.push(undo),
                        Err(error) => {
                            self.undo(Undo::Several(done));
                            return Err(error);
                        }
                    }
                }
                Ok(Undo::Several(done))
            }
            Change::Items(items) => Ok(Undo::Items(
                items.iter().copied().filter(|item| self.state.changes.remove_item(*item)).collect(),
            )),
            Change::Messages { messages, note } => {
                let noted =
                    note.as_ref().map(|note| (note.item, note.nth, self.old_text(note.item, note.nth)));
                if let (Some(note), Some((item, nth, old))) = (note, &noted) {
                    let text = note.after(old);
                    let done = self.state.changes.replace(self.history, *item, *nth, text);
                    done.map_err(|error| FoldError::Misplaced(error.to_string()))?;
                }
                let new = self.state.changes.drop_messages(&sorted(messages.iter().copied()));
                Ok(Undo::Messages(new, noted))
            }
            Change::Summary { inserted, .. } => {
                let new = self.state.changes.drop_messages(&sorted(change.messages()));
                Ok(Undo::Summary(new, self.state.changes.insert(Some(inserted.clone()))))
            }
        }
    }

    fn put_texts(&mut self, item: ItemId, texts: &[(usize, String)]) -> Result<Undo, FoldError> {
        if texts.iter().any(|(_, text)| text.trim().is_empty()) {
            return Err(FoldError::LeavesNothing(item));
        }
        let old = texts.iter().map(|(nth, _)| (*nth, self.old_text(item, *nth))).collect();
        for (nth, text) in texts {
            let done = self.state.changes.replace(self.history, item, *nth, text.clone());
            if let Err(error) = done {
                self.undo(Undo::Texts(item, old));
                return Err(FoldError::Misplaced(error.to_string()));
            }
        }
        Ok(Undo::Texts(item, old))
    }

    fn undo(&mut self, undo: Undo) {
        match undo {
            Undo::Several(all) => all.into_iter().rev().for_each(|undo| self.undo(undo)),
            Undo::Texts(item, old) => {
                for (nth, text) in old {
                    let done = self.state.changes.replace(self.history, item, nth, text);
                    debug_assert!(done.is_ok(), "a text that stood there can stand there again");
                }
            }
            Undo::Items(items) => items.into_iter().for_each(|item| self.state.changes.restore_item(item)),
            Undo::Summary(messages, inserted) => {
                messages.into_iter().for_each(|message| self.state.changes.restore_message(message));
                self.state.changes.insert(inserted);
            }
            Undo::Messages(messages, noted) => {
                messages.into_iter().for_each(|message| self.state.changes.restore_message(message));
                if let Some((item, nth, old)) = noted {
                    self.undo(Undo::Texts(item, vec![(nth, old)]));
                }
            }
        }
    }

    /// Tokens of a message of the user that says this.
    pub(crate) fn count_inserted(&self, text: &str) -> usize {
        self.tally.counter().count(text) + weigh::OVERHEAD
    }

    fn old_text(&self, item: ItemId, nth: usize) -> String {
        let exists = nth < self.history.item(item).texts.len();
        if exists { self.text(item, nth).to_string() } else { String::new() }
    }

    /// Tokens of an item with these texts, if they can stand there. Nothing changes.
    pub(crate) fn item_tokens_with(
        &self,
        item: ItemId,
        texts: &[(usize, String)],
    ) -> Result<usize, FoldError> {
        self.check_texts(item, texts)?;
        if texts.iter().any(|(_, text)| text.trim().is_empty()) {
            return Err(FoldError::LeavesNothing(item));
        }
        let known = self.history.item(item);
        let is_json = |(nth, text): &(usize, String)| {
            known.texts[*nth].spelling == Spelling::Quoted || Raw::parse(text).is_ok()
        };
        if !texts.iter().all(is_json) {
            let error = ChangeError::NotJson { item };
            return Err(FoldError::Misplaced(error.to_string()));
        }
        let counter = self.tally.counter();
        let name = known.call().map_or(0, |call| counter.count(&call.name));
        let text = |nth: usize| {
            let with = texts.iter().find(|(is, _)| *is == nth);
            with.map_or_else(|| self.text(item, nth), |(_, text)| text)
        };
        if let Some(structure) = structure_with(self.history, known, text) {
            return Ok(counter.count(&structure));
        }
        Ok(name + (0..known.texts.len()).map(|nth| counter.count(text(nth))).sum::<usize>())
    }

    /// Whether texts of the view say that their lines stand elsewhere in it.
    pub(crate) fn has_references(&self) -> bool {
        self.state.references.are_any()
    }

    fn count_message(&self, message: MessageId) -> usize {
        if self.state.changes.is_dropped(message) {
            return 0;
        }
        let whole = self.history.message(message);
        let items: usize = whole.item_ids().map(|item| self.count_item(item)).sum();
        items + weigh::count_overhead(whole.role, self.history.items_of(message))
    }

    /// An item that nothing changed keeps its count; a changed one is counted anew.
    fn count_item(&self, item: ItemId) -> usize {
        if !self.has(item) {
            return 0;
        }
        if !self.is_changed(item) {
            return self.tally.item(item);
        }
        let counter = self.tally.counter();
        let known = self.history.item(item);
        if let Some(structure) = structure_with(self.history, known, |nth| self.text(item, nth)) {
            return counter.count(&structure);
        }
        let texts: usize = known.texts.iter().map(|text| counter.count(&text.value)).sum();
        let beside = match &known.kind {
            ItemKind::Media(_) => self.tally.item(item) - texts,
            _ => known.call().map_or(0, |call| counter.count(&call.name)),
        };
        beside + (0..known.texts.len()).map(|nth| counter.count(self.text(item, nth))).sum::<usize>()
    }
}
