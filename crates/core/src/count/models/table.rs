//! Reading the table and looking models up in it.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::resolve::{aliases, plain};
use super::{CacheRules, Cliff, Found, Model, Prices, Resolved, Tokenizer, Vocabulary};
use crate::count::{Encoding, Factor};

static CSV: &str = include_str!("../../../data/models.csv");

static SHIPPED: LazyLock<Table> =
    LazyLock::new(|| Table::parse(CSV).expect("the shipped table is read by this crate's tests"));

/// Models by id. Keeps the order of its source.
#[derive(Clone, Debug, Default)]
pub struct Table {
    models: Vec<Model>,
    /// Number of entries, from the first, that are the user's own.
    pub(super) own: usize,
    by_name: HashMap<String, usize>,
}

/// A table that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("model table, line {line}: {what}; {remedy}")]
pub struct TableError {
    /// Line of the text, from 1.
    pub line: u64,
    /// What is wrong.
    pub what: String,
    /// What would mend it.
    pub remedy: String,
}

/// A line of the table as it is written. Everything but the id may be left out in a user's own table.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Row {
    pub(super) provider: Option<String>,
    pub(super) model: Option<String>,
    pub(super) context: Option<usize>,
    pub(super) max_input: Option<usize>,
    pub(super) max_output: Option<usize>,
    pub(super) input_per_m: Option<f64>,
    pub(super) output_per_m: Option<f64>,
    pub(super) cache_read_per_m: Option<f64>,
    pub(super) cache_write_per_m: Option<f64>,
    pub(super) surcharge_over: Option<usize>,
    pub(super) surcharge_input_per_m: Option<f64>,
    pub(super) surcharge_output_per_m: Option<f64>,
    pub(super) cache_ttl: Option<u32>,
    pub(super) cache_long_ttl: Option<u32>,
    pub(super) cache_long_write_x: Option<f64>,
    pub(super) cache_min: Option<usize>,
    pub(super) cache_block: Option<usize>,
    pub(super) family: Option<String>,
    pub(super) tokenizer: Option<String>,
    pub(super) factor: Option<Decimal>,
    pub(super) image: Option<String>,
    pub(super) source: Option<String>,
}

/// A factor, written as a number or as text (`1.25`, `"1.25"`).
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Decimal {
    Number(f64),
    Text(String),
}

