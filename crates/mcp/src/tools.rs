//! The tools as agents see them: names, what they are for, what they take.

use serde::Deserialize;
use serde_json::{Value, json};

/// The tool that opens a fold.
pub const UNFOLD: &str = "unfold";
pub(crate) const SEARCH: &str = "search_history";
pub(crate) const LEDGER: &str = "session_ledger";
pub(crate) const FILE_AT: &str = "file_at";

/// All of them, in the order in which they are listed.
pub(crate) const NAMES: [&str; 4] = [UNFOLD, SEARCH, LEDGER, FILE_AT];

/// What the server says about itself. Some clients show it to the model at once and the tools only when asked for.
pub(crate) const ABOUT: &str = "Parts of a long conversation may be left out of what the model is sent; a number such as \
    #123456789 stands in their place. These tools open them again (unfold), find words in everything that was said, called \
    and returned (search_history), sum up what was done (session_ledger), and show what a file held earlier (file_at).";

/// Arguments of `unfold`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Unfold {
    pub(crate) handle: Option<Word>,
    pub(crate) message: Option<usize>,
    #[serde(flatten)]
    pub(crate) part: Part,
    pub(crate) session: Option<String>,
}

/// Arguments of `search_history`.
#[derive(Debug, Deserialize)]
pub(crate) struct Search {
    pub(crate) query: String,
    pub(crate) limit: Option<usize>,
    pub(crate) handle: Option<Word>,
    pub(crate) session: Option<String>,
}

/// Arguments of `session_ledger`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Ledger {
    pub(crate) handle: Option<Word>,
    pub(crate) session: Option<String>,
}

/// Arguments of `file_at`.
#[derive(Debug, Deserialize)]
pub(crate) struct FileAt {
    pub(crate) path: String,
    pub(crate) step: Option<u32>,
    #[serde(flatten)]
    pub(crate) part: Part,
    pub(crate) handle: Option<Word>,
    pub(crate) session: Option<String>,
}

/// The part of a text that is wanted.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Part {
    pub(crate) from_line: Option<usize>,
    pub(crate) to_line: Option<usize>,
    pub(crate) from_character: Option<usize>,
}

/// A handle as models write it: `"#123456789"`, `"123456789"`, or the bare number.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Word {
    Text(String),
    Number(u64),
}

impl std::fmt::Display for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Word::Text(text) => f.write_str(text),
            Word::Number(number) => write!(f, "{number:09}"),
        }
    }
}

/// The tools as the protocol lists them.
pub(crate) fn all() -> Value {
    let session =
        json!({"type": "string", "description": "Id of a session, where another one is meant than this."});
    let handle = json!({"type": "string", "description": "Any number such as #123456789 that stands in this conversation: it says which conversation is meant."});
    let line = |what: &str| json!({"type": "integer", "minimum": 1, "description": what});
    json!([
        tool(
            UNFOLD,
            "Original text of something left out of this conversation, by the number that stands in its place, such as \
             #123456789; or a whole message by the number that search_history gives. Long texts come in pages of 16,000 \
             characters; each says how to go on.",
            json!({
                "handle": {"type": "string", "description": "The number, with or without #."},
                "message": line("A message of the conversation, in place of a handle."),
                "from_line": line("First line wanted. 1, if nothing is said."),
                "to_line": line("Last line wanted. The last there is, if nothing is said."),
                "from_character": line("First character wanted of the first line, where a line is longer than a page."),
                "session": session,
            }),
            &[],
        ),
        tool(
            SEARCH,
            "Messages of this conversation that hold all of these words, the newest first, also those that are left out of \
             what is shown. \"a phrase\" and begin* work too.",
            json!({
                "query": {"type": "string", "description": "The words."},
                "limit": {"type": "integer", "minimum": 1, "maximum": 50, "description": "How many messages at most. 10, if nothing is said."},
                "handle": handle,
                "session": session,
            }),
            &["query"],
        ),
        tool(
            LEDGER,
            "What this conversation is about and how far it has come: task, requests, plan, files, commands, errors. Made by \
             code from everything that happened.",
            json!({"handle": handle, "session": session}),
            &[],
        ),
        tool(
            FILE_AT,
            "What a file held after a step of this conversation, as far as its reads, writes and edits show it. It may be \
             another content than the file has on disk.",
            json!({
                "path": {"type": "string", "description": "The file, as the conversation names it, or the end of its path."},
                "step": {"type": "integer", "minimum": 0, "description": "After which step. The newest, if nothing is said."},
                "from_line": line("First line wanted. 1, if nothing is said."),
                "to_line": line("Last line wanted."),
                "from_character": line("First character wanted of the first line, where a line is longer than a page."),
                "handle": handle,
                "session": session,
            }),
            &["path"],
        ),
    ])
}

fn tool(name: &str, about: &str, properties: Value, required: &[&str]) -> Value {
    json!({
        "name": name,
        "description": about,
        "inputSchema": {"type": "object", "properties": properties, "required": required, "additionalProperties": false},
        // Nothing is changed, and nothing outside is asked: agents may call them without asking anybody.
        "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false},
    })
}
