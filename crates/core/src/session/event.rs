//! What happened to a session, in the words that dashboards know.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{EpochReason, Session};
use crate::finding::{Finding, Place, Severity};
use crate::history::{History, ItemId, MessageId};
use crate::view::fold::{FoldKind, Handle};
use crate::view::trace::{FoldTrace, Trace};

/// Something that happened while a request was prepared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", content = "data", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Event {
    /// A new epoch begins.
    #[serde(rename = "compaction:start")]
    CompactionStart {
        /// Tokens of everything that happened.
        tokens_before: usize,
        /// Tokens of the model's window.
        model_limit: usize,
        /// Why.
        reason: EpochReason,
    },
    /// Outputs of tools were made smaller; their calls stand.
    #[serde(rename = "prune:complete")]
    PruneComplete {
        /// Tokens before.
        tokens_before: usize,
        /// Tokens after.
        tokens_after: usize,
        /// Outputs that were.
        outputs_pruned: usize,
        /// Tokens that this saved.
        tokens_saved: usize,
        /// The tools whose outputs they are.
        pruned_tools: BTreeSet<String>,
    },
    /// A model was asked for a summary in vain. Whoever asks says so.
    #[serde(rename = "summary:failed")]
    SummaryFailed {
        /// The round it was for.
        round: u32,
        /// A word for the kind of failure: `rejected`, `auth`, `timeout`, …
        class: String,
        /// What went wrong, for people.
        why: String,
    },
    /// A marker of a view stands in a call that the model made: it took it for text. The handle opens what the marker stood
    /// for.
    #[serde(rename = "marker:returned")]
    MarkerReturned {
        /// The message with the call, counted from 1.
        message: usize,
        /// The tool.
        tool: String,
        /// The provider's id of the call; empty where the format has none.
        call_id: String,
        /// What opens the original.
        handle: Handle,
    },
    /// The new epoch has its view.
    #[serde(rename = "compaction:complete")]
    CompactionComplete {
        /// Tokens of everything that happened.
        tokens_before: usize,
        /// Tokens of the view.
        tokens_after: usize,
        /// Messages of everything that happened.
        messages: usize,
        /// Messages that a summary stands for.
        messages_compacted: usize,
        /// Which these are: their places in the list of messages, from 0.
        compacted: Vec<usize>,
        /// Whether outputs of tools were made smaller.
        was_pruned: bool,
        /// Whether a summary stands in the view.
        was_summarized: bool,
        /// What the summary says, as it stands in the view.
        summary: Option<String>,
        /// The summary's round.
        round: Option<u32>,
        /// Whether a model wrote its narrative.
        by_model: bool,
        /// Whether the view came down to its target.
        reached_target: bool,
    },
}

impl Event {
    /// Its name: `compaction:start`.
    pub fn name(&self) -> &'static str {
        match self {
            Event::CompactionStart { .. } => "compaction:start",
            Event::PruneComplete { .. } => "prune:complete",
            Event::SummaryFailed { .. } => "summary:failed",
            Event::MarkerReturned { .. } => "marker:returned",
            Event::CompactionComplete { .. } => "compaction:complete",
        }
    }

    /// What is wrong, where something is, and what to do about it.
    pub fn finding(&self) -> Option<Finding> {
        let Event::MarkerReturned { message, tool, call_id, handle } = self else { return None };
        let call = if call_id.is_empty() { String::new() } else { format!(" ({call_id})") };
        let place = Place { message: Some(*message), ..Place::default() };
        let what = format!(
            "the call of `{tool}`{call} holds the marker {handle}, which stands for text that is not shown"
        );
        let remedy = format!("do not run it as it is: recall {handle} and let the model write what it means");
        Some(Finding::new(Severity::Warning, place, what).remedy(remedy))
    }

    /// What it tells, as a JSON object.
    pub fn data(&self) -> String {
        let mut whole = serde_json::to_value(self).unwrap_or_default();
        whole["data"].take().to_string()
    }

    /// What a new epoch has to tell, in order. Settling is no compaction: nothing was in the way.
    pub(super) fn of_epoch(session: &Session, reason: EpochReason, trace: &Trace) -> Vec<Event> {
        let pruned = Event::pruned(session.history(), trace);
        if reason == EpochReason::Settled {
            return pruned.into_iter().collect();
        }
        let model_limit = session.setup.window;
        let start = Event::CompactionStart { tokens_before: trace.before, model_limit, reason };
        let told = trace.folds().find(|fold| fold.kind == FoldKind::Summary);
        let messages = |fold: &FoldTrace| -> BTreeSet<MessageId> {
            fold.items.iter().map(|item| session.history().item(*item).message).collect()
        };
        let gone = told.map(messages).unwrap_or_default();
        let listed = session.history().listed().enumerate();
        let summary = session.shown_summary();
        let complete = Event::CompactionComplete {
            tokens_before: trace.before,
            tokens_after: trace.after,
            messages: session.history().messages().len(),
            messages_compacted: gone.len(),
            compacted: listed.filter(|(_, (id, _))| gone.contains(id)).map(|(place, _)| place).collect(),
            was_pruned: pruned.is_some(),
            was_summarized: told.is_some(),
            summary: told.and_then(|_| session.summary_text()).map(String::from),
            round: summary.map(|summary| summary.round),
            by_model: summary.is_some_and(|summary| summary.narrative.is_some()),
            reached_target: session.reached_target(),
        };
        [Some(start), pruned, Some(complete)].into_iter().flatten().collect()
    }

    /// What became of outputs whose calls stand; `None` if nothing did. What left with its call was not pruned.
    fn pruned(history: &History, trace: &Trace) -> Option<Event> {
        let folds: Vec<&FoldTrace> = trace.folds().filter(|fold| prunes(fold.kind)).collect();
        let is_output = |item: &&ItemId| history.item(**item).result().is_some();
        let outputs: BTreeSet<ItemId> =
            folds.iter().flat_map(|fold| fold.items.iter().filter(is_output)).copied().collect();
        let saved: usize = folds.iter().map(|fold| fold.saved).sum();
        (!outputs.is_empty()).then(|| Event::PruneComplete {
            tokens_before: trace.before,
            tokens_after: trace.before.saturating_sub(saved),
            outputs_pruned: outputs.len(),
            tokens_saved: saved,
            pruned_tools: outputs.iter().filter_map(|item| history.tool(*item)).map(String::from).collect(),
        })
    }
}

/// Whether such a fold makes an output smaller and leaves its call.
fn prunes(kind: FoldKind) -> bool {
    match kind {
        FoldKind::Cap
        | FoldKind::Bookend
        | FoldKind::Digest
        | FoldKind::Pointer
        | FoldKind::Delta
        | FoldKind::Placeholder
        | FoldKind::Clear => true,
        FoldKind::Drop | FoldKind::Edits | FoldKind::Told | FoldKind::Summary => false,
    }
}
