//! The same message in another spelling.
//!
//! A client writes its history anew for every request: cache markers move on, a text that was a list with one part becomes
//! a string, keys change places, fields that are `null` come and go, a list gets other item ids. None of this is another
//! past. A fingerprint is the same for all of these spellings, and differs where anything else does.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::json::{Kind, Raw};

/// Values nested deeper than this are compared as they are spelled.
const DEEPEST: usize = 32;

/// Fields of a message that say nothing about what happened: the id of an item (its `call_id` is another field), and
/// what a harness notes for itself.
const OF_NO_MEANING: [&str; 2] = ["id", "internal_chat_message_metadata_passthrough"];

/// Fields whose values are the model's own words, where every detail counts.
const ARGUMENTS: [&str; 3] = ["input", "arguments", "args"];

/// The fingerprint of a message or a system prompt; `None` for what is no JSON. O(length).
pub fn fingerprint(message: &str) -> Option<u64> {
    let message = Raw::parse(message).ok()?;
    Some(match message.kind() {
        Kind::Object => object(message, 0, |key| OF_NO_MEANING.contains(&key)),
        _ => value(message, 0),
    })
}

/// Whether two messages are the same, however they are spelled.
pub fn is_same(one: &str, other: &str) -> bool {
    one == other || fingerprint(one).is_some_and(|print| Some(print) == fingerprint(other))
}

fn value(raw: Raw, depth: usize) -> u64 {
    match raw.kind() {
        _ if depth > DEEPEST => hash(b'?', raw.text()),
        Kind::String => hash(b'"', &raw.str().unwrap_or_default()),
        Kind::Object => object(raw, depth, |_| false),
        Kind::Array => match lone_text(raw) {
            Some(text) => value(text, depth),
            None => list(raw, depth),
        },
        Kind::Null | Kind::Bool | Kind::Number => hash(b'1', raw.text()),
    }
}

/// The sum does not depend on the order of the keys.
fn object(raw: Raw, depth: usize, is_left_out: impl Fn(&str) -> bool) -> u64 {
    let members =
        raw.members().filter(|(key, value)| key != "cache_control" && !value.is_null() && !is_left_out(key));
    members.fold(1, |sum, (key, member)| {
        let is_verbatim = ARGUMENTS.contains(&&*key) && member.kind() == Kind::Object;
        let inner = if is_verbatim { hash(b'=', member.text()) } else { value(member, depth + 1) };
        sum.wrapping_add(xxh3_64_with_seed(key.as_bytes(), inner))
    })
}

fn list(raw: Raw, depth: usize) -> u64 {
    raw.elements().fold(2, |hash, element| xxh3_64_with_seed(&value(element, depth + 1).to_le_bytes(), hash))
}

/// The text of a list that is nothing but one part of text.
fn lone_text(list: Raw) -> Option<Raw> {
    let mut elements = list.elements();
    let part = elements.next().filter(|_| elements.next().is_none())?;
    let is_text = matches!(part.str_at("type").as_deref(), Some("text" | "input_text" | "output_text"));
    let says_no_more = |key: &str, value: Raw| match key {
        "type" | "text" | "cache_control" => true,
        _ => value.is_null() || matches!(value.text(), "[]" | "{}"),
    };
    let is_plain = is_text && part.members().all(|(key, value)| says_no_more(&key, value));
    part.get("text").filter(|text| is_plain && text.kind() == Kind::String)
}

fn hash(kind: u8, text: &str) -> u64 {
    xxh3_64_with_seed(text.as_bytes(), u64::from(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn same(one: &str, other: &str) {
        assert!(is_same(one, other), "{one}\n{other}");
    }

    #[track_caller]
    fn other(one: &str, other: &str) {
        assert!(!is_same(one, other), "{one}\n{other}");
    }

    #[test]
    fn markers_shapes_orders_nulls_and_item_ids_are_spelling() {
        let plain = r#"{"role":"user","content":"x\ny"}"#;
        same(plain, r#"{ "content": [ {"type":"text","text":"x\ny"} ], "role": "user" }"#);
        same(
            plain,
            r#"{"role":"user","content":[{"type":"text","text":"x\u000ay","cache_control":{"type":"ephemeral"}}]}"#,
        );
        same(plain, r#"{"role":"user","content":[{"type":"input_text","text":"x\ny","annotations":[]}]}"#);
        same(plain, r#"{"role":"user","content":"x\ny","name":null}"#);
        same(
            r#"{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{}"}"#,
            r#"{"type":"function_call","id":"fc_2","call_id":"c","name":"f","arguments":"{}"}"#,
        );
        same(
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"out"}]}"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"out"}],"cache_control":{"type":"ephemeral"}}]}"#,
        );
    }

    #[test]
    fn anything_else_is_another_message() {
        let plain = r#"{"role":"user","content":"x"}"#;
        other(plain, r#"{"role":"user","content":"X"}"#);
        other(plain, r#"{"role":"assistant","content":"x"}"#);
        other(plain, r#"{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}"#);
        other(plain, r#"{"role":"user","content":[{"type":"text","text":"x","citations":[1]}]}"#);
        other(
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"x":1}}]}"#,
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"b","name":"f","input":{"x":1}}]}"#,
        );
        other(
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"x":null}}]}"#,
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}"#,
        );
        other(r#"["a","b"]"#, r#"["b","a"]"#);
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = |inner: &str| format!(r#"{{"x":{}{inner}{}}}"#, "[".repeat(50_000), "]".repeat(50_000));
        same(&deep("1"), &deep("1"));
        other(&deep("1"), &deep("2"));
    }
}
