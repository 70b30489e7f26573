//! What a session's tokens are spent on: a division that leaves nothing out and counts nothing twice.

use enfold::file::document::Document;
pub use enfold_page::Part;

use crate::counting::Counted;

/// How much a part takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// How many items of it there are (messages for the overhead, definitions for tools).
    pub items: usize,
    /// Their tokens.
    pub tokens: usize,
}

/// The weight of each part, in the order of [`Part::ALL`]; parts that do not occur are left out.
pub fn weigh(document: &Document, counted: &Counted) -> Vec<(Part, Weight)> {
    let mut weights = [Weight::default(); Part::ALL.len()];
    let mut add = |part: Part, items: usize, tokens: usize| {
        weights[part as usize].items += items;
        weights[part as usize].tokens += tokens;
    };
    let history = &document.history;
    let mut inside = 0;
    for id in history.item_ids() {
        let tokens = counted.tally.item(id);
        inside += tokens;
        add(Part::of(history, id), 1, tokens);
    }
    add(Part::Overhead, history.messages().len(), counted.tally.total() - inside);
    add(Part::Tools, tool_definitions(document), counted.tools);
    let present = |(_, weight): &(Part, Weight)| *weight != Weight::default();
    Part::ALL.into_iter().zip(weights).filter(present).collect()
}

/// How many tool definitions a document carries.
fn tool_definitions(document: &Document) -> usize {
    let tools = document.tools.as_ref().and_then(|tools| enfold::json::Raw::parse(tools).ok());
    tools.map_or(0, |tools| document.wire.read_tools(tools).len())
}
