//! REST about sessions: what there is, what was sent, what was folded and why, and the originals. Reading only.
//!
//! `openapi.json` beside this file describes every path; a test asks for each of them.

mod query;
mod rows;
mod sessions;
mod strip;

use std::sync::Arc;

use hyper::{Method, StatusCode};

use crate::answer::{Answer, Refusal, boxed, whole};
use crate::server::App;

/// The description of this interface.
const OPENAPI: &str = include_str!("openapi.json");

/// Answers a request whose sender has the token.
pub(crate) async fn answer(
    app: &Arc<App>,
    method: &Method,
    path: &str,
    query: Option<&str>,
) -> Result<Answer, Refusal> {
    if *method != Method::GET && *method != Method::HEAD {
        return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "read_only", "this can only be read"));
    }
    let parts: Vec<&str> = path.split('/').skip(2).collect();
    match parts.as_slice() {
        ["openapi.json"] => Ok(whole(StatusCode::OK, "application/json", OPENAPI)),
        ["totals"] => Ok(crate::answer::json(StatusCode::OK, &app.tally.totals())),
        ["events"] => {
            let mut answer = hyper::Response::new(boxed(app.hub.listen()));
            let headers = answer.headers_mut();
            headers.insert("content-type", hyper::header::HeaderValue::from_static("text/event-stream"));
            headers.insert("cache-control", hyper::header::HeaderValue::from_static("no-store"));
            Ok(answer)
        }
        ["sessions", rest @ ..] => {
            let (app, rest) = (app.clone(), rest.iter().map(ToString::to_string).collect::<Vec<_>>());
            let query = query.map(str::to_string);
            // The store is read, and a session may have to be opened: not for a thread that others wait for.
            let work = move || {
                let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
                sessions::answer(&app, &rest, query.as_deref())
            };
            let done = tokio::task::spawn_blocking(work).await;
            done.unwrap_or_else(|_| {
                Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "panicked", "this is a fault of ours"))
            })
        }
        _ => Err(nothing()),
    }
}

fn nothing() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "not_found", "nothing is here; /api/openapi.json lists what there is")
}

fn failed(error: impl std::fmt::Display) -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "store_failed", error.to_string())
}
