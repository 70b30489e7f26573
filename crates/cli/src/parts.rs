//! What a session's tokens are spent on: a division that leaves nothing out and counts nothing twice.

use enfold::file::document::Document;
use enfold::history::{History, is_summary};
use enfold::history::{ItemId, ItemKind, Role};

use crate::counting::Counted;

/// A part of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Text of system and developer messages.
    System,
    /// Text of user messages.
    User,
    /// Text the model wrote.
    Assistant,
    /// What it thought.
    Reasoning,
    /// Its calls: names and arguments.
    Calls,
    /// What tools answered.
    Results,
    /// Pictures, documents, sounds.
    Media,
    /// Summaries of older messages.
    Summaries,
    /// Parts of no known kind.
    Other,
    /// Roles and marks around messages, calls and results.
    Overhead,
    /// The tool definitions.
    Tools,
}

/// How much a part takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// How many items of it there are (messages for the overhead, definitions for tools).
    pub items: usize,
    /// Their tokens.
    pub tokens: usize,
}

impl Part {
    /// What one item of a part is called, by the part's name.
    pub fn one(name: &str) -> &str {
        match name {
            "calls" => "call",
            "results" => "result",
            "summaries" => "summary",
            name => name,
        }
    }

    /// Every part, in the order of tables and pictures.
    pub const ALL: [Part; 11] = [
        Part::System,
        Part::User,
        Part::Assistant,
        Part::Reasoning,
        Part::Calls,
        Part::Results,
        Part::Media,
        Part::Summaries,
        Part::Other,
        Part::Overhead,
        Part::Tools,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Part::System => "system",
            Part::User => "user",
            Part::Assistant => "assistant",
            Part::Reasoning => "reasoning",
            Part::Calls => "calls",
            Part::Results => "results",
            Part::Media => "media",
            Part::Summaries => "summaries",
            Part::Other => "other",
            Part::Overhead => "overhead",
            Part::Tools => "tool definitions",
        }
    }

    /// The part that an item belongs to.
    pub fn of(history: &History, item: ItemId) -> Part {
        let item = history.item(item);
        match (&item.kind, history.message(item.message).role) {
            // A session may begin with the view of an earlier one.
            (ItemKind::Text, _) if is_summary(item) => Part::Summaries,
            (ItemKind::Text, Role::System | Role::Developer) => Part::System,
            (ItemKind::Text, Role::User) => Part::User,
            (ItemKind::Text, Role::Assistant) => Part::Assistant,
            (ItemKind::Text, Role::Tool) | (ItemKind::Result(_), _) => Part::Results,
            (ItemKind::Reasoning(_), _) => Part::Reasoning,
            (ItemKind::Call(_), _) => Part::Calls,
            (ItemKind::Media(_), _) => Part::Media,
            (ItemKind::Summary, _) => Part::Summaries,
            (ItemKind::Text, Role::Unknown) | (ItemKind::Other(_), _) => Part::Other,
        }
    }
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
