//! `/api/sessions` and what is below.

use std::time::Duration;

use enfold::Handle;
use enfold::count::Usage;
use enfold::history::MessageId;
use enfold_coordinator::Error;
use enfold_store::{Store, StoredSession, Timed};
use hyper::StatusCode;
use serde::Serialize;
use serde_json::{Value, json, value::RawValue};

use super::nothing;
use crate::answer::{Answer, Refusal, json as answer_json, whole};
use crate::server::App;

/// Messages in one answer.
const PAGE: usize = 1_000;

/// How long a list waits for a session that is in use.
const GLANCE: Duration = Duration::from_millis(100);

/// A session in the list.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    session: StoredSession,
    /// What the model would see now, for sessions that are under way in this process.
    live: Option<Live>,
    usage: Sum,
}

#[derive(Serialize)]
struct Live {
    /// Tokens of the last view, and of everything that happened.
    tokens: usize,
    history: usize,
    /// Tokens a view may take, and the model's window.
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

pub(super) fn answer(app: &App, path: &[&str], query: Option<&str>) -> Result<Answer, Refusal> {
    let store = &**app.threads.store();
    let ok = |value: &Value| Ok(answer_json(StatusCode::OK, value));
    match path {
        [] => {
            let sessions = store.sessions().map_err(failed)?;
            let rows = sessions.into_iter().map(|session| row(app, store, session));
            ok(&json!({"sessions": rows.collect::<Result<Vec<_>, _>>()?}))
        }
        [id] => ok(&json!(row(app, store, found(store, id)?)?)),
        [id, "view"] => {
            let prepared = prepared(app, &found(store, id)?)?;
            ok(&json!(prepared))
        }
        [id, "trace"] => {
            let prepared = prepared(app, &found(store, id)?)?;
            ok(&json!({"trace": prepared.map(|prepared| prepared["trace"].clone())}))
        }
        [id, "folds"] => {
            found(store, id)?;
            ok(&json!({"epochs": store.epochs(id).map_err(failed)?}))
        }
        [id, "usage"] => {
            found(store, id)?;
            ok(&json!({"usage": store.usage(id).map_err(failed)?}))
        }
        [id, "events"] => {
            found(store, id)?;
            ok(&json!({"events": store.events(id).map_err(failed)?}))
        }
        [id, "messages"] => {
            found(store, id)?;
            let from = query.and_then(number_from).unwrap_or(0);
            let range = MessageId::new(from)..MessageId::new(from + PAGE);
            let messages = store.messages(id, range).map_err(failed)?;
            let messages = messages.iter().map(|message| {
                let raw: Option<&RawValue> = serde_json::from_str(&message.raw).ok();
                json!({"number": message.number, "slot": message.slot, "raw": raw})
            });
            ok(&json!({"messages": messages.collect::<Vec<_>>()}))
        }
        [id, "originals", handle] => {
            found(store, id)?;
            let handle = Handle::parse(handle).ok_or_else(|| no_original(handle))?;
            // Only what this session has hidden, by a handle that was made for it.
            let text = store.original(id, handle).map_err(failed)?.ok_or_else(|| no_original(handle))?;
            Ok(whole(StatusCode::OK, "text/plain; charset=utf-8", text.into_bytes()))
        }
        _ => Err(nothing()),
    }
}

fn row(app: &App, store: &dyn Store, session: StoredSession) -> Result<Row, Refusal> {
    let usage = store.usage(&session.session.id).map_err(failed)?;
    let thread = app.threads.live(&session.session.id);
    // One that is being compacted has no numbers just now.
    let state = thread.as_ref().and_then(|thread| thread.hold(GLANCE));
    let live = state.map(|state| Live {
        tokens: state.tokens(),
        history: state.session().tally().total(),
        limit: state.limit,
        window: state.window,
        epoch: state.session().epoch(),
    });
    Ok(Row { session, live, usage: Sum::of(&usage) })
}

impl Sum {
    fn of(all: &[Timed<Usage>]) -> Sum {
        let mut sum = Sum { responses: all.len(), ..Sum::default() };
        for Timed { what, .. } in all {
            sum.input += what.input;
            sum.cache_read += what.cache_read;
            sum.cache_write += what.cache_write;
            sum.output += what.output;
        }
        sum
    }
}

/// What was sent last, as it stands in memory or, for a session that is not under way here, in the store.
fn prepared(app: &App, stored: &StoredSession) -> Result<Option<Value>, Refusal> {
    let thread = app.threads.open_stored(stored).map_err(|error| broken(&error))?.ok_or_else(nothing)?;
    let Some(mut state) = thread.hold(app.config.patience) else {
        let message = "the session is being compacted; try again in a moment";
        return Err(Refusal::new(StatusCode::CONFLICT, "session_compacting", message));
    };
    Ok(state.prepared().and_then(|prepared| serde_json::to_value(&*prepared).ok()))
}

fn found(store: &dyn Store, id: &str) -> Result<StoredSession, Refusal> {
    store.session(id).map_err(failed)?.ok_or_else(|| {
        Refusal::new(
            StatusCode::NOT_FOUND,
            "no_session",
            "there is no session of this id; /api/sessions lists them",
        )
    })
}

fn number_from(query: &str) -> Option<usize> {
    query.split('&').find_map(|pair| pair.strip_prefix("from="))?.parse().ok()
}

fn no_original(handle: impl std::fmt::Display) -> Refusal {
    let message = format!("this session has no original for {handle}");
    Refusal::new(StatusCode::NOT_FOUND, "no_original", message)
}

fn failed(error: enfold_store::Error) -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "store_failed", error.to_string())
}

fn broken(error: &Error) -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "store_failed", error.to_string())
}
