//! The way of a request to a model, from beginning to end.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use enfold::Envelope;
use enfold::count::models::{Model, Prices};
use enfold_coordinator::Error;
use enfold_store::since_1970;
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use serde_json::json;

use crate::answer::{Answer, Refusal};
use crate::aside::{FEW, has_tools, is_compaction};
use crate::compact;
use crate::config::Mode;
use crate::headers::{self, Carried};
use crate::identity::{Asked, identify};
use crate::intake;
use crate::opener::opener;
use crate::overflow::is_too_long;
use crate::relay::{self, Outgoing};
use crate::route::{ModelRoute, Purpose};
use crate::server::App;
use crate::thread::{Folded, Thread};
use crate::threads::{Kind, Place};
use crate::traces::{Folding, Span};
use crate::turn::{Turn, settle};
use crate::watch::{Watch, Watched};

/// What is sent, and whose it is.
struct Plan {
    /// `None`: as it came.
    body: Option<Bytes>,
    turn: Option<Turn>,
    /// A request that can be answered here, should the upstream have no such path.
    compact: Option<Arc<Envelope>>,
    /// What the model costs, and what the client calls it.
    prices: Option<Prices>,
    model: Option<String>,
}

/// Answers a request to a model.
pub(crate) async fn answer(
    app: &Arc<App>,
    route: ModelRoute<'_>,
    request: Parts,
    body: Incoming,
) -> Result<Answer, Refusal> {
    let mut span = app.tracer.as_ref().map(|tracer| tracer.begin(&route, &request.headers));
    let answered = respond(app, route, request, body, &mut span).await;
    if let (Err(refusal), Some(span)) = (&answered, span) {
        span.end(refusal.status, Some(refusal.code), None);
    }
    answered
}

/// The answer. Whoever hears its end takes the span along.
async fn respond(
    app: &Arc<App>,
    route: ModelRoute<'_>,
    request: Parts,
    body: Incoming,
    span: &mut Option<Span>,
) -> Result<Answer, Refusal> {
    let began = Instant::now();
    let body = intake::read(&request.headers, body, &app.config.limits).await?;
    let plan = match intake::unpack(&request.headers, &body, &app.config.limits)? {
        Some(plain) => {
            intake::check_depth(&plain, &app.config.limits)?;
            plan(app, &route, &request, plain).await?
        }
        None => verbatim(),
    };
    app.tally.add(|totals| totals.requests += 1);
    let first = plan.body.clone();
    let prepared = began.elapsed();
    if let Some(span) = span {
        plan.model.iter().for_each(|model| span.model(model));
        let folding = plan.turn.as_ref().map(|turn| (&turn.thread.id, turn.before, turn.after));
        if let Some((session, before, after)) = folding {
            span.folded(&Folding { session, before, after });
        }
    }
    let mut answer = send(app, &route, &request, first, &body).await?;
    if let Some(envelope) = &plan.compact {
        return Ok(compact::answer(answer, envelope, since_1970()).await);
    }
    let Some(mut turn) = plan.turn else {
        let (app, watch) = (app.clone(), watch(&route, &answer));
        let span = ending(span.take(), &answer, watch.as_ref());
        let charge = move |watched: Watched| {
            end(span, watched);
            let usage = watched.usage.unwrap_or_default();
            app.tally.add(|totals| totals.charge(&usage, 0, plan.prices.as_ref()));
        };
        return Ok(relay::pass_on(answer, Vec::new(), watch, charge));
    };
    let mut held = Vec::new();
    if app.config.mode == Mode::Fold && is_too_long(&mut answer, &mut held, turn.is_large).await {
        app.tally.add(|totals| totals.overflows += 1);
        app.hub.tell(&turn.thread.id, "overflow", json!({"upstream": route.upstream.name}));
        if let Some((body, after)) = harder(app, &turn).await {
            held.clear();
            (turn.bytes, turn.after) = (body.len(), after);
            answer = send(app, &route, &request, Some(body), &Bytes::new()).await?;
        }
    }
    let status = answer.status();
    app.hub.log(
        "request",
        &json!({
            "session": turn.thread.id, "path": route.path.path(), "status": status.as_u16(),
            "bytes": body.len(), "saved": turn.saved(), "prepared_ms": prepared.as_secs_f64() * 1e3,
            "head_ms": began.elapsed().as_secs_f64() * 1e3,
        }),
    );
    let (app, watch) = (app.clone(), watch(&route, &answer));
    let span = ending(span.take(), &answer, watch.as_ref());
    let done = move |watched| {
        end(span, watched);
        settle(&app, turn, watched);
    };
    Ok(relay::pass_on(answer, held, watch, done))
}

