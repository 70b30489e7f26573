//! What is counted of items, messages and tool schemas, and which overhead is added.
//!
//! **The overhead rule.** A message takes [`OVERHEAD`] tokens for its role and marks, each call in it another, each
//! result in it another, except the first result of a tool message, which *is* the message:
//!
//! ```text
//! user       "hi"                      4 + text
//! assistant  "ok" + 2 calls            4 + text + 2 × 4 + names + arguments
//! tool       1 result                  4 + text
//! user       2 results (Anthropic)     4 + 2 × 4 + texts
//! ```
//!
//! | item | counted |
//! |---|---|
//! | text, result, summary | its texts, each by itself |
//! | result that is an object or a list | its JSON: the model reads the keys and the escapes, too |
//! | call | name + arguments as they stand |
//! | reasoning | its texts, or what its opaque part holds by `opaque_tokens`, whichever is more: an encrypted part carries the thinking that the visible text only summarizes, while a plain signature is too short to count |
//! | media | `media::count_media`, and what is said about it |
//! | anything else | its JSON |
//! | a tool's schema, the schema of an answer | its JSON without white space, + [`OVERHEAD`] |

use super::Counter;
use super::media::{ImageRule, count_media};
use crate::history::{Item, ItemKind, Role};
use crate::json::Raw;

/// Tokens of a message's frame, of a call's frame, of a result's frame.
pub const OVERHEAD: usize = 4;

/// The tokens of an item without overhead. `raw` is the message it stands in.
pub fn count_item(counter: &dyn Counter, rule: ImageRule, item: &Item, raw: &str) -> usize {
    let texts = || item.texts.iter().map(|text| counter.count(&text.value)).sum::<usize>();
    match &item.kind {
        ItemKind::Result(result) if let Some(structure) = result.structure => {
            counter.count(&raw[structure.range()])
        }
        ItemKind::Text | ItemKind::Result(_) | ItemKind::Summary => texts(),
        ItemKind::Reasoning(reasoning) => texts().max(opaque_tokens(reasoning.opaque)),
        ItemKind::Call(call) => counter.count(&call.name) + texts(),
        ItemKind::Media(media) => count_media(media, raw, rule) + texts(),
        ItemKind::Other(_) => counter.count(&raw[item.span.range()]),
    }
}

/// The overhead of a message with these items.
pub(crate) fn count_overhead(role: Role, items: &[Item]) -> usize {
    let calls = items.iter().filter(|item| item.call().is_some()).count();
    let results = items.iter().filter(|item| item.result().is_some()).count();
    let free = usize::from(role == Role::Tool && results > 0);
    OVERHEAD * (1 + calls + results - free)
}

/// The thinking inside an encrypted part of `bytes` bytes: base64, some 650 bytes of envelope, four bytes a token.
pub(crate) fn opaque_tokens(bytes: usize) -> usize {
    (bytes / 4 * 3).saturating_sub(650) / 4
}

/// The tokens of a request's `tools`: a JSON array of schemas.
pub fn count_tools(counter: &dyn Counter, tools: Raw<'_>) -> usize {
    let one = |schema: Raw<'_>| counter.count(&without_white_space(schema)) + OVERHEAD;
    match tools.kind() {
        crate::json::Kind::Array => tools.elements().map(one).sum(),
        crate::json::Kind::Null => 0,
        _ => one(tools),
    }
}

fn without_white_space(value: Raw<'_>) -> String {
    let text = value.text();
    let mut dense = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for character in text.chars() {
        if in_string {
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else if character.is_ascii_whitespace() {
            continue;
        } else {
            in_string = character == '"';
        }
        dense.push(character);
    }
    dense
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Heuristic;
    use crate::wire::{OpenAiChat, Wire};

    /// It was once counted by the name of its type alone, which let requests grow unseen.
    #[test]
    fn a_part_of_unknown_type_counts_with_all_its_json() {
        let part = r#"{"type":"hologram","data":"0123456789012345678901234567890123456789"}"#;
        let raw = format!(r#"{{"role":"user","content":[{part}]}}"#).into();
        let parsed = OpenAiChat.read_message(&raw).unwrap();
        let counted = count_item(&Heuristic, ImageRule::default(), &parsed.items[0], &raw);
        assert_eq!(counted, part.len().div_ceil(4));
    }
}
