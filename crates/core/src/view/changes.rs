//! What a view changes of a history, spliced into the messages.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use bytestring::ByteString;
use serde::{Deserialize, Serialize};

use crate::history::History;
use crate::history::{Item, ItemId, MessageId, Slot, Spelling, Text};
use crate::json::{Edit, Raw, quote, removals, splice};
use crate::summary::Summary;
use crate::view::message_set::MessageSet;

/// Changes over a history that itself never changes.
///
/// Texts are replaced, items and whole messages left out, and one message may be put in; everything else of a message
/// (unknown fields, key order, number spelling, white space, the parts that are not text) leaves as it came.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    texts: BTreeMap<(ItemId, usize), String>,
    removed: BTreeSet<ItemId>,
    dropped: MessageSet,
    inserted: Option<Inserted>,
}

/// A message that is in the view and not in the history: it tells what was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inserted {
    /// The message it stands before, whether that one is left out or not.
    pub before: MessageId,
    /// What it says.
    pub text: String,
    /// The message in the wire format.
    pub raw: ByteString,
    /// What it is, if it is a summary. Not stored with the changes: a session stores its summaries itself.
    #[serde(skip)]
    pub summary: Option<Summary>,
}

/// A change that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// The item has no such text.
    #[error("item {item} has no text number {text}")]
    NoSuchText {
        /// The item.
        item: ItemId,
        /// The text's place in the item.
        text: usize,
    },
    /// The text stands in its message as JSON, and the replacement is not JSON.
    #[error("the text of item {item} is JSON on the wire and its replacement is not")]
    NotJson {
        /// The item.
        item: ItemId,
    },
}

impl Changes {
    /// No changes.
    pub fn new() -> Changes {
        Changes::default()
    }

    /// True while nothing is changed.
    pub fn is_unchanged(&self) -> bool {
        self.texts.is_empty() && self.removed.is_empty() && self.dropped.is_empty() && self.inserted.is_none()
    }

    /// True while no text says that something is left out.
    pub(crate) fn has_no_marks(&self) -> bool {
        self.texts.is_empty() && self.inserted.is_none()
    }

    /// Puts another text in place of the `nth` text of an item.
    pub fn replace(
        &mut self,
        history: &History,
        item: ItemId,
        nth: usize,
        with: String,
    ) -> Result<(), ChangeError> {
        let text = history.get_item(item).and_then(|item| item.texts.get(nth));
        let text = text.ok_or(ChangeError::NoSuchText { item, text: nth })?;
        if text.spelling == Spelling::Json && Raw::parse(&with).is_err() {
            return Err(ChangeError::NotJson { item });
        }
        if with == *text.value {
            self.texts.remove(&(item, nth));
        } else {
            self.texts.insert((item, nth), with);
        }
        Ok(())
    }

    /// Leaves a whole message out. False if it was left out before.
    pub fn drop_message(&mut self, message: MessageId) -> bool {
        self.dropped.insert(message)
    }

    /// Leaves messages out, given in order; returns those that were not left out before.
    pub(crate) fn drop_messages(&mut self, messages: &[MessageId]) -> Vec<MessageId> {
        let mut new = Vec::with_capacity(messages.len());
        for side_by_side in messages.chunk_by(|one, next| one.next() == *next) {
            let stretch = side_by_side[0]..side_by_side[side_by_side.len() - 1].next();
            new.extend(self.kept(stretch.clone()));
            self.drop_stretch(stretch);
        }
        new
    }

    /// Leaves a stretch of messages out.
    pub(crate) fn drop_stretch(&mut self, messages: Range<MessageId>) {
        self.dropped.insert_all(messages);
    }

