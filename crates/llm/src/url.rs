//! URLs of servers, as far as a client needs them: ASCII, with a scheme, a host and no password.

use std::net::IpAddr;

use hyper::Uri;
use hyper::http::uri::{Authority, Scheme};

use crate::Error;
use crate::endpoint::OWN_KEY;

/// Reads the URL of a server. White space around it is cut off, letters of the host become small ones, and what a
/// path or query may not hold is escaped.
pub fn parse(text: &str) -> Result<Uri, Error> {
    // The text itself stays out of messages: people put passwords into URLs.
    let wrong = |why: &dyn std::fmt::Display| Error::Setup(format!("the base URL is not a URL: {why}"));
    let text = text.trim();
    let (scheme, rest) = text.split_once("://").ok_or_else(not_http)?;
    let scheme = match () {
        () if scheme.eq_ignore_ascii_case("http") => Scheme::HTTP,
        () if scheme.eq_ignore_ascii_case("https") => Scheme::HTTPS,
        () => return Err(not_http()),
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    if authority.contains('@') {
        return Err(Error::Setup(format!(
            "the base URL holds a user name or password: use {OWN_KEY} instead"
        )));
    }
    if !authority.is_ascii() {
        return Err(wrong(&"its host is not ASCII: write it as xn--…"));
    }
    let authority: Authority = authority.to_ascii_lowercase().parse().map_err(|why| wrong(&why))?;
    if authority.host().is_empty() {
        return Err(wrong(&"it has no host"));
    }
    if authority.as_str().len() > authority.host().len() && authority.port_u16().is_none() {
        return Err(wrong(&"its port is not a number"));
    }
    if looks_like_address(authority.host()) && address_in(authority.host()).is_none() {
        return Err(wrong(&"its host is neither a name nor an IP address"));
    }
    let path = escape(path.split('#').next().unwrap_or_default());
    let path = if path.starts_with('/') { path } else { format!("/{path}") };
    let uri = Uri::builder().scheme(scheme).authority(authority).path_and_query(path).build();
    uri.map_err(|why| wrong(&why))
}

/// The same server at another path; the query stays.
pub(crate) fn with_path(url: &Uri, path: &str) -> Uri {
    let path = match url.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_string(),
    };
    let mut parts = url.clone().into_parts();
    parts.path_and_query = Some(path.parse().expect("made of a path and a query that were parsed"));
    Uri::from_parts(parts).expect("as whole as the URL it was made of")
}

/// Scheme, host and port, without a port that goes without saying.
pub(crate) fn place(url: &Uri) -> String {
    let scheme = url.scheme_str().unwrap_or_default();
    let host = url.host().unwrap_or_default();
    match url.port_u16() {
        Some(port) if Some(port) != usual_port(url) => format!("{scheme}://{host}:{port}"),
        Some(_) | None => format!("{scheme}://{host}"),
    }
}

/// The place that a `location` points to, seen from `url`. `None` where it is no place of HTTP.
pub(crate) fn place_of_redirect(url: &Uri, location: &str) -> Option<String> {
    let is_absolute = location.split(['/', '?', '#']).next().is_some_and(|start| start.contains(':'));
    let location = match location.strip_prefix("//") {
        Some(rest) => format!("{}://{rest}", url.scheme_str()?),
        None if is_absolute => location.to_string(),
        None => return Some(place(url)),
    };
    let (scheme, rest) = location.split_once("://")?;
    let (authority, _) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    // Whatever stands before the host is nobody's business.
    let host = authority.rsplit('@').next()?;
    parse(&format!("{scheme}://{host}")).ok().map(|url| place(&url))
}

pub(crate) fn is_encrypted(url: &Uri) -> bool {
    url.scheme() == Some(&Scheme::HTTPS)
}

/// Name or address, without the brackets of IPv6.
pub(crate) fn host(url: &Uri) -> &str {
    url.host().unwrap_or_default().trim_matches(['[', ']'])
}

