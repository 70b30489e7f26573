//! What the commands know of a session, for programs that have read it themselves.

use std::sync::Arc;

use enfold::count::Counter;
use enfold::count::budget::Rules;
use enfold::count::models::Resolved;
use enfold::file::document::Document;
use enfold::understand::file_state::FileState;
use enfold::understand::files::FileTracker;
use enfold_store::Sqlite;
use serde_json::{Value, json};

use crate::commands::{changelog, file_at, models, sessions};
use crate::counting::Counting;
use crate::failure::Failure;
use crate::inspect::inspect;
use crate::parts;
use crate::stored;

/// How a session is counted: for this model, else for the one that the session names; with this counter instead of theirs, if one
/// is given.
#[derive(Clone, Default)]
pub struct Count<'a> {
    /// The model.
    pub model: Option<&'a str>,
    /// The counter.
    pub counter: Option<Arc<dyn Counter>>,
}

impl Count<'_> {
    fn counting(&self) -> Counting {
        Counting::of_model(self.model, self.counter.clone())
    }
}

/// Where a session's tokens are: what `enfold inspect --json` prints, without the name of a file.
pub fn inspection(document: &Document, count: &Count) -> Value {
    let counted = count.counting().count(document);
    let mut seen = serde_json::to_value(inspect(String::new(), document, &counted)).unwrap_or_default();
    if let Value::Object(fields) = &mut seen {
        fields.remove("file");
    }
    seen
}

/// How many tokens a session takes, of what, counted how: what `enfold count --json` prints of a file.
pub fn counted(document: &Document, count: &Count) -> Value {
    let counted = count.counting().count(document);
    let parts: Vec<Value> = parts::weigh(document, &counted)
        .iter()
        .map(|(part, weight)| json!({ "part": part.name(), "items": weight.items, "tokens": weight.tokens }))
        .collect();
    json!({
        "format": document.format,
        "model": counted.model_id(),
        "counter": { "name": counted.tally.counter().name(), "exact": counted.tally.counter().is_exact() },
        "tokens": counted.total(),
        "parts": parts,
    })
}

/// What a session changed, file by file: what `enfold changelog --json` prints, and as `text` what it prints without.
pub fn changes(tracker: &FileTracker) -> Value {
    changelog::told(tracker)
}

/// What a file held after a step: what `enfold file-at --json` prints.
pub fn file_state(path: &str, step: u32, state: &FileState) -> Value {
    file_at::as_json(path, step, state)
}

/// A model and the budget that follows: what `enfold models MODEL --json` prints.
pub fn model_told(resolved: &Resolved, rules: Rules) -> Value {
    models::told(resolved, rules)
}

/// A stored session in figures: what `enfold sessions show ID --json` prints. Otherwise what is wrong, for people.
pub fn stored_session(store: &Sqlite, id: &str, count: &Count) -> Result<Value, String> {
    let shown = || sessions::show::told(store, stored::find(store, id)?, &count.counting());
    shown().map_err(said)
}

/// What became of each message of a stored session: what `enfold sessions messages ID --json` prints.
pub fn stored_messages(
    store: &Sqlite,
    id: &str,
    count: &Count,
    since_compaction: bool,
) -> Result<Value, String> {
    let told = || {
        let session = stored::find(store, id)?;
        sessions::messages::told(store, &session, &count.counting(), since_compaction)
    };
    told().map_err(said)
}

fn said(failure: Failure) -> String {
    failure.message().unwrap_or_default()
}
