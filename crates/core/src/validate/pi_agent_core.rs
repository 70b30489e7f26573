//! The rules of pi-agent-core's messages: what its loop and pi-ai's providers do with a list that is not as they expect it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::report::Report;
use super::values::{is, pick, shown, text, what};
use super::{Request, Rule};
use crate::finding::{Place, Severity};
use crate::json::{Kind, Raw};

pub(super) static RULES: &[Rule] = &[
    Rule::offline(
        "P1",
        "every `toolResult` follows an assistant message with the `toolCall` it answers; between them stand results alone",
        "(refused by the provider behind pi)",
    ),
    Rule::offline(
        "P2",
        "every `toolCall` has its `toolResult` before the next message of the user or the assistant",
        "(pi puts `No result provided` in its place)",
    ),
    Rule::offline(
        "P3",
        "each call has an id of its own and one result",
        "(refused by the provider behind pi)",
    ),
    Rule::offline(
        "P4",
        "parts and fields have the shapes that pi-ai defines; what the assistant says and what a tool returned are lists",
        "is not a function",
    ),
    Rule::offline(
        "P5",
        "roles beside `user`, `assistant` and `toolResult` are the app's own",
        "(left out, unless `convertToLlm` makes one of the three of it)",
    ),
];

pub(super) fn validate(request: &Request, report: &mut Report) {
    let mut open: Vec<Call> = Vec::new();
    let mut answered: HashSet<Cow<str>> = HashSet::new();
    let mut seen: HashMap<Cow<str>, usize> = HashMap::new();
    for (number, raw) in request.messages.iter().enumerate() {
        let message = Message::read(*raw, number, report);
        match &*message.role {
            "toolResult" => check_result(&message, &open, &mut answered, report),
            "user" | "assistant" => {
                for call in open.drain(..).filter(|call| !answered.contains(&call.id)) {
                    let found = format!("the call {} has no result before the next message", shown(&call.id));
                    let remedy = "add a `toolResult`, or remove the call";
                    report.warning("P2", call.place(), found, remedy);
                }
                answered.clear();
                for call in message.calls {
                    check_id(&call, &mut seen, report);
                    open.push(call);
                }
            }
            _ => {}
        }
    }
    // A session may well stop while its last calls are still running.
    for call in open.into_iter().filter(|call| !answered.contains(&call.id)) {
        let found = format!("the call {} has no result yet", shown(&call.id));
        report.note("P2", call.place(), found, "append its result before the next request");
    }
    if request.field("messages").is_some_and(|list| list.kind() != Kind::Array) {
        let place = Place::default().field("messages");
        report.error("P4", place, "`messages` is not a list", "give it a list of messages");
    }
}

/// P1, and P3 for results.
fn check_result<'a>(
    message: &Message<'a>,
    open: &[Call],
    answered: &mut HashSet<Cow<'a, str>>,
    report: &mut Report,
) {
    let Some(id) = &message.answers else { return };
    let place = at(message.number, ".toolCallId");
    if !open.iter().any(|call| call.id == *id) {
        let found = format!("the assistant message before has no call with id {}", shown(id));
        report.error("P1", place, found, "remove it, or restore its call before it");
    } else if !answered.insert(id.clone()) {
        report.error("P3", place, format!("a second result for {}", shown(id)), "keep one result per call");
    }
}

/// P3, for calls. Ids that come back in a later message confuse few providers; in one message they are refused.
fn check_id<'a>(call: &Call<'a>, seen: &mut HashMap<Cow<'a, str>, usize>, report: &mut Report) {
    let Some(first) = seen.insert(call.id.clone(), call.message) else { return };
    let severity = if first == call.message { Severity::Error } else { Severity::Warning };
    let found = format!("{} is called in messages[{first}] already", shown(&call.id));
    report.add(severity, "P3", call.place(), found, "give every call an id of its own");
}

/// A place in a message: `messages[3]` and what follows.
fn at(message: usize, tail: &str) -> Place {
    Place::message(message + 1).field(format!("messages[{message}]{tail}"))
}

