//! The rules of OpenAI Chat Completions and of the servers that speak it.

mod message;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::model::{Maker, maker};
use super::report::Report;
use super::values::{is, pick, shown, text, what};
use super::{Request, Rule};
use crate::finding::{Place, Severity};
use crate::json::{Kind, Raw};
use message::{Call, Message};

pub(super) static RULES: &[Rule] = &[
    Rule::offline(
        "C1",
        "after an assistant message with `tool_calls` comes one `tool` message per id, before any other role",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'",
    ),
    Rule::offline(
        "C2",
        "every `tool` message follows an assistant message with `tool_calls`",
        "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
    ),
    Rule::offline(
        "C3",
        "the `tool_call_id` of a `tool` message is one of those calls",
        "not found in 'tool_calls' of previous message",
    ),
    Rule::offline("C4", "a call's id has at most 40 characters (OpenAI's own models)", "string too long"),
    Rule::offline(
        "C5",
        "`tools` and `tool_calls` are not empty lists",
        "empty array. Expected an array with minimum length 1",
    ),
    Rule::offline(
        "C6",
        "DeepSeek in thinking mode: every assistant message with calls keeps its `reasoning_content`",
        "The `reasoning_content` in the thinking mode must be passed back to the API",
    ),
    Rule::offline(
        "C7",
        "each call has an id of its own and one result",
        "Duplicate value for 'tool_call_id'",
    ),
    Rule::offline("C8", "roles, parts and fields have the shapes the API defines", "Invalid type for"),
    Rule::offline(
        "C9",
        "roles alternate (Mistral and some chat templates)",
        "Conversation roles must alternate",
    ),
];

/// Fields of which every real request has at least one.
const SIGNS: &[&str] = &["model"];

pub(super) fn validate(request: &Request, report: &mut Report) {
    let whose = request.model_id().map(|id| maker(&id));
    // What only OpenAI's own servers refuse.
    let own = match whose {
        Some(Maker::OpenAi) => Severity::Error,
        None => Severity::Warning,
        Some(_) => Severity::Note,
    };
    check_request(request, own, report);
    let messages = message::read(request, own, report);
    check_pairs(&messages, report);
    check_unique(&messages, report);
    check_reasoning(request, &messages, whose, report);
    if whose == Some(Maker::Mistral) {
        check_alternation(&messages, report);
    }
}

/// A place in a message, in OpenAI's spelling: `messages[3]` and what follows.
fn at(message: usize, tail: &str) -> Place {
    Place::message(message + 1).field(format!("messages[{message}]{tail}"))
}

/// C5 and C8 for the request object.
fn check_request(request: &Request, own: Severity, report: &mut Report) {
    if let Some(tools) = request.tools {
        let place = Place::default().field("tools");
        if tools.kind() != Kind::Array {
            let found = format!("`tools` is {}", what(Some(tools)));
            report.error("C8", place, found, "give it a list of tools");
        } else if tools.elements().next().is_none() {
            report.add(own.max(Severity::Warning), "C5", place, "`tools` is empty", "leave it out");
        }
        for (nth, tool) in tools.elements().enumerate() {
            check_tool(tool, nth, report);
        }
    }
    let list = request.field("messages");
    if request.is_whole(SIGNS) && request.messages.is_empty() {
        let found = match list.filter(|list| list.kind() == Kind::Array) {
            Some(_) => "at least one message is required".to_string(),
            None => format!("`messages` is {}", what(list)),
        };
        report.error("C8", Place::default().field("messages"), found, "give it a list of messages");
    }
}

fn check_tool(tool: Raw, nth: usize, report: &mut Report) {
    let [kind, function] = pick(tool, ["type", "function"]);
    let place = |tail: &str| Place::default().field(format!("tools[{nth}]{tail}"));
    match text(kind).as_deref() {
        Some("function") => {
            let name = function.and_then(|function| function.get("name"));
            if !is(name, Kind::String) {
                let found = format!("`name` is {}", what(name));
                report.error("C8", place(".function.name"), found, "name the function");
            }
        }
        Some(_) => {}
        None => {
            let found = format!("`type` is {}", what(kind));
            report.error("C8", place(".type"), found, "use `function` or `custom`");
        }
    }
}

