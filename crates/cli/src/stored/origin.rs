//! What a session's file says beside its messages, kept as the event of its import: a session read from the store then
//! counts, folds and tells as its file does.

use std::collections::BTreeSet;
use std::time::Duration;

use enfold::file::document::Document;
use enfold::history::{ItemKind, MessageId};
use enfold_store::Event;
use serde::{Deserialize, Serialize};

use crate::input::Input;

/// The kind of the event.
pub const IMPORTED: &str = "imported";

/// Where a session comes from.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Origin {
    /// The name of its file.
    pub file: String,
    /// The format it was in.
    pub format: String,
    /// How many messages it had.
    pub messages: usize,
    /// Messages that are summaries: only the log of an agent says so.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub summaries: BTreeSet<MessageId>,
    /// The tool definitions, byte for byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<String>,
}

impl Origin {
    /// What a document says.
    pub fn of(document: &Document, file: &Input) -> Origin {
        let history = &document.history;
        let is_summary = |message: &MessageId| {
            let items = history.items_of(*message);
            let has = |kind: &ItemKind| items.iter().any(|item| item.kind == *kind);
            has(&ItemKind::Summary) && !has(&ItemKind::Text)
        };
        let file = match file {
            Input::Path(path) => {
                path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
            }
            Input::Stdin | Input::Stored(_) => file.to_string(),
        };
        Origin {
            file,
            format: document.format.into(),
            messages: history.messages().len(),
            summaries: history.message_ids().filter(is_summary).collect(),
            tools: document.tools.as_ref().map(ToString::to_string),
        }
    }

    /// The newest that a session's events tell.
    pub fn newest(events: &[Event]) -> Option<Origin> {
        events.iter().rev().find_map(Origin::from_event)
    }

    /// What an event tells, if it is that of an import.
    pub fn from_event(event: &Event) -> Option<Origin> {
        if event.kind == IMPORTED { serde_json::from_str(&event.json).ok() } else { None }
    }

    /// It as an event.
    pub fn event(&self, at: Duration) -> Event {
        let json = serde_json::to_string(self).expect("numbers and strings always become JSON");
        Event { at, kind: IMPORTED.into(), json }
    }
}
