//! What is wrong with a view that was not wrong with the request it was made of.
//!
//! Two kinds of fault are looked for: those of the rules, seen in the view alone and not known of the request; and
//! those that only a comparison shows, because a provider remembers what it made (a signature, a stored item).

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use super::thinking::{Thinking, binds_prefix, stored, thinking};
use super::values::{pick, text};
use super::{Request, validate};
use crate::finding::{Finding, Place, Severity};
use crate::json::Raw;

/// A request before anything was folded: what is wrong with it already, and what a provider remembers of it.
#[derive(Clone, Debug)]
pub struct Baseline {
    wire: &'static str,
    faults: HashMap<Subject, usize>,
    thinking: Thinking,
    /// Whether thinking leaves whole where something before it has changed (A20), also that of the current turn.
    is_bound: bool,
    remembered: Remembered,
}

/// What a fault is about: places move when messages leave, so a message is known by its number in the request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Subject {
    rule: Option<&'static str>,
    message: Option<usize>,
    what: String,
}

/// What a provider can tell has changed, by the hash of its text.
#[derive(Clone, Debug, Default)]
struct Remembered {
    /// Parts that carry a signature or are thinking.
    sealed: HashSet<u64>,
    /// The sealed thinking in front of each call, by the call's id.
    before_call: HashMap<String, Vec<u64>>,
    /// The reasoning items in front of what they led to, by the ids of both.
    led_by: HashMap<String, Vec<String>>,
}

impl Baseline {
    /// Looks at a request. Linear.
    pub fn of(wire: &'static str, request: &Request) -> Baseline {
        Baseline::knowing(wire, request, faults_of(wire, request))
    }

    /// The errors of a view that are not those of the request it was made of, as [`beyond`](Baseline::beyond) finds them. Hardly
    /// any view has one, and then nobody looks for those of the request.
    pub fn compare(
        wire: &'static str,
        before: &Request,
        view: &Request,
        origins: &[Option<usize>],
    ) -> Vec<Finding> {
        let found: Vec<Finding> = errors(wire, view).collect();
        let known = if found.is_empty() { HashMap::new() } else { faults_of(wire, before) };
        Baseline::knowing(wire, before, known).new_among(found, view, origins)
    }

    fn knowing(wire: &'static str, request: &Request, faults: HashMap<Subject, usize>) -> Baseline {
        let thinking = thinking(wire, request);
        let is_bound = binds_prefix(wire, request);
        Baseline { wire, faults, thinking, is_bound, remembered: Remembered::of(wire, request) }
    }

    /// The errors of a view that are not those of the request. `origins` tells for each of its messages which one of
    /// the request it was; `None` for one that was put in.
    pub fn beyond(&self, view: &Request, origins: &[Option<usize>]) -> Vec<Finding> {
        self.new_among(errors(self.wire, view), view, origins)
    }

    fn new_among(
        &self,
        found: impl IntoIterator<Item = Finding>,
        view: &Request,
        origins: &[Option<usize>],
    ) -> Vec<Finding> {
        let mut left = self.faults.clone();
        let mut new = Vec::new();
        for fault in found {
            match left.get_mut(&Subject::of(&fault, origins)) {
                Some(times) if *times > 0 => *times -= 1,
                _ => new.push(fault),
            }
        }
        new.extend(self.forgotten(view));
        new
    }

    /// What the provider would miss or not recognise.
    fn forgotten(&self, view: &Request) -> Vec<Finding> {
        match self.wire {
            "anthropic" => self.changed_thinking(view),
            "openai-responses" => self.parted_reasoning(view),
            "gemini" => self.changed_signed(view),
            _ => Vec::new(),
        }
    }

    /// A17, and A16 for the turn that a tool loop continues.
    fn changed_thinking(&self, view: &Request) -> Vec<Finding> {
        let mut found = Vec::new();
        let is_result = |block: Raw| text(block.get("type")).as_deref() == Some("tool_result");
        let speaks = |message: &Raw| {
            let [role, content] = pick(*message, ["role", "content"]);
            let blocks = content.into_iter().flat_map(Raw::elements);
            text(role).as_deref() == Some("user") && !blocks.into_iter().any(is_result)
        };
        let open = view.messages.iter().rposition(speaks).unwrap_or(0);
        for (number, message) in view.messages.iter().enumerate() {
            let blocks: Vec<Raw> = content(*message).collect();
            let thought: Vec<u64> = blocks.iter().filter(|block| is_thinking(**block)).map(mark).collect();
            if thought.iter().any(|block| !self.remembered.sealed.contains(block)) {
                found.push(fault(
                    "A17",
                    format!("messages.{number}"),
                    number,
                    "a thinking block was changed",
                ));
            }
            let is_open = number > open && self.thinking != Thinking::Free;
            let calls = blocks.iter().filter_map(|block| text(block.get("id")));
            let parted = calls
                .filter_map(|id| self.remembered.before_call.get(&*id))
                .any(|before| *before != thought && !before.is_empty());
            let is_unbound = self.is_bound && thought.is_empty();
            if is_open && parted && !is_unbound {
                let what = "thinking of the current turn was left out of its message";
                found.push(fault("A16", format!("messages.{number}"), number, what));
            }
        }
        found
    }

