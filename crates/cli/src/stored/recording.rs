//! What folding a stored session leaves in the store, so that `unfold` opens what the view hides and `log` tells it.

use std::time::{Duration, Instant};

use enfold::folding::runner::Run;
use enfold::history::MessageId;
use enfold_store::{
    Acquired, At, Entry, Epoch, Lease, Leases, Original, Recording, Records, Sessions, ShownSummary, Sqlite,
    StoredSession, digits, observe,
};

use super::{failed, find, open};
use crate::args::StoreArg;
use crate::failure::Failure;
use crate::folding::Folding;
use crate::moment;

/// What became of it.
pub enum Recorded {
    /// It stands as this epoch of the session of this id.
    As {
        /// The session's id.
        session: String,
        /// The number of the epoch.
        epoch: u32,
    },
    /// The store cannot be written.
    Nowhere,
}

/// Why the epoch was opened: not by an agent that needed room.
const ASKED: &str = "asked";

/// The folds and their originals are written together, or nothing is. The same folds again are not written twice;
/// `None` if nothing was folded.
pub fn record(
    named: &StoreArg,
    typed: &str,
    folding: &Folding,
    run: &Run,
) -> Result<Option<Recorded>, Failure> {
    if run.trace.folds().next().is_none() {
        return Ok(None);
    }
    let store = open(named)?;
    if store.is_read_only() {
        return Ok(Some(Recorded::Nowhere));
    }
    let session = find(&store, typed)?;
    let lease = acquire(&store, &session)?;
    let recorded = write(&store, &session, folding, run, &lease);
    store.release(&lease).map_err(failed)?;
    let session = session.session.id;
    Ok(Some(Recorded::As { session, epoch: recorded? }))
}

/// What is held only while something is written. One that was killed in the middle holds up the next for as long.
const LEASE: Duration = Duration::from_secs(5);

/// Nobody else compacts the session meanwhile. A lease that is about to run out is waited for.
fn acquire(store: &Sqlite, session: &StoredSession) -> Result<Lease, Failure> {
    let id = &session.session.id;
    let owner = format!("enfold fold, process {}", std::process::id());
    let begin = Instant::now();
    loop {
        let now = moment::now();
        let (by, until) = match store.acquire(id, &owner, now, LEASE).map_err(failed)? {
            Acquired::Lease(lease) => return Ok(lease),
            Acquired::Held { by, until } => (by, until.saturating_sub(now)),
        };
        if until > LEASE || begin.elapsed() > 2 * LEASE {
            let cause = format!("`{by}` is compacting it");
            let remedy = format!("try again in {} s at the latest", until.as_secs() + 1);
            return Err(Failure::new(format!("session:{id}"), cause, remedy));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn write(
    store: &Sqlite,
    session: &StoredSession,
    folding: &Folding,
    run: &Run,
    lease: &Lease,
) -> Result<u32, Failure> {
    let id = &session.session.id;
    let epochs = store.epochs(id).map_err(failed)?;
    let epoch = epochs.last().map_or(1, |last| last.epoch.saturating_add(1));
    let (document, tally) = (&folding.document, &folding.counted.tally);
    let mut recording =
        observe::recording_of(&document.history, tally, epoch, None, &run.trace, &run.originals);
    recording.opened = Some(ASKED.into());
    // As the report has them: with the tool definitions.
    for tokens in [&mut recording.before, &mut recording.after, &mut recording.limit] {
        *tokens = tokens.saturating_add(folding.counted.tools as u64);
    }
    let stored = store.messages(id, MessageId::ALL).map_err(failed)?;
    let mut is_ours = true;
    let is_stored = document.history.messages().iter().map(|message| &message.raw);
    if !is_stored.eq(stored.iter().map(|message| &message.raw)) {
        if !folding.is_converted() {
            let remedy = "fold it again";
            return Err(Failure::new(format!("session:{id}"), "it was written to meanwhile", remedy));
        }
        by_text(&mut recording, run);
        is_ours = false;
    }
    if let Some(same) = epochs.last().filter(|last| is_same(last, &recording)) {
        return Ok(same.epoch);
    }
    // Reading a long session takes its time.
    let lease = store.renew(lease, moment::now(), LEASE).map_err(failed)?.unwrap_or_else(|| lease.clone());
    let entry = Entry {
        at: At::Number(MessageId::new(stored.len())),
        recording: Some(recording),
        events: shown(run, epoch, is_ours).map(|shown| shown.event(moment::now())).into_iter().collect(),
        lease: Some(lease),
        ..Entry::default()
    };
    store.append(id, &entry, moment::now()).map_err(failed)?;
    Ok(epoch)
}

/// What was told. `is_ours` says that messages have the numbers which the store gives them.
fn shown(run: &Run, epoch: u32, is_ours: bool) -> Option<ShownSummary> {
    let (summary, inserted) = (run.summary()?, run.view.changes().inserted()?);
    let by_model = summary.narrative.is_some();
    Some(ShownSummary {
        epoch,
        round: summary.round,
        by_model,
        text: inserted.text.clone(),
        summary: Some(summary.clone()).filter(|_| is_ours),
    })
}

/// The view was made in another format, whose messages and items have numbers of their own.
fn by_text(recording: &mut Recording, run: &Run) {
    for fold in &mut recording.folds {
        fold.items.clear();
    }
    let history = run.view.history();
    let read = run.originals.iter().filter_map(|(handle, original)| Some((handle, original.read(history)?)));
    recording.originals =
        read.map(|(handle, text)| (digits(*handle), Original::Text(text.to_string()))).collect();
}

fn is_same(last: &Epoch, recording: &Recording) -> bool {
    last.folds == recording.folds
        && (&last.policy, last.messages, last.limit)
            == (&recording.policy, recording.messages, recording.limit)
        && (last.before, last.after) == (recording.before, recording.after)
}
