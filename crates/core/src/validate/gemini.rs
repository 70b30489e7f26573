//! The rules of Gemini's `generateContent`.

mod content;

use super::model::gemini_generation;
use super::report::Report;
use super::values::{is, shown, text, what};
use super::{Request, Rule};
use crate::finding::{Place, Severity};
use crate::json::{Kind, Raw};
use content::{Content, Part};

pub(super) static RULES: &[Rule] = &[
    Rule::offline(
        "G1",
        "a turn with function calls follows a user turn or a turn of function responses",
        "function call turn comes immediately after a user turn or after a function response turn",
    ),
    Rule::offline(
        "G2",
        "the next turn holds as many function responses as there were calls",
        "the number of function response parts is equal to the number of function call parts",
    ),
    Rule::offline(
        "G3",
        "from Gemini 3 on, in the current turn, the first function call of each step keeps its signature",
        "missing a thought_signature in functionCall parts",
    ),
    Rule::provider(
        "G4",
        "a signature comes back byte for byte, with the text it was made for",
        "thought signature",
        "only the provider can verify a signature; that it is not empty is checked",
    ),
    Rule::offline(
        "G5",
        "a call that the model did not make carries `skip_thought_signature_validator`, which lowers quality",
        "(accepted)",
    ),
    Rule::offline(
        "G6",
        "the last turn is the user's or a function's, and each has a part that is not empty",
        "must include at least one parts field",
    ),
    Rule::offline("G7", "contents, parts and fields have the shapes the API defines", "Invalid value at"),
];

/// The signature that asks Gemini not to verify.
const SKIP: &str = "skip_thought_signature_validator";

/// Fields that a session does not have, but a request may.
const SIGNS: &[&str] = &[
    "generationConfig",
    "generation_config",
    "toolConfig",
    "tool_config",
    "safetySettings",
    "safety_settings",
    "cachedContent",
    "cached_content",
];

pub(super) fn validate(request: &Request, report: &mut Report) {
    let list = request.field("contents");
    if list.is_some_and(|list| list.kind() != Kind::Array) {
        let found = format!("`contents` is {}", what(list));
        report.error("G7", Place::default().field("contents"), found, "give it a list of contents");
    }
    if let Some(head) = request.head.filter(|head| !is(head.get("parts"), Kind::Array)) {
        let found = format!("the system instruction is {}, without a list of `parts`", what(Some(head)));
        let place = Place::default().field("systemInstruction");
        report.error("G7", place, found, "give it `parts` with one text");
    }
    let contents = content::read(request, report);
    check_turns(&contents, report);
    check_signatures(request, &contents, report);
    if let Some(last) = contents.last().filter(|last| last.is_the_models() && !last.has_calls()) {
        // Gemini 2 continued a turn of the model.
        let severity = match request.model_id().and_then(|id| gemini_generation(&id)) {
            _ if !request.is_whole(SIGNS) => Severity::Note,
            Some(generation) if generation >= 3 => Severity::Error,
            _ => Severity::Warning,
        };
        let remedy = "append a user turn before sending it";
        report.add(severity, "G6", at(last.number, ".role"), "the last turn is the model's", remedy);
    }
}

/// A place in a content, in Gemini's spelling: `contents[3]` and what follows.
fn at(content: usize, tail: &str) -> Place {
    Place::message(content + 1).field(format!("contents[{content}]{tail}"))
}

/// G1 and G2.
fn check_turns(contents: &[Content], report: &mut Report) {
    for (nth, content) in contents.iter().enumerate() {
        let before = nth.checked_sub(1).map(|nth| &contents[nth]);
        let next = contents.get(nth + 1);
        if content.has_calls() {
            if before.is_none_or(|before| before.is_the_models()) {
                let found = match before {
                    None => "function calls in the first turn",
                    Some(_) => "function calls after another turn of the model",
                };
                let remedy = "merge it with the turn before, or put the user's turn first";
                report.error("G1", at(content.number, ""), found, remedy);
            }
            check_answers(content, next, report);
        }
        let answers_nothing = before.is_none_or(|before| !before.has_calls());
        if answers_nothing && content.count(Part::Response) > 0 {
            let found = "function responses, but the turn before has no calls";
            report.error("G2", at(content.number, ""), found, "remove them, or restore the calls");
        }
    }
}

fn check_answers(content: &Content, next: Option<&Content>, report: &mut Report) {
    let calls = content.count(Part::Call);
    match next {
        // A session may well stop while its last calls are still running.
        None => {
            let found = format!("{calls} function calls have no response yet");
            let remedy = "append the responses before the next request";
            report.note("G2", at(content.number, ""), found, remedy);
        }
        Some(next) => {
            let responses = next.count(Part::Response);
            if responses != calls {
                let found = format!("{responses} function responses to {calls} calls");
                report.error("G2", at(next.number, ""), found, "answer every call once, all in this turn");
            } else if let Some((called, answered)) = content.mismatch(next) {
                let found = format!("a response of {} where {} was called", shown(&answered), shown(&called));
                report.warning("G2", at(next.number, ""), found, "answer with the name and id of the call");
            }
        }
    }
}

/// G3, G5, and what can be seen of G4.
fn check_signatures(request: &Request, contents: &[Content], report: &mut Report) {
    for content in contents {
        for (nth, signature) in &content.signatures {
            let place = || at(content.number, &format!(".parts[{nth}].thoughtSignature"));
            match text(Some(*signature)).as_deref() {
                None | Some("") => {
                    let remedy = "send it as it was received, or leave it out";
                    report.error("G4", place(), "an empty signature", remedy);
                }
                Some(SKIP) => {
                    let found = "the signature is not verified; answers get worse";
                    report.note("G5", place(), found, "send the signature that came with the call");
                }
                Some(_) => {}
            }
        }
    }
    let generation = request.model_id().and_then(|id| gemini_generation(&id));
    let severity = match generation {
        Some(generation) if generation >= 3 => Severity::Error,
        Some(_) => return,
        // Signatures elsewhere in the history say that the model makes them.
        None if contents.iter().any(|content| !content.signatures.is_empty()) => Severity::Warning,
        None => return,
    };
    let turn = contents.iter().rposition(Content::is_the_users).map_or(0, |nth| nth + 1);
    for content in &contents[turn..] {
        if let Some(nth) = content.first_call
            && content.signatures.iter().all(|(signed, _)| *signed != nth)
        {
            let found = "the first function call of a step in the current turn has no signature";
            let remedy = format!("send its `thoughtSignature`; `{SKIP}` if the model did not make the call");
            report.add(severity, "G3", at(content.number, &format!(".parts[{nth}]")), found, remedy);
        }
    }
}

/// A value that is there under either spelling: the API takes `functionCall` and `function_call`.
fn either<'a>(camel: Option<Raw<'a>>, snake: Option<Raw<'a>>) -> Option<Raw<'a>> {
    camel.or(snake)
}
