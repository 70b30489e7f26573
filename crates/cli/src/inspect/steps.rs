//! By step and by message: how the session grew.

use std::collections::BTreeMap;

use enfold::file::document::Document;
use enfold::history::MessageId;
use serde::Serialize;

use crate::counting::Counted;
use crate::parts::Part;

#[derive(Debug, Default, Serialize)]
pub struct Step {
    pub step: u32,
    pub turn: u32,
    pub message: usize,
    pub tokens: usize,
    pub tools: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct MessageRow {
    pub message: usize,
    pub role: &'static str,
    pub turn: u32,
    pub step: Option<u32>,
    /// With overhead.
    pub tokens: usize,
    /// Without; `overhead` is what is missing to `tokens`.
    pub parts: BTreeMap<&'static str, usize>,
}

/// Every step in order. The overhead of messages is not part of steps.
pub fn steps(document: &Document, counted: &Counted) -> Vec<Step> {
    let mut steps: BTreeMap<u32, Step> = BTreeMap::new();
    for (id, item) in document.history.item_ids().zip(document.history.items()) {
        let Some(number) = item.step else { continue };
        let step = steps.entry(number).or_insert_with(|| Step {
            step: number,
            turn: item.turn,
            message: item.message.number(),
            ..Step::default()
        });
        step.tokens += counted.tally.item(id);
        step.tools.extend(item.call().map(|call| call.name.to_string()));
    }
    steps.into_values().collect()
}

/// Every message in order.
pub fn messages(document: &Document, counted: &Counted) -> Vec<MessageRow> {
    let history = &document.history;
    let row = |(nth, message): (MessageId, &enfold::history::Message)| {
        let mut parts = BTreeMap::new();
        for id in message.item_ids() {
            *parts.entry(Part::of(history, id).name()).or_default() += counted.tally.item(id);
        }
        let items = history.items_of(nth);
        MessageRow {
            message: nth.number(),
            role: message.role.name(),
            turn: items.first().map_or(0, |item| item.turn),
            step: items.iter().find_map(|item| item.step),
            tokens: counted.tally.message(nth),
            parts,
        }
    };
    history.message_ids().zip(history.messages()).map(row).collect()
}
