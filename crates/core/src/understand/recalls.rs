//! Calls by which a model opens again what a view has left out.

use crate::history::{History, ItemId};

/// Whether this is the tool of Enfold's own server that opens folds, by the name that an agent gives it: `unfold`,
/// `mcp__enfold__unfold`, `enfold_unfold`, `enfold-unfold`.
pub fn is_unfold(tool: &str) -> bool {
    match tool.strip_suffix("unfold") {
        Some("") => true,
        Some(server) => server.ends_with(['_', '-', '.', '/', ':']) && server.contains("enfold"),
        None => false,
    }
}

/// Whether a result shows what a fold hides: its call names an original, and is one of our tool, or of a shell or a script
/// that runs it; or it names the file of one. A wrong yes costs little: a result is left alone for a while.
pub(crate) fn is_recall(history: &History, item: ItemId) -> bool {
    if history.item(item).result().is_none() {
        return false;
    }
    let Some(call) = history.pair(item).map(|call| history.item(call)) else { return false };
    let name = call.call().map_or("", |call| &call.name);
    let is_asked =
        |text: &str| is_unfold(name) || text.contains("enfold unfold") || text.contains("enfold__unfold");
    let opens = |text: &str| names_file(text) || (names_original(text) && is_asked(text));
    call.texts.iter().any(|text| opens(&text.value))
}

/// Whether a path ends in eighteen digits: the name of a file that holds an original.
fn names_file(text: &str) -> bool {
    let after_slash = text.split('/').skip(1);
    after_slash.map(|name| name.bytes().take_while(u8::is_ascii_digit).count()).any(|digits| digits == 18)
}

/// Whether nine digits in a row stand somewhere: no fewer, and no more but for the name of a file.
fn names_original(text: &str) -> bool {
    let runs = text.split(|letter: char| !letter.is_ascii_digit());
    runs.map(str::len).any(|length| matches!(length, 9 | 18))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{OpenAiChat, Wire};

    #[test]
    fn our_tool_is_known_by_every_name_that_agents_give_it() {
        for name in ["unfold", "mcp__enfold__unfold", "enfold_unfold", "enfold-unfold", "mcp_enfold_unfold"] {
            assert!(is_unfold(name), "{name}");
        }
        for name in [
            "fold",
            "unfold_all",
            "code_unfold",
            "enfoldunfold",
            "mcp__editor__unfold",
            "mcp__enfold__file_at",
        ] {
            assert!(!is_unfold(name), "{name}");
        }
    }

    #[track_caller]
    fn recalls(tool: &str, arguments: &str) -> bool {
        let call = serde_json::json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": tool, "arguments": arguments}}]});
        let result = serde_json::json!({"role": "tool", "tool_call_id": "c", "content": "text"});
        let mut history = History::new();
        for message in [call.to_string(), result.to_string()] {
            let parsed = OpenAiChat.read_message(&message.clone().into()).unwrap();
            history.push(message.into(), parsed);
        }
        let [call, result] = history.item_ids().collect::<Vec<_>>()[..] else { panic!("two items") };
        assert!(!is_recall(&history, call), "a call is no result");
        is_recall(&history, result)
    }

    #[test]
    fn a_call_that_opens_an_original_is_known_however_it_is_made() {
        assert!(recalls("mcp__enfold__unfold", r##"{"handle":"#482913077"}"##));
        assert!(recalls("unfold", r#"{"handle":482913077,"from_line":200}"#));
        assert!(recalls("bash", r#"{"command":"enfold unfold 482913077 | head -50"}"#));
        assert!(recalls("shell", r##"{"command":["bash","-lc","/usr/bin/enfold unfold '#482913077'"]}"##));
        assert!(recalls("read_file", r#"{"path":".enfold/originals/482913077204518833"}"#));
        assert!(recalls("exec", r#"{"code":"await tools.mcp__enfold__unfold({handle: '482913077'})"}"#));
    }

    #[test]
    fn other_calls_are_none() {
        assert!(!recalls("bash", r#"{"command":"enfold unfold --help"}"#));
        assert!(!recalls("bash", r#"{"command":"grep 482913077 log"}"#));
        assert!(!recalls("mcp__enfold__search_history", r#"{"query":"482913077"}"#));
        assert!(!recalls("mcp__enfold__unfold", r#"{"message":12}"#));
    }
}
