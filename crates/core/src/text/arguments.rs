//! Strings inside the arguments of calls: found and replaced in place, so that the JSON stays valid and everything
//! else of it as it was.

use std::ops::Range;

use crate::json::{Edit, Raw, quote, splice};

/// Where the string values of a JSON text stand, in order; none if it is not JSON. Keys are not values.
///
/// One look at each byte, however deep the text is nested: in JSON only a key stands before a colon.
pub(crate) fn strings(arguments: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if Raw::parse(arguments).is_err() {
        return found;
    }
    let bytes = arguments.as_bytes();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'"', &bytes[at..]).map(|quote| at + quote) {
        at = start + 1;
        while let Some(byte) = bytes.get(at).filter(|byte| **byte != b'"') {
            at += if *byte == b'\\' { 2 } else { 1 };
        }
        at = (at + 1).min(bytes.len());
        let next = bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace());
        if next != Some(&b':') {
            found.push(start..at);
        }
    }
    found
}

/// The arguments with some strings replaced.
pub(crate) fn replace(arguments: &str, strings: Vec<(Range<usize>, String)>) -> String {
    let edits = strings.into_iter().map(|(span, text)| Edit { span, with: quote(&text) });
    splice(arguments, edits.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_at_any_depth_and_keys_are_not() {
        let texts = |json: &str| strings(json).into_iter().map(|at| json[at].to_string()).collect::<Vec<_>>();
        assert_eq!(
            texts(r#"{"a" : "x\"y", "b":["", {"c":"\\"}, 1, null], "d":{}}"#),
            [r#""x\"y""#, r#""""#, r#""\\""#]
        );
        assert_eq!(texts(r#""alone""#), [r#""alone""#]);
        assert_eq!(texts("not \"json"), [""; 0]);
        let deep = format!("{}\"in\"{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(strings(&deep).first(), Some(&(100_000..100_004)));
    }
}
