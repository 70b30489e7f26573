//! The rules of the AI SDK's model messages: what its own checks throw, and what the providers behind it refuse.

mod part;

use std::collections::{HashMap, HashSet};

use super::report::Report;
use super::values::{is, pick, shown, text, what};
use super::{Request, Rule};
use crate::finding::{Place, Severity};
use crate::json::{Kind, Raw};
use part::Part;

pub(super) static RULES: &[Rule] = &[
    Rule::offline(
        "S1",
        "every `tool-call` that the provider does not run itself has its `tool-result` before the next user or system message",
        "missing for tool call",
    ),
    Rule::offline(
        "S2",
        "every `tool-result` of a tool message answers a `tool-call` before it",
        "(refused by the provider behind the SDK)",
    ),
    Rule::offline(
        "S3",
        "each `toolCallId` is used for one call and one result",
        "Duplicate item found with id",
    ),
    Rule::offline(
        "S4",
        "`output` is tagged: text, json, error-text, error-json, execution-denied or content",
        "The messages do not match the ModelMessage[] schema",
    ),
    Rule::offline(
        "S5",
        "every `tool-approval-response` answers a `tool-approval-request`, and that one names a call",
        "references unknown approvalId",
    ),
    Rule::offline("S6", "an empty tool message is dropped by the SDK", "(dropped silently)"),
    Rule::offline(
        "S7",
        "roles, parts and fields have the shapes the SDK defines",
        "The messages do not match the ModelMessage[] schema",
    ),
];

pub(super) fn validate(request: &Request, report: &mut Report) {
    let messages: Vec<Message> =
        request.messages.iter().enumerate().map(|(number, raw)| read(*raw, number, report)).collect();
    if request.field("messages").is_some_and(|list| list.kind() != Kind::Array) {
        let place = Place::default().field("messages");
        report.error("S7", place, "`messages` is not a list", "give it a list of messages");
    }
    check_pairs(&messages, report);
    check_approvals(&messages, report);
}

/// A place in a message: `messages[3]` and what follows.
fn at(message: usize, tail: &str) -> Place {
    Place::message(message + 1).field(format!("messages[{message}]{tail}"))
}

struct Message<'a> {
    role: Role,
    parts: Vec<Part<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    System,
    User,
    Assistant,
    Tool,
    /// None of these.
    Unknown,
}

fn read<'a>(raw: Raw<'a>, number: usize, report: &mut Report) -> Message<'a> {
    if raw.kind() != Kind::Object {
        let found = format!("a message is an object; this is {}", what(Some(raw)));
        report.error("S7", at(number, ""), found, "give it `role` and `content`");
        return Message { role: Role::Unknown, parts: Vec::new() };
    }
    let [name, content] = pick(raw, ["role", "content"]);
    let role = match text(name).as_deref() {
        Some("system") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool") => Role::Tool,
        _ => {
            let found = match text(name) {
                Some(name) => format!("no such role: {}", shown(&name)),
                None => format!("`role` is {}", what(name)),
            };
            report.error("S7", at(number, ".role"), found, "use `system`, `user`, `assistant` or `tool`");
            Role::Unknown
        }
    };
    let takes = match role {
        Role::System => "a string",
        Role::Tool => "a list of parts",
        _ => "a string or a list of parts",
    };
    let fits = match role {
        Role::System => is(content, Kind::String),
        Role::Tool => is(content, Kind::Array),
        Role::Unknown => true,
        _ => is(content, Kind::String) || is(content, Kind::Array),
    };
    if !fits {
        let found = format!("`content` is {}", what(content));
        report.error("S7", at(number, ".content"), found, format!("give it {takes}"));
    }
    let elements = content.into_iter().flat_map(Raw::elements).enumerate();
    let parts: Vec<Part> =
        elements.filter_map(|(nth, raw)| Part::read(raw, role, number, nth, report)).collect();
    if role == Role::Tool && is(content, Kind::Array) && parts.is_empty() {
        report.note("S6", at(number, ""), "a tool message without parts", "remove it");
    }
    Message { role, parts }
}

