//! What to send, and where each message of it comes from.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytestring::ByteString;
use enfold::Folded;
use enfold::finding::Finding;
use enfold::folding::account::Account;
use enfold::history::History;
use enfold::session::{EpochReason, Event, Origin, Prepared};
use enfold::summary::{Question, Summary};
use enfold::view::trace::Trace;
use enfold_cli::finding_json;
use serde_json::{Value, json};

/// What to send. Cheap to clone: its messages are shared.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct View {
    /// The wire format.
    pub format: &'static str,
    /// The system prompt as JSON, where the format keeps it beside the list.
    pub system: Option<ByteString>,
    /// The messages as JSON.
    pub messages: Arc<Vec<ByteString>>,
    /// Where each of them comes from: the host's own message at that place, the same with something folded, or none of its.
    pub origins: Arc<Vec<Origin>>,
    /// How many of them, from the first on, are those of the view before, byte for byte. 0 outside a session.
    pub unchanged: usize,
    /// Tokens of the view.
    pub tokens: usize,
    /// The epoch it belongs to. Within one, each view is the one before plus new messages. 0 outside a session.
    pub epoch: u32,
    /// What it hides that no view before did, by handle (`#482913077`).
    pub originals: BTreeMap<String, ByteString>,
    told: Arc<AboutView>,
    account: Arc<Account>,
}

/// What is told about a view. Written as JSON only if somebody asks.
#[derive(Debug, Default)]
struct AboutView {
    trace: Trace,
    opened: Option<EpochReason>,
    reached_target: bool,
    tools: Vec<String>,
    summary: Option<Summary>,
    question: Option<Question>,
    events: Vec<Event>,
    findings: Vec<Finding>,
}

impl View {
    pub(crate) fn of_folded(folded: Folded) -> View {
        let told = AboutView {
            trace: folded.trace,
            findings: folded.findings,
            reached_target: true,
            ..AboutView::default()
        };
        let originals = folded.originals.into_iter().map(|(handle, text)| (handle.to_string(), text));
        View {
            format: folded.format,
            system: folded.head,
            messages: Arc::new(folded.messages),
            origins: Arc::new(folded.origins),
            unchanged: 0,
            tokens: folded.tokens,
            epoch: 0,
            originals: originals.collect(),
            told: Arc::new(told),
            account: Arc::new(folded.account),
        }
    }

    pub(crate) fn of_prepared(
        prepared: Prepared,
        format: &'static str,
        history: &History,
        account: Arc<Account>,
    ) -> View {
        let originals = prepared.originals.iter();
        let originals = originals
            .filter_map(|(handle, original)| Some((handle.to_string(), original.read(history)?)))
            .collect();
        let told = AboutView {
            trace: prepared.trace,
            opened: prepared.opened,
            reached_target: prepared.reached_target,
            tools: prepared.tools.iter().cloned().collect(),
            summary: prepared.summary,
            question: prepared.question,
            events: prepared.events,
            findings: Vec::new(),
        };
        View {
            format,
            system: prepared.head,
            messages: prepared.messages,
            origins: prepared.origins,
            unchanged: prepared.unchanged,
            tokens: prepared.tokens,
            epoch: prepared.epoch,
            originals,
            told: Arc::new(told),
            account,
        }
    }

    /// Why this view opened a new epoch, if it did: `overflow`, `cold`, …
    pub fn opened(&self) -> Option<&'static str> {
        self.told.opened.map(EpochReason::name)
    }

    /// The key of the question that a model may be asked before this view is sent.
    pub fn question(&self) -> Option<&str> {
        self.told.question.as_ref().map(|question| question.key.as_str())
    }

    /// What is not whole in it, as JSON: messages that are not in it (`dropped`), and what stands shortened (`shortened`), with
    /// places in the host's list, priorities, and the tokens of the originals.
    pub fn account(&self) -> String {
        serde_json::to_string(&*self.account).expect("numbers, lists and texts always become JSON")
    }

    /// What was done and why, pass by pass, as JSON.
    pub fn trace(&self) -> String {
        serde_json::to_string(&self.told.trace).expect("numbers, lists and texts always become JSON")
    }

    /// Everything about the view apart from its messages and originals, as a JSON object: `tokens`, `epoch`, `opened`,
    /// `reached_target`, `trace`, `tools`, `summary`, `question`, `events`, `findings`.
    pub fn report(&self) -> String {
        let told = &*self.told;
        let findings: Vec<Value> = told.findings.iter().map(finding_json).collect();
        json!({
            "format": self.format,
            "tokens": self.tokens,
            "unchanged": self.unchanged,
            "epoch": self.epoch,
            "opened": told.opened,
            "reached_target": told.reached_target,
            "trace": told.trace,
            "tools": told.tools,
            "summary": told.summary,
            "question": told.question,
            "events": told.events,
            "findings": findings,
        })
        .to_string()
    }

    /// The list of messages as one JSON array.
    pub fn array(&self) -> String {
        let messages: Vec<&str> = self.messages.iter().map(|message| &**message).collect();
        format!("[{}]", messages.join(","))
    }
}
