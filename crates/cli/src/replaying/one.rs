//! One session every way.

use std::path::Path;
use std::sync::Arc;

use enfold::count::CachedCounter;
use enfold::count::budget::BudgetSpec;
use enfold::count::models::{Model, Prices};
use enfold::count::money::Money;
use enfold::folding::policy::{Policy, Room};
use enfold_replay::{Charged, Lifetime, Rates, Recorded, Setting, Way, charged, replay};
use serde::Serialize;

use super::Row;
use super::emit::Emitter;
use crate::args::FromArg;
use crate::counting::Counting;
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::{found, report};

/// Texts of a session whose counts are remembered.
const REMEMBERED_COUNTS: usize = 1 << 16;

/// What sessions are replayed against.
pub struct Asked<'a> {
    /// How, what everything is measured against first.
    pub ways: &'a [Way],
    pub counting: &'a Counting,
    pub from: &'a FromArg,
    pub window: Option<BudgetSpec>,
    pub gaps: &'a [(usize, u32)],
    /// Whether time passes as it did.
    pub has_clock: bool,
    pub keeps_curve: bool,
    /// Where the requests of the first policy are written.
    pub emit: Option<&'a Path>,
}

/// What came of one session.
#[derive(Serialize)]
pub struct One {
    pub file: String,
    /// The folder that the agent worked in, where the session says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    pub model: Option<String>,
    /// Tokens that requests could have; where policies differ in what they keep free, under the first of them.
    pub window: usize,
    /// Prices of what the cache held and of what was new, relative to plain input.
    pub read: f64,
    pub write: f64,
    /// Seconds that the cache keeps what was sent, where known.
    pub ttl: Option<u32>,
    /// Whether the session says when its requests were made, and that was heeded.
    pub has_clock: bool,
    /// What the provider charged for the session as it was, beside what would have been predicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charged: Option<Charged>,
    /// What its reports come to in US dollars, where it has any and prices are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charged_dollars: Option<f64>,
    pub ways: Vec<Row>,
    /// What the reader warned of, a line each; said beside the result.
    #[serde(skip)]
    pub warnings: String,
}

impl Asked<'_> {
    /// One session every way; nothing where no model was asked for anything.
    pub fn replay(&self, input: &Input) -> Result<Option<One>, Failure> {
        let recorded = Recorded::new(input::read_session(input, self.from)?);
        if recorded.requests().is_empty() {
            return Ok(None);
        }
        let document = &recorded.document;
        let (model, counter) = self.counting.of_session(document);
        let model = model.as_ref().map(|resolved| &resolved.model);
        let room = self.room(self.first_policy(), input, model)?;
        let lifetime = if document.is_kept_long { Lifetime::Long } else { Lifetime::Short };
        let rates = model.map_or_else(Rates::default, |model| Rates::of(model, lifetime));
        let prices = model.and_then(|model| model.prices);
        // Writes that are kept longer are dearer.
        let prices = prices.map(|prices| Prices { cache_write: prices.input * rates.write, ..prices });
        let setting = Setting {
            limit: room.limit,
            window: room.window,
            image: model.map_or_else(Default::default, |model| model.image),
            rates,
            prices,
            keeps_curve: self.keeps_curve,
            has_clock: self.has_clock,
            pauses: self.gaps.to_vec(),
            // Every way counts the same texts.
            ..Setting::new(room.window, Arc::new(CachedCounter::new(counter, REMEMBERED_COUNTS)))
        };
        let ways = self.rows(&recorded, &setting, input, model)?;
        let usage = Some(&document.usage).filter(|usage| !usage.is_empty());
        Ok(Some(One {
            file: input.to_string(),
            project: found::folder(document.source.as_bytes()),
            model: model.map(|model| model.id.clone()),
            window: room.limit,
            read: rates.read,
            write: rates.write,
            ttl: rates.ttl,
            has_clock: self.has_clock && recorded.has_clock(),
            charged: charged(&recorded, &setting),
            charged_dollars: usage.zip(prices).map(|(usage, prices)| Money::of_all(usage, &prices).total()),
            ways,
            warnings: report::warnings(input, &document.findings),
        }))
    }

    fn rows(
        &self,
        recorded: &Recorded,
        setting: &Setting,
        input: &Input,
        model: Option<&Model>,
    ) -> Result<Vec<Row>, Failure> {
        let mut emitter = self.emit.map(Emitter::create).transpose()?;
        let mut rows: Vec<Row> = Vec::new();
        for (nth, way) in self.ways.iter().enumerate() {
            let Room { limit, window } = self.room(way.followed().or(self.first_policy()), input, model)?;
            let setting = Setting { limit, window, ..setting.clone() };
            // With `--emit` there is no compaction, and the first policy stands second.
            let mut emitter = emitter.as_mut().filter(|_| nth == 1);
            let figures = replay(recorded, way, &setting, |request| {
                if let Some(emitter) = &mut emitter {
                    emitter.write(&request);
                }
            });
            let against = rows.first().map_or(figures.cost, |everything| everything.figures.cost);
            rows.push(Row::of(way, figures, against));
        }
        emitter.map_or(Ok(()), Emitter::finish)?;
        Ok(rows)
    }

    fn first_policy(&self) -> Option<&Policy> {
        let is_policy = |way: &&Way| matches!(way, Way::Policy(_));
        self.ways.iter().find(is_policy).and_then(Way::followed)
    }

    /// Tokens that a request may have under a policy, and the whole window.
    fn room(&self, policy: Option<&Policy>, input: &Input, model: Option<&Model>) -> Result<Room, Failure> {
        if let Some(BudgetSpec::Tokens(tokens)) = self.window {
            return Ok(Room { limit: tokens, window: tokens });
        }
        let (Some(model), Some(policy)) = (model, policy) else {
            let cause = "it names no model, so its window is not known";
            return Err(Failure::new(input, cause, "say --window 64k or --model MODEL"));
        };
        let room = policy.room(Some(model), self.window);
        room.map_err(|error| Failure::BadInput(format!("{}: {error}", model.id)))
    }
}