/// S1, S2, S3.
fn check_pairs(messages: &[Message], report: &mut Report) {
    let approved = approved_calls(messages);
    let mut open: Vec<&Part> = Vec::new();
    let mut calls: HashMap<&str, usize> = HashMap::new();
    let mut results: HashSet<&str> = HashSet::new();
    for message in messages {
        if matches!(message.role, Role::User | Role::System) {
            for call in open.drain(..) {
                unanswered(call, &results, &approved, Severity::Error, report);
            }
        }
        for part in &message.parts {
            let Some(id) = part.call_id.as_deref() else { continue };
            match &*part.kind {
                "tool-call" => {
                    if let Some(first) = calls.insert(id, part.message) {
                        let severity = if results.remove(id) { Severity::Warning } else { Severity::Error };
                        let found = format!("{} is called in messages[{first}] already", shown(id));
                        report.add(severity, "S3", part.place(""), found, "give every call an id of its own");
                    }
                    if !part.provider_executed {
                        open.push(part);
                    }
                }
                "tool-result" if !calls.contains_key(id) => {
                    let found = format!("no `tool-call` with id {} before it", shown(id));
                    report.error("S2", part.place(""), found, "remove it, or restore its call");
                }
                "tool-result" if !results.insert(id) => {
                    let found = format!("a second result for {}", shown(id));
                    report.error("S3", part.place(""), found, "keep one result per call");
                }
                _ => {}
            }
        }
    }
    // A session may well stop while its last calls are still running.
    for call in open {
        unanswered(call, &results, &approved, Severity::Note, report);
    }
}

fn unanswered(
    call: &Part,
    results: &HashSet<&str>,
    approved: &HashSet<&str>,
    severity: Severity,
    report: &mut Report,
) {
    let Some(id) = call.call_id.as_deref() else { return };
    if results.contains(id) || approved.contains(id) {
        return;
    }
    let (found, remedy) = match severity {
        Severity::Note => {
            (format!("the call {} has no result yet", shown(id)), "append its result before the next request")
        }
        _ => (
            format!("the call {} has no result before the next user or system message", shown(id)),
            "add a `tool-result`, or remove the call",
        ),
    };
    report.add(severity, "S1", call.place(""), found, remedy);
}

/// Calls whose approval has been answered: the SDK runs or denies them itself.
fn approved_calls<'m>(messages: &'m [Message]) -> HashSet<&'m str> {
    let parts = || messages.iter().flat_map(|message| &message.parts);
    let answered: HashSet<&str> = parts()
        .filter(|part| part.kind == "tool-approval-response")
        .filter_map(|part| part.approval_id.as_deref())
        .collect();
    parts()
        .filter(|part| part.kind == "tool-approval-request")
        .filter(|part| part.approval_id.as_deref().is_some_and(|id| answered.contains(id)))
        .filter_map(|part| part.call_id.as_deref())
        .collect()
}

/// S5.
fn check_approvals(messages: &[Message], report: &mut Report) {
    let (mut calls, mut requests) = (HashSet::new(), HashSet::new());
    for part in messages.iter().flat_map(|message| &message.parts) {
        match &*part.kind {
            "tool-call" => calls.extend(part.call_id.as_deref()),
            "tool-approval-request" => {
                requests.extend(part.approval_id.as_deref());
                let Some(id) = part.call_id.as_deref().filter(|id| !calls.contains(id)) else { continue };
                let found = format!("approval is asked for {}, which is no call before it", shown(id));
                report.error("S5", part.place(".toolCallId"), found, "name the call to be approved");
            }
            "tool-approval-response" => {
                let Some(id) = part.approval_id.as_deref().filter(|id| !requests.contains(id)) else {
                    continue;
                };
                let found = format!("no approval with id {} was asked for", shown(id));
                report.error("S5", part.place(".approvalId"), found, "remove it, or restore the request");
            }
            _ => {}
        }
    }
}
