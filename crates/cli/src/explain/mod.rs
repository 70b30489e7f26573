//! What folding did and why: gathered once, shown as a table, as JSON or as a page.
//!
//! The fields of [`Explanation`] are the JSON that scripts rely on: `docs/json.md` describes them.

mod fold_rows;
mod ladder;
mod looks;
mod page;
mod shortened;
mod summary;
mod tables;
mod what;

use enfold::finding::Finding;
use enfold::folding::runner::{CannotFit, Run};
use enfold::history::MessageId;
use enfold::understand::facts::Protection;
use enfold::view::fold::Rung;
use enfold::view::trace::{PassOutcome, PassTrace, Trace};
use serde::Serialize;
use serde_json::Value;

use crate::counting::CounterName;
use crate::folding::{Folding, Room};
use crate::report;

pub use fold_rows::FoldRow;
pub use ladder::climb;
pub use looks::Look;
pub use page::page;
pub use shortened::{ShortenedRow, shortened, shortened_in_a_line};
pub use summary::{SummaryRow, author};
pub use tables::{folds, must_stay, passes, summary, totals};

use fold_rows::FoldRows;
use what::Labels;

/// Everything `explain` and the report of `fold` know. Numbers of messages and steps count from 1; tokens include the
/// tool definitions wherever they are those of a whole session or view.
#[derive(Debug, Serialize)]
pub struct Explanation {
    pub file: String,
    /// The format of the session, and of the view.
    pub format: &'static str,
    pub to: &'static str,
    pub model: Option<String>,
    pub counter: CounterName,
    pub policy: String,
    pub budget: BudgetRow,
    /// Tokens of the session and of its view.
    pub before: usize,
    pub after: usize,
    /// How deep it went: `lossless`, `digest`, `placeholder`, `drop`; nothing if nothing was folded.
    pub rung: Option<&'static str>,
    /// `full`, or `task` where instructions had to yield to the task.
    pub protection: &'static str,
    pub passes: Vec<PassRow>,
    /// What a person said that does not stand whole in the view.
    pub shortened: Vec<ShortenedRow>,
    /// The message that the view has and the session has not.
    pub summary: Option<SummaryRow>,
    pub cannot_fit: Option<Shortage>,
    /// What the view's format could not express of the session.
    pub losses: Vec<Value>,
    /// What a provider would refuse, about the session itself as much as about the view.
    pub faults: Vec<Value>,
}

/// What there was room for.
#[derive(Debug, Serialize)]
pub struct BudgetRow {
    pub tokens: usize,
    /// What was aimed for.
    pub target: usize,
    /// The part that the tool definitions take.
    pub tools: usize,
    pub source: String,
}

/// What one pass did.
#[derive(Debug, Serialize)]
pub struct PassRow {
    pub pass: String,
    pub before: usize,
    pub after: usize,
    /// `folded`, `unchanged` or `failed`.
    pub outcome: &'static str,
    /// Why the policy has it; of a pass that folded nothing, why it did not.
    pub why: String,
    /// Folds that were not made: they would have saved nothing, or hidden what must stay.
    pub refused: usize,
    pub folds: Vec<FoldRow>,
}

/// What must stay and does not fit.
#[derive(Debug, Serialize)]
pub struct Shortage {
    /// Tokens of what must stay.
    pub needed: usize,
    /// How many of them are too many.
    pub short: usize,
    /// Largest first.
    pub must_stay: Vec<Staying>,
}

/// Something that must stay: a message, the summary of others, or the tool definitions.
#[derive(Debug, Serialize)]
pub struct Staying {
    pub message: Option<usize>,
    pub role: Option<&'static str>,
    pub what: String,
    pub tokens: usize,
}

impl Explanation {
    /// Gathers it. O(items + folds).
    pub fn of(folding: &Folding, run: &Run, faults: &[Finding]) -> Explanation {
        Explanation::told(folding, &folding.room, &run.trace, SummaryRow::of(run), faults)
    }

    /// The same at another budget, of a view that is looked at and not written.
    pub fn of_room(folding: &Folding, room: &Room, run: &Run) -> Explanation {
        Explanation::told(folding, room, &run.trace, SummaryRow::of(run), &[])
    }

