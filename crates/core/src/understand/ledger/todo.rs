//! The agent's own list of things to do, as its calls left it.

use serde::Serialize;

use crate::history::History;
use crate::json::{Kind, Raw};
use crate::understand::calls::CallRecord;
use crate::understand::operation::Verb;

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
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

/// The agent's plan: a list that calls write whole, or things that they add and change one by one.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    entries: Vec<TodoEntry>,
    /// The number of each entry, for those that were added one by one.
    numbers: Vec<Option<String>>,
}

impl Plan {
    pub(super) fn entries(&self) -> &[TodoEntry] {
        &self.entries
    }

    /// Takes in a call that may change the plan.
    pub(super) fn add(&mut self, history: &History, record: &CallRecord) {
        let is_one = record.verbs().any(|verb| verb == Verb::Todo) && record.ending.succeeded();
        let Some(call) = record.call.filter(|_| is_one) else { return };
        let arguments = history.item(call).text();
        match &*record.tool {
            "TaskCreate" => self.create(&arguments, &history.item(record.result).text()),
            "TaskUpdate" => self.change(&arguments),
            _ => self.replace(read(&arguments)),
        }
    }

    fn replace(&mut self, list: Vec<TodoEntry>) {
        if !list.is_empty() {
            self.numbers = vec![None; list.len()];
            self.entries = list;
        }
    }

    /// `{"subject": …}`, answered by `Task #3 created successfully`.
    fn create(&mut self, arguments: &str, result: &str) {
        let Ok(arguments) = Raw::parse(arguments) else { return };
        let Some(text) = arguments.str_at("subject") else { return };
        self.entries.push(TodoEntry { text: text.trim().to_string(), state: TodoState::Open });
        let number = result
            .split_once('#')
            .map(|(_, rest)| rest.chars().take_while(char::is_ascii_alphanumeric).collect::<String>());
        self.numbers.push(number);
    }

    /// `{"taskId": "3", "status": "completed"}`; `deleted` takes it off the list.
    fn change(&mut self, arguments: &str) {
        let Ok(arguments) = Raw::parse(arguments) else { return };
        let Some(number) = arguments.get("taskId") else { return };
        let number = number.str().unwrap_or_else(|| number.text().into());
        let Some(nth) = self.numbers.iter().position(|known| known.as_deref() == Some(&*number)) else {
            return;
        };
        if let Some(text) = arguments.str_at("subject") {
            self.entries[nth].text = text.trim().to_string();
        }
        match arguments.str_at("status").as_deref() {
            Some("deleted") => {
                self.entries.remove(nth);
                self.numbers.remove(nth);
            }
            Some(status) => self.entries[nth].state = read_state(status),
            None => {}
        }
    }
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