/// C1, C2, C3, and C7 for results.
fn check_pairs(messages: &[Message], report: &mut Report) {
    let mut caller: Option<&Message> = None;
    let mut open: Vec<&Call> = Vec::new();
    let mut known: HashSet<&str> = HashSet::new();
    let mut answered: HashMap<&str, usize> = HashMap::new();
    for message in messages {
        if message.role != "tool" {
            unanswered(&open, &answered, Severity::Error, report);
            open = message.calls.iter().collect();
            known = open.iter().filter_map(|call| call.id.as_deref()).collect();
            answered.clear();
            caller = Some(message).filter(|message| !message.calls.is_empty());
            continue;
        }
        if caller.is_none() {
            let found = "a `tool` message that answers no assistant message with `tool_calls`";
            report.error(
                "C2",
                at(message.number, ".role"),
                found,
                "remove it, or restore its call before it",
            );
            continue;
        }
        let Some(id) = message.tool_call_id.as_deref() else { continue };
        if !known.contains(id) {
            let found = format!("the message before has no call with id {}", shown(id));
            report.error("C3", at(message.number, ".tool_call_id"), found, "use the call's id, or remove it");
        } else if let Some(first) = answered.insert(id, message.number) {
            let found = format!("a second result for {}; the first is messages[{first}]", shown(id));
            report.error("C7", at(message.number, ".tool_call_id"), found, "keep one result per call");
        }
    }
    // A session may well stop while its last calls are still running.
    unanswered(&open, &answered, Severity::Note, report);
}

fn unanswered(open: &[&Call], answered: &HashMap<&str, usize>, severity: Severity, report: &mut Report) {
    for call in open {
        let Some(id) = call.id.as_deref().filter(|id| !answered.contains_key(id)) else { continue };
        let (found, remedy) = match severity {
            Severity::Note => (
                format!("the call {} has no result yet", shown(id)),
                "append its result before the next request",
            ),
            _ => (
                format!("the call {} has no result before the next message", shown(id)),
                "add a `tool` message there, or remove the call",
            ),
        };
        report.add(severity, "C1", call.place(""), found, remedy);
    }
}

/// C7, for calls. Ids that come back in a later step confuse few servers; in one message they are refused.
fn check_unique(messages: &[Message], report: &mut Report) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for message in messages {
        for call in &message.calls {
            let Some(id) = call.id.as_deref() else { continue };
            let Some(first) = seen.insert(id, message.number) else { continue };
            let severity = if first == message.number { Severity::Error } else { Severity::Warning };
            let found = format!("the id {} stands in messages[{first}] already", shown(id));
            report.add(severity, "C7", call.place(".id"), found, "give every call an id of its own");
        }
    }
}

/// C6.
fn check_reasoning(request: &Request, messages: &[Message], whose: Option<Maker>, report: &mut Report) {
    if !matches!(whose, None | Some(Maker::DeepSeek)) {
        return;
    }
    let thinks = thinks(request, messages.iter().any(|message| message.has_reasoning));
    let mut bare = messages.iter().filter(|message| !message.calls.is_empty() && !message.has_reasoning);
    let remedy = "send the `reasoning_content` that came with it";
    if whose == Some(Maker::DeepSeek) && thinks {
        for message in bare {
            let found = "calls without `reasoning_content` in thinking mode";
            report.error("C6", at(message.number, ""), found, remedy);
        }
    } else if whose.is_none()
        && thinks
        && let Some(message) = bare.next()
    {
        // One for all: without a model it is a hint, not a list of faults.
        let found = format!(
            "calls without `reasoning_content` here and in {} more messages; DeepSeek refuses that in thinking mode",
            bare.count()
        );
        report.warning("C6", at(message.number, ""), found, remedy);
    }
}

/// Whether the model thinks before it answers; `has_thought` tells whether it has.
pub(super) fn thinks(request: &Request, has_thought: bool) -> bool {
    let thinking = request.field("thinking").and_then(|thinking| text(thinking.get("type")));
    let is_reasoner = request.model_id().is_some_and(|id| id.contains("reasoner"));
    match thinking.as_deref() {
        Some(kind) => kind == "enabled",
        None => is_reasoner || has_thought,
    }
}

/// How two messages become one. What is written behind a summary of ours would be taken for its author's own.
pub(super) fn merge(is_summary: bool) -> &'static str {
    if is_summary {
        "make them two parts of one message: a summary and what is said stay apart"
    } else {
        "merge the two"
    }
}

/// C9.
fn check_alternation(messages: &[Message], report: &mut Report) {
    for pair in messages.windows(2) {
        if pair[0].role == pair[1].role && ["user", "assistant"].contains(&&*pair[1].role) {
            let found = format!("a second `{}` message in a row", pair[1].role);
            let is_summary = pair.iter().any(|message| message.is_summary);
            report.warning("C9", at(pair[1].number, ".role"), found, merge(is_summary));
        }
    }
}

/// The role as a word of our own or, clipped, as it was written.
fn role_name(role: Cow<str>) -> Cow<'static, str> {
    match ROLES.iter().find(|known| **known == role) {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(shown(&role)),
    }
}

/// Roles of the API; `function` is from before tools.
const ROLES: &[&str] = &["system", "developer", "user", "assistant", "tool", "function"];
