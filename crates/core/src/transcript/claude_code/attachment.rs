//! Context that Claude Code puts into a session itself: files, memories, hooks, prompts typed while it worked.

use crate::json::{Kind, ObjectWriter, Raw};

/// The user messages an attachment became; none if it holds no text.
///
/// Prompts go to the model as they were typed, all else inside `<system-reminder>`, which the log leaves away.
pub(super) fn messages(attachment: Raw) -> Vec<String> {
    let said = |content: &str| ObjectWriter::new().string("role", "user").json("content", content).finish();
    if attachment.str_at("type").as_deref() == Some("queued_command") {
        let prompt = attachment.get("prompt").filter(|prompt| !prompt.is_null());
        return prompt.map(|prompt| said(prompt.text())).into_iter().collect();
    }
    let reminder = |text: String| said(&format!("\"<system-reminder>\\n{text}\\n</system-reminder>\""));
    texts(attachment).into_iter().filter(|text| !text.is_empty()).map(reminder).collect()
}

/// The texts of an attachment, wherever its type keeps them, spelled as in the log: the inside of string literals.
fn texts(attachment: Raw) -> Vec<String> {
    let at = |keys: &[&str]| attachment.at(keys).and_then(inner);
    let all = |key: &str, field: &str| -> Vec<String> {
        let elements = attachment.get(key).into_iter().flat_map(Raw::elements);
        elements
            .filter_map(|element| inner(element.get(field).unwrap_or(element)).map(str::to_string))
            .collect()
    };
    let kind = attachment.str_at("type").unwrap_or_default();
    match &*kind {
        "edited_text_file" => {
            let changed = at(&["filename"]).zip(at(&["snippet"]));
            changed.map(|(file, text)| format!("{file} was modified:\\n{text}")).into_iter().collect()
        }
        "file" => contents(at(&["content", "file", "filePath"]), at(&["content", "file", "content"])),
        "nested_memory" => contents(at(&["content", "path"]), at(&["content", "content"])),
        "invoked_skills" => all("skills", "content"),
        "mcp_instructions_delta" => all("addedBlocks", "text"),
        "hook_blocking_error" => {
            at(&["blockingError", "blockingError"]).map(str::to_string).into_iter().collect()
        }
        _ => match at(&["text"]).or_else(|| at(&["content"])).or_else(|| at(&["banner"])) {
            Some(text) => vec![text.to_string()],
            None => all("content", "text"),
        },
    }
}

fn contents(path: Option<&str>, text: Option<&str>) -> Vec<String> {
    path.zip(text).map(|(path, text)| format!("Contents of {path}:\\n\\n{text}")).into_iter().collect()
}

/// What stands between the quotes of a string.
fn inner(text: Raw<'_>) -> Option<&str> {
    (text.kind() == Kind::String).then(|| &text.text()[1..text.text().len() - 1])
}
