//! Reading the notation.

use bytestring::ByteString;

use crate::history::History;
use crate::json::{ObjectWriter, Raw, quote};
use crate::wire::{Neutral, Wire};

/// Text that is not in the notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct NotationError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong and what was expected.
    pub why: String,
}

const ROLES: [&str; 6] = ["system", "developer", "user", "assistant", "tool", "unknown"];
const MEDIA: [&str; 3] = ["image", "document", "audio"];

/// Whether a text starts like the notation does.
pub(crate) fn looks_like(text: &str) -> bool {
    let first = text.lines().find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
    let word = first.split([':', ' ']).next().unwrap_or_default();
    let rest = &first[word.len()..];
    ROLES.contains(&word) && (rest.is_empty() || rest.starts_with(':'))
}

/// Reads a history in the notation. Its messages are in Enfold's own shape; write it in any wire format from there.
pub fn parse(text: &str) -> Result<History, NotationError> {
    let mut messages: Vec<Message> = Vec::new();
    let mut starts = Vec::new();
    for (nth, line) in text.split('\n').enumerate() {
        read_line(&mut messages, line).map_err(|why| NotationError { line: nth + 1, why })?;
        starts.resize(messages.len(), nth + 1);
    }
    let mut history = History::new();
    for (message, line) in messages.into_iter().zip(starts) {
        let raw: ByteString = message.write().into();
        // What is written here has the shape that is read there; it may only be too large.
        let parsed = Neutral.read_message(&raw);
        let parsed = parsed.map_err(|error| NotationError { line, why: format!("the message: {error}") })?;
        history.push(raw, parsed);
    }
    Ok(history)
}

struct Message {
    role: &'static str,
    items: Vec<Draft>,
}

/// An item while its lines come in.
struct Draft {
    head: Head,
    texts: Vec<String>,
    /// Media inside a result, written already.
    inside: Vec<String>,
}

enum Head {
    Text,
    Summary,
    Think { sealed: Option<usize> },
    Call { id: String, name: String, freeform: bool },
    Result { call: String, name: Option<String>, error: bool },
    Written(String),
}

fn read_line(messages: &mut Vec<Message>, line: &str) -> Result<(), String> {
    if let Some(rest) = line.strip_prefix("  | ").or((line == "  |").then_some("")) {
        let text = open_text(messages)?;
        text.push('\n');
        text.push_str(rest);
    } else if let Some(rest) = line.strip_prefix("  + ").or((line == "  +").then_some("")) {
        open_text(messages)?;
        let item = open_item(messages).ok_or("there is no item to add a text to")?;
        item.texts.push(rest.to_string());
    } else if let Some(rest) = line.strip_prefix("    ") {
        let media = read_item(rest)?;
        let (Head::Written(json), Some(result)) = (media.head, open_item(messages)) else {
            return Err("only an image, document or audio stands inside a result".into());
        };
        result.inside.push(json);
    } else if let Some(rest) = line.strip_prefix("  ") {
        let item = read_item(rest)?;
        let message =
            messages.last_mut().ok_or("an item without a message before it; start with `user: …`")?;
        message.items.push(item);
    } else if !line.is_empty() && !line.starts_with('#') {
        messages.push(read_message(line)?);
    }
    Ok(())
}

fn open_item(messages: &mut [Message]) -> Option<&mut Draft> {
    messages.last_mut()?.items.last_mut()
}

fn open_text(messages: &mut [Message]) -> Result<&mut String, String> {
    let text = open_item(messages).and_then(|item| item.texts.last_mut());
    text.ok_or_else(|| "this goes on with a text, but no text is open; start one with `text: …`".into())
}

fn read_message(line: &str) -> Result<Message, String> {
    let word = line.split([':', ' ']).next().unwrap_or_default();
    if word == "result" {
        return Ok(Message { role: "tool", items: vec![read_item(line)?] });
    }
    let role = ROLES.into_iter().find(|role| *role == word);
    let role = role.ok_or_else(|| {
        format!("`{word}` starts no message; expected system, developer, user, assistant, tool or result")
    })?;
    let items = match after_colon(&line[word.len()..])? {
        Some(text) => vec![Draft::new(Head::Text, Some(text))],
        None => Vec::new(),
    };
    Ok(Message { role, items })
}

