//! Keeps the lines that the agent is most likely to need next, by one price per token over the whole history.
//!
//! # What it does
//! Every line of the history has a value: recent ones more than old ones, names the model used itself more than names it
//! only saw, names among few others more than names among many, whatever resembles the last responses more than the rest.
//! At a price per token a line is kept if it is worth what it costs. A line that already stands in a newer part of the view
//! is worth nothing again, a name of the last responses a little the second time (where it is defined), a line is worth
//! more between its own neighbours, and a gap costs its marker and a penalty, so that runs of lines stay together. Long
//! strings inside the arguments of calls shrink by the same price; a step that is not worth its overhead is left out whole,
//! but for the newest. The lowest price at which the view fits is found by bisection; what is left over is spent on the
//! newest steps first. Nothing is spent on what is shown already, so a history full of repeats may end well below its budget.
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
//! - `[5 steps left out #032004031]`, at the end of the nearest result that stays; `[5 steps before this left out #…]` where that is a later one
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
//! Worth is relative: only ratios matter. The defaults were chosen on half of 94 real sessions.
//!
//! - `name`: worth of showing a name (0.2)
//! - `line`: worth of showing a line as a line (0.1)
//! - `base`: worth of a token whatever it says (0.0005)
//! - `age`: how fast names and lines lose worth with age (0.6)
//! - `base_age`: how fast plain tokens lose worth with age (0.9)
//! - `assistant`: factor for what the model said itself (4)
//! - `occurrences`: how much occurring often counts (0.35)
//! - `company`: how much standing among few others counts (0.4)
//! - `number`: factor for numbers (0.43)
//! - `path`: factor for paths (0.65)
//! - `common`: factor for names in more than three messages (0.6)
//! - `echo`: share of its worth that a name of the last responses still has when a newer step shows it already (0.3)
//! - `user`: factor on plain tokens of the user (3)
//! - `assistant_text`: factor on plain tokens of the model (2)
//! - `argument`: factor on plain tokens of arguments (1)
//! - `affinity`: how much likeness with the last responses counts (1)
//! - `recent`: number of last responses (4)
//! - `fragmentation`: tokens that a gap costs beyond its marker: the harm of minced text (12)
//! - `border`: share of that harm at either side of a gap where a reader would cut anyway: between definitions, hunks,
//!   paragraphs (0.25)
//! - `heads`: share of what a run of lines is worth beyond its price that may pay for the lines that head it (0.5)
//! - `block`: share of what the lines of a definition are worth that all of them have in common (0.3)
//! - `verdict`: worth of a failure or total in the output of a program, in lines that stand alone (0.4)
//! - `context`: share of a name's worth that it only has between its own neighbours (0.2)
//! - `shortest_argument`: arguments up to this many tokens stay with their call (24)
//! - `recent_arguments`: arguments of so many newest responses stay whole: a model imitates what it sees itself doing (2)
//! - `shortest_line`: lines shorter than this (characters) are worth nothing as lines (24)

mod analysis;
mod choose;
mod marker;
mod plan;
mod render;
mod sheet;
#[cfg(test)]
mod tests;
mod worth;

use serde::{Deserialize, Serialize};

use super::{Cx, Outcome, Pass, PassError};
use crate::view::View;
use crate::view::fold::Fold;

use analysis::{Analysis, Voice};
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
    /// Share of its worth that a name of the last responses still has when a newer step shows it already.
    pub echo: f64,
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
    /// Share of that harm at either side of a gap where a reader would cut anyway: between definitions, hunks, paragraphs.
    pub border: f64,
    /// Share of what a run of lines is worth beyond its price that may pay for the lines that head it.
    pub heads: f64,
    /// Share of what the lines of a definition are worth that all of them have in common.
    pub block: f64,
    /// Worth of a failure or total in the output of a program, in lines that stand alone.
    pub verdict: f64,
    /// Share of a name's worth that it only has between its own neighbours.
    pub context: f64,
    /// Arguments up to this many tokens stay with their call.
    pub shortest_argument: usize,
    /// Arguments of so many newest responses stay whole, unless they are huge.
    pub recent_arguments: usize,
    /// Lines shorter than this (characters) are worth nothing as lines.
    pub shortest_line: usize,
}

impl Default for FoldByValue {
    fn default() -> FoldByValue {
        FoldByValue {
            name: 0.2,
            line: 0.1,
            base: 0.0005,
            age: 0.6,
            base_age: 0.9,
            assistant: 4.0,
            occurrences: 0.35,
            company: 0.4,
            number: 0.43,
            path: 0.65,
            common: 0.6,
            echo: 0.3,
            user: 3.0,
            assistant_text: 2.0,
            argument: 1.0,
            affinity: 1.0,
            recent: 4,
            fragmentation: 12.0,
            border: 0.25,
            heads: 0.5,
            block: 0.3,
            verdict: 0.4,
            context: 0.2,
            shortest_argument: 24,
            recent_arguments: 2,
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
        let mut best: Option<(usize, Vec<Fold>)> = None;
        // The plan estimates; the count of the result decides. What it is off by is taken into account the next time.
        let mut budget = cx.target as f64;
        for _ in 0..ATTEMPTS {
            let plan = planner.plan_for(budget);
            let folds = render::folds(view, cx, &analysis, &plan);
            let tokens = tokens_with(view, &folds);
            let is_better = best.as_ref().is_none_or(|(most, _)| match tokens <= cx.target {
                true => *most > cx.target || tokens > *most,
                false => tokens < *most,
            });
            if is_better {
                best = Some((tokens, folds));
            }
            let room = cx.target as f64 - tokens as f64;
            if (0.0..=CLOSE * cx.target as f64).contains(&room) {
                break;
            }
            budget += if room < 0.0 { room - 1.0 } else { room * 0.8 };
        }
        Ok(Outcome::Folds(best.map(|(_, folds)| folds).unwrap_or_default()))
    }
}

impl FoldByValue {
    /// Factor on plain tokens, by who says them.
    fn voice(&self, voice: Voice) -> f64 {
        match voice {
            Voice::User => self.user,
            Voice::Assistant => self.assistant_text,
            Voice::Argument => self.argument,
            Voice::Tool => 1.0,
        }
    }
}

/// How often a plan is made and counted at most.
const ATTEMPTS: u32 = 8;

/// Share of the target that may be left over.
const CLOSE: f64 = 0.002;

/// Tokens of the view with these folds applied.
fn tokens_with(view: &View, folds: &[Fold]) -> usize {
    let mut tried = view.clone();
    for fold in folds {
        // A fold that saves nothing is not made; the runner decides the same way.
        let _ = tried.apply(fold);
    }
    tried.tokens()
}