    fn told(
        folding: &Folding,
        room: &Room,
        trace: &Trace,
        summary: Option<SummaryRow>,
        faults: &[Finding],
    ) -> Explanation {
        let tools = folding.counted.tools;
        let labels = Labels::of(&folding.document.history, folding.tracker());
        let shortened = ShortenedRow::all(trace, &folding.document.history, &labels);
        let mut rows = FoldRows::new(&folding.document.history, &folding.counted.tally, labels);
        if let Some(summary) = &summary {
            rows = rows.with_summary(summary.tokens);
        }
        Explanation {
            file: folding.file.to_string(),
            format: folding.format,
            to: folding.to(),
            model: folding.counted.model_id(),
            counter: folding.counted.counter_name(),
            policy: trace.policy.clone(),
            budget: BudgetRow {
                tokens: room.budget,
                target: room.target,
                tools,
                source: room.source.clone(),
            },
            before: trace.before + tools,
            after: trace.after + tools,
            rung: trace.rung().map(Rung::name),
            protection: match trace.protection {
                Protection::Full => "full",
                Protection::Task => "task",
            },
            passes: trace.passes.iter().map(|pass| pass_row(pass, tools, &mut rows)).collect(),
            shortened,
            summary,
            cannot_fit: None,
            losses: folding.losses.iter().map(report::finding_json).collect(),
            faults: faults.iter().map(report::finding_json).collect(),
        }
    }

    /// The same where it came to nothing.
    pub fn of_failure(folding: &Folding, cannot: &CannotFit) -> Explanation {
        let shortage = Shortage::of(folding, cannot);
        Explanation {
            cannot_fit: Some(shortage),
            ..Explanation::told(folding, &folding.room, &cannot.trace, None, &[])
        }
    }

    /// All folds, in the order in which they were made.
    pub fn folds(&self) -> impl Iterator<Item = &FoldRow> {
        self.passes.iter().flat_map(|pass| &pass.folds)
    }
}

fn pass_row(traced: &PassTrace, tools: usize, rows: &mut FoldRows) -> PassRow {
    let (outcome, why, refused) = match &traced.outcome {
        PassOutcome::Folded { refused, faults } if faults.is_empty() => {
            ("folded", traced.reason.clone(), *refused)
        }
        PassOutcome::Folded { refused, faults } => {
            let why = format!("{}; the provider would refuse {}", traced.reason, faults.join("; "));
            ("folded", why, *refused)
        }
        PassOutcome::Unchanged(why) => ("unchanged", why.clone(), 0),
        PassOutcome::Failed(why) => ("failed", why.clone(), 0),
    };
    PassRow {
        pass: traced.pass.clone(),
        before: traced.before + tools,
        after: traced.after + tools,
        outcome,
        why,
        refused,
        folds: traced.folds.iter().map(|fold| rows.row(fold)).collect(),
    }
}

impl Shortage {
    fn of(folding: &Folding, cannot: &CannotFit) -> Shortage {
        let history = &folding.document.history;
        let labels = Labels::of(history, folding.tracker());
        let message = |(id, tokens): &(MessageId, usize)| Staying {
            message: Some(id.number()),
            role: Some(history.message(*id).role.name()),
            what: history.message(*id).item_ids().next().map_or(String::new(), |item| labels.beginning(item)),
            tokens: *tokens,
        };
        let mut must_stay: Vec<Staying> = cannot.protected.iter().map(message).collect();
        // No message of the session has what the summary takes.
        let summary = cannot.needed - cannot.protected.iter().map(|(_, tokens)| tokens).sum::<usize>();
        let tools = folding.counted.tools;
        for (what, tokens) in [("the summary of what was left out", summary), ("tool definitions", tools)] {
            if tokens > 0 {
                must_stay.push(Staying { message: None, role: None, what: what.to_string(), tokens });
            }
        }
        must_stay.sort_by_key(|staying| std::cmp::Reverse(staying.tokens));
        let needed = cannot.needed + tools;
        Shortage { needed, short: needed.saturating_sub(folding.room.budget), must_stay }
    }
}
