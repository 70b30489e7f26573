//! The protocol over HTTP ("Streamable HTTP"), request by request: each is a POST that is answered with JSON. There are no
//! streams, since nothing is told that was not asked, and no sessions of the protocol's own.

use std::error::Error;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use serde::Serialize;
use serde_json::Value;

use crate::Recall;
use crate::methods::{self, BATCHES, Era, MODERN, VERSIONS};
use crate::rpc::{self, Fault, Incoming, LONGEST, Message};

/// Answers over HTTP. Nothing is kept between two requests.
pub struct OverHttp(Recall);

type Answer = Response<Full<Bytes>>;

impl OverHttp {
    /// Who may ask is decided before: hosts, origins and the token are not looked at here.
    pub fn new(recall: Recall) -> OverHttp {
        OverHttp(recall)
    }

    /// Answers one request.
    pub async fn answer<B>(&self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: hyper::body::Body,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let (head, body) = request.into_parts();
        if head.method != Method::POST {
            let mut answer = empty(StatusCode::METHOD_NOT_ALLOWED);
            answer.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
            return answer;
        }
        // A page of another site can send a form or plain text without asking, but no JSON.
        if !is_json(&head.headers) {
            return empty(StatusCode::UNSUPPORTED_MEDIA_TYPE);
        }
        let Ok(body) = Limited::new(body, LONGEST).collect().await else {
            return refused(StatusCode::PAYLOAD_TOO_LARGE, Fault::too_long());
        };
        match Incoming::read(&body.to_bytes()) {
            Ok(Incoming::One(Message::Request(request))) => self.one(&head.headers, request).await,
            Ok(Incoming::One(Message::Notification(_) | Message::Answer)) => empty(StatusCode::ACCEPTED),
            Ok(Incoming::Several(several)) => self.several(&head.headers, several).await,
            Ok(Incoming::One(Message::Malformed(response))) | Err(response) => {
                json(StatusCode::BAD_REQUEST, &response)
            }
        }
    }

    async fn one(&self, headers: &HeaderMap, request: rpc::Request) -> Answer {
        let era = match agree(headers, &request).and_then(|()| Era::of(&request)) {
            Ok(era) => era,
            Err(fault) => {
                return json(StatusCode::BAD_REQUEST, &rpc::Response::new(request.id, Err(fault)));
            }
        };
        let (code, response) = methods::answer_in(era, &self.0, request).await;
        match (era, code) {
            (Era::Modern, Some(Fault::METHOD_NOT_FOUND)) => json(StatusCode::NOT_FOUND, &response),
            _ => json(StatusCode::OK, &response),
        }
    }

    async fn several(&self, headers: &HeaderMap, several: Vec<Message>) -> Answer {
        if !matches!(one_value(headers, VERSION), Ok(None | Some(BATCHES))) {
            let fault = Fault::invalid_request("batches are of protocol version 2025-03-26 only");
            return refused(StatusCode::BAD_REQUEST, fault);
        }
        let responses = methods::answer_several(&self.0, several).await;
        match responses.is_empty() {
            true => empty(StatusCode::ACCEPTED),
            false => json(StatusCode::OK, &responses),
        }
    }
}

const VERSION: &str = "mcp-protocol-version";

/// Headers repeat what the body says, for those who stand between and do not read it. They must not say anything else.
fn agree(headers: &HeaderMap, request: &rpc::Request) -> Result<(), Fault> {
    if request.method == "initialize" {
        return Ok(());
    }
    let (said, declared) = (one_value(headers, VERSION)?, methods::declared(request)?);
    if declared.is_some() && said != declared {
        return Err(differs(VERSION, said, declared));
    }
    // Who names no version speaks one that had no header for it.
    let Some(version) = said else { return Ok(()) };
    if !VERSIONS.contains(&version) {
        return Err(Fault::unsupported_version(version, &VERSIONS));
    }
    if version < MODERN {
        return Ok(());
    }
    if declared.is_none() {
        return Err(methods::undeclared());
    }
    let method = one_value(headers, "mcp-method")?;
    if method != Some(&*request.method) {
        return Err(differs("mcp-method", method, Some(&request.method)));
    }
    if request.method == "tools/call" {
        let wanted = request.params.get("name").and_then(Value::as_str);
        let name = one_value(headers, "mcp-name")?.map(decoded).transpose()?;
        if name.as_deref() != wanted {
            return Err(differs("mcp-name", name.as_deref(), wanted));
        }
    }
    Ok(())
}

/// A header that may be there once.
fn one_value<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, Fault> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    match (value.to_str(), values.next()) {
        (Ok(value), None) => Ok(Some(value)),
        _ => Err(Fault::header_mismatch(format!("the header {name} is there twice, or is no plain text"))),
    }
}

/// A value as it was before it was made fit for a header.
fn decoded(value: &str) -> Result<String, Fault> {
    let Some(packed) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Ok(value.to_string());
    };
    let unpacked = STANDARD.decode(packed).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    unpacked.ok_or_else(|| Fault::header_mismatch(format!("`{value}` is no base64 of a text")))
}

fn differs(header: &str, said: Option<&str>, wanted: Option<&str>) -> Fault {
    let said = said.map_or("is missing".to_string(), |said| format!("says `{said}`"));
    let wanted = wanted.map_or("nothing".to_string(), |wanted| format!("`{wanted}`"));
    Fault::header_mismatch(format!("the header {header} {said}, and the body {wanted}"))
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

fn refused(status: StatusCode, fault: Fault) -> Answer {
    json(status, &rpc::Response::refused(fault))
}

fn json(status: StatusCode, message: &impl Serialize) -> Answer {
    let body = serde_json::to_vec(message).expect("what is sent has only texts for keys");
    let mut answer = Response::new(Full::from(body));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Full::default());
    *answer.status_mut() = status;
    answer
}
