//! One request over HTTP, read under limits of time and size.

use std::future::poll_fn;
use std::io::ErrorKind;
use std::ops::Deref;
use std::pin::Pin;
use std::time::{Duration, SystemTime};

use hyper::body::{Body, Incoming};
use hyper::header::{
    ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, PROXY_AUTHORIZATION, USER_AGENT,
};
use hyper::{Method, Request, Response, Uri};
use tokio::time::{Instant, timeout_at};

use crate::body::Delivery;
use crate::connect::{self, AGENT, Http, Late, UnknownHost};
use crate::read::Partial;
use crate::sse::Events;
use crate::{Answer, Endpoint, Error, Fault, Proxy, Waiting, classify, retry, url};

/// As much of the body of an error as is read.
const ERROR_BODY: usize = 64 << 10;

/// A stream spends many bytes on a word, and repeats instructions and tools in its last event.
const STREAM_BYTES_PER_BYTE: usize = 64;
const EVENT_BYTES_PER_BYTE: usize = 4;

/// How long and how much an attempt may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// What the connector was given for a connection.
    pub(crate) connect: Duration,
    /// Wait for the head of the answer.
    pub(crate) head: Duration,
    /// Wait between two portions of the answer.
    pub(crate) idle: Duration,
    /// End of all attempts, and how far off it was at their start.
    pub(crate) deadline: Instant,
    pub(crate) total: Duration,
    /// Longest answer.
    pub(crate) bytes: usize,
    /// For `retry-after` as a date.
    pub(crate) wall_clock: fn() -> SystemTime,
}

/// Sends requests to one server. Redirects are not followed: they would carry the key to a host nobody chose.
pub(crate) struct Sender {
    http: Http<String>,
    for_proxy: Option<HeaderValue>,
}

impl Sender {
    pub(crate) fn new(to: &Uri, proxy: Proxy, patience: Duration) -> Result<Sender, Error> {
        let (http, for_proxy) = connect::client(to, proxy, patience)?;
        Ok(Sender { http, for_proxy })
    }

    /// Sends `body` and reads the answer. Text of a stream goes to `on_text` as it comes.
    pub(crate) async fn attempt(
        &self,
        endpoint: &Endpoint,
        body: String,
        delivery: Delivery,
        limits: &Limits,
        on_text: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Answer, Error> {
        let request = self.http.request(self.request(endpoint, body));
        let response = limits.wait(Waiting::Head, limits.head, request).await?;
        let response = response.map_err(|error| broken(&error, Fault::Other, endpoint, limits))?;
        let status = response.status();
        if status.is_redirection() {
            return Err(Error::Redirected { to: target(&response, endpoint) });
        }
        if !status.is_success() {
            return Err(refused(response, limits).await);
        }
        let mut reading = Reading { endpoint, limits, partial: Partial::default() };
        match is_stream(response.headers(), delivery) {
            true => reading.read_stream(response.into_body(), on_text).await?,
            false => reading.read_whole(response.into_body()).await?,
        }
        Ok(reading.partial.into_answer())
    }

    fn request(&self, endpoint: &Endpoint, body: String) -> Request<String> {
        let mut request = Request::new(body);
        *request.method_mut() = Method::POST;
        *request.uri_mut() = endpoint.url.clone();
        let headers = request.headers_mut();
        headers.insert(USER_AGENT, AGENT);
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        headers.extend(endpoint.all_headers());
        headers.extend(self.for_proxy.clone().map(|value| (PROXY_AUTHORIZATION, value)));
        request
    }
}

impl Limits {
    /// Waits for `future`, but neither longer than `patience` nor past the deadline.
    async fn wait<T>(
        &self,
        waiting_for: Waiting,
        patience: Duration,
        future: impl Future<Output = T>,
    ) -> Result<T, Error> {
        let end = Instant::now() + patience;
        let result = timeout_at(end.min(self.deadline), future).await;
        result.map_err(|_| match end < self.deadline {
            true => Error::Timeout { waiting_for, after: patience },
            false => Error::Timeout { waiting_for: Waiting::Answer, after: self.total },
        })
    }
}

struct Reading<'a> {
    endpoint: &'a Endpoint,
    limits: &'a Limits,
    partial: Partial,
}

