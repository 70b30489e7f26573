//! The pages of a running server: files that are part of the program, the same for everybody. What sessions hold they ask the
//! API for, with the token, and put in as text.
//!
//! The token is typed in, or stands behind the `#` of the address, which browsers send to nobody; the page keeps it for as
//! long as its tab is open. Not in a cookie: those are sent to every port of a host.

use hyper::StatusCode;
use hyper::header::HeaderValue;

use crate::answer::{Answer, whole};

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Nothing but these files runs or is loaded, and nobody frames the page.
const ONLY_OURS: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                         base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A path, what is there, and of which kind.
const FILES: [(&str, &str, &str); 15] = [
    ("/", include_str!("dashboard/index.html"), HTML),
    ("/dashboard/look.css", enfold_page::LOOK, CSS),
    ("/dashboard/page.js", enfold_page::SCRIPT, JS),
    ("/dashboard/icon.svg", include_str!("dashboard/icon.svg"), SVG),
    ("/dashboard/app.js", include_str!("dashboard/app.js"), JS),
    ("/dashboard/wire.js", include_str!("dashboard/wire.js"), JS),
    ("/dashboard/words.js", include_str!("dashboard/words.js"), JS),
    ("/dashboard/sessions.js", include_str!("dashboard/sessions.js"), JS),
    ("/dashboard/session.js", include_str!("dashboard/session.js"), JS),
    ("/dashboard/strip.js", include_str!("dashboard/strip.js"), JS),
    ("/dashboard/items.js", include_str!("dashboard/items.js"), JS),
    ("/dashboard/money.js", include_str!("dashboard/money.js"), JS),
    ("/dashboard/explain.js", include_str!("dashboard/explain.js"), JS),
    ("/dashboard/ledger.js", include_str!("dashboard/ledger.js"), JS),
    ("/dashboard/debug.js", include_str!("dashboard/debug.js"), JS),
];

/// Whether a path is one of these.
pub(crate) fn has(path: &str) -> bool {
    FILES.iter().any(|(known, _, _)| *known == path)
}

/// The file at a path.
pub(crate) fn answer(path: &str) -> Option<Answer> {
    let (_, text, kind) = FILES.iter().find(|(known, _, _)| *known == path)?;
    let mut answer = whole(StatusCode::OK, kind, *text);
    let headers = answer.headers_mut();
    headers.insert("content-security-policy", HeaderValue::from_static(ONLY_OURS));
    headers.insert("referrer-policy", HeaderValue::from_static("no-referrer"));
    Some(answer)
}
