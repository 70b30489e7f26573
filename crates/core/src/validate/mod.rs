//! Whether a provider would take a request, rule by rule, without asking it.
//!
//! Each wire format has a catalogue of numbered [`Rule`]s and a validator that works on the raw JSON, independent of
//! the readers: what a reader forgives, a provider may refuse. A finding names the rule, the place in the provider's
//! own spelling, what is wrong and what would mend it.
//!
//! | severity | meaning |
//! |---|---|
//! | error | the provider refuses this |
//! | warning | some servers or models refuse this, or the model is not known |
//! | note | normal in a session that is under way, or worth knowing |
//!
//! Time and memory are linear in the size of the request; nothing recurses.

mod ai_sdk;
mod anthropic;
mod around;
mod baseline;
mod bound;
mod gemini;
mod model;
mod openai_chat;
mod openai_responses;
mod pi_agent_core;
mod report;
#[cfg(test)]
mod tests;
mod thinking;
mod values;

use crate::finding::Finding;
use crate::json::{Kind, Raw};
use report::Report;

pub use around::Around;
pub(crate) use around::NOTHING_AROUND;
pub use baseline::Baseline;
pub use bound::Bound;
pub(crate) use thinking::{Thinking, binds_prefix, thinking};

/// A request taken apart just enough to be validated. Parts that are not known stay empty: rules that need them are
/// skipped or become milder.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// The whole request object, where there is one.
    pub root: Option<Raw<'a>>,
    /// The system prompt, where the format keeps it beside the list.
    pub head: Option<Raw<'a>>,
    /// The messages (in OpenAI Responses: the input items).
    pub messages: Vec<Raw<'a>>,
    /// The tool definitions.
    pub tools: Option<Raw<'a>>,
    /// The model's id. Without it, the request's own `model` field is used.
    pub model: Option<&'a str>,
}

/// One rule of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its number: `A1`, `C4`, …
    pub number: &'static str,
    /// What it demands.
    pub title: &'static str,
    /// A part of the message by which the provider refuses. Wording drifts: match by substring. In parentheses
    /// where there is no such message: what happens instead.
    pub error: &'static str,
    /// Whether it can be checked here.
    pub checked: Checked,
}

/// Where a rule can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Here, from the request alone.
    Offline,
    /// Only by the provider, for this reason. What can be seen of it (a field that is there, and not empty) is
    /// checked all the same.
    NeedsProvider(&'static str),
}

/// The wire formats that can be validated.
pub const WIRES: &[&str] =
    &["anthropic", "openai-chat", "openai-responses", "ai-sdk", "gemini", "pi-agent-core"];

/// The catalogue of a wire format's rules; empty for a name that is not in [`WIRES`].
pub fn rules(wire: &str) -> &'static [Rule] {
    match wire {
        "anthropic" => anthropic::RULES,
        "openai-chat" => openai_chat::RULES,
        "openai-responses" => openai_responses::RULES,
        "ai-sdk" => ai_sdk::RULES,
        "gemini" => gemini::RULES,
        "pi-agent-core" => pi_agent_core::RULES,
        _ => &[],
    }
}

/// Everything a provider of this wire format would object to, ordered by place. Nothing for a name that is not in
/// [`WIRES`].
pub fn validate(wire: &str, request: &Request) -> Vec<Finding> {
    let mut report = Report::default();
    match wire {
        "anthropic" => anthropic::validate(request, &mut report),
        "openai-chat" => openai_chat::validate(request, &mut report),
        "openai-responses" => openai_responses::validate(request, &mut report),
        "ai-sdk" => ai_sdk::validate(request, &mut report),
        "gemini" => gemini::validate(request, &mut report),
        "pi-agent-core" => pi_agent_core::validate(request, &mut report),
        _ => {}
    }
    report.into_ordered()
}

impl<'a> Request<'a> {
    /// Takes a value apart as the wire format keeps it: a request object, or a bare list of messages.
    pub fn of(wire: &str, value: Raw<'a>) -> Request<'a> {
        let (list_key, head_keys) = keys(wire);
        match value.kind() {
            Kind::Object => {
                let get = |key: &str| value.get(key).filter(|found| !found.is_null());
                let list = get(list_key);
                let messages = match list {
                    Some(list) if list.kind() == Kind::String && list_key == "input" => vec![list],
                    Some(list) => list.elements().collect(),
                    None => Vec::new(),
                };
                let head = head_keys.iter().find_map(|key| get(key));
                Request { root: Some(value), head, messages, tools: get("tools"), model: None }
            }
            _ => Request { messages: value.elements().collect(), ..Request::default() },
        }
    }

    /// The request object.
    fn object(&self) -> Option<Raw<'a>> {
        self.root.filter(|root| root.kind() == Kind::Object)
    }

    /// A field of the request object that is not null.
    fn field(&self, key: &str) -> Option<Raw<'a>> {
        self.object()?.get(key).filter(|value| !value.is_null())
    }

    /// Whether the request object has one of `signs`: it is then the request itself, not a record that happens to
    /// hold a list of messages, and what it lacks is missing.
    fn is_whole(&self, signs: &[&str]) -> bool {
        self.object().is_some_and(|root| root.members().any(|(name, _)| signs.contains(&&*name)))
    }

    /// The model's id.
    fn model_id(&self) -> Option<std::borrow::Cow<'a, str>> {
        match self.model {
            Some(model) => Some(model.into()),
            None => self.field("model").and_then(Raw::str),
        }
    }
}

/// Where a wire format keeps its list and its system prompt.
fn keys(wire: &str) -> (&'static str, &'static [&'static str]) {
    match wire {
        "anthropic" | "ai-sdk" => ("messages", &["system"]),
        "openai-responses" => ("input", &["instructions"]),
        "gemini" => ("contents", &["systemInstruction", "system_instruction"]),
        "pi-agent-core" => ("messages", &["systemPrompt"]),
        _ => ("messages", &[]),
    }
}

impl Rule {
    const fn offline(number: &'static str, title: &'static str, error: &'static str) -> Rule {
        Rule { number, title, error, checked: Checked::Offline }
    }

    const fn provider(
        number: &'static str,
        title: &'static str,
        error: &'static str,
        reason: &'static str,
    ) -> Rule {
        Rule { number, title, error, checked: Checked::NeedsProvider(reason) }
    }
}
