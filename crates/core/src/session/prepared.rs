//! What a session hands out: the request to send, and everything about it.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytestring::ByteString;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::Event;
use crate::summary::{Question, Summary};
use crate::view::original::Originals;
use crate::view::trace::Trace;

/// What to send now. It owns what it says, and its messages are shared, not copied.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Prepared {
    /// The system prompt, where the format keeps it beside the list.
    #[serde(serialize_with = "maybe_raw")]
    pub head: Option<ByteString>,
    /// The messages.
    #[serde(serialize_with = "raws")]
    pub messages: Arc<Vec<ByteString>>,
    /// Where each of them comes from.
    pub origins: Arc<Vec<Origin>>,
    /// How many of them, from the first on, are those of the request before, byte for byte.
    pub unchanged: usize,
    /// Tokens of the view, by our count.
    pub tokens: usize,
    /// The epoch it belongs to. Within one, each view is the one before plus new messages.
    pub epoch: u32,
    /// Why this request opened it, if it did.
    pub opened: Option<EpochReason>,
    /// Whether the epoch came down to its target.
    pub reached_target: bool,
    /// What was done for this request and why, pass by pass with the tokens before and after each.
    pub trace: Trace,
    /// What is hidden from now on: to be stored before the view leaves.
    #[serde(skip)]
    pub originals: Originals,
    /// The tools that the view refers to, for hosts that load tools when they are needed.
    pub tools: Arc<BTreeSet<String>>,
    /// The summary that stands in the view.
    pub summary: Option<Summary>,
    /// What a model may be asked before this view is sent. The view is good without: [`super::Session::answer`] and
    /// another call of [`super::Session::prepare`] give a better one.
    pub question: Option<Question>,
    /// What happened, in the words of dashboards.
    pub events: Vec<Event>,
}

/// Where a message of a view comes from. Numbers are places in the host's list of messages, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// It is that message, byte for byte: a host can send its own object.
    Same(usize),
    /// It is that message with something folded.
    Changed(usize),
    /// It is no message of the host's: the summary of what was left out.
    New,
}

/// Why a new epoch began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EpochReason {
    /// The view would have been over the limit.
    Overflow,
    /// The provider had forgotten the last request, so that folding cost nothing.
    Cold,
    /// A result arrived for a call that was left out.
    Unpaired,
    /// The provider would have refused the view as it had grown.
    Refused,
    /// The host changed what was sent before.
    Rewritten,
    /// The agent's work was done, and folding saved much.
    Settled,
}

impl EpochReason {
    /// The word for it in events, reports and stores.
    pub fn name(self) -> &'static str {
        match self {
            EpochReason::Overflow => "overflow",
            EpochReason::Cold => "cold",
            EpochReason::Unpaired => "unpaired",
            EpochReason::Refused => "refused",
            EpochReason::Rewritten => "rewritten",
            EpochReason::Settled => "settled",
        }
    }
}

/// Messages are JSON; they are written as what they are, not as strings.
fn raws<S: Serializer>(messages: &Arc<Vec<ByteString>>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(messages.iter().map(raw))
}

fn maybe_raw<S: Serializer>(head: &Option<ByteString>, serializer: S) -> Result<S::Ok, S::Error> {
    head.as_ref().map(raw).serialize(serializer)
}

fn raw(message: &ByteString) -> Option<&RawValue> {
    serde_json::from_str(message).ok()
}
