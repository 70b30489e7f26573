//! A view: what the model would be sent. The history with changes spliced in.

use std::collections::{BTreeMap, BTreeSet};

use bytestring::ByteString;

use crate::history::History;
use crate::item::{ItemId, MessageId, Spelling, Text};
use crate::json::{Edit, Raw, quote, splice};

/// Changes over a history that itself never changes.
///
/// Only texts are replaced and only whole messages dropped, so everything else of a message (unknown fields, key
/// order, number spelling, white space, the parts that are not text) leaves as it came.
#[derive(Clone, Debug, Default)]
pub struct View {
    texts: BTreeMap<(ItemId, usize), String>,
    dropped: BTreeSet<MessageId>,
}

/// A change that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
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

impl View {
    /// The view in which everything is as it was.
    pub fn new() -> View {
        View::default()
    }

    /// True while the view equals the history.
    pub fn is_unchanged(&self) -> bool {
        self.texts.is_empty() && self.dropped.is_empty()
    }

    /// Puts another text in place of the `nth` text of an item.
    pub fn replace(
        &mut self,
        history: &History,
        item: ItemId,
        nth: usize,
        with: String,
    ) -> Result<(), ViewError> {
        let text = history.items().get(item).and_then(|item| item.texts.get(nth));
        let text = text.ok_or(ViewError::NoSuchText { item, text: nth })?;
        if text.spelling == Spelling::Json && Raw::parse(&with).is_err() {
            return Err(ViewError::NotJson { item });
        }
        if with == *text.value {
            self.texts.remove(&(item, nth));
        } else {
            self.texts.insert((item, nth), with);
        }
        Ok(())
    }

    /// Leaves a whole message out.
    pub fn drop_message(&mut self, message: MessageId) {
        self.dropped.insert(message);
    }

    /// A message as the view shows it: its own bytes where nothing changed, `None` where it was dropped.
    pub fn message(&self, history: &History, message: MessageId) -> Option<ByteString> {
        if self.dropped.contains(&message) {
            return None;
        }
        let raw = &history.messages()[message].raw;
        let items = history.messages()[message].items.clone();
        let changed = self.texts.range((items.start, 0)..(items.end, 0));
        let edits: Vec<Edit> =
            changed.map(|((item, nth), with)| edit(&history.items()[*item].texts[*nth], with)).collect();
        Some(if edits.is_empty() { raw.clone() } else { splice(raw, edits).into() })
    }
}

fn edit(text: &Text, with: &str) -> Edit {
    let with = match text.spelling {
        Spelling::Quoted => quote(with),
        Spelling::Json => with.to_string(),
    };
    Edit { span: text.span.clone(), with }
}
