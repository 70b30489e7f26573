//! Answers of our own. Errors have a shape that the clients of every provider can read.

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;
use serde_json::json;

pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A body, ours or one that is passed on.
pub(crate) type Body = UnsyncBoxBody<Bytes, BoxError>;

pub(crate) type Answer = Response<Body>;

/// A request that is not done, and why.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    /// A word for programs.
    pub(crate) code: &'static str,
    /// What is wrong and what to do, for people.
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { status, code, message: message.into() }
    }

    pub(crate) fn into_answer(self) -> Answer {
        let kind = match self.status {
            StatusCode::PAYLOAD_TOO_LARGE => "request_too_large",
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "permission_error",
            StatusCode::NOT_FOUND => "not_found_error",
            status if status.is_server_error() => "api_error",
            _ => "invalid_request_error",
        };
        let error = json!({"type": kind, "code": self.code, "message": format!("enfold: {}", self.message)});
        json(self.status, &json!({"type": "error", "error": error}))
    }
}

pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Answer {
    let text = serde_json::to_vec(value).expect("values of ours always become JSON");
    whole(status, "application/json", text)
}

/// Never cached, never guessed at, never run.
pub(crate) fn whole(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(boxed(Full::new(body.into())));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert("cache-control", HeaderValue::from_static("no-store"));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    headers.insert("content-security-policy", HeaderValue::from_static("default-src 'none'"));
    answer
}

pub(crate) fn boxed<B>(body: B) -> Body
where
    B: hyper::body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    body.map_err(Into::into).boxed_unsync()
}