impl Table {
    /// The table that ships with Enfold. Read at the first call, in under a millisecond.
    pub fn shipped() -> &'static Table {
        &SHIPPED
    }

    /// Reads a table as CSV with the columns of `data/models.csv`, in any order; lines that start with `#` are
    /// comments.
    pub fn parse(csv: &str) -> Result<Table, TableError> {
        let mut table = Table::default();
        for (line, row) in rows(csv)? {
            let id = row.model.clone().unwrap_or_default();
            let model =
                row.onto(Model::unknown(&id)).map_err(|(what, remedy)| TableError { line, what, remedy })?;
            table.add(model);
        }
        table.index();
        Ok(table)
    }

    /// All entries, the user's own first.
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// The entry for `id`, in any spelling in use: with a provider in front (`openai/gpt-4o`), with a date
    /// (`claude-sonnet-4-5-20250929`), `-latest`, as Bedrock and Vertex spell it
    /// (`us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `claude-sonnet-4-5@20250929`), with dots for dashes, with
    /// Claude Code's `[1m]`, in any case. Always answers; [`Resolved::finding`] is the warning for an unknown one.
    pub fn resolve(&self, id: &str) -> Resolved {
        let (name, wide) = match id.trim().to_ascii_lowercase() {
            name if name.ends_with("[1m]") => (name[..name.len() - 4].to_string(), true),
            name => (name, false),
        };
        let mut resolved = self.lookup(&name, id.trim());
        if wide && resolved.model.context < 1_000_000 {
            resolved.model.context = 1_000_000;
            resolved.model.max_input = None;
        }
        resolved
    }

    /// This table with `models` in front of it.
    pub(super) fn with_own(&self, own: Vec<Model>) -> Table {
        let mut table = Table { own: own.len(), models: own, ..Table::default() };
        table.models.extend(self.models.iter().cloned());
        table.index();
        table
    }

    fn lookup(&self, name: &str, asked: &str) -> Resolved {
        for alias in aliases(name) {
            if let Some(at) = self.by_name.get(&alias) {
                let model = self.models[*at].clone();
                let found = match *at {
                    at if at < self.own => Found::Override,
                    _ if model.id.eq_ignore_ascii_case(name) => Found::Exact,
                    _ => Found::Alias,
                };
                return Resolved { model, found };
            }
        }
        Resolved { model: Model::unknown(asked), found: Found::Unknown { nearest: self.nearest(name) } }
    }

    /// The known id most like `name`; of equally like ones the last, which is mostly the newest.
    fn nearest(&self, name: &str) -> Option<String> {
        let name = name.rsplit('/').next().unwrap_or(name);
        let likeness =
            |model: &Model| strsim::normalized_damerau_levenshtein(name, &model.id.to_ascii_lowercase());
        let mut best: Option<(f64, &Model)> = None;
        for model in &self.models {
            let score = likeness(model);
            if score >= best.map_or(0.6, |(score, _)| score) {
                best = Some((score, model));
            }
        }
        best.map(|(_, model)| model.id.clone())
    }

    fn add(&mut self, model: Model) {
        self.models.push(model);
    }

    /// Names of all entries. An id as written beats any id that only leads there: `gpt-4o` is the entry of that
    /// name, not the dated one whose date was left out.
    fn index(&mut self) {
        let mut by_name = HashMap::with_capacity(self.models.len() * 3);
        for (at, model) in self.models.iter().enumerate() {
            by_name.entry(model.id.to_ascii_lowercase()).or_insert(at);
        }
        for (at, model) in self.models.iter().enumerate() {
            by_name.entry(format!("{}/{}", model.provider, model.id).to_ascii_lowercase()).or_insert(at);
        }
        for (at, model) in self.models.iter().enumerate() {
            by_name.entry(plain(&model.id)).or_insert(at);
        }
        self.by_name = by_name;
    }
}

pub(super) fn rows(csv: &str) -> Result<Vec<(u64, Row)>, TableError> {
    let mut reader =
        csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(csv.as_bytes());
    let line_of = |error: &csv::Error| error.position().map_or(1, csv::Position::line);
    let remedy = "the columns are those of data/models.csv, separated by commas; leave unknown values empty";
    let broken = |error: csv::Error| TableError {
        line: line_of(&error),
        what: error.to_string(),
        remedy: remedy.into(),
    };
    let headers = reader.headers().map_err(broken)?.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(broken)?;
        let line = record.position().map_or(0, csv::Position::line);
        let row: Row =
            record.deserialize(Some(&headers)).map_err(|error| TableError { line, ..broken(error) })?;
        rows.push((line, row));
    }
    Ok(rows)
}

impl Row {
    /// `base` with what the row says. An error is what is wrong and what would mend it.
    pub(super) fn onto(self, base: Model) -> Result<Model, (String, String)> {
        let id = self.model.clone().unwrap_or_else(|| base.id.clone());
        if id.trim().is_empty() {
            return Err(("a model has no id".into(), "give it one in the column `model`".into()));
        }
        if self.context == Some(0) {
            return Err((
                format!("model `{id}` has a context of 0"),
                "write the size of its window in tokens".into(),
            ));
        }
        if let Some((field, price)) = self.numbers().into_iter().find(|(_, price)| !is_price(*price)) {
            return Err((
                format!("model `{id}`: `{field}` is {price}, which nobody charges"),
                "write a number from 0 on".into(),
            ));
        }
        let context = self.context.unwrap_or(base.context);
        let max_input = self.max_input.or(if self.context.is_some() { None } else { base.max_input });
        let prices = self.prices(base.prices);
        let explain = |error: String| (format!("model `{id}`: {error}"), "mend the value".to_string());
        Ok(Model {
            cache: self.cache(base.cache, prices),
            prices,
            provider: self.provider.unwrap_or(base.provider),
            context,
            max_input: max_input.filter(|max| *max > 0 && *max < context),
            max_output: self.max_output.or(base.max_output),
            family: self.family.unwrap_or(base.family),
            tokenizer: Tokenizer {
                vocabulary: match self.tokenizer {
                    Some(name) => vocabulary(&name).map_err(explain)?,
                    None => base.tokenizer.vocabulary,
                },
                factor: match self.factor {
                    Some(factor) => factor.read().map_err(explain)?,
                    None => base.tokenizer.factor,
                },
            },
            image: match self.image {
                Some(rule) => rule.parse().map_err(|error| explain(format!("{error}")))?,
                None => base.image,
            },
            source: self.source.unwrap_or(base.source),
            id,
        })
    }