impl Reading<'_> {
    async fn read_whole(&mut self, mut incoming: Incoming) -> Result<(), Error> {
        let limit = self.limits.bytes;
        if incoming.size_hint().exact().is_some_and(|length| length > limit as u64) {
            return Err(Error::TooLarge { limit });
        }
        let mut body = Vec::new();
        while let Some(bytes) = self.next(&mut incoming).await? {
            if body.len() + bytes.len() > limit {
                return Err(Error::TooLarge { limit });
            }
            body.extend_from_slice(&bytes);
        }
        self.partial.read_whole(self.endpoint.api, &String::from_utf8_lossy(&body))
    }

    async fn read_stream(
        &mut self,
        mut incoming: Incoming,
        on_text: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(), Error> {
        let mut events = Events::new(self.limits.bytes.saturating_mul(EVENT_BYTES_PER_BYTE));
        let mut left = self.limits.bytes.saturating_mul(STREAM_BYTES_PER_BYTE);
        let too_large = Error::TooLarge { limit: self.limits.bytes };
        while !self.partial.is_ended {
            let bytes = match self.next(&mut incoming).await {
                Ok(Some(bytes)) => bytes,
                Ok(None) => break,
                // The answer is whole; only token numbers, if anything, are missing.
                Err(_) if self.partial.is_complete() => break,
                Err(error) => return Err(error),
            };
            left = left.checked_sub(bytes.len()).ok_or(too_large.clone())?;
            for data in events.push(&bytes).map_err(|_| too_large.clone())? {
                self.take(&data, on_text)?;
            }
        }
        if !self.partial.is_ended
            && let Some(data) = events.end()
        {
            match self.take(&data, on_text) {
                // The stream was cut inside the event, which is a fault of the connection.
                Ok(()) | Err(Error::NotJson { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        match self.partial.is_complete() {
            true => Ok(()),
            false => Err(Error::Network {
                fault: Fault::Reset,
                message: format!("{}: the stream ended in the middle of the answer", self.endpoint.place()),
            }),
        }
    }

    fn take(&mut self, data: &str, on_text: &mut (dyn FnMut(&str) + Send)) -> Result<(), Error> {
        let before = self.partial.text.len();
        self.partial.read_event(self.endpoint.api, data)?;
        if self.partial.text.len() > self.limits.bytes {
            return Err(Error::TooLarge { limit: self.limits.bytes });
        }
        match &self.partial.text[before..] {
            "" => {}
            text => on_text(text),
        }
        Ok(())
    }

    async fn next(
        &self,
        incoming: &mut Incoming,
    ) -> Result<Option<impl Deref<Target = [u8]> + use<>>, Error> {
        let portion = self.limits.wait(Waiting::Bytes, self.limits.idle, portion(incoming)).await?;
        // A connection that ends in good order, but before the answer does, is as good as reset.
        portion.transpose().map_err(|error| broken(&error, Fault::Reset, self.endpoint, self.limits))
    }
}

/// The next bytes of a body; trailers are skipped.
async fn portion(incoming: &mut Incoming) -> Option<hyper::Result<impl Deref<Target = [u8]> + use<>>> {
    loop {
        match poll_fn(|context| Pin::new(&mut *incoming).poll_frame(context)).await? {
            Ok(frame) => match frame.into_data() {
                Ok(bytes) => return Some(Ok(bytes)),
                Err(_trailers) => {}
            },
            Err(error) => return Some(Err(error)),
        }
    }
}

/// Servers that ignore `stream`, in either sense, say so in the type of what they send.
fn is_stream(headers: &HeaderMap, delivery: Delivery) -> bool {
    match headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()) {
        Some(kind) => kind.to_ascii_lowercase().contains("event-stream"),
        None => delivery == Delivery::Stream,
    }
}

/// Reads what the server says about the refusal, as far as it comes: the status alone says enough to go on.
async fn refused(mut response: Response<Incoming>, limits: &Limits) -> Error {
    let status = response.status().as_u16();
    let retry_after = retry::asked_for(response.headers(), (limits.wall_clock)());
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    let request_id = header("request-id").or(header("x-request-id")).map(str::to_string);
    let mut body = Vec::new();
    while body.len() < ERROR_BODY
        && let Ok(Some(Ok(bytes))) =
            limits.wait(Waiting::Bytes, limits.idle, portion(response.body_mut())).await
    {
        body.extend_from_slice(&bytes);
    }
    classify::refusal(status, &String::from_utf8_lossy(&body), retry_after, request_id)
}

/// Scheme and host a redirect points to. The rest may carry secrets.
fn target(response: &Response<Incoming>, endpoint: &Endpoint) -> String {
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let place = location.and_then(|location| url::place_of_redirect(&endpoint.url, location));
    place.unwrap_or_else(|| "an unknown place".into())
}

/// What a failed connection means; `otherwise`, where its causes do not tell.
fn broken(
    error: &(dyn std::error::Error + 'static),
    otherwise: Fault,
    endpoint: &Endpoint,
    limits: &Limits,
) -> Error {
    let causes: Vec<_> = std::iter::successors(Some(error), |cause| cause.source()).collect();
    if causes.iter().any(|cause| cause.is::<Late>()) {
        return Error::Timeout { waiting_for: Waiting::Connection, after: limits.connect };
    }
    let deepest = causes.last().map(|cause| cause.to_string()).unwrap_or_default();
    let fault = causes.iter().find_map(|cause| fault(*cause)).unwrap_or(otherwise);
    Error::Network { fault, message: format!("{}: {deepest}", endpoint.place()) }
}

fn fault(cause: &(dyn std::error::Error + 'static)) -> Option<Fault> {
    if cause.is::<rustls::Error>() {
        return Some(Fault::Tls);
    }
    if cause.is::<UnknownHost>() {
        return Some(Fault::Dns);
    }
    if let Some(http) = cause.downcast_ref::<hyper::Error>() {
        return (http.is_incomplete_message() || http.is_closed()).then_some(Fault::Reset);
    }
    let io = cause.downcast_ref::<std::io::Error>()?;
    // What an I/O error wraps is not among its sources, and TLS comes wrapped twice.
    if let Some(inner) = io.get_ref().and_then(|inner| fault(inner)) {
        return Some(inner);
    }
    match io.kind() {
        ErrorKind::ConnectionRefused => Some(Fault::Refused),
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => Some(Fault::Reset),
        _ => None,
    }
}
