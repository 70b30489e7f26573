//! Real sessions for the tests.

use std::path::PathBuf;

use enfold::file;
use enfold::history::History;
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
        (path.file_stem().unwrap().to_string_lossy().into_owned(), history(text))
    };
    Some(files.into_iter().map(read).collect())
}

/// The history in a text of any format.
pub(crate) fn history(text: String) -> History {
    file::read_bytes(text.into_bytes()).expect("a session has a format").history
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