/// This machine, a private network, or a name without a domain such as a neighbouring container has.
pub(crate) fn is_near(url: &Uri) -> bool {
    match address(url) {
        Some(IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        Some(IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
        None => !host(url).contains('.') || host(url).ends_with(".local"),
    }
}

fn address(url: &Uri) -> Option<IpAddr> {
    address_in(url.host()?)
}

fn address_in(host: &str) -> Option<IpAddr> {
    host.trim_matches(['[', ']']).parse().ok()
}

/// True also for what only the system's name service takes for an address: `127.1`, `0x8080808`, `134744072`. The last
/// two look like the name of a neighbour, and are not.
fn looks_like_address(host: &str) -> bool {
    let last = host.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    let is_decimal = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    let is_hexadecimal = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    host.starts_with('[') || is_decimal || last.strip_prefix("0x").is_some_and(is_hexadecimal)
}

fn usual_port(url: &Uri) -> Option<u16> {
    Some(if is_encrypted(url) { 443 } else { 80 })
}

/// `%20` for what a request line cannot hold.
fn escape(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b' ' | b'"' | b'<' | b'>' | b'`' | b'{' | b'}' | b'\\' | b'^' | b'|' => {
                escaped.push_str(&format!("%{byte:02X}"));
            }
            byte if byte.is_ascii_graphic() => escaped.push(byte.into()),
            byte => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

fn not_http() -> Error {
    Error::Setup("the base URL must begin with https:// or http://".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_read_as_people_write_it() {
        for (text, url) in [
            (" HTTPS://API.Example/v1\n", "https://api.example/v1"),
            ("http://localhost:8080", "http://localhost:8080/"),
            ("http://[::1]:1/a?b=c#d", "http://[::1]:1/a?b=c"),
            ("https://a.example?version=7", "https://a.example/?version=7"),
            ("https://a.example/größe x", "https://a.example/gr%C3%B6%C3%9Fe%20x"),
            ("https://a.example/a%20b", "https://a.example/a%20b"),
        ] {
            assert_eq!(parse(text).unwrap().to_string(), url, "{text}");
        }
    }

    #[test]
    fn what_is_no_url_of_a_server_is_refused() {
        for text in [
            "",
            "a.example/v1",
            "ftp://a.example",
            "http://",
            "https:///v1",
            "https://a b",
            "https://:80",
            "https://größe.example",
            "http://a:b",
            "http://a:99999",
            "http://a:",
            "https://u:p@a.example",
            "https://u@a.example",
            "https://a.example\\@b.example",
            "http://[::1",
            "http://[x]",
        ] {
            assert!(matches!(parse(text), Err(Error::Setup(_))), "{text}");
        }
    }

    #[test]
    fn an_address_in_a_spelling_of_its_own_is_refused() {
        // The name service takes all of them for 8.8.8.8 or 127.0.0.1.
        for host in ["134744072", "0x8080808", "8.8.2056", "010.8.8.8", "127.1", "0x7f.0.0.1", "8.8.8.8."] {
            assert!(parse(&format!("http://{host}/v1")).is_err(), "{host}");
        }
        for host in ["8.8.8.8", "[::1]", "1password.example", "vllm-2", "4090x", "a.1b"] {
            assert!(parse(&format!("http://{host}/v1")).is_ok(), "{host}");
        }
    }

    #[test]
    fn a_place_is_shown_without_path_and_usual_port() {
        let shown = |text| place(&parse(text).unwrap());
        assert_eq!(shown("https://A.example:443/v1?key=secret"), "https://a.example");
        assert_eq!(shown("http://a.example:80"), "http://a.example");
        assert_eq!(shown("http://a.example:443"), "http://a.example:443");
        assert_eq!(shown("http://[::1]:8080/"), "http://[::1]:8080");
    }

    #[test]
    fn a_redirect_is_shown_as_the_place_it_points_to() {
        let from = parse("https://a.example/v1/messages").unwrap();
        for (location, place) in [
            ("https://b.example/x?y", Some("https://b.example")),
            ("http://user:secret@b.example:81/x@y", Some("http://b.example:81")),
            ("//b.example/x", Some("https://b.example")),
            ("/elsewhere:8", Some("https://a.example")),
            ("elsewhere", Some("https://a.example")),
            ("?again=http://b.example", Some("https://a.example")),
            ("mailto:someone", None),
            ("ftp://b.example", None),
            ("https://", None),
        ] {
            assert_eq!(place_of_redirect(&from, location).as_deref(), place, "{location}");
        }
    }
}
