//! Who may ask for what.
//!
//! A web page can make a browser call any address, also one of this machine, and by a name of its own that it points here
//! (DNS rebinding). It cannot choose the `Host` and `Origin` that the browser sends with it. So a request must call this
//! server by a name that is known to be its own, and must not come from another site. What sessions hold is shown only to
//! whoever has the token.

use std::net::{IpAddr, SocketAddr};

use hyper::header::{AUTHORIZATION, COOKIE, HOST, HeaderMap, ORIGIN, UPGRADE};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode, Uri};

use crate::answer::Refusal;

/// The header that carries the token where `authorization` is the provider's.
pub(crate) const TOKEN: &str = "x-enfold-token";

/// What is needed to judge a request.
pub(crate) struct Guard {
    address: SocketAddr,
    hosts: Vec<String>,
    token: String,
}

/// What the token is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// What sessions hold. Always.
    Sessions,
    /// A model, or numbers. Where others than this machine can ask.
    Passage,
}

impl Guard {
    pub(crate) fn new(address: SocketAddr, hosts: Vec<String>, token: String) -> Guard {
        Guard { address, hosts, token }
    }

    /// Refuses what does not call this server by its name, comes from another site, or wants another protocol. Takes the
    /// token off the path, where it may stand for clients that cannot send a header of their own.
    pub(crate) fn admit(&self, request: &mut Parts) -> Result<(), Refusal> {
        if request.method == Method::CONNECT || request.uri.authority().is_some() {
            let message = "this server is no forward proxy; set it as the base URL instead";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "not_a_forward_proxy", message));
        }
        let mut hosts = request.headers.get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok()).unwrap_or_default();
        if hosts.next().is_some() || !self.is_ours(host) {
            let message = "the Host header names another server; call this one by its address, or add the name to `hosts`";
            return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, "wrong_host", message));
        }
        if !is_same_site(&request.headers, host) {
            let message = "requests of web pages are not taken";
            return Err(Refusal::new(StatusCode::FORBIDDEN, "cross_origin", message));
        }
        if request.headers.contains_key(UPGRADE) {
            let message = "no WebSocket here: use HTTP";
            return Err(Refusal::new(StatusCode::UPGRADE_REQUIRED, "use_http", message));
        }
        self.take_token(request);
        Ok(())
    }

    /// Refuses whoever lacks the token for this.
    pub(crate) fn check(&self, request: &Parts, wanted: Wanted) -> Result<(), Refusal> {
        if wanted == Wanted::Passage && self.address.ip().is_loopback() {
            return Ok(());
        }
        let given = [TOKEN, AUTHORIZATION.as_str()].into_iter().filter_map(|name| request.headers.get(name));
        let given = given.filter_map(|value| value.to_str().ok());
        let cookies = request.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let cookies = cookies.flat_map(|cookies| cookies.split("; "));
        let cookies = cookies.filter_map(|cookie| cookie.strip_prefix("enfold-token="));
        let mut given = given.map(|value| value.strip_prefix("Bearer ").unwrap_or(value)).chain(cookies);
        if given.any(|given| self.is_token(given)) {
            return Ok(());
        }
        let message = match wanted {
            Wanted::Sessions => {
                "send the token of this installation as `authorization: Bearer …`; `enfold doctor` says where it is"
            }
            Wanted::Passage => {
                "send the token of this installation as `x-enfold-token`, or put /~TOKEN in front of the path"
            }
        };
        Err(Refusal::new(StatusCode::UNAUTHORIZED, "no_token", message))
    }

    fn is_token(&self, given: &str) -> bool {
        // Hashes are compared in constant time.
        blake3::hash(given.as_bytes()) == blake3::hash(self.token.as_bytes())
    }

    fn is_ours(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<hyper::http::uri::Authority>() else { return false };
        if authority.as_str().contains('@') {
            return false;
        }
        let name = authority.host().trim_matches(['[', ']']).to_ascii_lowercase();
        let is_loopback = name == "localhost" || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        let is_address = name.parse::<IpAddr>().is_ok() && !self.address.ip().is_loopback();
        let is_named = self.hosts.iter().any(|known| known.eq_ignore_ascii_case(&name));
        let is_port = authority.port_u16().is_none_or(|port| port == self.address.port());
        (is_loopback && is_port) || is_address || is_named
    }

    /// `/~TOKEN/v1/messages` becomes `/v1/messages` with the token in its header.
    fn take_token(&self, request: &mut Parts) {
        let path = request.uri.path_and_query().map_or("", |path| path.as_str());
        let Some((token, _)) = path.strip_prefix("/~").and_then(|rest| rest.split_once('/')) else { return };
        if let (Ok(uri), Ok(value)) = (path[token.len() + 2..].parse::<Uri>(), token.parse()) {
            request.uri = uri;
            request.headers.insert(TOKEN, value);
        }
    }
}

/// Whether a request comes from a page of this server, or from no page at all. Programs that are made like browsers have
/// origins of their own kind (`app://…`), which no site can have.
fn is_same_site(headers: &HeaderMap, host: &str) -> bool {
    let is_ours = |origin: &str| {
        let site = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        match site {
            Some(site) => site.eq_ignore_ascii_case(host),
            None => origin != "null",
        }
    };
    let origins = headers.get_all(ORIGIN).iter().map(|origin| origin.to_str().unwrap_or("null"));
    let is_cross =
        headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site" || site == "same-site");
    origins.into_iter().all(is_ours) && !is_cross
}
