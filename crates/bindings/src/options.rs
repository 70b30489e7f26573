//! What a caller may say, as one JSON object: the same names in every language.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytestring::ByteString;
use enfold::Cache;
use enfold::count::models::{Model, Table};
use enfold::count::{Counter, Encoding, Heuristic};
use enfold::file;
use enfold::finding::Finding;
use enfold::folding::policy::{Policy, Settings};
use enfold::json::{Kind, Raw};
use enfold::text::nearest;
use enfold::understand::facts::Understanding;
use enfold::wire::{self, WIRES, Wire};
use enfold_cli::Count;
use enfold_llm::Api;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::names::fields_of;
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
    /// What counts instead of the model's own tokenizer: `o200k`, `cl100k`, or `heuristic` (four characters are a token).
    pub tokenizer: Option<String>,
    /// The whole window in tokens, where it is not the model's.
    pub window: Option<usize>,
    /// Whether the provider still holds the last request, for one fold: `warm` or `cold`. `cold`.
    pub cache: Option<String>,
    /// What is set of the policy.
    #[serde(skip)]
    pub settings: Settings,
    /// Who keeps originals where the agent can read them. No JSON: a package sets it.
    #[serde(skip)]
    pub persister: Option<Persister>,
}

impl Options {
    /// Reads options from a JSON object.
    pub fn parse(json: &str) -> Result<Options, Error> {
        let all: BTreeMap<&str, &RawValue> = serde_json::from_str(json).map_err(|error| unsaid(&error))?;
        let (settings, own): (BTreeMap<_, _>, BTreeMap<_, _>) =
            all.into_iter().partition(|(name, _)| Settings::NAMES.contains(name));
        let known = fields_of::<Options>();
        if let Some(unknown) = own.keys().find(|name| !known.contains(*name)) {
            let hint = nearest(unknown, Options::names());
            return Err(bad(format!("there is no option `{unknown}`{hint}")));
        }
        for (name, value) in &settings {
            // One by one, so that an error says which.
            read::<Settings>(&BTreeMap::from([(*name, *value)]))
                .map_err(|error| bad(format!("`{name}`: {}", error.what)))?;
        }
        Ok(Options { settings: read(&settings)?, ..read(&own)? })
    }

    /// The names of all options.
    pub fn names() -> impl Iterator<Item = &'static str> {
        fields_of::<Options>().iter().copied().chain(Settings::NAMES)
    }

    /// What the caller should know although everything is in order: that a model is unknown and what is assumed of it.
    pub fn warnings(&self) -> Vec<String> {
        let unknown = self.model.as_deref().and_then(|id| Table::shipped().resolve(id).finding());
        unknown.iter().filter(|_| self.window.is_none()).map(said_in_options).collect()
    }

    pub(crate) fn policy(&self) -> Result<Policy, Error> {
        let named = self.policy.as_deref().unwrap_or("balanced");
        let policy = if named.contains('\n') { Policy::parse(named) } else { Policy::named(named) };
        policy.and_then(|policy| policy.with(&self.settings)).map_err(|error| bad(error.to_string()))
    }

    /// How tools are understood.
    pub(crate) fn understanding(&self) -> Result<Understanding, Error> {
        let Settings { categories, own_tools, modified, instruction_marks, .. } = self.settings.clone();
        let preserve_recent_turns = self.settings.preserve_recent_turns;
        let of_tools = Settings {
            categories,
            own_tools,
            modified,
            instruction_marks,
            preserve_recent_turns,
            ..Settings::default()
        };
        // What is set of passes says nothing about tools, and need not be for the passes of this policy.
        let policy =
            Options { policy: self.policy.clone(), settings: of_tools, ..Options::default() }.policy()?;
        Ok(policy.understanding)
    }

    /// The policy whose `prune_outputs` is asked; the one that does nothing else, if none is named.
    pub(crate) fn pruning_policy(&self) -> Result<Policy, Error> {
        let policy = self.policy.clone().or(Some("prune".into()));
        Options { policy, settings: self.settings.clone(), ..Options::default() }.policy()
    }

    /// The model, with the window that was said.
    pub(crate) fn model(&self) -> Option<Model> {
        let mut model = self.model.as_deref().map(|id| Table::shipped().resolve(id).model)?;
        if let Some(window) = self.window {
            (model.context, model.max_input) = (window, None);
        }
        Some(model)
    }

    /// What counts, where that was said.
    pub(crate) fn counter(&self) -> Result<Option<Arc<dyn Counter>>, Error> {
        let Some(named) = self.tokenizer.as_deref() else { return Ok(None) };
        Ok(Some(match named {
            "o200k" | "o200k_base" => Arc::new(Encoding::O200k),
            "cl100k" | "cl100k_base" => Arc::new(Encoding::Cl100k),
            "heuristic" => Arc::new(Heuristic),
            _ => return Err(bad(format!("tokenizer `{named}`: there are o200k, cl100k and heuristic"))),
        }))
    }

    /// How a session is counted.
    pub(crate) fn counting(&self) -> Result<Count<'_>, Error> {
        Ok(Count { model: self.model.as_deref(), counter: self.counter()? })
    }

    /// A session is told about the cache with each request, or has a clock.
    pub(crate) fn for_session(&self) -> Result<(), Error> {
        match self.cache {
            Some(_) => {
                Err(bad("`cache` is for one fold; a session is told with each request, or has a clock"))
            }
            None => Ok(()),
        }
    }

    /// Whether the provider still holds the last request.
    pub(crate) fn cache(&self) -> Result<Cache, Error> {
        match self.cache.as_deref() {
            None | Some("cold") => Ok(Cache::Cold),
            Some("warm") => Ok(Cache::Warm),
            Some(other) => Err(bad(format!("cache `{other}`: it is `warm` or `cold`"))),
        }
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

fn read<T: serde::de::DeserializeOwned>(options: &BTreeMap<&str, &RawValue>) -> Result<T, Error> {
    let whole = serde_json::to_string(options).map_err(|error| unsaid(&error))?;
    serde_json::from_str(&whole).map_err(|error| unsaid(&error))
}

/// The place in a text that no caller has seen says nothing to them.
fn unsaid(error: &serde_json::Error) -> Error {
    let what = error.to_string();
    let what = what.split(" at line ").next().unwrap_or(&what);
    // Nor do the types of Rust.
    let words =
        [("usize", "a whole number"), ("u32", "a whole number"), ("f64", "a number"), ("a map", "an object")];
    let said = words.iter().fold(what.to_string(), |said, (rust, plain)| {
        said.replace(&format!("expected {rust}"), &format!("expected {plain}"))
    });
    bad(said.replace("expected a sequence", "expected a list"))
}

/// What is to be known of a model, with what helps a caller: the command's own remedy is a file that a library does not read.
fn said_in_options(unknown: &Finding) -> String {
    let meant = unknown.remedy.split_once("? Else ");
    let meant = meant.map_or(String::new(), |(meant, _)| format!("{meant}? Else "));
    format!("{}; {meant}say its `window`", unknown.what)
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
