//! What a caller may say, as one JSON object: the same names in every language.

use std::sync::Arc;
use std::time::Duration;

use bytestring::ByteString;
use enfold::count::budget::BudgetSpec;
use enfold::count::models::{Model, Table};
use enfold::file;
use enfold::folding::policy::{Policy, Room};
use enfold::json::{Kind, Raw};
use enfold::wire::{self, WIRES, Wire};
use enfold_llm::Api;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::stored::seconds;
use crate::{Code, Error, Persister};

/// How to fold, for one call or for a session's life. Everything has a default, but either `budget` or `model` must be said
/// where something is folded. Unknown names are refused.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Tokens that a view may take: `16000`, `"16k"`, or a share of the model's usable window: `0.8`, `"80%"`.
    pub budget: Option<Value>,
    /// The model the view is for: its counts, its window. Without one, tokens are counted in o200k.
    pub model: Option<String>,
    /// A policy that ships, by name, or one of your own as TOML. `balanced`.
    pub policy: Option<String>,
    /// The wire format of the messages. Without one it is recognised by content.
    pub format: Option<String>,
    /// The system prompt, in a format that keeps it beside the list of messages.
    pub system: Option<Box<RawValue>>,
    /// The tool definitions: a list, counted within the budget.
    pub tools: Option<Box<RawValue>>,
    /// The session's name. Handles are made from it; without one, from the first message.
    pub name: Option<String>,
    /// Makes handles hard to guess; one per installation. Without one, whoever knows a text can tell its handle.
    pub secret: Option<String>,
    /// Whether somebody can be asked for summaries. Views then come with a question where one would help. A stored session
    /// has its `summarizer` for that.
    pub asks: bool,
    /// Who is asked for summaries by a stored session: `anthropic:MODEL`, `openai:MODEL` or `openai-responses:MODEL`. Keys come
    /// from the environment.
    pub summarizer: Option<String>,
    /// Where the summarizer's API is, if not at the provider's own place.
    pub summarizer_url: Option<String>,
    /// A folder for originals as files, which the folded texts of a stored session name.
    pub blobs: Option<String>,
    /// How long a provider keeps a request in its cache, in seconds. What is known of the model, else 300. A stored session has a
    /// clock for it; beside one in memory the host has.
    pub cache_seconds: Option<f64>,
    /// How long to wait for another process that compacts the same stored session, in seconds. 60.
    pub patience_seconds: Option<f64>,
    /// Who keeps originals where the agent can read them. No JSON: a package sets it.
    #[serde(skip)]
    pub persister: Option<Persister>,
}

impl Options {
    /// Reads options from a JSON object.
    pub fn parse(json: &str) -> Result<Options, Error> {
        serde_json::from_str(json).map_err(|error| {
            // The place in a text that no caller has seen says nothing to them.
            let what = error.to_string();
            bad(what.split(" at line ").next().unwrap_or(&what).to_string())
        })
    }

    pub(crate) fn policy(&self) -> Result<Policy, Error> {
        let named = self.policy.as_deref().unwrap_or("balanced");
        let policy = if named.contains('\n') { Policy::parse(named) } else { Policy::named(named) };
        policy.map_err(|error| bad(error.to_string()))
    }

    pub(crate) fn model(&self) -> Option<Model> {
        self.model.as_deref().map(|id| Table::shipped().resolve(id).model)
    }

