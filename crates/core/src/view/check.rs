//! Whether a change can be made to a view.

use std::collections::BTreeSet;

use super::{FoldError, View, sorted};
use crate::history::{Item, ItemId, ItemKind, MessageId, Slot};
use crate::json::{Kind, Raw};
use crate::view::fold::{Change, Note};

impl<'h> View<'h> {
    /// Whether a change is sound.
    pub(crate) fn check(&self, change: &Change) -> Result<(), FoldError> {
        match change {
            Change::Texts { item, texts } => self.check_texts(*item, texts),
            Change::Refers { item, text, otherwise, .. } => {
                self.check_texts(*item, &[(0, text.clone()), (0, otherwise.clone())])
            }
            Change::Several(all) => all.iter().try_for_each(|(item, texts)| self.check_texts(*item, texts)),
            Change::Items(items) => self.check_items(items),
            Change::Messages { messages, note } => {
                self.check_messages(messages.iter().copied(), note.as_ref())
            }
            Change::Summary { inserted, .. } => {
                if inserted.before >= self.history.next_message() {
                    return Err(FoldError::Misplaced("a summary stands before what is newer".into()));
                }
                self.check_messages(change.messages(), None)
            }
        }
    }

    pub(super) fn check_texts(&self, item: ItemId, texts: &[(usize, String)]) -> Result<(), FoldError> {
        let found = self.item_at(item)?;
        texts.iter().try_for_each(|(nth, text)| check_text(found, item, *nth, text))
    }

    /// Calls and results stay, and something of each message.
    fn check_items(&self, items: &[ItemId]) -> Result<(), FoldError> {
        let mut touched = BTreeSet::new();
        for id in items {
            let item = self.item_at(*id)?;
            if matches!(item.kind, ItemKind::Call(_) | ItemKind::Result(_)) {
                return Err(FoldError::PartsPair(*id));
            }
            touched.insert(item.message);
        }
        let gone: BTreeSet<&ItemId> = items.iter().collect();
        for message in &touched {
            let mut all = self.history.message(*message).item_ids();
            if !all.any(|item| self.has(item) && !gone.contains(&item)) {
                return Err(FoldError::Misplaced(format!("nothing of message {message} would be left")));
            }
        }
        Ok(())
    }

    /// Messages leave with the pairs of all their calls and results.
    fn check_messages(
        &self,
        messages: impl Iterator<Item = MessageId>,
        note: Option<&Note>,
    ) -> Result<(), FoldError> {
        let gone = sorted(messages);
        let is_gone = |id: MessageId| gone.binary_search(&id).is_ok();
        // What belongs together mostly stands together: as far from a message here as in the history.
        let leaves_beside = |nth: usize, id: MessageId| {
            let away = id.index() as isize - gone[nth].index() as isize;
            nth.checked_add_signed(away).and_then(|place| gone.get(place)) == Some(&id) || is_gone(id)
        };
        for (nth, id) in gone.iter().enumerate() {
            let message = self.history.get_message(*id).filter(|message| message.slot == Slot::List);
            let message = message
                .ok_or_else(|| FoldError::Misplaced(format!("there is no message {id} in the list")))?;
            for item in message.item_ids() {
                if let Some(pair) = self.history.pair(item)
                    && self.has(pair)
                    && !leaves_beside(nth, self.history.item(pair).message)
                {
                    return Err(FoldError::PartsPair(item));
                }
            }
        }
        if let Some(note) = note {
            let item = self.item_at(note.item)?;
            check_text(item, note.item, note.nth, &note.text)?;
            if is_gone(item.message) {
                return Err(FoldError::Misplaced("a note cannot stand in what it says is gone".into()));
            }
        }
        Ok(())
    }

    /// An item that stands in the view.
    fn item_at(&self, item: ItemId) -> Result<&'h Item, FoldError> {
        match self.history.get_item(item) {
            Some(found) if self.has(item) => Ok(found),
            _ => Err(FoldError::Misplaced(format!("item {item} is not in the view"))),
        }
    }
}

/// A text takes the place of another only if there is one, and arguments stay JSON also where the wire has them as a
/// string: providers refuse the whole request otherwise.
fn check_text(item: &Item, id: ItemId, nth: usize, with: &str) -> Result<(), FoldError> {
    let Some(text) = item.texts.get(nth) else {
        return Err(FoldError::Misplaced(format!("item {id} has no text number {nth}")));
    };
    let is_object = |text: &str| Raw::parse(text).is_ok_and(|value| value.kind() == Kind::Object);
    let has_arguments = item.call().is_some_and(|call| !call.freeform);
    if has_arguments && !is_object(with) && is_object(&text.value) {
        return Err(FoldError::Misplaced(format!("the arguments of item {id} would not be JSON any more")));
    }
    Ok(())
}
