//! The rules of OpenAI Responses.

mod item;

use std::collections::{BTreeMap, HashMap, HashSet};

use super::report::Report;
use super::thinking::stored;
use super::values::{is, is_word, pick, shown, text, what};
use super::{Request, Rule};
use crate::finding::{Place, Severity};
use crate::json::{Kind, Raw};
use item::{Item, Part};

pub(super) static RULES: &[Rule] = &[
    Rule::offline(
        "R1",
        "every output follows its call, one to one by `call_id`",
        "No tool call found for function call output with call_id",
    ),
    Rule::offline("R2", "every call has its output", "No tool output found for function call"),
    Rule::offline(
        "R3",
        "a stored `reasoning` item keeps the item that follows it, and that item its reasoning",
        "was provided without its required following item",
    ),
    Rule::offline(
        "R4",
        "with `store: false` a `reasoning` item has `encrypted_content`",
        "Items are not persisted when `store` is set to false",
    ),
    Rule::provider(
        "R5",
        "`encrypted_content` comes back byte for byte, in the same organisation",
        "could not be verified",
        "only the provider can decrypt it; that it is not empty is checked",
    ),
    Rule::offline(
        "R6",
        "item ids are unique, made of letters, digits, `_` and `-`, at most 64 long, with the prefix of their type",
        "Duplicate item found with id",
    ),
    Rule::provider(
        "R7",
        "with `previous_response_id` or `conversation` the rest of the history is with the provider",
        "Previous response with id",
        "only the provider has that history; pairs that may end there are not reported",
    ),
    Rule::offline("R8", "items and fields have the shapes the API defines", "Invalid type for"),
];

/// What is known around the items.
struct Around {
    /// `store`, where it is given; a whole request without it is stored.
    store: Option<bool>,
    /// Part of the history is with the provider.
    continued: bool,
}

pub(super) fn validate(request: &Request, report: &mut Report) {
    let whole = request.is_whole(&["model"]);
    let links = ["previous_response_id", "conversation"];
    let link = links.into_iter().find(|key| request.field(key).is_some());
    let around = Around { store: stored(request), continued: link.is_some() };
    if let Some(link) = link {
        let found = format!("`{link}`: the earlier history is with the provider and cannot be checked");
        report.note("R7", Place::default().field(link), found, "");
    }
    check_request(request, whole, report);
    let items = item::read(request, report);
    check_pairs(&around, &items, report);
    check_reasoning(&around, &items, report);
    check_ids(&items, report);
}

/// A place in an item, in OpenAI's spelling: `input[3]` and what follows.
fn at(item: usize, tail: &str) -> Place {
    Place::message(item + 1).field(format!("input[{item}]{tail}"))
}

/// R8 for the request object.
fn check_request(request: &Request, whole: bool, report: &mut Report) {
    let input = request.field("input");
    let is_given = request.field("prompt").is_some() || request.field("previous_response_id").is_some();
    if whole && request.messages.is_empty() && !is_given && !is(input, Kind::String) {
        let found = match input.filter(|input| input.kind() == Kind::Array) {
            Some(_) => "at least one item is required".to_string(),
            None => format!("`input` is {}", what(input)),
        };
        report.error("R8", Place::default().field("input"), found, "give it a string or a list of items");
    }
    if let Some(head) = request.head.filter(|head| !matches!(head.kind(), Kind::String | Kind::Array)) {
        let found = format!("`instructions` is {}", what(Some(head)));
        report.error("R8", Place::default().field("instructions"), found, "give it a string");
    }
    let tools = request.tools.into_iter().flat_map(Raw::elements).enumerate();
    for (nth, tool) in tools {
        let [kind, name] = pick(tool, ["type", "name"]);
        let needs_name = ["function", "custom"].contains(&text(kind).as_deref().unwrap_or_default());
        if !is(kind, Kind::String) || (needs_name && !is(name, Kind::String)) {
            let place = Place::default().field(format!("tools[{nth}]"));
            report.error("R8", place, "a tool without `type` or `name`", "give it both, beside each other");
        }
    }
}