    /// The wire format that was named.
    pub(crate) fn wire(&self) -> Result<Option<&'static dyn Wire>, Error> {
        let Some(name) = self.format.as_deref() else { return Ok(None) };
        wire::named(name).map(Some).ok_or_else(|| {
            let why = match file::names().contains(&name) {
                true => "is what an agent keeps on disk, not what a provider is sent; give the file's bytes",
                false => "is no wire format",
            };
            bad(format!("format `{name}` {why}; there are {}", wire_names()))
        })
    }

    /// Tokens that a view may take under a policy, and the whole window.
    pub(crate) fn room(&self, policy: &Policy) -> Result<Room, Error> {
        let (asked, model) = (self.budget()?, self.model());
        match (asked, &model) {
            (None, None) => {
                return Err(bad(
                    "neither a budget nor a model is given: say budget=\"16k\", or the model it is for",
                ));
            }
            (Some(BudgetSpec::OfWindow(_)), None) => {
                return Err(bad(
                    "the budget is a share of a model's window, and no model is given: say which",
                ));
            }
            (Some(BudgetSpec::Tokens(_)), None) | (_, Some(_)) => {}
        }
        let room = policy.room(model.as_ref(), asked)?;
        // A session that is kept small is still one of its model's window.
        Ok(Room { window: model.map_or(room.window, |model| model.context), ..room })
    }

    fn budget(&self) -> Result<Option<BudgetSpec>, Error> {
        let written = match &self.budget {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.clone(),
            Some(number @ Value::Number(_)) => number.to_string(),
            Some(other) => return Err(bad(format!("budget: `{other}` is no number of tokens and no share"))),
        };
        Ok(Some(written.parse::<BudgetSpec>()?))
    }

    /// What stands beside the messages.
    pub(crate) fn beside(&self, wire: &dyn Wire) -> Result<Beside, Error> {
        Beside::new(wire, text_of(&self.system), text_of(&self.tools))
    }

    /// How long the provider keeps a request.
    pub(crate) fn cache_lifetime(&self) -> Result<Duration, Error> {
        let known = || self.model().and_then(|model| model.cache.ttl);
        let said = seconds("cache_seconds", self.cache_seconds)?;
        Ok(said.unwrap_or_else(|| Duration::from_secs(known().unwrap_or(300).into())))
    }

    /// Who is asked for summaries.
    pub(crate) fn summarizer(&self) -> Result<Option<(Api, &str)>, Error> {
        let Some(written) = &self.summarizer else { return Ok(None) };
        let api = match written.split_once(':') {
            Some(("anthropic", model)) => Some((Api::Anthropic, model)),
            Some(("openai", model)) => Some((Api::Chat, model)),
            Some(("openai-responses", model)) => Some((Api::Responses, model)),
            _ => None,
        };
        api.filter(|(_, model)| !model.is_empty()).map(Some).ok_or_else(|| {
            bad(format!(
                "summarizer `{written}`: expected anthropic:MODEL, openai:MODEL or openai-responses:MODEL"
            ))
        })
    }
}

/// What stands beside the messages of a request, as JSON.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Beside {
    pub(crate) system: Option<ByteString>,
    pub(crate) tools: Option<ByteString>,
}

impl Beside {
    pub(crate) fn new(
        wire: &dyn Wire,
        system: Option<ByteString>,
        tools: Option<ByteString>,
    ) -> Result<Beside, Error> {
        let given = |text: &ByteString| Raw::parse(text).is_ok_and(|raw| !raw.is_null());
        let (system, tools) = (system.filter(given), tools.filter(given));
        if system.is_some() && wire.shape().head.is_none() {
            let title = wire.title();
            return Err(bad(format!(
                "system: {title} keeps the system prompt in the list; put it first there"
            )));
        }
        if tools
            .as_deref()
            .and_then(|tools| Raw::parse(tools).ok())
            .is_some_and(|raw| raw.kind() != Kind::Array)
        {
            return Err(bad("tools: expected a list of tool definitions"));
        }
        Ok(Beside { system, tools })
    }
}

/// A policy, shared by sessions.
pub(crate) fn shared_policy(options: &Options) -> Result<Arc<Policy>, Error> {
    Ok(Arc::new(options.policy()?))
}

pub(crate) fn bad(what: impl Into<String>) -> Error {
    Error::new(Code::BadOption, what)
}

pub(crate) fn wire_names() -> String {
    WIRES.iter().map(|wire| wire.name()).collect::<Vec<_>>().join(", ")
}

fn text_of(value: &Option<Box<RawValue>>) -> Option<ByteString> {
    value.as_ref().map(|value| value.get().into())
}
