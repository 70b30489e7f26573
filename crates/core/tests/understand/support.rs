//! Real sessions for the tests, and the smallest reader that makes histories of them.

use std::path::PathBuf;

use bytestring::ByteString;
use enfold::history::{History, Parsed};
use enfold::item::{Call, CallResult, Item, ItemKind, Role, Slot, Spelling, Text};
use enfold::json::Raw;
use enfold::understand::operation::{Lines, Operation, Verb};

/// The names and histories of all sessions under `ENFOLD_SESSIONS/dev`; `None`, loudly, where it is not set.
pub(crate) fn sessions() -> Option<Vec<(String, History)>> {
    let Some(root) = std::env::var_os("ENFOLD_SESSIONS") else {
        eprintln!("SKIPPED: set ENFOLD_SESSIONS to the directory of real sessions");
        return None;
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(PathBuf::from(root).join("dev"))
        .expect("ENFOLD_SESSIONS has a directory dev")
        .map(|entry| entry.expect("the directory can be listed").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .collect();
    files.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a session can be read");
        (path.file_stem().unwrap().to_string_lossy().into_owned(), chat(&text))
    };
    Some(files.into_iter().map(read).collect())
}

/// OpenAI chat messages, one per line.
pub(crate) fn chat(text: &str) -> History {
    let mut history = History::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let raw = Raw::parse(line).expect("a line is JSON");
        let role = match raw.str_at("role").as_deref() {
            Some("system") => Role::System,
            Some("developer") => Role::Developer,
            Some("assistant") => Role::Assistant,
            Some("tool") => Role::Tool,
            _ => Role::User,
        };
        let mut items = Vec::new();
        let content = raw.get("content").filter(|content| !content.is_null());
        let texts: Vec<String> = match content {
            Some(content) => match content.str() {
                Some(text) => vec![text.into_owned()],
                None => content
                    .elements()
                    .filter_map(|part| part.str_at("text"))
                    .map(|text| text.into_owned())
                    .collect(),
            },
            None => Vec::new(),
        };
        if role == Role::Tool {
            let call = raw.str_at("tool_call_id").unwrap_or_default().as_ref().into();
            let kind = ItemKind::Result(CallResult { call, name: None, is_error: false });
            items.push(item(kind, texts));
        } else if texts.iter().any(|text| !text.is_empty()) {
            items.push(item(ItemKind::Text, texts));
        }
        for call in raw.get("tool_calls").into_iter().flat_map(|calls| calls.elements()) {
            let string =
                |keys: &[&str]| call.at(keys).and_then(|value| value.str()).unwrap_or_default().into_owned();
            let kind = ItemKind::Call(Call {
                id: string(&["id"]).into(),
                name: string(&["function", "name"]).into(),
                freeform: false,
            });
            items.push(item(kind, vec![string(&["function", "arguments"])]));
        }
        history.push(ByteString::from(line), Parsed { role, slot: Slot::List, items, extras: Vec::new() });
    }
    history
}

fn item(kind: ItemKind, texts: Vec<String>) -> Item {
    let texts =
        texts.into_iter().map(|text| Text { value: text.into(), span: 0..0, spelling: Spelling::Quoted });
    Item { kind, message: 0, turn: 0, step: None, span: 0..0, texts: texts.collect(), within: None }
}

/// An operation in a few words: `read a.rs:10-40`, `move a -> b`.
pub(crate) fn describe(operation: &Operation) -> String {
    let mut text = format!("{} {}", operation.verb.name(), operation.path.as_deref().unwrap_or("?"));
    if let Some(to) = &operation.to {
        text += &format!(" -> {to}");
    }
    match operation.lines.filter(|_| matches!(operation.verb, Verb::Read | Verb::Edit)) {
        Some(Lines::Span { first, last: Some(last) }) => text += &format!(":{first}-{last}"),
        Some(Lines::Span { first, last: None }) => text += &format!(":{first}-"),
        Some(Lines::Last(n)) => text += &format!(":last{n}"),
        None => {}
    }
    text
}
