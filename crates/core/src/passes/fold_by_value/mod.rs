//! Keeps the lines that the agent is most likely to need next, by one price per token over the whole history.
//!
//! # What it does
//! Every line of the history has a value: recent ones more than old ones, names the model used itself more than names it
//! only saw, names among few others more than names among many, whatever resembles the last responses more than the rest.
//! At a price per token a line is kept if it is worth what it costs. A line that already stands in a newer part of the view
//! is worth nothing again, a line is worth more between its own neighbours, and a gap costs its marker and a penalty, so
//! that runs of lines stay together. Long strings inside the arguments of calls shrink by the same price; a step that is
//! not worth its overhead is left out whole. The lowest price at which the view fits is found by bisection.
//!
//! # When it fires
//! When the view is over its target.
//!
//! # What is lost and how to recall it
//! Lines and whole steps. What remains is verbatim; a marker such as `[12 lines #482913077]` stands where lines are missing,
//! and its handle opens the whole text. Steps left out are in the trace with their handle.
//!
//! # Options
//! The weights: the fields below, each with its meaning; `Default` has their values. Only their ratios matter.

mod analysis;
mod plan;
mod render;

use serde::{Deserialize, Serialize};

use super::{Cx, Outcome, Pass, PassError};
use crate::fold::Fold;
use crate::view::View;

use analysis::Analysis;
use plan::Planner;

/// What makes a line worth keeping. Values are relative: only their ratios matter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FoldByValue {
    /// Worth of showing a name.
    pub name: f64,
    /// Worth of showing a line as a line.
    pub line: f64,
    /// Worth of a token whatever it says.
    pub base: f64,
    /// How fast names and lines lose worth with age.
    pub age: f64,
    /// How fast plain tokens lose worth with age.
    pub base_age: f64,
    /// Factor for what the model said itself.
    pub assistant: f64,
    /// How much occurring often counts.
    pub occurrences: f64,
    /// How much standing among few others counts.
    pub company: f64,
    /// Factor for numbers.
    pub number: f64,
    /// Factor for paths.
    pub path: f64,
    /// Factor for names in more than three messages.
    pub common: f64,
    /// Factor on plain tokens of the user.
    pub user: f64,
    /// Factor on plain tokens of the model.
    pub assistant_text: f64,
    /// Factor on plain tokens of arguments.
    pub argument: f64,
    /// How much likeness with the last responses counts.
    pub affinity: f64,
    /// Number of last responses.
    pub recent: usize,
    /// Tokens that a gap costs beyond its marker: the harm of minced text.
    pub fragmentation: f64,
    /// Share of a name's worth that it only has between its own neighbours.
    pub context: f64,
    /// Arguments up to this many tokens stay with their call.
    pub shortest_argument: usize,
    /// Lines shorter than this (characters) are worth nothing as lines.
    pub shortest_line: usize,
}

impl Default for FoldByValue {
    fn default() -> FoldByValue {
        FoldByValue {
            name: 0.2,
            line: 0.1,
            base: 0.001,
            age: 0.6,
            base_age: 0.6,
            assistant: 4.0,
            occurrences: 0.35,
            company: 0.4,
            number: 0.43,
            path: 0.65,
            common: 0.6,
            user: 3.0,
            assistant_text: 2.0,
            argument: 1.0,
            affinity: 1.0,
            recent: 4,
            fragmentation: 12.0,
            context: 0.2,
            shortest_argument: 24,
            shortest_line: 24,
        }
    }
}

impl Pass for FoldByValue {
    fn name(&self) -> &'static str {
        "fold_by_value"
    }

    fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError> {
        if view.tokens() <= cx.target {
            return Ok(Outcome::Unchanged("the view fits".into()));
        }
        let analysis = Analysis::of(view, self, cx);
        let mut planner = Planner::new(&analysis, self);
        let mut price = bisect(&mut planner, cx.target as f64);
        let mut folds = Vec::new();
        for attempt in 0..ATTEMPTS {
            let plan = planner.plan(price);
            folds = render::folds(view, cx, &analysis, &plan);
            if tokens_with(view, &folds) <= cx.target {
                break;
            }
            price *= 1.03 + 0.02 * f64::from(attempt);
        }
        Ok(Outcome::Folds(folds))
    }
}

/// How often the price is raised when the exact count is over the estimate. Each raise is larger than the last.
const ATTEMPTS: u32 = 40;

/// Tokens of the view with these folds applied.
fn tokens_with(view: &View, folds: &[Fold]) -> usize {
    let mut tried = view.clone();
    for fold in folds {
        // A fold that saves nothing is not made; the runner decides the same way.
        let _ = tried.apply(fold);
    }
    tried.tokens()
}

/// The lowest price at which the estimated view fits.
fn bisect(planner: &mut Planner, budget: f64) -> f64 {
    let (mut low, mut high) = (1e-7f64, 1.0f64);
    for _ in 0..16 {
        let middle = (low * high).sqrt();
        if planner.plan(middle).tokens <= budget {
            high = middle
        } else {
            low = middle
        }
        if high / low < 1.01 {
            break;
        }
    }
    high
}
