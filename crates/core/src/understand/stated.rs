//! How a call ended, where its result is an object that says so: `{"exitCode": 1}`, `{"success": false}`, `{"error": "…"}`.

use crate::json::{Kind, Raw};

/// What an object states of how a call ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stated {
    /// The exit status of a program.
    pub(super) exit: Option<i32>,
    /// Whether the call failed.
    pub(super) failed: bool,
}

/// Fields that hold an exit status, in lower case and without underscores.
const EXITS: [&str; 4] = ["exitcode", "returncode", "exitstatus", "exit"];

/// Fields that hold it beside what a program printed: elsewhere these are other codes.
const EXITS_OF_PROGRAMS: [&str; 2] = ["code", "status"];
const PRINTED: [&str; 2] = ["stdout", "stderr"];

/// Fields that are true, or say something, where a call failed.
const ERRORS: [&str; 4] = ["error", "iserror", "errormessage", "errortext"];

/// Fields that are false where a call failed.
const SUCCESSES: [&str; 3] = ["success", "ok", "succeeded"];

/// Objects inside that speak of the call, too.
const WITHIN: [&str; 3] = ["metadata", "details", "structuredcontent"];

/// What a result states; nothing where it is no object.
pub(super) fn stated(result: &str) -> Stated {
    let result = result.trim();
    if !result.starts_with('{') || !result.ends_with('}') {
        return Stated::default();
    }
    let Ok(object) = Raw::parse(result) else { return Stated::default() };
    let mut found = of_object(object);
    for (key, inner) in object.members() {
        if inner.kind() == Kind::Object && WITHIN.contains(&&*plain(&key)) {
            let inner = of_object(inner);
            found = Stated { exit: found.exit.or(inner.exit), failed: found.failed || inner.failed };
        }
    }
    found
}

fn of_object(object: Raw) -> Stated {
    let mut found = Stated::default();
    let is_program = object.members().any(|(key, _)| PRINTED.contains(&&*plain(&key)));
    for (key, value) in object.members() {
        let key = plain(&key);
        let key = &*key;
        if EXITS.contains(&key) || (is_program && EXITS_OF_PROGRAMS.contains(&key)) {
            found.exit = value.text().parse().ok().or(found.exit);
        } else if matches!(key, "statuscode" | "httpstatus")
            || (key == "status" && value.kind() == Kind::Number)
        {
            found.failed |= value.u64().is_some_and(|code| (400..600).contains(&code));
        } else if key == "status" {
            found.failed |= value.str().is_some_and(|word| is_failure(&word));
        } else if ERRORS.contains(&key) {
            found.failed |= says_something(value);
        } else if SUCCESSES.contains(&key) {
            found.failed |= value.bool() == Some(false);
        }
    }
    found
}

/// Whether a field named `error` tells of one: many results carry it empty.
fn says_something(value: Raw) -> bool {
    match value.kind() {
        Kind::Null | Kind::Number => false,
        Kind::Bool => value.bool() == Some(true),
        Kind::String => value.str().is_some_and(|text| !text.trim().is_empty()),
        Kind::Object => value.members().next().is_some(),
        Kind::Array => value.elements().next().is_some(),
    }
}

fn is_failure(word: &str) -> bool {
    matches!(&*word.to_ascii_lowercase(), "error" | "failed" | "failure" | "rejected" | "denied")
}

/// A key in lower case, without what parts its words.
fn plain(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_and_flags_are_read_in_every_spelling() {
        for (result, exit, failed) in [
            (r#"{"stdout":"x","exitCode":1}"#, Some(1), false),
            (r#"{"stdout":"x","stderr":"","code":0}"#, Some(0), false),
            (r#"{"output":"x","metadata":{"exit_code":2}}"#, Some(2), false),
            (r#"{"code":404,"name":"x"}"#, None, false),
            (r#"{"success":false,"message":"no seat"}"#, None, true),
            (r#"{"ok":true,"error":null}"#, None, false),
            (r#"{"error":"not found"}"#, None, true),
            (r#"{"error":"","data":[1]}"#, None, false),
            (r#"{"isError":true,"content":[]}"#, None, true),
            (r#"{"status":"error"}"#, None, true),
            (r#"{"status":"delivered"}"#, None, false),
            (r#"{"statusCode":503}"#, None, true),
            ("[1,2]", None, false),
            ("{ not json }", None, false),
        ] {
            assert_eq!(stated(result), Stated { exit, failed }, "{result}");
        }
    }
}