fn read_item(line: &str) -> Result<Draft, String> {
    let (kind, rest) = split_word(line)?;
    Ok(match kind.as_str() {
        "text" => Draft::new(Head::Text, after_colon(rest)?),
        "summary" => Draft::new(Head::Summary, after_colon(rest)?),
        "think" => {
            let (sealed, rest) = option(rest, "sealed")?;
            let sealed = sealed
                .map(|size| size.parse().map_err(|_| format!("`sealed={size}` is not a number of bytes")));
            Draft::new(Head::Think { sealed: sealed.transpose()? }, after_colon(rest)?)
        }
        "call" => read_call(rest)?,
        "result" => {
            let (call, rest) =
                split_word(rest).map_err(|_| "a result needs the id of its call: `result c1: …`")?;
            let (name, rest) = option(rest, "name")?;
            let (error, rest) = match rest.strip_prefix(" error") {
                Some(after) if after.is_empty() || after.starts_with(':') => (true, after),
                _ => (false, rest),
            };
            Draft::new(Head::Result { call, name, error }, after_colon(rest)?)
        }
        "other" => {
            let (name, json) = split_word(rest)?;
            let json =
                Raw::parse(json).map_err(|error| format!("the JSON of this item is broken: {error}"))?;
            let body = ObjectWriter::new().string("type", &name).raw("json", json).finish();
            Draft::new(Head::Written(ObjectWriter::new().json("other", &body).finish()), None)
        }
        media if MEDIA.contains(&media) => {
            let (url, _) = split_word(rest).map_err(|_| format!("`{media}` needs a URL"))?;
            Draft::new(Head::Written(ObjectWriter::new().string(media, &url).finish()), None)
        }
        other => {
            return Err(format!(
                "`{other}` is no kind of item; expected text, think, call, result, summary, image, document, audio or other"
            ));
        }
    })
}

fn read_call(rest: &str) -> Result<Draft, String> {
    let usage = |_| "a call needs an id and a name: `call c1 read {}`".to_string();
    let (id, rest) = split_word(rest).map_err(usage)?;
    let (name, rest) = split_word(rest).map_err(usage)?;
    let (freeform, text) = match rest.strip_prefix(':') {
        Some(text) => (true, text.strip_prefix(' ').unwrap_or(text)),
        None => (false, rest.strip_prefix(' ').unwrap_or(rest)),
    };
    Ok(Draft::new(Head::Call { id, name, freeform }, Some(text.to_string())))
}

/// ` name=value`, if it comes next.
fn option<'a>(rest: &'a str, name: &str) -> Result<(Option<String>, &'a str), String> {
    match rest
        .strip_prefix(' ')
        .and_then(|rest| rest.strip_prefix(name))
        .and_then(|rest| rest.strip_prefix('='))
    {
        Some(value) => split_word(value).map(|(value, rest)| (Some(value), rest)),
        None => Ok((None, rest)),
    }
}

/// The next id or name, bare or quoted, and what follows. A colon at its end is not part of it.
fn split_word(text: &str) -> Result<(String, &str), String> {
    let text = text.strip_prefix(' ').unwrap_or(text);
    if text.starts_with('"') {
        let (value, rest) =
            Raw::parse_prefix(text).map_err(|error| format!("a quoted word is broken: {error}"))?;
        return Ok((value.str().unwrap_or_default().into_owned(), rest));
    }
    let end = text.find(' ').unwrap_or(text.len());
    let word = text[..end].strip_suffix(':').unwrap_or(&text[..end]);
    if word.is_empty() {
        Err("a word is missing".into())
    } else {
        Ok((word.to_string(), &text[word.len()..]))
    }
}

/// The text after a colon; `None` where there is no colon.
fn after_colon(rest: &str) -> Result<Option<String>, String> {
    match rest.strip_prefix(':') {
        Some(text) => Ok(Some(text.strip_prefix(' ').unwrap_or(text).to_string())),
        None if rest.is_empty() => Ok(None),
        None => Err(format!("`{}` is not understood here; a colon comes before the text", rest.trim())),
    }
}

impl Draft {
    fn new(head: Head, text: Option<String>) -> Draft {
        Draft { head, texts: text.into_iter().collect(), inside: Vec::new() }
    }

    fn write(self) -> String {
        let text = || self.texts.join("\n");
        let item = ObjectWriter::new();
        match self.head {
            Head::Written(json) => return json,
            Head::Text => item.string("text", &text()),
            Head::Summary => item.string("summary", &text()),
            Head::Think { sealed } => {
                let thought = if self.texts.is_empty() { "null".into() } else { quote(&text()) };
                let item = item.json("think", &thought);
                match sealed {
                    Some(sealed) => item.json("sealed", &sealed.to_string()),
                    None => item,
                }
            }
            Head::Call { ref id, ref name, freeform } => {
                let call = ObjectWriter::new().string("id", id).string("name", name).string("input", &text());
                let call = if freeform { call.json("freeform", "true") } else { call };
                item.json("call", &call.finish())
            }
            Head::Result { call, name, error } => {
                let mut result = ObjectWriter::new().string("call", &call);
                if let Some(name) = name {
                    result = result.string("name", &name);
                }
                if error {
                    result = result.json("error", "true");
                }
                let texts = self.texts.iter().map(|text| quote(text));
                item.json("result", &result.array("texts", texts).array("media", &self.inside).finish())
            }
        }
        .finish()
    }
}

impl Message {
    fn write(self) -> String {
        let items = self.items.into_iter().map(Draft::write);
        ObjectWriter::new().string("role", self.role).array("items", items).finish()
    }
}
