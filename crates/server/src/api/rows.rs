//! Sessions as rows of a list: what they are, how full the window is, what they cost.

use std::sync::Arc;
use std::time::Duration;

use enfold_store::{Epoch, Store, StoredSession};
use serde::Serialize;

use super::failed;
use crate::answer::Refusal;
use crate::money::{Answered, Compared, compare};
use crate::server::App;
use crate::thread::Thread;

/// How long a list waits for a session that is in use.
const GLANCE: Duration = Duration::from_millis(100);

/// A session in the list.
#[derive(Serialize)]
pub(super) struct Row {
    #[serde(flatten)]
    session: StoredSession,
    /// What the client calls itself.
    agent: String,
    state: State,
    /// Tokens of the last view, and of everything that happened; 0 where nobody knows.
    tokens: u64,
    history: u64,
    /// Tokens a view may take, and the model's window.
    limit: usize,
    window: usize,
    /// Folds that stand in the last view.
    folds: usize,
    /// What the model would see now, for sessions that are under way in this process.
    live: Option<Live>,
    usage: Sum,
    money: Sums,
}

/// What a session is doing.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// A request is being made or answered.
    Working,
    /// It is being compacted.
    Compacting,
    Idle,
}

#[derive(Clone, Copy, Serialize)]
struct Live {
    tokens: usize,
    history: usize,
    limit: usize,
    window: usize,
    epoch: u32,
}

/// What providers reported.
#[derive(Default, Serialize)]
struct Sum {
    responses: usize,
    input: u64,
    cache_read: u64,
    cache_write: u64,
    output: u64,
}

/// Money in a row: see [`Compared`].
#[derive(Serialize)]
struct Sums {
    paid: Option<f64>,
    without: Option<f64>,
    saved: u64,
    beyond: usize,
    observed: bool,
}

/// A row.
pub(super) fn row(app: &App, store: &dyn Store, session: StoredSession) -> Result<Row, Refusal> {
    let id = &session.session.id;
    let answered = Answered::all(&store.events(id).map_err(failed)?);
    let epochs = store.epochs(id).map_err(failed)?;
    let thread = app.threads.live(id);
    // One that is being compacted has no numbers just now.
    let held = thread.as_ref().map(|thread| (is_busy(thread), thread.hold(GLANCE)));
    let state = match &held {
        Some((_, None)) => State::Compacting,
        Some((true, Some(_))) => State::Working,
        Some((false, Some(_))) | None => State::Idle,
    };
    let live = held.and_then(|(_, state)| state).map(|state| Live {
        tokens: state.tokens(),
        history: state.session().tally().total(),
        limit: state.limit,
        window: state.window,
        epoch: state.session().epoch(),
    });
    let compared = money(app, &session, &answered);
    let (limit, window) = room(app, &session);
    let last = answered.last().copied().unwrap_or_default();
    let seen = live.filter(|live| live.tokens > 0);
    Ok(Row {
        agent: session.session.name.split(' ').next().unwrap_or_default().to_string(),
        state,
        tokens: seen.map_or(last.tokens_after, |live| live.tokens as u64),
        history: seen.map_or(last.tokens_before, |live| live.history as u64),
        limit: live.map_or(limit, |live| live.limit),
        window: live.map_or(window, |live| live.window),
        folds: standing(&epochs),
        live,
        usage: Sum::of(&answered),
        money: Sums {
            paid: compared.paid,
            without: compared.without,
            saved: compared.saved,
            beyond: compared.beyond,
            observed: compared.observed,
        },
        session,
    })
}

/// Whether a request is under way: it has the conversation beside the list of the live ones and us.
fn is_busy(thread: &Arc<Thread>) -> bool {
    Arc::strong_count(thread) > 2
}

/// Folds of the newest epoch, which are those that stand.
fn standing(epochs: &[Epoch]) -> usize {
    epochs.last().map_or(0, |epoch| epoch.folds.len())
}

/// What it cost, and would have cost.
pub(super) fn money(app: &App, session: &StoredSession, answered: &[Answered]) -> Compared {
    let model = app.config.table.resolve(session.session.model.as_deref().unwrap_or_default()).model;
    let ttl = Duration::from_secs(model.cache.ttl.unwrap_or(300).into());
    compare(answered, model.prices.as_ref(), ttl, room(app, session).1)
}

/// Tokens a view may take, and the window, of a session that need not be live.
fn room(app: &App, session: &StoredSession) -> (usize, usize) {
    let model = app.config.table.resolve(session.session.model.as_deref().unwrap_or_default()).model;
    app.threads.room(&model, None)
}

impl Sum {
    fn of(all: &[Answered]) -> Sum {
        let mut sum = Sum { responses: all.len(), ..Sum::default() };
        for one in all {
            sum.input += one.input;
            sum.cache_read += one.cache_read;
            sum.cache_write += one.cache_write;
            sum.output += one.output;
        }
        sum
    }
}
