//! What happened, in the words that dashboards know: `compaction:start`, `prune:complete`, `compaction:complete`.

use std::collections::BTreeSet;
use std::time::Duration;

use enfold::history::History;
use enfold::history::MessageId;
use enfold::session::{EpochReason, Opening};
use enfold::summary::Summary;
use enfold::view::fold::FoldKind;
use enfold::view::trace::{FoldTrace, Trace};
use enfold_store::{Event, FailedSummary, OPENING, ShownSummary};
use serde_json::{Value, json};

use crate::Attempt;

fn event(at: Duration, kind: &str, data: &Value) -> Event {
    Event { at, kind: kind.to_string(), json: data.to_string() }
}

pub(crate) fn start(at: Duration, before: usize, limit: usize, reason: EpochReason) -> Event {
    let reason = match reason {
        EpochReason::Over => "overflow",
        EpochReason::Cold => "cold",
        EpochReason::Unpaired => "unpaired",
        EpochReason::Rewritten => "rewritten",
        EpochReason::Settled => "settled",
    };
    let data = json!({ "tokensBefore": before, "modelLimit": limit, "reason": reason });
    event(at, "compaction:start", &data)
}

/// What the passes that ask nobody did; `None` if they did nothing.
pub(crate) fn pruned(at: Duration, trace: &Trace) -> Option<Event> {
    let folds: Vec<_> = trace.folds().filter(|fold| fold.kind != FoldKind::Summary).collect();
    let saved: usize = folds.iter().map(|fold| fold.saved).sum();
    let data = json!({
        "tokensBefore": trace.before,
        "tokensAfter": trace.before - saved,
        "outputsPruned": folds.len(),
        "tokensSaved": saved,
    });
    (!folds.is_empty()).then(|| event(at, "prune:complete", &data))
}

pub(crate) fn complete(
    at: Duration,
    history: &History,
    trace: &Trace,
    summary: Option<&Summary>,
    reached: bool,
) -> Event {
    let told = trace.folds().find(|fold| fold.kind == FoldKind::Summary);
    let messages = |fold: &FoldTrace| -> BTreeSet<MessageId> {
        fold.items.iter().map(|item| history.items()[*item].message).collect()
    };
    let data = json!({
        "tokensBefore": trace.before,
        "tokensAfter": trace.after,
        "messagesCompacted": told.map_or(0, |fold| messages(fold).len()),
        "wasPruned": trace.folds().any(|fold| fold.kind != FoldKind::Summary),
        "wasSummarized": told.is_some(),
        "round": summary.map(|summary| summary.round),
        "byModel": summary.is_some_and(|summary| summary.narrative.is_some()),
        "reachedTarget": reached,
    });
    event(at, "compaction:complete", &data)
}

pub(crate) fn failed(at: Duration, attempt: &Attempt) -> Event {
    let Attempt { round, class, why } = attempt;
    FailedSummary { round: *round, class: class.to_string(), why: why.clone() }.event(at)
}

pub(crate) fn opening(at: Duration, epoch: u32, opening: &Opening) -> Event {
    let data = json!({ "epoch": epoch, "opening": opening });
    event(at, OPENING, &data)
}

/// What the agent is told from now on in place of the older messages.
pub(crate) fn shown(at: Duration, epoch: u32, summary: &Summary, text: &str) -> Event {
    let by_model = summary.narrative.is_some();
    ShownSummary { epoch, round: summary.round, by_model, text: text.to_string() }.event(at)
}

/// The newest epoch that was opened, and how.
pub(crate) fn last_opening(events: &[Event]) -> Option<(u32, Opening)> {
    let event = events.iter().rev().find(|event| event.kind == OPENING)?;
    let data: Value = serde_json::from_str(&event.json).ok()?;
    let epoch = u32::try_from(data.get("epoch")?.as_u64()?).ok()?;
    Some((epoch, serde_json::from_value(data.get("opening")?.clone()).ok()?))
}
