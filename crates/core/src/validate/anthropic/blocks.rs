//! Messages and blocks, and what can be said of each block by itself.

use std::borrow::Cow;

use super::at;
use crate::finding::Place;
use crate::json::{Kind, Raw};
use crate::validate::Request;
use crate::validate::report::Report;
use crate::validate::values::{is, is_word, pick, shown, text, what};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
    System,
}

pub(super) struct Message<'a> {
    pub(super) number: usize,
    /// `None` for a role that is none.
    pub(super) role: Option<Role>,
    pub(super) blocks: Vec<Block<'a>>,
}

pub(super) struct Block<'a> {
    message: usize,
    /// `None` where the content is a string.
    index: Option<usize>,
    /// Its `type`; empty where it has none.
    pub(super) kind: Cow<'a, str>,
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) tool_use_id: Option<Cow<'a, str>>,
    pub(super) name: Option<Cow<'a, str>>,
    pub(super) text: Option<Cow<'a, str>>,
    pub(super) content: Option<Raw<'a>>,
    pub(super) source: Option<Raw<'a>>,
    pub(super) signature: Option<Raw<'a>>,
    pub(super) citations: Option<Raw<'a>>,
    pub(super) cache_control: Option<Raw<'a>>,
}

/// Takes all messages apart and reports what is wrong with each by itself.
pub(super) fn read<'a>(request: &Request<'a>, report: &mut Report) -> Vec<Message<'a>> {
    let last = request.messages.len().saturating_sub(1);
    let messages = request.messages.iter().enumerate();
    messages.map(|(number, raw)| read_message(*raw, number, number == last, report)).collect()
}

fn read_message<'a>(raw: Raw<'a>, number: usize, is_last: bool, report: &mut Report) -> Message<'a> {
    let mut message = Message { number, role: None, blocks: Vec::new() };
    if raw.kind() != Kind::Object {
        let found = format!("a message is an object; this is {}", what(Some(raw)));
        report.error("A28", at(number, ""), found, "give it `role` and `content`");
        return message;
    }
    let [role, content] = pick(raw, ["role", "content"]);
    message.role = read_role(role, number, report);
    match content.map(Raw::kind) {
        Some(Kind::String) => message.blocks.extend(plain(content, number)),
        Some(Kind::Array) => {
            let elements = content.into_iter().flat_map(Raw::elements).enumerate();
            message.blocks.extend(elements.filter_map(|(nth, block)| {
                let block = read_block(block, number, nth, report)?;
                check_block(&block, message.role, report);
                Some(block)
            }));
        }
        _ => {
            let found = format!("`content` is {}", what(content));
            report.error("A28", at(number, ".content"), found, "give it a string or a list of blocks");
            return message;
        }
    }
    let is_empty = content.is_some_and(|content| match content.kind() {
        Kind::Array => content.elements().next().is_none(),
        _ => content.str().is_some_and(|text| text.is_empty()),
    });
    match (is_empty, message.role) {
        (false, _) => check_texts(&message, report),
        (true, Some(Role::Assistant)) if is_last => {}
        (true, Some(Role::Assistant)) => report.warning(
            "A10",
            at(number, ""),
            "an assistant message without content; some servers refuse it",
            "remove the message",
        ),
        (true, _) => {
            report.error("A10", at(number, ""), "a message without content", "remove the message");
        }
    }
    message
}

fn read_role(role: Option<Raw>, number: usize, report: &mut Report) -> Option<Role> {
    let name = text(role);
    let known = match name.as_deref() {
        Some("user") => Some(Role::User),
        Some("assistant") => Some(Role::Assistant),
        Some("system") => Some(Role::System),
        _ => None,
    };
    if known.is_none() {
        let found = match name {
            Some(name) => format!("no such role: {}", shown(&name)),
            None => format!("`role` is {}", what(role)),
        };
        report.error("A28", at(number, ".role"), found, "use `user`, `assistant` or `system`");
    }
    known
}

/// A string as content is one text block.
fn plain<'a>(content: Option<Raw<'a>>, message: usize) -> Option<Block<'a>> {
    Some(Block {
        message,
        index: None,
        kind: "text".into(),
        id: None,
        tool_use_id: None,
        name: None,
        text: text(content),
        content: None,
        source: None,
        signature: None,
        citations: None,
        cache_control: None,
    })
}