    /// What is charged, as far as the row says it.
    fn numbers(&self) -> Vec<(&'static str, f64)> {
        let numbers = [
            ("input_per_m", self.input_per_m),
            ("output_per_m", self.output_per_m),
            ("cache_read_per_m", self.cache_read_per_m),
            ("cache_write_per_m", self.cache_write_per_m),
            ("surcharge_input_per_m", self.surcharge_input_per_m),
            ("surcharge_output_per_m", self.surcharge_output_per_m),
            ("cache_long_write_x", self.cache_long_write_x),
        ];
        numbers.into_iter().filter_map(|(field, number)| Some((field, number?))).collect()
    }

    fn prices(&self, base: Option<Prices>) -> Option<Prices> {
        let input = self.input_per_m.or(base.map(|base| base.input))?;
        let output = self.output_per_m.or(base.map(|base| base.output))?;
        let own = self.input_per_m.is_none();
        let kept = base.filter(|_| own);
        let old = kept.and_then(|base| base.cliff);
        let over = self.surcharge_over.or(old.map(|cliff| cliff.over));
        let dearer = self.surcharge_input_per_m.or(old.map(|cliff| cliff.input));
        let dearer_output = self.surcharge_output_per_m.or(old.map(|cliff| cliff.output));
        let cliff = over.zip(dearer).map(|(over, input)| Cliff {
            over,
            input,
            output: dearer_output.unwrap_or(output),
        });
        Some(Prices {
            input,
            output,
            cache_read: self.cache_read_per_m.or(kept.map(|base| base.cache_read)).unwrap_or(input),
            // A write price of 0 in the sources means that writing costs nothing extra.
            cache_write: self
                .cache_write_per_m
                .filter(|price| *price > 0.0)
                .or(kept.map(|base| base.cache_write))
                .unwrap_or(input),
            cliff,
        })
    }

    fn cache(&self, base: CacheRules, prices: Option<Prices>) -> CacheRules {
        let share = |price: fn(&Prices) -> f64| {
            prices.filter(|prices| prices.input > 0.0).map(|prices| price(&prices) / prices.input)
        };
        CacheRules {
            read: share(|prices| prices.cache_read),
            write: share(|prices| prices.cache_write),
            ttl: self.cache_ttl.or(base.ttl),
            long_ttl: self.cache_long_ttl.or(base.long_ttl),
            long_write: self.cache_long_write_x.or(base.long_write),
            min_tokens: self.cache_min.or(base.min_tokens),
            block: self.cache_block.or(base.block).filter(|block| *block > 0),
        }
    }
}

fn is_price(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}

impl Decimal {
    fn read(&self) -> Result<Factor, String> {
        let text = match self {
            Decimal::Number(number) => number.to_string(),
            Decimal::Text(text) => text.clone(),
        };
        text.parse().map_err(|error| format!("{error}"))
    }
}

fn vocabulary(name: &str) -> Result<Vocabulary, String> {
    match name.to_ascii_lowercase().as_str() {
        "o200k" | "o200k_base" => Ok(Vocabulary::Bpe(Encoding::O200k)),
        "cl100k" | "cl100k_base" => Ok(Vocabulary::Bpe(Encoding::Cl100k)),
        "heuristic" => Ok(Vocabulary::Heuristic),
        _ => Err(format!("tokenizer `{name}` is not one of o200k, cl100k, heuristic")),
    }
}