/// R1 and R2. Calls after which only calls and outputs stand may still be running.
fn check_pairs(around: &Around, items: &[Item], report: &mut Report) {
    let end = items.iter().rposition(|item| item.part == Part::Other).map_or(0, |nth| nth + 1);
    let mut calls: BTreeMap<&str, &Item> = BTreeMap::new();
    let mut answered: HashSet<&str> = HashSet::new();
    let orphan = if around.continued { Severity::Note } else { Severity::Error };
    for item in items {
        let Some(id) = item.call_id.as_deref() else { continue };
        match item.part {
            Part::Call => {
                if let Some(first) = calls.insert(id, item) {
                    let found =
                        format!("the call_id {} stands at input[{}] already", shown(id), first.number);
                    let severity = if answered.contains(id) { Severity::Warning } else { Severity::Error };
                    report.add(severity, "R1", at(item.number, ".call_id"), found, "give every call its own");
                    answered.remove(id);
                }
            }
            Part::Output => match calls.get(id) {
                None => {
                    let found = format!("no call with call_id {} before it", shown(id));
                    let remedy = "remove it, or restore its call before it";
                    report.add(orphan, "R1", at(item.number, ".call_id"), found, remedy);
                }
                Some(call) if !item.answers(call) => {
                    let found = format!("`{}` for a `{}`", item.kind, call.kind);
                    report.error("R1", at(item.number, ".type"), found, "use the output type of the call");
                    answered.insert(id);
                }
                Some(_) if !answered.insert(id) => {
                    let found = format!("a second output for {}", shown(id));
                    report.error("R1", at(item.number, ".call_id"), found, "keep one output per call");
                }
                Some(_) => {}
            },
            Part::Other => {}
        }
    }
    let mut open: Vec<(&str, &Item)> = calls.into_iter().filter(|(id, _)| !answered.contains(id)).collect();
    open.sort_by_key(|(_, item)| item.number);
    for (id, item) in open {
        if item.number >= end {
            let found = format!("the call {} has no output yet", shown(id));
            report.note("R2", at(item.number, ""), found, "append its output before the next request");
        } else {
            let found = format!("the call {} has no output", shown(id));
            report.error("R2", at(item.number, ""), found, "add its output, or remove the call");
        }
    }
}

/// R3, R4, and what can be seen of R5.
fn check_reasoning(around: &Around, items: &[Item], report: &mut Report) {
    // From the end, so that the item a row of reasoning led to is known when the row comes.
    let mut next: Option<&Item> = None;
    for item in items.iter().rev() {
        if item.kind != "reasoning" {
            next = Some(item);
            continue;
        }
        let encrypted = item.raw.get("encrypted_content").filter(|value| !value.is_null());
        if encrypted.is_some_and(|value| value.str().is_none_or(|text| text.is_empty())) {
            let found = "`encrypted_content` is empty or no string";
            let remedy = "send it as it was received, or remove the item";
            report.error("R5", at(item.number, ".encrypted_content"), found, remedy);
        }
        if around.store == Some(false) && encrypted.is_none() && item.id.is_some() {
            let found = "reasoning without `encrypted_content`, and nothing is stored";
            let remedy = "remove the item, or ask for `include: [\"reasoning.encrypted_content\"]`";
            report.error("R4", at(item.number, ""), found, remedy);
        }
        // Without an id, or unstored, orphans are taken.
        if item.id.is_some() && around.store != Some(false) && next.is_none_or(|next| !next.is_the_models()) {
            let severity = match around.store {
                Some(_) => Severity::Error,
                None => Severity::Warning,
            };
            let found = "reasoning without the item it led to";
            let remedy = "restore that item, or remove the reasoning with it";
            report.add(severity, "R3", at(item.number, ""), found, remedy);
        }
    }
}

/// R6.
fn check_ids(items: &[Item], report: &mut Report) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for item in items.iter().filter(|item| item.kind != "item_reference") {
        let Some(id) = item.id.as_deref() else { continue };
        let place = at(item.number, ".id");
        if let Some(first) = seen.insert(id, item.number) {
            let found = format!("the id {} stands at input[{first}] already", shown(id));
            report.error("R6", place.clone(), found, "remove one of the two items, or its id");
        }
        if !is_word(id, b"_-") || id.len() > 64 {
            let found = format!("the id {} is not allowed", shown(id));
            let remedy = "use at most 64 letters, digits, `_` and `-`, or leave the id out";
            report.error("R6", place, found, remedy);
        } else if let Some(prefix) = item.prefix().filter(|prefix| !id.starts_with(prefix)) {
            let found = format!("the id {} does not begin with `{prefix}`", shown(id));
            report.error("R6", place, found, "use the id it was received with, or leave the id out");
        }
    }
}