fn read_block<'a>(raw: Raw<'a>, message: usize, nth: usize, report: &mut Report) -> Option<Block<'a>> {
    let place = |tail: &str| at(message, &format!(".content.{nth}{tail}"));
    if raw.kind() != Kind::Object {
        let found = format!("a block is an object; this is {}", what(Some(raw)));
        report.error("A28", place(""), found, "make it a block of type `text`");
        return None;
    }
    let [kind, id, tool_use_id, name, body, content, source, signature, citations, cache_control] = pick(
        raw,
        [
            "type",
            "id",
            "tool_use_id",
            "name",
            "text",
            "content",
            "source",
            "signature",
            "citations",
            "cache_control",
        ],
    );
    let Some(kind) = text(kind) else {
        report.error("A28", place(".type"), format!("`type` is {}", what(kind)), "name the block's type");
        return None;
    };
    require(&kind, raw, &place, report);
    Some(Block {
        message,
        index: Some(nth),
        kind,
        id: text(id),
        tool_use_id: text(tool_use_id),
        name: text(name),
        text: text(body),
        content,
        source,
        signature,
        citations,
        cache_control,
    })
}

/// Fields without which the API refuses a block.
fn require(kind: &str, raw: Raw, place: &dyn Fn(&str) -> Place, report: &mut Report) {
    let wanted: &[(&str, Kind)] = match kind {
        "text" => &[("text", Kind::String)],
        "image" | "document" => &[("source", Kind::Object)],
        "tool_use" | "server_tool_use" | "mcp_tool_use" => {
            &[("id", Kind::String), ("name", Kind::String), ("input", Kind::Object)]
        }
        "tool_result" => &[("tool_use_id", Kind::String)],
        "thinking" => &[("thinking", Kind::String)],
        "redacted_thinking" => &[("data", Kind::String)],
        _ => return,
    };
    for (key, kind) in wanted {
        let value = pick(raw, [key])[0];
        if !is(value, *kind) {
            let found = format!("`{key}` is {}", what(value));
            let remedy = if *kind == Kind::Object { "give it an object" } else { "give it a string" };
            report.error("A28", place(&format!(".{key}")), found, remedy);
        }
    }
    if kind == "tool_result" {
        check_result(raw, place, report);
    }
}

fn check_result(raw: Raw, place: &dyn Fn(&str) -> Place, report: &mut Report) {
    let [content, is_error] = pick(raw, ["content", "is_error"]);
    let says_nothing = match content.map(Raw::kind) {
        None => true,
        Some(Kind::String) => text(content).is_some_and(|text| text.is_empty()),
        Some(Kind::Array) => {
            content.into_iter().flat_map(Raw::elements).all(|part| {
                matches!(pick(part, ["type", "text"]), [kind, body]
                    if text(kind).as_deref() == Some("text") && text(body).is_some_and(|text| text.is_empty()))
            })
        }
        Some(_) => {
            let found = format!("`content` is {}", what(content));
            report.error("A28", place(".content"), found, "give it a string or a list of blocks");
            return;
        }
    };
    if says_nothing && is_error.and_then(Raw::bool) == Some(true) {
        report.error("A12", place(""), "an error without content", "say what went wrong, or drop `is_error`");
    }
    for (nth, part) in content.into_iter().flat_map(Raw::elements).enumerate() {
        let kind = text(pick(part, ["type"])[0]);
        let allowed = ["text", "image", "document", "search_result", "tool_reference"];
        if !kind.as_deref().is_some_and(|kind| allowed.contains(&kind)) {
            let found = match kind {
                Some(kind) => format!("{} inside a tool result", shown(&kind)),
                None => "a part without `type` inside a tool result".to_string(),
            };
            report.warning("A28", place(&format!(".content.{nth}")), found, "make it text or an image");
        }
    }
}

/// What a block may not be, where it stands.
fn check_block(block: &Block, role: Option<Role>, report: &mut Report) {
    let kind = &*block.kind;
    let home = home(kind);
    if home.is_none() && !kind.ends_with("_tool_result") {
        report.note("A28", block.place(""), format!("a block of a type not known here: {}", shown(kind)), "");
    }
    if let Some(home) = home
        && role.is_some_and(|role| !home.contains(&role))
    {
        let whose = if home.contains(&Role::User) { "user" } else { "assistant" };
        let found = format!("`{kind}` blocks can only be in `{whose}` messages");
        report.error("A28", block.place(""), found, format!("move it to the {whose}'s message"));
    }
    check_ids(block, report);
    if kind == "thinking" {
        check_signature(block, report);
    }
}

