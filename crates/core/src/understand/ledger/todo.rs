//! The agent's own list of things to do, as its last call left it.

use serde::Serialize;

use crate::history::History;
use crate::json::{Kind, Raw};
use crate::understand::calls::CallRecord;
use crate::understand::operation::Verb;

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TodoEntry {
    /// What.
    pub text: String,
    /// How far it is.
    pub state: TodoState,
}

/// How far a thing to do is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TodoState {
    /// Not begun.
    Open,
    /// Under way.
    Active,
    /// Done.
    Done,
}

/// Keys under which agents keep the list, its texts and its states.
const LISTS: [&str; 5] = ["todos", "plan", "items", "tasks", "todo_list"];
const TEXTS: [&str; 6] = ["content", "step", "text", "title", "task", "description"];
const STATES: [&str; 4] = ["status", "state", "done", "completed"];

/// The list that a call wrote, if it wrote one.
pub(super) fn of(history: &History, record: &CallRecord) -> Option<Vec<TodoEntry>> {
    let call = record.call.filter(|_| record.verbs().any(|verb| verb == Verb::Todo))?;
    Some(read(&history.item(call).text())).filter(|list| !list.is_empty())
}

fn read(arguments: &str) -> Vec<TodoEntry> {
    let Ok(root) = Raw::parse(arguments) else { return read_checklist(arguments) };
    for value in LISTS.iter().filter_map(|key| root.get(key)) {
        let list = match value.kind() {
            Kind::Array => value.elements().filter_map(read_entry).collect(),
            // Some agents send the list as JSON inside a string.
            Kind::String => value.str().map(|text| read_text(&text)).unwrap_or_default(),
            _ => Vec::new(),
        };
        if !list.is_empty() {
            return list;
        }
    }
    let texts = root.members().filter_map(|(_, value)| value.str());
    texts.map(|text| read_checklist(&text)).find(|list| !list.is_empty()).unwrap_or_default()
}

fn read_text(text: &str) -> Vec<TodoEntry> {
    match Raw::parse(text) {
        Ok(list) => list.elements().filter_map(read_entry).collect(),
        Err(_) => read_checklist(text),
    }
}

fn read_entry(entry: Raw) -> Option<TodoEntry> {
    if let Some(text) = entry.str() {
        return Some(TodoEntry { text: text.to_string(), state: TodoState::Open });
    }
    let text = TEXTS.iter().find_map(|key| entry.str_at(key))?;
    let state = STATES.iter().find_map(|key| entry.get(key));
    let state = match state {
        Some(state) => read_state(&state.str().unwrap_or_else(|| state.text().into())),
        None => TodoState::Open,
    };
    Some(TodoEntry { text: text.trim().to_string(), state })
}

fn read_state(word: &str) -> TodoState {
    match word.to_ascii_lowercase().as_str() {
        "completed" | "complete" | "done" | "true" | "finished" => TodoState::Done,
        "in_progress" | "in progress" | "active" | "doing" | "started" => TodoState::Active,
        _ => TodoState::Open,
    }
}

/// `- [x] done`, `[-] under way`, `* [ ] open`.
fn read_checklist(text: &str) -> Vec<TodoEntry> {
    let entry = |line: &str| {
        let line = line.trim_start().trim_start_matches(['-', '*', ' ']);
        let mark = line.strip_prefix('[')?;
        let (mark, text) = mark.split_once(']')?;
        let state = match mark.trim() {
            "x" | "X" | "✓" => TodoState::Done,
            "-" | "~" | ">" => TodoState::Active,
            "" => TodoState::Open,
            _ => return None,
        };
        Some(TodoEntry { text: text.trim().to_string(), state })
    };
    text.lines().filter_map(entry).collect()
}
