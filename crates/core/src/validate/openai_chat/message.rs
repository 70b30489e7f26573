//! Messages, and what can be said of each by itself.

use std::borrow::Cow;

use super::{ROLES, at, role_name};
use crate::finding::{Place, Severity};
use crate::json::{Kind, Raw};
use crate::validate::Request;
use crate::validate::report::Report;
use crate::validate::values::{begins_with, is, is_word, pick, shown, text, what};

/// Longest id OpenAI takes.
const LONGEST_ID: usize = 40;

pub(super) struct Message<'a> {
    pub(super) number: usize,
    /// Empty where there is none.
    pub(super) role: Cow<'static, str>,
    pub(super) calls: Vec<Call<'a>>,
    pub(super) tool_call_id: Option<Cow<'a, str>>,
    pub(super) has_reasoning: bool,
    /// One that Enfold wrote.
    pub(super) is_summary: bool,
}

pub(super) struct Call<'a> {
    message: usize,
    nth: usize,
    pub(super) id: Option<Cow<'a, str>>,
}

impl Call<'_> {
    /// Its place, in OpenAI's spelling.
    pub(super) fn place(&self, tail: &str) -> Place {
        at(self.message, &format!(".tool_calls[{}]{tail}", self.nth))
    }
}

/// Takes all messages apart; `own` is how much it matters what only OpenAI's own servers refuse.
pub(super) fn read<'a>(request: &Request<'a>, own: Severity, report: &mut Report) -> Vec<Message<'a>> {
    let messages = request.messages.iter().enumerate();
    messages.map(|(number, raw)| read_message(*raw, number, own, report)).collect()
}

fn read_message<'a>(raw: Raw<'a>, number: usize, own: Severity, report: &mut Report) -> Message<'a> {
    if raw.kind() != Kind::Object {
        let found = format!("a message is an object; this is {}", what(Some(raw)));
        report.error("C8", at(number, ""), found, "give it `role` and `content`");
    }
    let [role, content, calls, id, reasoning, function_call, refusal, audio] = pick(
        raw,
        [
            "role",
            "content",
            "tool_calls",
            "tool_call_id",
            "reasoning_content",
            "function_call",
            "refusal",
            "audio",
        ],
    );
    let name = text(role).map(role_name).unwrap_or_default();
    if raw.kind() == Kind::Object && !ROLES.contains(&&*name) {
        let found = match role {
            Some(role) if role.kind() == Kind::String => format!("no such role: {name}"),
            role => format!("`role` is {}", what(role)),
        };
        let remedy = "use `system`, `developer`, `user`, `assistant` or `tool`";
        report.error("C8", at(number, ".role"), found, remedy);
    }
    let calls = if &*name == "assistant" { read_calls(calls, number, own, report) } else { Vec::new() };
    let speaks_otherwise =
        !calls.is_empty() || function_call.is_some() || refusal.is_some() || audio.is_some();
    check_content(&name, content, speaks_otherwise, number, report);
    if &*name == "tool" && !is(id, Kind::String) {
        let found = format!("`tool_call_id` is {}", what(id));
        report.error("C8", at(number, ".tool_call_id"), found, "give it the id of the call it answers");
    }
    let is_summary = begins_with(content, "<enfold-summary ");
    let has_reasoning = reasoning.is_some();
    Message { number, role: name, calls, tool_call_id: text(id), has_reasoning, is_summary }
}

fn read_calls<'a>(
    list: Option<Raw<'a>>,
    message: usize,
    own: Severity,
    report: &mut Report,
) -> Vec<Call<'a>> {
    let Some(list) = list else { return Vec::new() };
    if list.kind() != Kind::Array {
        let found = format!("`tool_calls` is {}", what(Some(list)));
        report.error("C8", at(message, ".tool_calls"), found, "give it a list of calls");
    } else if list.elements().next().is_none() {
        report.add(own, "C5", at(message, ".tool_calls"), "`tool_calls` is empty", "leave it out");
    }
    let calls = list.elements().enumerate();
    calls.map(|(nth, raw)| read_call(raw, message, nth, own, report)).collect()
}

