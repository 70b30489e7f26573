//! `/v1/responses/compact`, for upstreams that have no such path.
//!
//! The provider's own answer is a sealed item that only it can read, so it is asked first. Whoever is asked in its place says
//! openly what it knows: what the user said, word for word, and what was done, by code. Both are plain messages, which every
//! upstream takes in the next request.

use std::time::Duration;

use enfold::Envelope;
use enfold::count::Encoding;
use enfold::json::Raw;
use enfold::understand::facts::Facts;
use enfold::understand::ledger::Ledger;
use hyper::body::Incoming;
use hyper::{Response, StatusCode};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::answer::{Answer, json as answer_json};
use crate::relay;

/// As much of a refusal as is read to see what it is about.
const REFUSAL: usize = 64 << 10;

/// Tokens of what was done, at most.
const DONE: usize = 4_000;

/// What the upstream answers; if it has no such path, the conversation in short.
pub(crate) async fn answer(mut answer: Response<Incoming>, envelope: &Envelope, now: Duration) -> Answer {
    let said = match answer.status().is_success() {
        true => Vec::new(),
        false => relay::read_some(answer.body_mut(), REFUSAL, |_| false).await,
    };
    match is_missing(answer.status(), &said.concat()) {
        true => short(envelope, now),
        false => relay::pass_on(answer, said, None, drop),
    }
}

/// Whether an upstream says that it has no such path. One that does not know the model says so too, by this status and its
/// own words.
fn is_missing(status: StatusCode, body: &[u8]) -> bool {
    match status {
        StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED => true,
        StatusCode::NOT_FOUND => !String::from_utf8_lossy(body).contains("model_not_found"),
        _ => false,
    }
}

/// The conversation in short, as the API shapes it.
fn short(envelope: &Envelope, now: Duration) -> Answer {
    let output: Vec<Value> = said(envelope).chain(done(envelope)).collect();
    let id = blake3::hash(envelope.document().source.as_bytes()).to_hex();
    let usage = json!({"input_tokens": 0, "output_tokens": 0, "total_tokens": 0});
    let compacted = json!({
        "id": format!("resp_enfold_{}", &id[..24]), "object": "response.compaction", "created_at": now.as_secs(),
        "output": output, "usage": usage,
    });
    answer_json(StatusCode::OK, &compacted)
}

/// What the user said, as it stands in the request.
fn said(envelope: &Envelope) -> impl Iterator<Item = Value> + '_ {
    let is_said = |message: &&bytestring::ByteString| {
        Raw::parse(message).is_ok_and(|item| item.str_at("role").as_deref() == Some("user"))
    };
    let messages = envelope.messages().filter(is_said);
    messages.filter_map(|message| serde_json::from_str::<&RawValue>(message).ok()).map(|raw| json!(raw))
}

/// What was done, in the user's name: where nobody can mistake it for the developer's.
fn done(envelope: &Envelope) -> Option<Value> {
    let history = &envelope.document().history;
    history.listed().next()?;
    let ledger = Ledger::of(history, &Facts::of(history)).render(&Encoding::O200k, DONE);
    let text =
        format!("What happened in this conversation so far, listed by a program:\n{}", ledger.trim_end());
    Some(json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}))
}
