//! The model table: windows, prices, cache rules, tokenizers.
//!
//! The facts are data, in `data/models.csv` with their date. A user's own entries win over them; a model that
//! nobody knows gets a window of 128,000 tokens and a warning that says so.

mod overrides;
mod resolve;
mod table;

use std::sync::Arc;

pub use overrides::OverrideError;
pub use table::{Table, TableError};

use crate::count::media::ImageRule;
use crate::count::{Counter, Encoding, Factor, Heuristic, Scaled};
use crate::finding::{Finding, Place, Severity};

/// The window of a model that nobody knows.
pub const UNKNOWN_CONTEXT: usize = 128_000;

/// The month of the facts in the table.
pub const TABLE_DATE: &str = "2026-11";

/// What is known about a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Who serves it.
    pub provider: String,
    /// Its id, as the provider spells it.
    pub id: String,
    /// Tokens of input and output together.
    pub context: usize,
    /// The most input it takes, where that is less than `context`.
    pub max_input: Option<usize>,
    /// The most it writes in one answer, where known.
    pub max_output: Option<usize>,
    /// Prices, where known.
    pub prices: Option<Prices>,
    /// How the provider caches prompts.
    pub cache: CacheRules,
    /// Models that count alike.
    pub family: String,
    /// How texts are counted.
    pub tokenizer: Tokenizer,
    /// How pictures are counted.
    pub image: ImageRule,
    /// Where the facts come from.
    pub source: String,
}

/// US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    /// Input that no cache held.
    pub input: f64,
    /// Output.
    pub output: f64,
    /// Input read from the cache; the input price where nothing is taken off.
    pub cache_read: f64,
    /// Input written to the cache; the input price where nothing is added.
    pub cache_write: f64,
    /// The price cliff, where there is one.
    pub cliff: Option<Cliff>,
}

/// A request of more than `over` input tokens is charged `input` per million for all of them, and `output` for its answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cliff {
    /// Input tokens.
    pub over: usize,
    /// US dollars per million input tokens above the cliff.
    pub input: f64,
    /// US dollars per million output tokens above the cliff; the output price where nothing is added.
    pub output: f64,
}

/// How a provider caches prompts. `None` where it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheRules {
    /// Price of a read as a share of the input price.
    pub read: Option<f64>,
    /// Price of a write as a multiple of the input price.
    pub write: Option<f64>,
    /// Seconds that a prefix stays cached.
    pub ttl: Option<u32>,
    /// Seconds that it stays with the longer of two lifetimes.
    pub long_ttl: Option<u32>,
    /// Price of a write with the longer lifetime, as a multiple of the input price.
    pub long_write: Option<f64>,
    /// Prefixes below this many tokens are not cached.
    pub min_tokens: Option<usize>,
    /// Prefixes are cached in blocks of so many tokens; `None` where they are cached as far as they are equal.
    pub block: Option<usize>,
}

/// How a model's texts are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokenizer {
    /// The vocabulary.
    pub vocabulary: Vocabulary,
    /// What its counts are multiplied by; [`Factor::ONE`] where it is the model's own.
    pub factor: Factor,
}

/// A way to count that ships with Enfold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vocabulary {
    /// A vocabulary of OpenAI's.
    Bpe(Encoding),
    /// A quarter of the characters.
    Heuristic,
}

/// A model and how it was found.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The model.
    pub model: Model,
    /// How its entry was found.
    pub found: Found,
}

/// How a model's entry was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The user's own entry.
    Override,
    /// Under the very id that was asked for.
    Exact,
    /// Under another spelling of it: a provider prefix, a date, `-latest`.
    Alias,
    /// Not at all.
    Unknown {
        /// The known id that looks most like it.
        nearest: Option<String>,
    },
}

impl Model {
    /// Input tokens beyond which all input of a request is dearer, where there is such a cliff. Free input never is.
    pub fn cliff(&self) -> Option<usize> {
        let prices = self.prices.filter(|prices| prices.input > 0.0)?;
        prices.cliff.map(|cliff| cliff.over)
    }

    /// The counter for the model's texts. Loads nothing yet.
    pub fn counter(&self) -> Arc<dyn Counter> {
        self.tokenizer.counter()
    }

    /// An entry for a model that nobody knows. The name still tells the family, and with it how to count: an
    /// unknown Claude is counted as the most recent ones.
    pub(crate) fn unknown(id: &str) -> Model {
        const OPENAI: [&str; 6] = ["gpt", "chatgpt", "codex", "o1", "o3", "o4"];
        let name = id.rsplit('/').next().unwrap_or(id).to_ascii_lowercase();
        let o200k = |percent| Tokenizer {
            vocabulary: Vocabulary::Bpe(Encoding::O200k),
            factor: Factor::percent(percent),
        };
        let (family, tokenizer) = if name.contains("claude") {
            ("claude-4.7", o200k(160))
        } else if OPENAI.iter().any(|prefix| name.starts_with(prefix)) {
            ("openai", o200k(100))
        } else {
            ("other", o200k(110))
        };
        Model {
            provider: String::new(),
            id: id.to_string(),
            context: UNKNOWN_CONTEXT,
            max_input: None,
            max_output: None,
            prices: None,
            cache: CacheRules::default(),
            family: family.into(),
            tokenizer,
            image: ImageRule::default(),
            source: "assumed".into(),
        }
    }
}

impl Tokenizer {
    /// The counter. Loads nothing yet.
    pub fn counter(self) -> Arc<dyn Counter> {
        match (self.vocabulary, self.factor == Factor::ONE) {
            (Vocabulary::Bpe(encoding), true) => Arc::new(encoding),
            (Vocabulary::Bpe(encoding), false) => Arc::new(Scaled::new(encoding, self.factor)),
            (Vocabulary::Heuristic, true) => Arc::new(Heuristic),
            (Vocabulary::Heuristic, false) => Arc::new(Scaled::new(Heuristic, self.factor)),
        }
    }
}

impl Resolved {
    /// What the user should know about how the model was found: nothing, unless it is unknown.
    pub fn finding(&self) -> Option<Finding> {
        let Found::Unknown { nearest } = &self.found else { return None };
        let what = format!(
            "model `{}` is not in the model table of {TABLE_DATE}; a window of {UNKNOWN_CONTEXT} tokens is assumed",
            self.model.id
        );
        let did_you_mean =
            nearest.as_ref().map(|id| format!("did you mean `{id}`? Else ")).unwrap_or_default();
        let remedy =
            format!("{did_you_mean}add `[\"{}\"]` with `context = N` to your models file", self.model.id);
        Some(Finding::new(Severity::Warning, Place::default(), what).remedy(remedy))
    }
}
