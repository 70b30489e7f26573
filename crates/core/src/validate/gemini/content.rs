//! Contents and parts, and what can be said of each by itself.

use std::borrow::Cow;

use super::{at, either};
use crate::json::{Kind, Raw};
use crate::validate::Request;
use crate::validate::report::Report;
use crate::validate::values::{is, pick, shown, text, what};

pub(super) struct Content<'a> {
    pub(super) number: usize,
    role: Role,
    parts: Vec<Part>,
    /// Name and id of each call or response.
    names: Vec<Named<'a>>,
    /// Signatures by the number of their part.
    pub(super) signatures: Vec<(usize, Raw<'a>)>,
    /// Number of the part that is the first call.
    pub(super) first_call: Option<usize>,
}

/// Name and id of a function call or response.
type Named<'a> = (Cow<'a, str>, Option<Cow<'a, str>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    User,
    Model,
    Unknown,
}

/// What a part is, as far as the rules ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Call,
    Response,
    Other,
}

/// Takes all contents apart.
pub(super) fn read<'a>(request: &Request<'a>, report: &mut Report) -> Vec<Content<'a>> {
    let contents = request.messages.iter().enumerate();
    contents.map(|(number, raw)| read_content(*raw, number, report)).collect()
}

fn read_content<'a>(raw: Raw<'a>, number: usize, report: &mut Report) -> Content<'a> {
    let mut content = Content {
        number,
        role: Role::Unknown,
        parts: Vec::new(),
        names: Vec::new(),
        signatures: Vec::new(),
        first_call: None,
    };
    if raw.kind() != Kind::Object {
        let found = format!("a content is an object; this is {}", what(Some(raw)));
        report.error("G7", at(number, ""), found, "give it `role` and `parts`");
        return content;
    }
    let [role, parts] = pick(raw, ["role", "parts"]);
    content.role = match text(role).as_deref() {
        Some("model") => Role::Model,
        // `function` is the older name for turns of responses; without a role it is the user's.
        Some("user" | "function" | "tool") => Role::User,
        None if role.is_none() => Role::User,
        name => {
            let found = match name {
                Some(name) => format!("no such role: {}", shown(name)),
                None => format!("`role` is {}", what(role)),
            };
            report.error("G7", at(number, ".role"), found, "use `user` or `model`");
            Role::Unknown
        }
    };
    let mut says_something = false;
    for (nth, part) in parts.into_iter().flat_map(Raw::elements).enumerate() {
        says_something |= read_part(part, nth, &mut content, report);
    }
    if !is(parts, Kind::Array) {
        let found = format!("`parts` is {}", what(parts));
        report.error("G6", at(number, ".parts"), found, "give it at least one part");
    } else if !says_something {
        report.error("G6", at(number, ".parts"), "no part that is not empty", "remove the content");
    }
    content
}

/// Adds a part; true if it says something.
fn read_part<'a>(raw: Raw<'a>, nth: usize, content: &mut Content<'a>, report: &mut Report) -> bool {
    let [body, call, call_snake, response, response_snake, signature, signature_snake, thought] = pick(
        raw,
        [
            "text",
            "functionCall",
            "function_call",
            "functionResponse",
            "function_response",
            "thoughtSignature",
            "thought_signature",
            "thought",
        ],
    );
    let (call, response) = (either(call, call_snake), either(response, response_snake));
    let signature = either(signature, signature_snake);
    let number = content.number;
    let place = |tail: &str| at(number, &format!(".parts[{nth}]{tail}"));
    if raw.kind() != Kind::Object {
        let found = format!("a part is an object; this is {}", what(Some(raw)));
        report.error("G7", place(""), found, "make it {\"text\": …}");
    }
    content.signatures.extend(signature.map(|signature| (nth, signature)));
    if body.is_some() && !is(body, Kind::String) {
        let found = format!("`text` is {}", what(body));
        report.error("G7", place(".text"), found, "give it a string");
    }
    if let Some(call) = call {
        content.first_call.get_or_insert(nth);
        content.add(Part::Call, call);
        let args = pick(call, ["args"])[0];
        check_named(call, &|| place(".functionCall"), report);
        if args.is_some() && !is(args, Kind::Object) {
            let found = format!("`args` is {}", what(args));
            report.error("G7", place(".functionCall.args"), found, "give it an object");
        }
        return true;
    }
    if let Some(response) = response {
        content.add(Part::Response, response);
        let body = pick(response, ["response"])[0];
        check_named(response, &|| place(".functionResponse"), report);
        if !is(body, Kind::Object) {
            let found = format!("`response` is {}", what(body));
            report.error("G7", place(".functionResponse.response"), found, "write {\"output\": …}");
        }
        return true;
    }
    content.parts.push(Part::Other);
    match body {
        // An empty text may carry the signature of the turn.
        Some(_) => text(body).is_none_or(|text| !text.is_empty()) || signature.is_some() || thought.is_some(),
        None => raw.members().any(|(name, value)| {
            !["thought", "thoughtSignature", "thought_signature"].contains(&&*name) && !value.is_null()
        }),
    }
}

fn check_named(value: Raw, place: &dyn Fn() -> crate::finding::Place, report: &mut Report) {
    let name = pick(value, ["name"])[0];
    if text(name).is_none_or(|name| name.is_empty()) {
        let found = format!("`name` is {}", if name.is_some() { "empty or no string" } else { "missing" });
        report.error("G7", place(), found, "name the function");
    }
}

impl<'a> Content<'a> {
    fn add(&mut self, part: Part, value: Raw<'a>) {
        self.parts.push(part);
        let [name, id] = pick(value, ["name", "id"]);
        self.names.push((text(name).unwrap_or_default(), text(id)));
    }

    pub(super) fn count(&self, part: Part) -> usize {
        self.parts.iter().filter(|found| **found == part).count()
    }

    pub(super) fn has_calls(&self) -> bool {
        self.first_call.is_some()
    }

    pub(super) fn is_the_models(&self) -> bool {
        self.role == Role::Model
    }

    /// Whether a person speaks in it, and not only functions.
    pub(super) fn is_the_users(&self) -> bool {
        self.role == Role::User && !self.parts.contains(&Part::Response)
    }

    /// The first call whose name or id the responses in `next` do not carry, and what stands there instead. Calls and
    /// responses are compared in order, as Gemini does without ids; with ids the order does not matter.
    pub(super) fn mismatch(&self, next: &Content) -> Option<(String, String)> {
        let mut called: Vec<_> = self.names.iter().collect();
        let mut answered: Vec<_> = next.names.iter().collect();
        let has_id = |(_, id): &&Named| id.is_some();
        if called.iter().all(has_id) && answered.iter().all(has_id) {
            called.sort_by(|one, other| one.1.cmp(&other.1));
            answered.sort_by(|one, other| one.1.cmp(&other.1));
        }
        let differs = |(call, answer): &(&&Named, &&Named)| {
            call.0 != answer.0 || (call.1.is_some() && answer.1.is_some() && call.1 != answer.1)
        };
        let (call, answer) = called.iter().zip(&answered).find(differs)?;
        Some((describe(call), describe(answer)))
    }
}

fn describe((name, id): &Named) -> String {
    match id {
        Some(id) => format!("{name} ({id})"),
        None => name.to_string(),
    }
}
