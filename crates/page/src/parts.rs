//! What an item is to a reader: the part of a session that it belongs to, and its words.

use enfold::history::{History, Item, ItemId, ItemKind, MediaKind, MessageId, Role, is_summary};

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

/// A message as text, item by item.
pub fn said(history: &History, message: MessageId) -> String {
    let items = history.items_of(message).iter();
    items.map(|item| said_by(item, item.texts.iter().map(|text| &*text.value))).collect::<Vec<_>>().join("\n")
}

/// An item as text, with these texts in place of its own: calls by name and arguments, media by their kind.
pub fn said_by<'t>(item: &Item, texts: impl Iterator<Item = &'t str>) -> String {
    let texts: Vec<&str> = texts.collect();
    match &item.kind {
        ItemKind::Call(call) => format!("{} {}", call.name, texts.join(" ")),
        ItemKind::Media(media) => {
            let kind = match media.kind {
                MediaKind::Image => "image",
                MediaKind::Document => "document",
                MediaKind::Audio => "audio",
            };
            format!("[{kind}]")
        }
        // What providers keep to themselves.
        ItemKind::Reasoning(_) if texts.iter().all(|text| text.is_empty()) => "[reasoning]".into(),
        ItemKind::Other(kind) if texts.is_empty() => format!("[{kind}]"),
        ItemKind::Text
        | ItemKind::Reasoning(_)
        | ItemKind::Result(_)
        | ItemKind::Summary
        | ItemKind::Other(_) => texts.join("\n"),
    }
}
