//! Request bodies under limits: how many bytes arrive, how many they become, how deep they nest.

use std::io::Read;

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};

use crate::answer::Refusal;
use crate::config::Limits;

/// Below this many bytes a body may unpack to any number of times its size.
const HARMLESS: usize = 1 << 20;

/// Reads a body, as it arrives.
pub(crate) async fn read(headers: &HeaderMap, body: Incoming, limits: &Limits) -> Result<Bytes, Refusal> {
    let announced =
        headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limits.body) {
        return Err(too_large(limits.body));
    }
    match Limited::new(body, limits.body).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => Err(too_large(limits.body)),
        Err(_) => {
            Err(Refusal::new(StatusCode::BAD_REQUEST, "cut_off", "the request ended before its body did"))
        }
    }
}

/// The body unpacked; `None` where it is packed in a way that is not known here, or in several.
pub(crate) fn unpack(headers: &HeaderMap, body: &Bytes, limits: &Limits) -> Result<Option<Bytes>, Refusal> {
    let encodings: Vec<_> = headers.get_all(CONTENT_ENCODING).iter().collect();
    let encoding = match encodings.as_slice() {
        [] => return Ok(Some(body.clone())),
        [one] => one.to_str().unwrap_or_default().trim().to_ascii_lowercase(),
        _ => return Ok(None),
    };
    match encoding.as_str() {
        "" | "identity" => Ok(Some(body.clone())),
        "gzip" | "x-gzip" => {
            inflate(flate2::read::MultiGzDecoder::new(&body[..]), body.len(), limits).map(Some)
        }
        "deflate" => inflate(flate2::read::ZlibDecoder::new(&body[..]), body.len(), limits).map(Some),
        "zstd" => {
            let decoder = zstd::stream::read::Decoder::with_buffer(&body[..]).map_err(|_| not_packed())?;
            inflate(decoder, body.len(), limits).map(Some)
        }
        _ => Ok(None),
    }
}

/// Never more in memory than the limit allows.
fn inflate(mut packed: impl Read, length: usize, limits: &Limits) -> Result<Bytes, Refusal> {
    let most = limits.unpacked.min(length.saturating_mul(limits.ratio).max(HARMLESS));
    let mut out = Vec::new();
    let read = (&mut packed).take(most as u64 + 1).read_to_end(&mut out);
    read.map_err(|_| not_packed())?;
    if out.len() > most {
        let message =
            format!("the body unpacks to more than {most} bytes, {} times its size", most / length.max(1));
        return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "unpacks_too_large", message));
    }
    Ok(out.into())
}

/// Refuses JSON of too many levels. Brackets are counted; nothing is parsed.
pub(crate) fn check_depth(body: &[u8], limits: &Limits) -> Result<(), Refusal> {
    let (mut depth, mut at) = (0usize, 0);
    while let Some(byte) = body.get(at) {
        at += 1;
        match byte {
            // Nearly all of a request is inside strings.
            b'"' => at = behind_string(body, at),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > limits.depth {
            let message = format!("the body nests more than {} levels deep", limits.depth);
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "nests_too_deep", message));
        }
    }
    Ok(())
}

/// The place behind the string that begins here; the end, if nothing ends it.
fn behind_string(body: &[u8], mut at: usize) -> usize {
    while let Some(found) = body.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found + 1;
        if body[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    body.len()
}

fn too_large(most: usize) -> Refusal {
    let message = format!("the body is larger than {most} bytes, which is more than providers take");
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message)
}

fn not_packed() -> Refusal {
    let message = "the body is not packed as its content-encoding says";
    Refusal::new(StatusCode::BAD_REQUEST, "not_packed", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_are_no_levels() {
        let limits = Limits { depth: 2, ..Limits::default() };
        let is_taken = |text: &str| check_depth(text.as_bytes(), &limits).is_ok();
        assert!(is_taken(r#"[{"a\"[[[":"[[[\\"}]"#) && is_taken(r#"[[],[],"[[["#) && is_taken(""));
        assert!(is_taken(r#"["\"#), "cut off behind a backslash");
        assert!(!is_taken(r#"[["\\",[]]]"#) && !is_taken("[[["));
    }
}
