//! Whether a provider says that a request is too long: as a refusal, or inside a stream that began as a success.

use bytes::Bytes;
use enfold::json::Raw;
use hyper::Response;
use hyper::body::Incoming;

use crate::relay;

/// As much of a refusal as is read to see what it is about.
const REFUSAL: usize = 64 << 10;

/// As much of a stream as is held back to see whether it begins with a refusal.
const PREAMBLE: usize = 64 << 10;

/// Whether the provider says that the request is longer than the window. What was read of the answer is held, so that it can
/// be passed on as it came.
pub(crate) async fn is_too_long(
    answer: &mut Response<Incoming>,
    held: &mut Vec<Bytes>,
    is_large: bool,
) -> bool {
    let status = answer.status();
    if status.is_client_error() {
        *held = relay::read_some(answer.body_mut(), REFUSAL, |_| false).await;
        return enfold_llm::is_overflow(Some(status.as_u16()), &String::from_utf8_lossy(&held.concat()));
    }
    // Some say it inside a stream that began as a success, before anything else.
    if !status.is_success() || !is_large || !relay::kind(answer).starts_with("text/event-stream") {
        return false;
    }
    let mut events = enfold_llm::sse::Events::new(PREAMBLE);
    let mut is_overflow = false;
    let is_enough = |piece: &[u8]| match events.push(piece) {
        Err(_) => true,
        Ok(found) => found.iter().any(|event| {
            is_overflow |= says_error(event) && enfold_llm::is_overflow(None, event);
            !is_preamble(event)
        }),
    };
    *held = relay::read_some(answer.body_mut(), PREAMBLE, is_enough).await;
    is_overflow
}

/// Whether an event says nothing yet.
fn is_preamble(event: &str) -> bool {
    let kind = Raw::parse(event).ok().and_then(|event| event.str_at("type").map(|kind| kind.into_owned()));
    let first = ["message_start", "ping", "response.created", "response.in_progress", "response.queued"];
    kind.is_some_and(|kind| first.contains(&kind.as_str()))
}

fn says_error(event: &str) -> bool {
    let Ok(event) = Raw::parse(event) else { return false };
    let has_error = |holder: Raw| holder.get("error").is_some_and(|error| !error.is_null());
    has_error(event) || event.get("response").is_some_and(has_error)
}
