//! What a caller gets.

use std::collections::BTreeSet;

use bytestring::ByteString;
use enfold::session::EpochReason;
use enfold::summary::Summary;
use enfold::view::trace::Trace;
use enfold_store::Event;

/// What to send now. Everything it hides is stored.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The system prompt, where the format keeps it beside the list.
    pub head: Option<ByteString>,
    /// The messages.
    pub messages: Vec<ByteString>,
    /// How many of them, from the first on, are those of the request before, byte for byte.
    pub unchanged: usize,
    /// Tokens before, after each stage, and now.
    pub tokens: Tokens,
    /// The epoch.
    pub epoch: u32,
    /// Why this request opened it, if it did.
    pub opened: Option<EpochReason>,
    /// What each pass did.
    pub trace: Trace,
    /// The summary that stands in the view.
    pub summary: Option<Summary>,
    /// What was asked for a summary in vain, and why it was no use.
    pub attempts: Vec<Attempt>,
    /// False if folding did not get the view as small as it should be. It is not tried again before the history has
    /// grown.
    pub reached_target: bool,
    /// The tools that the view still refers to.
    pub tools: BTreeSet<String>,
    /// What happened, as it was stored.
    pub events: Vec<Event>,
}

/// Tokens of a view, by our count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Before anything was folded for this request.
    pub before: usize,
    /// After each pass, by its name.
    pub stages: Vec<(String, usize)>,
    /// Of what is sent.
    pub after: usize,
}

/// A summary that did not come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The round it was for.
    pub round: u32,
    /// A word for the kind of failure: `rejected`, `auth`, `timeout`, …
    pub class: &'static str,
    /// What went wrong, for people.
    pub why: String,
}

impl Tokens {
    pub(crate) fn of(trace: &Trace) -> Tokens {
        let stages = trace.passes.iter().map(|pass| (pass.pass.clone(), pass.after)).collect();
        Tokens { before: trace.before, stages, after: trace.after }
    }
}