/// A span that ends with an answer that is read along; of any other, the head is all that is known.
fn ending(
    span: Option<Span>,
    answer: &Response<Incoming>,
    watch: Option<&Watch>,
) -> Option<(Span, StatusCode)> {
    let (span, status) = (span?, answer.status());
    if watch.is_some() {
        return Some((span, status));
    }
    span.end(status, None, None);
    None
}

fn end(span: Option<(Span, StatusCode)>, watched: Watched) {
    if let Some((span, status)) = span {
        span.end(status, (!watched.is_ended).then_some("cut_off"), watched.usage.as_ref());
    }
}

/// Reads along where there is something to read: an answer, not a refusal or a count.
fn watch(route: &ModelRoute, answer: &Response<Incoming>) -> Option<Watch> {
    let is_answer = route.purpose == Purpose::Answer && answer.status().is_success();
    is_answer.then(|| Watch::new(route.endpoint, &relay::kind(answer)))
}

async fn send(
    app: &App,
    route: &ModelRoute<'_>,
    request: &Parts,
    rewritten: Option<Bytes>,
    came: &Bytes,
) -> Result<Response<Incoming>, Refusal> {
    let (carried, body) = match rewritten {
        Some(body) => (Carried::Rewritten, body),
        None => (Carried::Verbatim, came.clone()),
    };
    let mut headers = headers::to_upstream(&request.headers, carried);
    headers::ask_plain(&mut headers);
    let (upstream, path, method) = (route.upstream, &route.path, request.method.clone());
    app.relay.send(Outgoing { upstream, path, method, headers, body: relay::whole(body) }).await
}

/// What to send. Whatever goes wrong before a conversation was first folded, the request goes through as it came.
async fn plan(app: &Arc<App>, route: &ModelRoute<'_>, request: &Parts, body: Bytes) -> Result<Plan, Refusal> {
    let app = app.clone();
    let (headers, query) = (request.headers.clone(), request.uri.query().map(str::to_string));
    let (endpoint, purpose, model) = (route.endpoint, route.purpose, route.model.clone());
    let work = move || {
        let Ok(envelope) = Envelope::open(body, Some(endpoint.wire())) else { return Ok(verbatim()) };
        let envelope = Arc::new(envelope);
        let named = model.as_deref().or(envelope.model()).unwrap_or_default();
        let model = app.config.table.resolve(named).model;
        let asked = Asked { headers: &headers, query: query.as_deref(), endpoint, model: named };
        let plan = decide(&app, &asked, purpose, envelope.clone(), &model)?;
        let is_compact = purpose == Purpose::Compact && envelope.messages().len() > 0;
        let compact = is_compact.then(|| envelope.clone());
        Ok(Plan { prices: model.prices, model: Some(named.to_string()), compact, ..plan })
    };
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| {
        Err(Refusal::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "panicked",
            "folding failed; this is a fault of ours",
        ))
    })
}

fn verbatim() -> Plan {
    Plan { body: None, turn: None, compact: None, prices: None, model: None }
}