    /// R3, both ways.
    fn parted_reasoning(&self, view: &Request) -> Vec<Finding> {
        let Thinking::Stored { .. } = self.thinking else { return Vec::new() };
        let mut found = Vec::new();
        let mut run: Vec<String> = Vec::new();
        for (number, item) in view.messages.iter().enumerate() {
            let [kind, id] = pick(*item, ["type", "id"]);
            let is_reasoning = text(kind).as_deref() == Some("reasoning");
            let id = text(id);
            if is_reasoning {
                run.extend(id.map(|id| id.into_owned()));
                continue;
            }
            let needed = id.as_deref().and_then(|id| self.remembered.led_by.get(id));
            if let Some(missing) = needed.and_then(|needed| needed.iter().find(|id| !run.contains(id))) {
                let what = format!("without the reasoning item `{missing}` that led to it");
                found.push(fault("R3", format!("input[{number}]"), number, &what));
            }
            run.clear();
        }
        found
    }

    /// G4.
    fn changed_signed(&self, view: &Request) -> Vec<Finding> {
        let mut found = Vec::new();
        for (number, message) in view.messages.iter().enumerate() {
            let signed =
                message.get("parts").into_iter().flat_map(Raw::elements).filter(|part| is_signed(*part));
            for part in signed.filter(|part| !self.remembered.sealed.contains(&mark(part))) {
                let nth = part.text().as_ptr() as usize - message.text().as_ptr() as usize;
                let what = format!("a signed part was changed (byte {nth} of its content)");
                found.push(fault("G4", format!("contents[{number}]"), number, &what));
            }
        }
        found
    }
}

impl Subject {
    fn of(fault: &Finding, origins: &[Option<usize>]) -> Subject {
        let rule = fault.rule;
        // What is said about either end of the list is said about the list, whichever message stands there.
        let is_of_the_list = rule.is_some_and(|rule| ENDS.contains(&rule));
        let number = fault.place.message.filter(|_| !is_of_the_list);
        match number {
            None => Subject { rule, message: None, what: without_numbers(&fault.what) },
            Some(number) => match origins.get(number - 1).copied().flatten() {
                Some(origin) => Subject { rule, message: Some(origin), what: without_numbers(&fault.what) },
                // Whatever is wrong with a message that was put in is new.
                None => Subject { rule, message: Some(usize::MAX), what: String::new() },
            },
        }
    }
}

/// Rules about the first or the last message, whichever that is.
const ENDS: &[&str] = &["A13", "A15", "A18", "A19", "G6"];

/// Numbers in brackets and behind dots are places.
fn without_numbers(what: &str) -> String {
    let mut out = String::with_capacity(what.len());
    let mut in_place = false;
    for letter in what.chars() {
        in_place = matches!(letter, '[' | '.') || (in_place && letter.is_ascii_digit());
        if !(in_place && letter.is_ascii_digit()) {
            out.push(letter);
        }
    }
    out
}

impl Remembered {
    fn of(wire: &str, request: &Request) -> Remembered {
        let mut remembered = Remembered::default();
        match wire {
            "anthropic" => request.messages.iter().for_each(|message| remembered.add_thinking(*message)),
            "openai-responses" => {
                let surely = stored(request) == Some(true);
                remembered.add_led(request, surely);
            }
            "gemini" => {
                let parts = request.messages.iter().filter_map(|message| message.get("parts"));
                let signed = parts.flat_map(Raw::elements).filter(|part| is_signed(*part));
                remembered.sealed.extend(signed.map(|part| mark(&part)));
            }
            _ => {}
        }
        remembered
    }

    fn add_thinking(&mut self, message: Raw) {
        let thought: Vec<u64> =
            content(message).filter(|block| is_thinking(*block)).map(|it| mark(&it)).collect();
        self.sealed.extend(&thought);
        for block in content(message) {
            let [kind, id] = pick(block, ["type", "id"]);
            if text(kind).as_deref() == Some("tool_use")
                && let Some(id) = text(id)
            {
                self.before_call.insert(id.into_owned(), thought.clone());
            }
        }
    }

    fn add_led(&mut self, request: &Request, surely: bool) {
        let mut run: Vec<String> = Vec::new();
        for item in &request.messages {
            let [kind, id, encrypted] = pick(*item, ["type", "id", "encrypted_content"]);
            if text(kind).as_deref() == Some("reasoning") {
                run.extend(text(id).filter(|_| surely || encrypted.is_none()).map(|id| id.into_owned()));
            } else if !run.is_empty() {
                let run = std::mem::take(&mut run);
                text(id).map(|id| self.led_by.insert(id.into_owned(), run));
            }
        }
    }
}

/// What is wrong with a request, and how often.
fn faults_of(wire: &str, request: &Request) -> HashMap<Subject, usize> {
    let numbers: Vec<Option<usize>> = (0..request.messages.len()).map(Some).collect();
    let mut faults = HashMap::new();
    for fault in errors(wire, request) {
        *faults.entry(Subject::of(&fault, &numbers)).or_default() += 1;
    }
    faults
}

fn errors(wire: &str, request: &Request) -> impl Iterator<Item = Finding> {
    validate(wire, request).into_iter().filter(|finding| finding.severity == Severity::Error)
}

fn fault(rule: &'static str, field: String, number: usize, what: &str) -> Finding {
    let place = Place::message(number + 1).field(field);
    Finding::new(Severity::Error, place, what).rule(rule).remedy("send it as it was received, or not at all")
}

fn content(message: Raw) -> impl Iterator<Item = Raw> {
    message.get("content").into_iter().flat_map(Raw::elements)
}

fn is_thinking(block: Raw) -> bool {
    matches!(text(block.get("type")).as_deref(), Some("thinking" | "redacted_thinking"))
}

fn is_signed(part: Raw) -> bool {
    part.get("thoughtSignature").or(part.get("thought_signature")).is_some()
}

fn mark(part: &Raw) -> u64 {
    xxh3_64(part.text().as_bytes())
}
