//! What happened, as the store keeps it.

use std::time::Duration;

use enfold::session::{Event, Prepared};
use enfold_store::{Event as StoredEvent, ShownSummary};

/// Something that happened, with its time.
pub(crate) fn stored(at: Duration, event: &Event) -> StoredEvent {
    StoredEvent { at, kind: event.name().to_string(), json: event.data() }
}

/// What the agent is told from now on in place of the older messages.
pub(crate) fn shown(at: Duration, prepared: &Prepared, text: Option<&str>) -> Option<StoredEvent> {
    let summary = prepared.summary.as_ref().filter(|_| prepared.opened.is_some())?;
    let (epoch, round) = (prepared.epoch, summary.round);
    let by_model = summary.narrative.is_some();
    Some(
        ShownSummary { epoch, round, by_model, text: text?.to_string(), summary: Some(summary.clone()) }
            .event(at),
    )
}
