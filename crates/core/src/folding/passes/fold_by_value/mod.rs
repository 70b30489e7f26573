//! Keeps the lines that the agent is most likely to need next, by one price per token over the whole history.
//!
//! # What it does
//! Every line of the history has a value: recent ones more than old ones, names the model used itself more than names it
//! only saw, names among few others more than names among many, whatever resembles the last responses more than the rest.
//! At a price per token a line is kept if it is worth what it costs. A line that already stands in a newer part of the view
//! is worth next to nothing again, a name of the last responses a little the second time (where it is defined), a line is
//! worth more between its own neighbours, and a gap costs its marker and a penalty, so that runs of lines stay together. What
//! the model said itself is worth more than what it saw. The lowest price at which the view fits is found by bisection; what is
//! left over is spent on the newest steps first.
//!
//! Calls stay as the model wrote them. A step that is not worth its tokens leaves whole, but for the newest, and is told in a
//! block behind the task: what was done and how it ended, what the model said, and those lines it wrote that are worth theirs.
//! What a person typed stays word for word; of a paste the lines that are worth it, its beginning and its end.
//!
//! Lines are looked at as far back as a *horizon*, eight budgets of tokens. Steps beyond it leave whole and are counted, not told:
//! whatever the session's length, an epoch costs the same. What must stay and what a person typed stays from there, too. Of a
//! single text that is longer than the horizon, the two ends are looked at.
//!
//! Texts are taken by their shape: a gap does less harm between definitions, hunks and paragraphs than inside one; a run of
//! lines pays for the line that heads it (the definition around it, the file over search hits, the head of its hunk, the
//! key of its object) if it is worth enough; in the output of programs failures and totals count more; of lines that differ
//! only in their numbers each is worth less than the one before; base64 is worth nothing.
//!
//! # When it fires
//! When the view is over its target.
//!
//! # What is lost and how to recall it
//! Lines and whole steps. What remains is verbatim, with its line numbers where it had any. Where something is missing stands
//! a marker, and its handle opens the whole text:
//!
//! - `[12 lines #482913077]`; further gaps of the same text have no handle of their own: `[3 lines]`
//! - `[38 lines like this]`: they differ from the line above in numbers only
//! - `[2410 chars]`: part of a line
//! - `[exit 2: 3 of 41 failed; 212 lines #482913077]`: a result of which nothing is left still says how it went
//! - `<enfold-told>`, a message of its own: `Steps 3–7 #482913077: 2 told below, and 2 reads (limits.c)`, then
//!   the steps that are told, a line each, and at the end those of their commands and paths that may be typed again, word for word
//! - `[5 steps left out #032004031]`, at the end of the nearest result that stays, in a view too small for such a block
//! - `[12 lines #482913077; 1 mark in this text is its own]`: one of the kept lines looks like a marker and is none
//!
//! # Example
//! ```before
//! user: Make the build pass
//! assistant
//!   call c1 bash {"command":"make"}
//! result c1: compile unit_01.c: ok
//!   | compile unit_02.c: ok
//!   | compile unit_03.c: ok
//!   | compile unit_04.c: ok
//!   | compile unit_05.c: ok
//!   | compile unit_06.c: ok
//!   | compile unit_07.c: ok
//!   | compile unit_08.c: ok
//!   | compile unit_09.c: ok
//!   | compile unit_10.c: ok
//!   | compile unit_11.c: ok
//!   | compile unit_12.c: ok
//!   | link: undefined reference to parse_header
//!   | make: *** [all] Error 1
//! assistant
//!   call c2 read {"path":"src/header.c"}
//! result c2: static int parse_header(const char *line)
//!   | {
//!   |     return line[0] == '#';
//!   | }
//! ```
//! ```options
//! budget = 130
//! ```
//! ```after
//! user: Make the build pass
//! assistant
//!   call c1 bash {"command":"make"}
//! result c1: compile unit_01.c: ok
//!   | compile unit_02.c: ok
//!   | compile unit_03.c: ok
//!   | compile unit_04.c: ok
//!   | [8 lines like this #803327846]
//!   | link: undefined reference to parse_header
//!   | make: *** [all] Error 1
//! assistant
//!   call c2 read {"path":"src/header.c"}
//! result c2: static int parse_header(const char *line)
//!   | {
//!   |     return line[0] == '#';
//!   | }
//! ```
//!
//! # Options
//! - `without`: signals that count for nothing, to measure what each of them is worth ([]): `recency`, `voice`, `saying`,
//!   `frequency`, `company`, `rarity`, `echo`, `likeness`, `newest`, `neighbours`, `gaps`, `shape`, `verdicts`, `currency`,
//!   `excerpts`, `verbatim`
//!
//! How much each of them counts was chosen together, see `weights.rs`.

mod analysis;
mod arriving;
mod ceiling;
mod choose;
mod currency;
mod horizon;
mod journal;
mod legend;
mod marker;
mod plan;
mod render;
mod root;
mod saying;
mod signal;
#[cfg(test)]
mod tests;
mod texts;
mod unchanged;
mod verbatim;
mod weights;
mod worth;

use serde::{Deserialize, Serialize};

use super::{Cx, Outcome, Pass, PassError};
use crate::view::View;

pub(super) use arriving::{Large, digests};

use analysis::Analysis;
use plan::{Plan, Planner};
use render::Renderer;
use weights::Weights;

pub use signal::Signal;

/// Keeps the lines that are worth their tokens. What they are worth is found in `weights.rs`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FoldByValue {
    /// Signals that count for nothing.
    pub without: Vec<Signal>,
}

impl Pass for FoldByValue {
    fn name(&self) -> &str {
        "fold_by_value"
    }

    fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError> {
        if view.tokens() <= cx.target {
            return Ok(Outcome::Unchanged("the view fits".into()));
        }
        let far = horizon::beyond(view, cx);
        let stretches: Vec<_> = far.iter().map(|far| far.messages.clone()).collect();
        let near = (!far.is_empty()).then(|| view.drawn_together(&stretches));
        let view = near.as_ref().unwrap_or(view);
        let analysis = Analysis::of(view, cx, &far, Weights::at(cx.limit).without(&self.without));
        let mut planner = Planner::new(&analysis);
        let mut renderer = Renderer::new(view, cx, &analysis);
        let mut best: Option<(usize, Plan)> = None;
        // The plan estimates; the count of the result decides. What it is off by is taken into account the next time.
        let mut budget = cx.target as f64;
        for attempt in 0..ATTEMPTS {
            let plan = planner.plan_for(budget);
            let tokens = renderer.tokens(&plan);
            let is_better = best.as_ref().is_none_or(|(most, _)| match tokens <= cx.target {
                true => *most > cx.target || tokens > *most,
                false => tokens < *most,
            });
            if is_better {
                best = Some((tokens, plan));
            }
            let room = cx.target as f64 - tokens as f64;
            if (0.0..=CLOSE * cx.target as f64).contains(&room) {
                break;
            }
            if planner.is_at_end() {
                if room >= 0.0 || planner.shares_notes() {
                    break;
                }
                planner.share_notes();
                continue;
            }
            // Over is worse than under: the further it goes on, the larger the step back.
            budget += if room < 0.0 { room * (1.0 + 0.15 * f64::from(attempt)) - 1.0 } else { room * 0.95 };
        }
        let folds = best.map(|(_, plan)| renderer.folds(&plan)).unwrap_or_default();
        Ok(Outcome::Folds(horizon::whole(folds, &far)))
    }
}

/// How often a plan is made and counted at most.
const ATTEMPTS: u32 = 12;

/// Share of the target that may be left over.
const CLOSE: f64 = 0.002;
