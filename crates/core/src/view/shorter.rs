//! What stands in place of a result: other texts that keep its structure and take fewer tokens.

use crate::history::{ItemId, Spelling, Text};
use crate::json::{Kind, Raw, quote};
use crate::view::View;

/// Other texts for a result, and what they save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shorter {
    /// Which of its texts, and what stands there instead.
    pub texts: Vec<(usize, String)>,
    /// Tokens saved.
    pub saved: usize,
}

/// Writes another text for each text of a result by itself, and takes those that are smaller than what stands in the
/// view. `write` is given the original, so that folding what was folded before comes to the same; a marker
/// of an earlier view stays as it is. `None` if nothing would be saved.
pub(crate) fn shorter(
    view: &View,
    result: ItemId,
    write: impl Fn(&Text) -> Option<String>,
) -> Option<Shorter> {
    let counter = view.tally().counter();
    let originals = &view.history().item(result).texts;
    let mut found = Shorter { texts: Vec::new(), saved: 0 };
    for (nth, original) in originals.iter().enumerate() {
        if is_marker(&original.value) {
            continue;
        }
        let Some(text) = write(original).map(|text| spelled(original, text)) else { continue };
        let before = match originals.len() {
            1 if view.history().structure_of(view.history().item(result)).is_none() => {
                view.item_tokens(result)
            }
            _ => counter.count(view.text(result, nth)),
        };
        if let Some(after) = before.checked_sub(1).and_then(|most| counter.count_up_to(&text, most)) {
            found.saved += before - after;
            found.texts.push((nth, text));
        }
    }
    (found.saved > 0).then_some(found)
}

/// Whether a text was written by an earlier view, or ends with a note of one: a line in brackets that ends with a handle
/// or the name of a file. A shorter text in its place would only hide what it opens.
fn is_marker(text: &str) -> bool {
    let text = text.trim_end();
    let inside = |open: &str, close: &str| text.strip_prefix(open)?.strip_suffix(close);
    let text = inside("{\"folded\":\"", "\"}").or_else(|| inside("[\"", "\"]")).unwrap_or(text);
    let line = text.rsplit('\n').next().unwrap_or(text);
    let Some(inside) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) else { return false };
    let digits = inside.bytes().rev().take_while(u8::is_ascii_digit).count();
    let before = &inside[..inside.len() - digits];
    (digits == 9 && before.ends_with(" #")) || (digits == 18 && before.ends_with('/'))
}

/// A text as it can stand in place of another. What a tool returned as an object or a list stays one: some formats take nothing
/// else.
pub(crate) fn spelled(original: &Text, text: String) -> String {
    if original.spelling == Spelling::Quoted {
        return text;
    }
    let kind = Raw::trusted(&original.value).kind();
    match (kind, Raw::parse(&text)) {
        (_, Ok(json)) if json.kind() == kind => text,
        (Kind::Array, _) => format!("[{}]", quote(&text)),
        _ => format!("{{\"folded\":{}}}", quote(&text)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::count::{Heuristic, Tally};
    use crate::history::{History, MessageId};
    use crate::view::fold::{Change, Fold, FoldKind};
    use crate::wire::{Gemini, Wire};

    /// The message, with the result's texts replaced by `text`.
    #[track_caller]
    fn replaced(response: &str, text: &str) -> String {
        let raw = format!(
            r#"{{"role":"user","parts":[{{"functionResponse":{{"name":"look","response":{response}}}}}]}}"#
        );
        let mut history = History::new();
        let parsed = Gemini.read_message(&raw.clone().into()).unwrap();
        history.push(raw.into(), parsed);
        let tally = Tally::of(&history, Arc::new(Heuristic), Default::default());
        let mut view = View::new(&history, &tally);
        if let Some(found) = shorter(&view, ItemId::FIRST, |_| Some(text.to_string())) {
            let change = Change::Texts { item: ItemId::FIRST, texts: found.texts };
            let before = view.tokens();
            view.apply(&Fold { kind: FoldKind::Clear, change, why: String::new() }).unwrap();
            assert_eq!(before - view.tokens(), found.saved, "what is saved is what was said");
        }
        let message = view.message(MessageId::FIRST).unwrap();
        let start = message.find("\"response\":").unwrap() + "\"response\":".len();
        message[start..message.len() - 4].to_string()
    }

    #[test]
    fn a_text_is_replaced_in_its_place() {
        let long = "said ".repeat(20);
        assert_eq!(replaced(&format!(r#"{{"output":"{long}"}}"#), "[gone]"), r#"{"output":"[gone]"}"#);
    }

    #[test]
    fn a_structured_result_stays_an_object() {
        let long = "1, ".repeat(50);
        assert_eq!(
            replaced(&format!(r#"{{"found":[{long}0],"more":true}}"#), "[\"gone\"]"),
            r#"{"folded":"[\"gone\"]"}"#
        );
    }

    #[test]
    fn each_text_is_replaced_only_where_that_is_smaller() {
        let long = "said ".repeat(20);
        assert_eq!(
            replaced(&format!(r#"{{"output":["{long}","ok","{long}"]}}"#), "[gone]"),
            r#"{"output":["[gone]","ok","[gone]"]}"#
        );
        assert_eq!(replaced(r#"{"output":"ok"}"#, "[gone]"), r#"{"output":"ok"}"#);
    }

    /// A second run once made `[Grep result trimmed, 31 tokens: "[Grep result trimmed, 54 tokens: …` of it.
    #[test]
    fn a_stand_in_is_not_replaced_again() {
        for line in [
            r#"[Grep result trimmed, 54 tokens: \"many words\" #714894023]"#,
            "[gone, full text: a/b/714894023123456789]",
            r"many words\n[5 steps left out #714894023]",
        ] {
            let response = format!(r#"{{"output":"{line}"}}"#);
            assert_eq!(replaced(&response, "[x]"), response);
        }
        assert_eq!(
            replaced(r#"{"output":"[issue is in file number #714894023x and others]"}"#, "[x]"),
            r#"{"output":"[x]"}"#
        );
    }
}
