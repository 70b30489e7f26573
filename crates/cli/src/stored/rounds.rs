//! Summaries go on where the last one ended, also those that are made by hand.

use enfold::summary::Summaries;
use enfold_store::{Records, ShownSummary};

use super::{failed, find, open};
use crate::args::StoreArg;
use crate::failure::Failure;

/// The summaries of a stored session so far. One that tells of messages which the host has rewritten since is none.
pub fn rounds(named: &StoreArg, typed: &str) -> Result<Summaries, Failure> {
    let store = open(named)?;
    let session = find(&store, typed)?;
    let epochs = store.epochs(&session.session.id).map_err(failed)?;
    let events = store.events(&session.session.id).map_err(failed)?;
    let newest = events.iter().rev().find_map(ShownSummary::from_event);
    let holds = |shown: &ShownSummary| {
        let epoch = epochs.iter().find(|epoch| epoch.epoch == shown.epoch);
        epoch.is_some_and(|epoch| epoch.revision == session.revision)
    };
    let shown = newest.filter(holds).and_then(|shown| shown.summary);
    Ok(Summaries { shown, ..Summaries::default() })
}
