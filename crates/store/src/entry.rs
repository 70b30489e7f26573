//! What is written into a session in one go: all of it or nothing.

use std::ops::Range;
use std::time::Duration;

use enfold::count::Usage;
use enfold::history::{ItemId, MessageId, Slot, Spelling};
use enfold::view::fold::Handle;
use serde::{Deserialize, Serialize};

use crate::Lease;

/// Everything that belongs together: new messages, what was folded for the next request, what the provider charged.
#[derive(Clone, Debug, Default)]
pub struct Entry<'a> {
    /// Where the messages go.
    pub at: At,
    /// New messages.
    pub messages: Vec<NewMessage<'a>>,
    /// What a prepared request hides, and why.
    pub recording: Option<Recording>,
    /// What providers reported.
    pub usage: Vec<Usage>,
    /// Answers to questions, by the question's key.
    pub answers: Vec<(String, String)>,
    /// What happened, for people and dashboards.
    pub events: Vec<Event>,
    /// What another process needs to go on with the same view, in place of what there was.
    pub checkpoint: Option<String>,
    /// What the provider's counts have taught since the checkpoint, in place of what there was. A checkpoint says it too, and
    /// takes its place.
    pub learnt: Option<String>,
    /// Written only while this lease holds.
    pub lease: Option<Lease>,
}

/// Where new messages go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum At {
    /// At the end, wherever that is.
    #[default]
    End,
    /// At the end, if this many messages are there: nobody has appended since the caller looked.
    Number(MessageId),
    /// In place of the messages from this one on: the host rewrote the past. What stood there is kept aside.
    Instead(MessageId),
}

/// A message to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewMessage<'a> {
    /// Where the format puts it.
    pub slot: Slot,
    /// Its exact text.
    pub raw: &'a str,
}

impl<'a> NewMessage<'a> {
    /// A message of the list.
    pub fn listed(raw: &'a str) -> NewMessage<'a> {
        NewMessage { slot: Slot::List, raw }
    }
}

impl<'a> Entry<'a> {
    /// Messages at the end.
    pub fn messages(raw: impl IntoIterator<Item = &'a str>) -> Entry<'a> {
        Entry { messages: raw.into_iter().map(NewMessage::listed).collect(), ..Entry::default() }
    }
}

/// What one prepared request did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recording {
    /// The epoch it belongs to.
    pub epoch: u32,
    /// Why it opened the epoch, if it did.
    pub opened: Option<String>,
    /// The policy.
    pub policy: String,
    /// Messages of the history that the view is made of.
    pub messages: usize,
    /// Tokens before folding.
    pub before: u64,
    /// Tokens of the view.
    pub after: u64,
    /// Tokens the view had to fit.
    pub limit: u64,
    /// The folds that this request added to the epoch.
    pub folds: Vec<FoldRecord>,
    /// What their handles open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub originals: Vec<(u32, Original)>,
}

/// One fold that was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldRecord {
    /// The pass that made it.
    pub pass: String,
    /// What remains, in one word.
    pub kind: String,
    /// The items it hides or shortens.
    pub items: Vec<ItemId>,
    /// Why.
    pub why: String,
    /// Tokens of these items before, where known.
    pub before: Option<u64>,
    /// Tokens saved.
    pub saved: u64,
    /// What opens the originals: nine digits each.
    pub handles: Vec<u32>,
}

/// What a handle opens. Most originals are pieces of stored messages, and are stored as that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Original {
    /// A piece of a message.
    Piece {
        /// The message.
        message: MessageId,
        /// Where the piece stands in its raw text.
        span: Range<usize>,
        /// How it is spelled there.
        spelling: Spelling,
    },
    /// Whole messages as they stand, a line each.
    Lines(Vec<MessageId>),
    /// Any other text.
    Text(String),
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When, since 1970.
    #[serde(with = "crate::portable::millis")]
    pub at: Duration,
    /// What kind: `compaction:complete`, `error`.
    pub kind: String,
    /// The rest, as JSON.
    pub json: String,
}

/// The nine digits of a handle as a number.
pub fn digits(handle: Handle) -> u32 {
    handle.digits().parse().expect("nine decimal digits fit")
}
