//! Which headers are passed on. What belongs to one connection ends there (RFC 9110); what belongs to this server stays here;
//! everything else goes through as it came.

use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, COOKIE, EXPECT, HOST, HeaderMap,
    HeaderName, HeaderValue, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};

/// What a body becomes on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carried {
    /// The very bytes that came.
    Verbatim,
    /// Other bytes, not packed.
    Rewritten,
}

/// The headers of a request as an upstream is sent them.
pub(crate) fn to_upstream(headers: &HeaderMap, carried: Carried) -> HeaderMap {
    let mut out = without_hops(headers);
    for name in [HOST, CONTENT_LENGTH, EXPECT] {
        out.remove(name);
    }
    let own: Vec<HeaderName> =
        out.keys().filter(|name| name.as_str().starts_with("x-enfold-")).cloned().collect();
    own.into_iter().for_each(|name| drop(out.remove(name)));
    let is_ours = |cookie: &HeaderValue| cookie.to_str().is_ok_and(|text| text.contains("enfold-token"));
    if out.get_all(COOKIE).iter().any(is_ours) {
        out.remove(COOKIE);
    }
    if carried == Carried::Rewritten {
        out.remove(CONTENT_ENCODING);
        for digest in ["content-md5", "content-digest", "digest", "repr-digest"] {
            out.remove(digest);
        }
    }
    out
}

/// Asks for an answer that can be read on its way: one that is not packed.
pub(crate) fn ask_plain(headers: &mut HeaderMap) {
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
}

/// The headers of an answer as the client is sent them. Its length and encoding stay with its bytes.
pub(crate) fn to_client(headers: &HeaderMap) -> HeaderMap {
    without_hops(headers)
}

fn without_hops(headers: &HeaderMap) -> HeaderMap {
    let listed = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let listed: Vec<HeaderName> =
        listed.flat_map(|names| names.split(',')).filter_map(|name| name.trim().parse().ok()).collect();
    let mut out = headers.clone();
    for name in [CONNECTION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE].into_iter().chain(listed) {
        out.remove(name);
    }
    for name in ["keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"] {
        out.remove(name);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        lines.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn what_belongs_to_a_connection_or_to_us_ends_here() {
        let came = headers(&[
            ("host", "127.0.0.1"),
            ("connection", "keep-alive, X-Hop"),
            ("x-hop", "1"),
            ("te", "trailers"),
            ("proxy-authorization", "secret"),
            ("x-enfold-session", "mine"),
            ("cookie", "enfold-token=t"),
            ("content-encoding", "zstd"),
            ("anthropic-beta", "a,b"),
            ("x-api-key", "k"),
        ]);
        let sent = to_upstream(&came, Carried::Rewritten);
        let names: Vec<&str> = sent.keys().map(|name| name.as_str()).collect();
        assert_eq!(names, ["anthropic-beta", "x-api-key"]);
        assert!(to_upstream(&came, Carried::Verbatim).contains_key("content-encoding"));
    }
}
