//! What folds hide: where it stands in the history, and its bytes when somebody wants them.

use std::collections::BTreeMap;
use std::ops::Range;

use bytestring::ByteString;

use crate::history::{History, ItemId, MessageId};
use crate::view::fold::{Handle, HandleKey};

/// Originals by their handles.
pub type Originals = BTreeMap<Handle, Original>;

/// What a handle opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Original {
    /// A text of an item.
    Text {
        /// The item.
        item: ItemId,
        /// Which of its texts.
        nth: usize,
    },
    /// An item as it stands in its message.
    Item(ItemId),
    /// Whole messages as they stand, a line each.
    Messages(Vec<MessageId>),
    /// The same of all from one message to before another. A run that left is a stretch of the history, with what stood in it
    /// and stayed or left before: so it can be found without knowing what.
    Stretch(Range<MessageId>),
    /// What stands in no history any more: the host changed the past.
    Gone(ByteString),
}

/// The messages from the first of these to the last, with what stood between them.
pub(crate) fn stretch(messages: &[MessageId]) -> Range<MessageId> {
    match (messages.iter().min(), messages.iter().max()) {
        (Some(first), Some(last)) => *first..last.next(),
        _ => MessageId::FIRST..MessageId::FIRST,
    }
}

impl Original {
    /// Its bytes; `None` if the history, being another one, does not have it. Only messages are copied.
    pub fn read(&self, history: &History) -> Option<ByteString> {
        match self {
            Original::Text { item, nth } => Some(history.get_item(*item)?.texts.get(*nth)?.value.clone()),
            Original::Item(item) => {
                let item = history.get_item(*item)?;
                Some(history.message(item.message).raw.slice_ref(history.raw_of(item)))
            }
            Original::Messages(messages) => {
                let is_known = messages.iter().all(|message| *message < history.next_message());
                let lines = messages.iter().map(|message| history.original(*message));
                is_known.then(|| lines.collect::<Vec<_>>().join("\n").into())
            }
            Original::Stretch(messages) => {
                let lines = MessageId::each(messages.clone()).map(|message| history.original(message));
                (messages.end <= history.next_message()).then(|| lines.collect::<Vec<_>>().join("\n").into())
            }
            Original::Gone(bytes) => Some(bytes.clone()),
        }
    }

    /// Its handle; `None` if the history does not have it.
    pub(crate) fn handle(&self, history: &History, key: &HandleKey) -> Option<Handle> {
        match self {
            Original::Messages(messages) => {
                let is_known = messages.iter().all(|message| *message < history.next_message());
                is_known.then(|| key.handle_of_messages(history, messages))
            }
            Original::Stretch(messages) => (messages.end <= history.next_message()).then(|| {
                let mut lines = key.lines();
                lines.push_all(history, messages.clone());
                lines.handle()
            }),
            Original::Text { .. } | Original::Item(_) | Original::Gone(_) => {
                Some(key.handle(self.read(history)?.as_bytes()))
            }
        }
    }

    /// Whether both are the same bytes.
    pub(crate) fn is_same(&self, other: &Original, history: &History) -> bool {
        self == other || self.read(history) == other.read(history)
    }

    /// The same when its history has only the messages before `message` left, whose items end before `item`.
    pub(crate) fn without(&mut self, history: &History, message: MessageId, item: ItemId) {
        let is_gone = match self {
            Original::Text { item: is, .. } | Original::Item(is) => *is >= item,
            Original::Messages(messages) => messages.iter().any(|is| *is >= message),
            Original::Stretch(messages) => messages.end > message,
            Original::Gone(_) => false,
        };
        if let Some(bytes) = self.read(history).filter(|_| is_gone) {
            *self = Original::Gone(bytes);
        }
    }
}