/// The roles in which a type of block may stand; `None` for types that are not known here.
fn home(kind: &str) -> Option<&'static [Role]> {
    Some(match kind {
        "text" => &[Role::User, Role::Assistant, Role::System],
        "image" | "document" | "search_result" | "tool_result" => &[Role::User],
        "tool_use" | "thinking" | "redacted_thinking" | "server_tool_use" | "mcp_tool_use" => {
            &[Role::Assistant]
        }
        "container_upload" | "compaction" | "tool_reference" | "mcp_tool_result" | "fallback"
        | "mcp_tool_listing" => &[Role::User, Role::Assistant, Role::System],
        "tool_addition" | "tool_removal" => &[Role::User, Role::Assistant, Role::System],
        _ => return None,
    })
}

fn check_ids(block: &Block, report: &mut Report) {
    let kind = &*block.kind;
    let is_server = kind == "server_tool_use";
    if let Some(id) = block.id.as_deref().filter(|_| kind == "tool_use" || is_server) {
        let rest = if is_server { id.strip_prefix("srvtoolu_").unwrap_or_default() } else { id };
        let others: &[u8] = if is_server { b"_" } else { b"_-" };
        if !is_word(rest, others) {
            let remedy = if is_server {
                "use `srvtoolu_` and letters, digits and `_`"
            } else {
                "use only letters, digits, `_` and `-`, the same in call and result"
            };
            report.error("A8", block.place(".id"), format!("the id {} is not allowed", shown(id)), remedy);
        }
    }
    if let Some(id) = block.tool_use_id.as_deref().filter(|id| kind == "tool_result" && !is_word(id, b"_-")) {
        let remedy = "use only letters, digits, `_` and `-`, the same in call and result";
        let found = format!("the id {} is not allowed", shown(id));
        report.error("A8", block.place(".tool_use_id"), found, remedy);
    }
    if let Some(name) = block.name.as_deref().filter(|_| kind == "tool_use") {
        if name.is_empty() || name.chars().count() > 200 {
            let found = "a tool's name has 1 to 200 characters";
            report.error("A28", block.place(".name"), found, "use the name the tool is defined with");
        } else if !is_word(name, b"_-") {
            let found = format!("the tool name {} is refused in definitions", shown(name));
            report.warning("A28", block.place(".name"), found, "use only letters, digits, `_` and `-`");
        }
    }
}

fn check_signature(block: &Block, report: &mut Report) {
    if text(block.signature).is_none_or(|signature| signature.is_empty()) {
        let remedy = "send the block as it was received, or remove it whole";
        report.error("A17", block.place(".signature"), "thinking without a signature", remedy);
    }
}

/// Empty and blank texts. White space alone is refused only where nothing else stands beside it.
fn check_texts(message: &Message, report: &mut Report) {
    let is_blank = |block: &Block| {
        block.kind == "text" && block.text.as_deref().is_some_and(|text| text.trim().is_empty())
    };
    let all_blank = message.blocks.iter().all(is_blank);
    for block in message.blocks.iter().filter(|block| is_blank(block)) {
        let place = block.place("");
        if block.text.as_deref() == Some("") {
            report.error("A11", place, "an empty text block", "remove the block");
        } else if all_blank {
            report.error("A11", place, "nothing but white space", "remove the message, or say something");
        } else {
            report.note(
                "A11",
                place,
                "a text block of white space; some servers refuse it",
                "remove the block",
            );
        }
    }
}

impl Block<'_> {
    /// Its place, in Anthropic's spelling.
    pub(super) fn place(&self, tail: &str) -> Place {
        match self.index {
            Some(index) => at(self.message, &format!(".content.{index}{tail}")),
            None => at(self.message, &format!(".content{tail}")),
        }
    }

    /// Whether it is a call that the client answers.
    pub(super) fn is_call(&self) -> bool {
        self.kind == "tool_use"
    }

    /// Whether it is the client's answer to a call.
    pub(super) fn is_result(&self) -> bool {
        self.kind == "tool_result"
    }

    pub(super) fn is_thinking(&self) -> bool {
        self.kind == "thinking" || self.kind == "redacted_thinking"
    }
}
