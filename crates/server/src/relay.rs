//! One request to an upstream, and its answer back: the bytes as they come, no faster than the client takes them. When one
//! side leaves, the other side is let go.

use std::collections::HashMap;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use enfold_llm::Proxy;
use enfold_llm::connect::{self, Http};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, PROXY_AUTHORIZATION};
use hyper::http::uri::PathAndQuery;
use hyper::{Method, Request, Response, StatusCode};

use crate::answer::{Answer, Body, BoxError, Refusal, boxed};
use crate::headers;
use crate::upstream::{Upstream, Upstreams};
use crate::watch::{Watch, Watched};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(20);

/// Sends requests to the upstreams of a configuration, and to nobody else.
pub(crate) struct Relay {
    clients: HashMap<String, (Http<Body>, Option<HeaderValue>)>,
}

/// A request as it is sent.
pub(crate) struct Outgoing<'a> {
    pub(crate) upstream: &'a Upstream,
    pub(crate) path: &'a PathAndQuery,
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Body,
}

impl Relay {
    pub(crate) fn new(upstreams: &Upstreams, proxy: Proxy) -> Result<Relay, Box<enfold_llm::Error>> {
        let clients = upstreams.iter().map(|upstream| {
            let client = connect::client(upstream.base(), proxy, CONNECT).map_err(Box::new);
            client.map(|client| (upstream.name.clone(), client))
        });
        Ok(Relay { clients: clients.collect::<Result<_, _>>()? })
    }

    /// Sends a request and waits for the head of the answer. A redirect is not followed, nor told to the client: it would
    /// carry the key to a host that nobody chose.
    pub(crate) async fn send(&self, outgoing: Outgoing<'_>) -> Result<Response<Incoming>, Refusal> {
        let name = &outgoing.upstream.name;
        let unsendable = || Refusal::new(StatusCode::BAD_REQUEST, "bad_path", "the path cannot be sent on");
        let (client, for_proxy) = self.clients.get(name).ok_or_else(unsendable)?;
        let mut request = Request::new(outgoing.body);
        *request.method_mut() = outgoing.method;
        *request.uri_mut() = outgoing.upstream.at(outgoing.path).ok_or_else(unsendable)?;
        *request.headers_mut() = outgoing.headers;
        request.headers_mut().extend(for_proxy.clone().map(|value| (PROXY_AUTHORIZATION, value)));
        let answer = client.request(request).await.map_err(|error| unreachable(name, &error))?;
        let is_redirect = answer.status().is_redirection() && answer.headers().contains_key(LOCATION);
        if is_redirect {
            let message = format!(
                "upstream `{name}` redirects, which is not followed; set its URL to where it redirects"
            );
            return Err(Refusal::new(StatusCode::BAD_GATEWAY, "redirected", message));
        }
        Ok(answer)
    }
}

/// Only what kind of failure it is: the system's words may hold a URL, and a URL may hold a key.
fn unreachable(name: &str, error: &hyper_util::client::legacy::Error) -> Refusal {
    let what =
        if error.is_connect() { "cannot be reached" } else { "ended the connection without an answer" };
    let message = format!("upstream `{name}` {what}; try again, or check its URL and your network");
    Refusal::new(StatusCode::BAD_GATEWAY, "upstream_failed", message)
}

/// A body in one piece.
pub(crate) fn whole(body: Bytes) -> Body {
    boxed(Full::new(body))
}

/// The answer as the client gets it. `held` was read already; `watch` reads along, and `done` hears what it saw, also when the
/// client leaves before the end.
pub(crate) fn pass_on(
    answer: Response<Incoming>,
    held: Vec<Bytes>,
    watch: Option<Watch>,
    done: impl FnOnce(Watched) + Send + 'static,
) -> Answer {
    let (head, body) = answer.into_parts();
    let mut out = Response::new(boxed(Tee {
        held: held.into_iter().rev().collect(),
        inner: body,
        watching: watch.map(|watch| (watch, Box::new(done) as Box<dyn FnOnce(Watched) + Send>)),
    }));
    *out.status_mut() = head.status;
    *out.headers_mut() = headers::to_client(&head.headers);
    out
}

/// The content type of an answer.
pub(crate) fn kind(answer: &Response<Incoming>) -> String {
    let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.unwrap_or_default().to_ascii_lowercase()
}

/// Reads an answer up to a limit. Returns what was read, piece by piece.
pub(crate) async fn read_some(
    body: &mut Incoming,
    most: usize,
    mut is_enough: impl FnMut(&[u8]) -> bool,
) -> Vec<Bytes> {
    let (mut pieces, mut length) = (Vec::new(), 0);
    while length < most {
        let Some(Ok(frame)) = body.frame().await else { break };
        let Ok(piece) = frame.into_data() else { continue };
        length += piece.len();
        let enough = is_enough(&piece);
        pieces.push(piece);
        if enough {
            break;
        }
    }
    pieces
}

/// A body that is read along by somebody.
struct Tee {
    /// Read already, the next piece last.
    held: Vec<Bytes>,
    inner: Incoming,
    watching: Option<Watching>,
}

type Watching = (Watch, Box<dyn FnOnce(Watched) + Send>);

impl Tee {
    fn finish(&mut self) {
        if let Some((watch, done)) = self.watching.take() {
            done(watch.end());
        }
    }
}

impl HttpBody for Tee {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = match self.held.pop() {
            Some(piece) => Some(Ok(Frame::data(piece))),
            None => match Pin::new(&mut self.inner).poll_frame(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(frame) => frame,
            },
        };
        match &frame {
            Some(Ok(frame)) => {
                if let (Some((watch, _)), Some(bytes)) = (&mut self.watching, frame.data_ref()) {
                    watch.push(bytes);
                }
            }
            Some(Err(_)) | None => self.finish(),
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.held.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        match (self.held.is_empty(), self.inner.size_hint().exact()) {
            (true, Some(exact)) => SizeHint::with_exact(exact),
            (false, Some(exact)) => {
                SizeHint::with_exact(exact + self.held.iter().map(|piece| piece.len() as u64).sum::<u64>())
            }
            (_, None) => SizeHint::default(),
        }
    }
}

impl Drop for Tee {
    fn drop(&mut self) {
        self.finish();
    }
}
