//! A message as a summarizer reads it.

use super::defuse;
use crate::count::excerpt;
use crate::history::{History, is_harness_note};
use crate::history::{Item, ItemId, ItemKind, MediaKind, MessageId, Role};
use crate::text::preview;

/// Characters that stay of a message.
const MESSAGE: usize = 2_000;

/// Characters that stay of a user's words where messages are reduced to one line.
const USER_LINE: usize = 300;

/// Characters that stay of other messages there.
const LINE: usize = 120;

/// Characters of a note about what was left out.
const NOTE: usize = 40;

/// A message of which there is something to tell.
pub(super) struct Told<'h> {
    history: &'h History,
    id: MessageId,
    /// Whether the user's own words stand in it.
    pub(super) is_user: bool,
}

impl<'h> Told<'h> {
    /// `None` for what says nothing: unknown ids, answers that were aborted or failed before their first word, and
    /// messages of nothing but reasoning.
    pub(super) fn of(history: &'h History, id: MessageId) -> Option<Told<'h>> {
        let message = history.get_message(id)?;
        let items = history.items_of(id);
        let says = |item: &Item| match &item.kind {
            ItemKind::Text | ItemKind::Summary => item.texts.iter().any(|text| !text.value.trim().is_empty()),
            ItemKind::Call(_) | ItemKind::Result(_) | ItemKind::Media(_) => true,
            ItemKind::Reasoning(_) | ItemKind::Other(_) => false,
        };
        let is_words =
            |item: &Item| item.kind == ItemKind::Text && item.within.is_none() && !is_harness_note(item);
        items.iter().any(says).then(|| Told {
            history,
            id,
            is_user: message.role == Role::User && items.iter().any(is_words),
        })
    }

    /// The message with at most `most` characters of each result and each call's arguments.
    pub(super) fn block(&self, most: usize) -> String {
        format!("{}:\n{}", self.head(), defuse::in_transcript(&ends_of(&self.body(most), MESSAGE)))
    }

    /// The message in one line.
    pub(super) fn line(&self) -> String {
        let most = if self.is_user { USER_LINE } else { LINE };
        // Twice as much of each part, because white space goes.
        let body = self.body(2 * most);
        let line = preview(&body, 2 * most);
        let line: String = match line.char_indices().nth(most) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        };
        format!("{}: {}", self.head(), defuse::in_transcript(&line))
    }

    /// How the message is numbered, from 1 as all numbers for people.
    pub(super) fn number(&self) -> usize {
        self.id.number()
    }

    fn head(&self) -> String {
        let items = self.history.items_of(self.id);
        let is_answer = |item: &Item| item.result().is_some() || item.within.is_some();
        let speaker = match self.history.message(self.id).role {
            // Some formats put results into messages of the user.
            _ if items.iter().all(is_answer) => "TOOL",
            Role::System => "SYSTEM",
            Role::Developer => "DEVELOPER",
            Role::User => "USER",
            Role::Assistant => "ASSISTANT",
            Role::Tool => "TOOL",
            Role::Unknown => "UNKNOWN",
        };
        format!("[{}] {speaker}", self.number())
    }

    fn body(&self, most: usize) -> String {
        let items = self.history.message(self.id).item_ids();
        let parts = items.filter_map(|id| self.part(id, most));
        parts.collect::<Vec<_>>().join("\n")
    }

    fn part(&self, id: ItemId, most: usize) -> Option<String> {
        let item = self.history.item(id);
        match &item.kind {
            ItemKind::Text | ItemKind::Summary => {
                Some(item.text().trim().to_string()).filter(|text| !text.is_empty())
            }
            ItemKind::Call(call) => {
                Some(format!("call {}: {}", call.name, ends_of(item.text().trim(), most)))
            }
            ItemKind::Result(result) => {
                let error = if result.is_error { " (error)" } else { "" };
                let tool = self.history.tool(id).map(|tool| format!(" of {tool}")).unwrap_or_default();
                Some(format!("result{tool}{error}: {}", ends_of(item.text().trim(), most)))
            }
            ItemKind::Media(media) => Some(
                match media.kind {
                    MediaKind::Image => "(image)",
                    MediaKind::Document => "(document)",
                    MediaKind::Audio => "(sound)",
                }
                .to_string(),
            ),
            ItemKind::Reasoning(_) | ItemKind::Other(_) => None,
        }
    }
}

/// At most `most` characters of a text, from its start and its end, with a note between. A text so little longer that
/// the note would be as long stays whole.
pub(super) fn ends_of(text: &str, most: usize) -> String {
    if text.chars().nth(most + NOTE).is_none() {
        return text.to_string();
    }
    match excerpt::ends(text, most / 2) {
        Some((head, tail)) => {
            let hidden = text[head..tail].chars().count();
            format!(
                "{} … [{hidden} characters left out] … {}",
                text[..head].trim_end(),
                text[tail..].trim_start()
            )
        }
        None => text.to_string(),
    }
}
