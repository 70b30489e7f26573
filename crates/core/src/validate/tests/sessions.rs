//! Real sessions: what providers took must pass.

use std::path::PathBuf;

use super::*;
use crate::json::Kind;

/// The files under a directory of the real sessions; `None`, said loudly, if there are no sessions.
pub(super) fn files(under: &str) -> Option<Vec<PathBuf>> {
    let Some(root) = std::env::var_os("ENFOLD_SESSIONS") else {
        eprintln!("SKIPPED: set ENFOLD_SESSIONS to validate real sessions ({under})");
        return None;
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(PathBuf::from(root).join(under))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json" || end == "jsonl"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no sessions in {under}");
    Some(files)
}

fn accepts_all(under: &str, wire: &str) {
    for path in files(under).into_iter().flatten() {
        let text = std::fs::read_to_string(&path).unwrap();
        let found = if path.extension().is_some_and(|end| end == "jsonl") {
            let messages = text.lines().map(|line| Raw::parse(line).unwrap()).collect();
            validate(wire, &Request { messages, ..Request::default() })
        } else {
            let root = Raw::parse(&text).unwrap();
            let mut request = Request::of(wire, root);
            if request.messages.is_empty() {
                // A benchmark's record keeps the messages under a name of its own.
                let has_roles = |list: &Raw| {
                    list.kind() == Kind::Array
                        && list.elements().next().is_some_and(|one| one.get("role").is_some())
                };
                let list = root.members().map(|(_, value)| value).find(has_roles).unwrap();
                request.messages = list.elements().collect();
            }
            validate(wire, &request)
        };
        assert_eq!(errors(&found), [""; 0], "{}", path.display());
    }
}

#[test]
fn real_chat_sessions_have_no_error() {
    accepts_all("dev", "openai-chat");
    accepts_all("native/openai-chat", "openai-chat");
    accepts_all("native/openai-chat-log", "openai-chat");
}

#[test]
fn real_anthropic_sessions_have_no_error() {
    accepts_all("native/anthropic-messages-derived", "anthropic");
}

#[test]
fn the_items_codex_really_sent_have_no_error() {
    for path in files("native/codex").into_iter().flatten() {
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = text.lines().map(|line| Raw::parse(line).unwrap());
        let items = lines.filter(|line| line.str_at("type").as_deref() == Some("response_item"));
        let messages: Vec<Raw> = items.map(|line| line.get("payload").unwrap()).collect();
        assert!(!messages.is_empty(), "{}", path.display());
        let found = validate("openai-responses", &Request { messages, ..Request::default() });
        assert_eq!(errors(&found), [""; 0], "{}", path.display());
    }
}