    /// The messages of a stretch that were not left out, in order. O(those): how many were is no matter.
    pub(crate) fn kept(&self, of: Range<MessageId>) -> impl Iterator<Item = MessageId> + '_ {
        self.dropped.others(of)
    }

    /// Puts a message back in.
    pub(crate) fn restore_message(&mut self, message: MessageId) {
        self.dropped.remove(message);
    }

    /// Leaves one item out of its message. The caller sees to it that something is left. False if it was left out before.
    pub(crate) fn remove_item(&mut self, item: ItemId) -> bool {
        self.removed.insert(item)
    }

    /// Puts an item back in.
    pub(crate) fn restore_item(&mut self, item: ItemId) {
        self.removed.remove(&item);
    }

    /// Puts a message in, in place of the one put in before.
    pub(crate) fn insert(&mut self, inserted: Option<Inserted>) -> Option<Inserted> {
        std::mem::replace(&mut self.inserted, inserted)
    }

    /// The message that was put in.
    pub fn inserted(&self) -> Option<&Inserted> {
        self.inserted.as_ref()
    }

    /// Forgets what concerns the messages and items from these on.
    pub(crate) fn truncate(&mut self, message: MessageId, item: ItemId) {
        self.texts.split_off(&(item, 0));
        self.removed.split_off(&item);
        self.dropped.truncate(message);
        self.inserted.take_if(|inserted| inserted.before >= message);
    }

    /// The texts that differ: item, which of its texts, what stands there.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (ItemId, usize, &str)> + '_ {
        self.texts.iter().map(|((item, nth), text)| (*item, *nth, text.as_str()))
    }

    /// The items that were left out by themselves.
    pub(crate) fn removed(&self) -> impl Iterator<Item = ItemId> + '_ {
        self.removed.iter().copied()
    }

    /// The messages that were left out.
    pub(crate) fn dropped(&self) -> impl Iterator<Item = MessageId> + '_ {
        self.dropped.iter()
    }

    /// Whether the message was left out.
    pub fn is_dropped(&self, message: MessageId) -> bool {
        self.dropped.contains(message)
    }

    /// Whether the item was left out, alone or with its message.
    pub(crate) fn is_removed(&self, history: &History, item: ItemId) -> bool {
        self.removed.contains(&item) || self.is_dropped(history.item(item).message)
    }

    /// Whether a text of the item was replaced.
    pub(crate) fn is_rewritten(&self, item: ItemId) -> bool {
        self.texts.range((item, 0)..=(item, usize::MAX)).next().is_some()
    }

    /// What stands in place of the `nth` text of an item.
    pub fn replacement(&self, item: ItemId, nth: usize) -> Option<&str> {
        self.texts.get(&(item, nth)).map(String::as_str)
    }

    /// The `nth` text of an item, as changed or as it was.
    pub fn text<'a>(&'a self, history: &'a History, item: ItemId, nth: usize) -> &'a str {
        self.replacement(item, nth).unwrap_or_else(|| &history.item(item).texts[nth].value)
    }

    /// The messages as the changes leave them, in order, from a message of the history on.
    pub fn sequence<'a>(
        &'a self,
        history: &'a History,
        from: MessageId,
    ) -> impl Iterator<Item = (Slot, ByteString)> + 'a {
        // A message may stand before one that was left out.
        let inserted = self.inserted.as_ref().filter(move |inserted| inserted.before >= from);
        let at = inserted.map_or(history.next_message(), |inserted| inserted.before);
        let inserted = inserted.filter(|inserted| inserted.before < history.next_message());
        let kept = move |of: Range<MessageId>| {
            // What is no JSON stands in the file and is never sent.
            let sent = self.kept(of).filter(|id| !history.is_rubble(*id));
            sent.filter_map(|id| Some((history.message(id).slot, self.message(history, id)?)))
        };
        kept(from..at)
            .chain(inserted.map(|inserted| (Slot::List, inserted.raw.clone())))
            .chain(kept(at..history.next_message()))
    }

    /// For each message of the list as the changes leave it, which one of the history's list it was; `None` for the one
    /// that was put in.
    pub fn origins(&self, history: &History) -> Vec<Option<usize>> {
        let mut origins = Vec::new();
        let mut number = 0;
        for (id, message) in history.message_ids().zip(history.messages()) {
            if self.inserted.as_ref().is_some_and(|inserted| inserted.before == id) {
                origins.push(None);
            }
            if message.slot == Slot::List && !history.is_rubble(id) {
                if !self.is_dropped(id) {
                    origins.push(Some(number));
                }
                number += 1;
            }
        }
        origins
    }

    /// A message as the changes leave it: its own bytes where nothing changed, `None` where it was dropped.
    pub fn message(&self, history: &History, message: MessageId) -> Option<ByteString> {
        if self.dropped.contains(message) {
            return None;
        }
        let raw = &history.message(message).raw;
        let items = history.message(message).items.clone();
        let removed: Vec<Range<usize>> =
            self.removed.range(items.clone()).map(|item| history.item(*item).span.range()).collect();
        let cuts = removals(raw, &removed).into_iter();
        let mut edits: Vec<Edit> = cuts.map(|span| Edit { span, with: String::new() }).collect();
        let changed = self.texts.range((items.start, 0)..(items.end, 0));
        let kept = changed.filter(|((item, _), _)| !self.removed.contains(item));
        edits.extend(kept.map(|((item, nth), with)| edit(&history.item(*item).texts[*nth], with)));
        Some(if edits.is_empty() { raw.clone() } else { splice(raw, edits).into() })
    }
}

/// What a tool returned, with other texts inside; `None` for a result that is text.
pub(super) fn structure_with<'a>(
    history: &History,
    item: &Item,
    text: impl Fn(usize) -> &'a str,
) -> Option<String> {
    let structure = history.structure_of(item)?;
    let start = item.result()?.structure?.range().start;
    let edits = item.texts.iter().enumerate().filter(|(nth, known)| *known.value != *text(*nth));
    let edits = edits.map(|(nth, known)| {
        let Edit { span, with } = edit(known, text(nth));
        Edit { span: span.start - start..span.end - start, with }
    });
    Some(splice(structure, edits.collect()))
}

fn edit(text: &Text, with: &str) -> Edit {
    let with = match text.spelling {
        Spelling::Quoted => quote(with),
        Spelling::Json => with.to_string(),
    };
    Edit { span: text.span.range(), with }
}
