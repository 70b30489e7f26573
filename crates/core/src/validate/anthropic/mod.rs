//! The rules of Anthropic Messages.

mod blocks;
mod cache;
mod fields;
mod images;
mod order;
mod pairs;
mod rules;

use super::Request;
use super::model::{Claude, claude};
use super::report::Report;
use crate::finding::Place;

pub(super) use rules::RULES;

/// Fields that a session does not have, but every request has one of them.
const SIGNS: &[&str] = &["max_tokens", "anthropic_version"];

/// What is known around the messages.
struct Around<'r, 'a> {
    request: &'r Request<'a>,
    /// The request object is the request itself: what it lacks is missing.
    whole: bool,
    model: Option<Claude>,
}

pub(super) fn validate(request: &Request, report: &mut Report) {
    let model = request.model_id().and_then(|id| claude(&id));
    let around = Around { request, whole: request.is_whole(SIGNS), model };
    fields::check(&around, report);
    let messages = blocks::read(request, report);
    pairs::check(&around, &messages, report);
    order::check(&around, &messages, report);
    cache::check(&around, &messages, report);
    images::check(&around, &messages, report);
}

/// A place in a message, in Anthropic's spelling: `messages.3` and what follows.
fn at(message: usize, tail: &str) -> Place {
    Place::message(message + 1).field(format!("messages.{message}{tail}"))
}

/// A place beside the list of messages.
fn beside(field: impl Into<String>) -> Place {
    Place::default().field(field)
}
