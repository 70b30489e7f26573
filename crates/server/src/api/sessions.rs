//! `/api/sessions` and what is below.

use std::sync::Arc;

use enfold::Handle;
use enfold::history::MessageId;
use enfold_store::{Store, StoredSession};
use hyper::StatusCode;
use serde_json::{Value, json, value::RawValue};

use super::query::{number, text};
use super::{failed, nothing, rows, strip};
use crate::answer::{Answer, Refusal, json as answer_json, whole};
use crate::money::Answered;
use crate::server::App;
use crate::thread::{State, Thread};

/// Messages in one answer.
const PAGE: usize = 1_000;

/// Sessions in one answer, unless more are asked for.
const SESSIONS: usize = 100;

/// Messages that a search finds, at most.
const HITS: usize = 100;

pub(super) fn answer(app: &App, path: &[&str], query: Option<&str>) -> Result<Answer, Refusal> {
    let store = &**app.threads.store();
    let ok = |value: &Value| Ok(answer_json(StatusCode::OK, value));
    let query = query.unwrap_or_default();
    match path {
        [] => {
            let sessions = store.sessions().map_err(failed)?;
            let total = sessions.len();
            let some = sessions.into_iter().skip(number(query, "from").unwrap_or(0));
            let some = some.take(number(query, "limit").unwrap_or(SESSIONS));
            let rows = some.map(|session| rows::row(app, store, session)).collect::<Result<Vec<_>, _>>()?;
            ok(&json!({"total": total, "sessions": rows}))
        }
        [id] => ok(&json!(rows::row(app, store, found(store, id)?)?)),
        [id, "view"] => look(app, &found(store, id)?, |state| Ok(sent(state))).and_then(|value| ok(&value)),
        [id, "trace"] => {
            let trace =
                |state: &State| Ok(json!({"trace": state.prepared().map(|prepared| &prepared.trace)}));
            look(app, &found(store, id)?, trace).and_then(|value| ok(&value))
        }
        [id, "strip"] => {
            let (stored, from) = (found(store, id)?, number(query, "from").unwrap_or(0));
            look(app, &stored, |state| strip::strip(store, &stored, state, from)).and_then(|value| ok(&value))
        }
        [id, "messages", nth] => {
            let stored = found(store, id)?;
            let nth: usize = nth.parse().map_err(|_| nothing())?;
            let made = look(app, &stored, |state| strip::message(store, &stored, state, nth))?;
            ok(&made.ok_or_else(nothing)?)
        }
        [id, "ledger"] => {
            let ledger = look(app, &found(store, id)?, |state| Ok(state.session().ledger()))?;
            ok(&json!(ledger))
        }
        [id, "money"] => {
            let stored = found(store, id)?;
            let answered = Answered::all(&store.events(id).map_err(failed)?);
            ok(&json!(rows::money(app, &stored, &answered)))
        }
        [id, "search"] => {
            found(store, id)?;
            let words = text(query, "q").unwrap_or_default();
            let hits = store.search(id, &words, HITS).map_err(failed)?;
            let hits = hits.iter().map(|hit| json!({"number": hit.number.index(), "snippet": hit.snippet}));
            ok(&json!({"hits": hits.collect::<Vec<_>>()}))
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
            let from = number(query, "from").unwrap_or(0);
            let range = MessageId::new(from)..MessageId::new(from.saturating_add(PAGE));
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

/// Looks into a session, for a moment in which nobody else has it.
fn look<T>(
    app: &App,
    stored: &StoredSession,
    at: impl FnOnce(&State) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let thread: Arc<Thread> = app.threads.look(stored).map_err(failed)?.ok_or_else(nothing)?;
    let Some(state) = thread.hold(app.config.patience) else {
        let message = "the session is being compacted; try again in a moment";
        return Err(Refusal::new(StatusCode::CONFLICT, "session_compacting", message));
    };
    at(&state)
}

/// What was sent last: with all that is known about it, if this process sent it, else what the store has of it.
fn sent(state: &State) -> Value {
    if let Some(prepared) = state.prepared() {
        return json!(prepared);
    }
    let session = state.session();
    let raw = |text: &bytestring::ByteString| serde_json::from_str::<Box<RawValue>>(text).ok();
    json!({
        "head": session.head().and_then(raw),
        "messages": session.view().iter().map(raw).collect::<Vec<_>>(),
        "epoch": session.epoch(), "reached_target": session.reached_target(),
    })
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

fn no_original(handle: impl std::fmt::Display) -> Refusal {
    let message = format!("this session has no original for {handle}");
    Refusal::new(StatusCode::NOT_FOUND, "no_original", message)
}