struct Call<'a> {
    message: usize,
    nth: usize,
    id: Cow<'a, str>,
}

impl Call<'_> {
    fn place(&self) -> Place {
        at(self.message, &format!(".content[{}]", self.nth))
    }
}

struct Message<'a> {
    number: usize,
    /// Empty where there is none.
    role: Cow<'a, str>,
    calls: Vec<Call<'a>>,
    /// The call that it is the result of.
    answers: Option<Cow<'a, str>>,
}

impl<'a> Message<'a> {
    fn read(raw: Raw<'a>, number: usize, report: &mut Report) -> Message<'a> {
        if raw.kind() != Kind::Object {
            let found = format!("a message is an object; this is {}", what(Some(raw)));
            report.error("P4", at(number, ""), found, "give it `role` and `content`");
            return Message { number, role: Cow::default(), calls: Vec::new(), answers: None };
        }
        let [name, content, answers, stopped] = pick(raw, ["role", "content", "toolCallId", "stopReason"]);
        let role = text(name).unwrap_or_default();
        match &*role {
            "user" if !is(content, Kind::String) && !is(content, Kind::Array) => {
                shape(number, ".content", content, "a string or a list of parts", report);
            }
            "assistant" | "toolResult" if !is(content, Kind::Array) => {
                shape(number, ".content", content, "a list of parts", report);
            }
            "" => shape(number, ".role", name, "`user`, `assistant` or `toolResult`", report),
            "user" | "assistant" | "toolResult" => {}
            other => {
                let found = format!("{} is a role of the app's own", shown(other));
                report.note("P5", at(number, ".role"), found, "see to it that `convertToLlm` knows it");
            }
        }
        if role == "toolResult" && !is(answers, Kind::String) {
            shape(number, ".toolCallId", answers, "the call's id", report);
        }
        // pi leaves an answer that broke off out of what it sends, with its calls.
        let is_whole = !matches!(text(stopped).as_deref(), Some("error" | "aborted"));
        let parts = content.into_iter().flat_map(Raw::elements).enumerate();
        let parts = parts.filter_map(|(nth, part)| read_part(part, &role, number, nth, report));
        let calls: Vec<Call> = parts.collect();
        let calls = if role == "assistant" && is_whole { calls } else { Vec::new() };
        let answers = text(answers).filter(|_| role == "toolResult");
        Message { number, role, calls, answers }
    }
}

/// Checks a part; the call that it is.
fn read_part<'a>(
    part: Raw<'a>,
    role: &str,
    message: usize,
    nth: usize,
    report: &mut Report,
) -> Option<Call<'a>> {
    let allowed: &[&str] = match role {
        "assistant" => &["text", "thinking", "toolCall"],
        "user" | "toolResult" => &["text", "image"],
        _ => return None,
    };
    let [kind, id, name] = pick(part, ["type", "id", "name"]);
    let kind = text(kind).unwrap_or_default();
    if !allowed.contains(&&*kind) {
        let found = format!("{} is no part of such a message", shown(&kind));
        let place = at(message, &format!(".content[{nth}].type"));
        report.error("P4", place, found, format!("use {}", allowed.join(", ")));
        return None;
    }
    let wanted: &[&str] = match &*kind {
        "text" => &["text"],
        "thinking" => &["thinking"],
        "image" => &["data", "mimeType"],
        _ => &["id", "name"],
    };
    for key in wanted {
        let [value] = pick(part, [*key]);
        if !is(value, Kind::String) {
            shape(message, &format!(".content[{nth}].{key}"), value, "a string", report);
        }
    }
    let id = text(id).filter(|_| kind == "toolCall" && is(name, Kind::String))?;
    Some(Call { message, nth, id })
}

/// P4.
fn shape(message: usize, tail: &str, found: Option<Raw>, wanted: &str, report: &mut Report) {
    let key = tail.rsplit('.').next().unwrap_or_default();
    report.error("P4", at(message, tail), format!("`{key}` is {}", what(found)), format!("give it {wanted}"));
}
