//! What items are, in a few words.

use enfold::history::History;
use enfold::history::{ItemId, ItemKind, MessageId};
use enfold::understand::files::FileTracker;
use enfold::understand::operation::{Lines, Operation};

use crate::inspect::first_words;
use crate::parts::Part;
use crate::report::times;

/// The calls of a history in a few words each.
pub struct Labels<'h> {
    history: &'h History,
    tracker: &'h FileTracker,
}

/// Calls named of a fold that leaves out many.
const NAMED: usize = 3;

/// Letters of a command or a text that are shown.
const WORDS: usize = 60;

impl<'h> Labels<'h> {
    /// The calls as a tracker knows them.
    pub fn of(history: &'h History, tracker: &'h FileTracker) -> Labels<'h> {
        Labels { history, tracker }
    }

    /// `read_file src/main.c`, `call of bash: make test`, `assistant: I will look`.
    pub fn item(&self, id: ItemId) -> String {
        let item = self.history.item(id);
        let tool = self.history.tool(id).unwrap_or("a tool");
        let target = self.target(id).map_or(String::new(), |target| format!(" {target}"));
        match &item.kind {
            ItemKind::Call(_) => format!("call of {tool}{target}"),
            ItemKind::Result(_) => format!("{tool}{target}"),
            ItemKind::Text => format!("{}: {}", Part::of(self.history, id).name(), self.beginning(id)),
            ItemKind::Reasoning(_) | ItemKind::Media(_) | ItemKind::Summary | ItemKind::Other(_) => {
                Part::of(self.history, id).name().to_string()
            }
        }
    }

    /// Many items: how many messages, and the calls among them.
    pub fn items(&self, ids: &[ItemId]) -> String {
        if let [id] = ids {
            return self.item(*id);
        }
        let mut messages: Vec<MessageId> = ids.iter().map(|id| self.history.item(*id).message).collect();
        messages.dedup();
        let calls: Vec<ItemId> =
            ids.iter().copied().filter(|id| self.history.item(*id).call().is_some()).collect();
        let mut named: Vec<String> = calls.iter().take(NAMED).map(|id| self.call(*id)).collect();
        if named.is_empty() {
            named.extend(ids.first().map(|id| self.item(*id)));
        }
        if calls.len() > NAMED {
            named.push(format!("{} more", calls.len() - NAMED));
        }
        format!("{}: {}", times(messages.len() as u64, "message"), named.join(", "))
    }

    fn call(&self, id: ItemId) -> String {
        let tool = self.history.tool(id).unwrap_or("a tool");
        self.target(id).map_or(tool.to_string(), |target| format!("{tool} {target}"))
    }

    /// What a call or the call behind a result was about.
    fn target(&self, id: ItemId) -> Option<String> {
        let result = match self.history.item(id).kind {
            ItemKind::Call(_) => self.history.pair(id)?,
            _ => id,
        };
        self.tracker.call(result)?.operations.iter().find_map(target)
    }

    /// Its first words.
    pub fn beginning(&self, id: ItemId) -> String {
        let text = self.history.item(id).texts.first();
        text.map_or(String::new(), |text| shortened(&first_words(&text.value)))
    }
}

/// The command, or the file with its lines.
fn target(operation: &Operation) -> Option<String> {
    if let Some(command) = &operation.command {
        return Some(shortened(&first_words(command)));
    }
    let path = operation.path.as_ref()?;
    Some(match operation.lines {
        Some(Lines::Span { first, last: Some(last) }) => format!("{path}:{first}-{last}"),
        Some(Lines::Span { first, last: None }) if first > 1 => format!("{path}:{first}-"),
        _ => path.clone(),
    })
}

fn shortened(words: &str) -> String {
    let mut short: String = words.chars().take(WORDS).collect();
    if short.len() < words.len() {
        short.push('…');
    }
    short
}