fn decide(
    app: &App,
    asked: &Asked,
    purpose: Purpose,
    envelope: Arc<Envelope>,
    model: &Model,
) -> Result<Plan, Refusal> {
    let root = envelope.around().root();
    let is_kept_elsewhere =
        |key: &str| root.and_then(|root| root.get(key)).is_some_and(|value| !value.is_null());
    // The history stands at the provider: there is nothing to fold.
    if is_kept_elsewhere("previous_response_id") || is_kept_elsewhere("conversation") {
        return Ok(verbatim());
    }
    let has_tools = has_tools(&envelope);
    let number = |key: &str| root?.get(key)?.u64().and_then(|number| usize::try_from(number).ok());
    let output = number("max_tokens")
        .or_else(|| number("max_output_tokens"))
        .or_else(|| number("max_completion_tokens"));
    let kind = Kind { wire: asked.endpoint.wire(), model, output };
    let identity = identify(&app.secret, asked, &envelope);
    let place = match app.threads.find(&identity, &envelope, &kind) {
        Ok(place) => place,
        Err(error) => return Ok(failed_open(app, &identity.base, &error.to_string())),
    };
    let is_few = envelope.messages().len() <= FEW;
    let thread = match place {
        Place::New(_) if purpose != Purpose::Answer || (!has_tools && is_few) => return Ok(verbatim()),
        Place::Known(thread, overlap) => {
            let is_side = !has_tools && (overlap.has_calls || is_few);
            if purpose != Purpose::Answer || is_side || is_compaction(asked, &envelope) {
                let mut state = hold(app, &thread)?;
                let body = state.aside(&envelope).body.filter(|_| app.config.mode == Mode::Fold);
                return Ok(Plan { body, ..verbatim() });
            }
            thread
        }
        Place::New(id) => match app.threads.open(&id, &identity.name, &kind) {
            Ok(thread) => thread,
            Err(error) => return Ok(failed_open(app, &id, &error.to_string())),
        },
    };
    let mut state = hold(app, &thread)?;
    state.coordinator.set_opener(opener(&envelope, app.config.recall.as_deref()));
    let folded = state.turn(&envelope).map_err(|error| compacting(&error))?;
    let is_large = folded.after * 2 > state.limit;
    let (limit, window) = (state.limit, state.window);
    drop(state);
    tell(app, &thread.id, &folded, limit, window);
    let (before, after) = (folded.before, folded.after);
    let body = folded.body.filter(|_| app.config.mode == Mode::Fold);
    let bytes = body.as_ref().map_or(envelope.document().source.len(), Bytes::len);
    let turn = Turn { thread, envelope, model: model.clone(), before, after, bytes, is_large };
    Ok(Plan { body, turn: Some(turn), ..verbatim() })
}

fn hold<'a>(
    app: &App,
    thread: &'a Thread,
) -> Result<std::sync::MutexGuard<'a, crate::thread::State>, Refusal> {
    thread.hold(app.config.patience).ok_or_else(|| {
        let message = "another request of this session is being compacted; try again in a moment";
        Refusal::new(StatusCode::CONFLICT, "session_compacting", message)
    })
}

fn compacting(error: &Error) -> Refusal {
    Refusal::new(StatusCode::CONFLICT, "session_compacting", error.to_string())
}

fn failed_open(app: &App, session: &str, why: &str) -> Plan {
    app.tally.add(|totals| totals.failed_open += 1);
    app.hub.tell(session, "error", json!({"what": "the request was sent as it came", "why": why}));
    verbatim()
}

/// Tells what was done.
fn tell(app: &App, session: &str, folded: &Folded, limit: usize, window: usize) {
    app.tally.add(|totals| {
        totals.folded += u64::from(folded.body.is_some());
        totals.epochs += u64::from(folded.opened.is_some());
        totals.folds += folded.folds as u64;
        totals.saved += folded.before.saturating_sub(folded.after) as u64;
        totals.refused += u64::from(!folded.refused.is_empty());
        totals.failed_open += u64::from(folded.failed.is_some());
    });
    if let Some(why) = &folded.failed {
        let rules: Vec<String> = folded.refused.iter().map(ToString::to_string).collect();
        app.hub.tell(
            session,
            "error",
            json!({"what": "the last view was sent again", "why": why, "rules": rules}),
        );
    }
    let opened = folded.opened.map(|reason| reason.name());
    let data = json!({
        "tokensBefore": folded.before, "tokensAfter": folded.after, "folds": folded.folds, "opened": opened,
        "limit": limit, "window": window, "sent": app.config.mode == Mode::Fold,
    });
    app.hub.tell(session, "fold", data);
}

/// The request once more, folded harder.
async fn harder(app: &Arc<App>, turn: &Turn) -> Option<(Bytes, usize)> {
    let (app, thread, envelope) = (app.clone(), turn.thread.clone(), turn.envelope.clone());
    let work = move || {
        let mut state = thread.hold(app.config.patience)?;
        let folded = state.harder(&envelope)?;
        let (limit, window) = (state.limit, state.window);
        drop(state);
        tell(&app, &thread.id, &folded, limit, window);
        folded.body.map(|body| (body, folded.after))
    };
    tokio::task::spawn_blocking(work).await.ok().flatten()
}