fn read_call<'a>(raw: Raw<'a>, message: usize, nth: usize, own: Severity, report: &mut Report) -> Call<'a> {
    let [id, kind, function, custom] = pick(raw, ["id", "type", "function", "custom"]);
    let call = Call { message, nth, id: text(id) };
    match call.id.as_deref() {
        None | Some("") => {
            let found = if id.is_none() { "`id` is missing" } else { "`id` is empty or not a string" };
            report.error("C8", call.place(".id"), found, "give the call an id, and its result the same");
        }
        Some(id) if id.chars().count() > LONGEST_ID => {
            let found = format!("the id {} is longer than {LONGEST_ID} characters", shown(id));
            report.add(own, "C4", call.place(".id"), found, "shorten it, in the call and in its result");
        }
        Some(_) => {}
    }
    let is_custom = text(kind).as_deref() == Some("custom");
    let (key, inner, argument) =
        if is_custom { ("custom", custom, "input") } else { ("function", function, "arguments") };
    let Some(inner) = inner.filter(|inner| inner.kind() == Kind::Object) else {
        let found = format!("`{key}` is {}", what(inner));
        report.error("C8", call.place(&format!(".{key}")), found, "give it the tool's name and arguments");
        return call;
    };
    let [name, input] = pick(inner, ["name", argument]);
    let place = |field: &str| call.place(&format!(".{key}.{field}"));
    match text(name).as_deref() {
        None | Some("") => {
            let found =
                format!("`name` is {}", if name.is_some() { "empty or no string" } else { "missing" });
            report.error("C8", place("name"), found, "name the tool");
        }
        Some(name) if !is_word(name, b"_-.") || name.len() > 128 => {
            let found = format!("the tool name {} is not allowed", shown(name));
            report.add(own, "C8", place("name"), found, "use letters, digits, `_` and `-`");
        }
        Some(_) => {}
    }
    if !is(input, Kind::String) {
        let found = format!("`{argument}` is {}", what(input));
        report.error("C8", place(argument), found, "write the arguments as JSON in a string");
    }
    call
}

fn check_content(
    role: &str,
    content: Option<Raw>,
    speaks_otherwise: bool,
    number: usize,
    report: &mut Report,
) {
    let place = at(number, ".content");
    match content.map(Raw::kind) {
        Some(Kind::String) => {}
        Some(Kind::Array) => check_parts(role, content, number, report),
        None if role == "assistant" && speaks_otherwise => {}
        None if role == "assistant" => {
            let found = "an assistant message with neither content nor calls";
            report.error("C8", place, found, "remove the message");
        }
        None if role == "function" => {}
        _ if ROLES.contains(&role) => {
            let found = format!("`content` is {}", what(content));
            report.error("C8", place, found, "give it a string or a list of parts");
        }
        _ => {}
    }
}

fn check_parts(role: &str, content: Option<Raw>, number: usize, report: &mut Report) {
    for (nth, part) in content.into_iter().flat_map(Raw::elements).enumerate() {
        let [kind, body] = pick(part, ["type", "text"]);
        let place = |tail: &str| at(number, &format!(".content[{nth}]{tail}"));
        let Some(kind) = text(kind) else {
            let found = format!("the part's `type` is {}", what(kind));
            report.error("C8", place(".type"), found, "name the part's type");
            continue;
        };
        if kind == "text" && !is(body, Kind::String) {
            let found = format!("`text` is {}", what(body));
            report.error("C8", place(".text"), found, "give it a string");
        }
        let is_media = ["image_url", "input_audio", "file"].contains(&&*kind);
        if is_media && role == "tool" {
            let remedy = "put it into a user message after all results";
            report.error("C8", place(".type"), format!("`{kind}` in a tool's result"), remedy);
        } else if is_media && role != "user" {
            let found = format!("`{kind}` is only allowed in user messages");
            report.error("C8", place(".type"), found, "move it to a user message");
        } else if kind == "refusal" && role != "assistant" {
            report.error("C8", place(".type"), "only the assistant refuses", "make it a text part");
        }
    }
}
