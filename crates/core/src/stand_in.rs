//! What stands in place of a result: other texts that keep its structure and take fewer tokens.

use crate::item::{ItemId, Spelling, Text};
use crate::json::quote;
use crate::view::View;

/// Other texts for a result, and what they save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandIn {
    /// Which of its texts, and what stands there instead.
    pub texts: Vec<(usize, String)>,
    /// Tokens saved.
    pub saved: usize,
}

/// Writes another text for each text of a result by itself, and takes those that are smaller than what stands in the
/// view. `write` is given the original, so that folding what was folded before comes to the same. `None` if nothing
/// would be saved.
pub fn stand_in(view: &View, result: ItemId, write: impl Fn(&str) -> Option<String>) -> Option<StandIn> {
    let counter = view.tally().counter();
    let originals = &view.history().items()[result].texts;
    let mut found = StandIn { texts: Vec::new(), saved: 0 };
    for (nth, original) in originals.iter().enumerate() {
        let Some(text) = write(&original.value).map(|text| spelled(original, text)) else { continue };
        let before = match originals.len() {
            1 => view.item_tokens(result),
            _ => counter.count(view.text(result, nth)),
        };
        if let Some(after) = before.checked_sub(1).and_then(|most| counter.count_up_to(&text, most)) {
            found.saved += before - after;
            found.texts.push((nth, text));
        }
    }
    (found.saved > 0).then_some(found)
}

/// The first characters of a text, on one line.
pub fn preview(text: &str, chars: usize) -> String {
    let start: String = text.chars().take(chars).collect();
    start.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text as it can stand in place of another. Structured results stay objects: some formats take nothing else.
fn spelled(original: &Text, text: String) -> String {
    match original.spelling {
        Spelling::Quoted => text,
        Spelling::Json => format!("{{\"folded\":{}}}", quote(&text)),
    }
}
