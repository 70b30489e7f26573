//! What each pass did and why: the text behind `explain`.

use crate::history::ItemId;
use serde::Serialize;

use crate::understand::facts::Protection;
use crate::view::fold::{FoldKind, Handle, Rung};

/// The story of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Trace {
    /// Name of the policy.
    pub policy: String,
    /// Tokens of the history.
    pub before: usize,
    /// Tokens of the view.
    pub after: usize,
    /// Tokens the view had to fit.
    pub limit: usize,
    /// How much had to stay as it was.
    pub protection: Protection,
    /// What each pass did, in order.
    pub passes: Vec<PassTrace>,
    /// What a person said that does not stand whole in the view, oldest first.
    pub shortened: Vec<Shortened>,
}

/// Something a person said that does not stand whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Shortened {
    /// The text.
    pub item: ItemId,
    /// Its tokens.
    pub tokens: usize,
    /// How many of them stand.
    pub stands: usize,
    /// Why not all.
    pub why: WhyShortened,
}

/// Why something a person said does not stand whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyShortened {
    /// It is too long to have been typed: pastes fold by lines.
    Paste,
    /// It exceeds the share of the budget that what was typed may take; the oldest yields first.
    Share,
    /// Nothing else made the view fit.
    Room,
}

impl WhyShortened {
    /// The word for it in JSON.
    pub fn name(self) -> &'static str {
        match self {
            WhyShortened::Paste => "paste",
            WhyShortened::Share => "share",
            WhyShortened::Room => "room",
        }
    }

    /// In words, for reports.
    pub fn words(self) -> &'static str {
        match self {
            WhyShortened::Paste => "a paste, folded by lines",
            WhyShortened::Share => "beyond the share of the budget for what was typed",
            WhyShortened::Room => "nothing else made the view fit",
        }
    }
}

/// What one pass did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PassTrace {
    /// Its name.
    pub pass: String,
    /// Why the policy has it.
    pub reason: String,
    /// Tokens of the view before it.
    pub before: usize,
    /// Tokens of the view after it.
    pub after: usize,
    /// How it went.
    pub outcome: PassOutcome,
    /// The folds it made.
    pub folds: Vec<FoldTrace>,
}

/// How a pass went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PassOutcome {
    /// It folded. `refused` of its proposals were not made: they would not have saved anything, or the provider would have
    /// refused the view.
    Folded {
        /// Proposals that were not made.
        refused: usize,
        /// What the provider would have refused, for those of them.
        faults: Vec<String>,
    },
    /// It had nothing to do, for this reason.
    Unchanged(String),
    /// It failed for this reason; the view is as it was before.
    Failed(String),
}

/// One fold that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FoldTrace {
    /// What remains.
    pub kind: FoldKind,
    /// The items it hides or shortens.
    pub items: Vec<ItemId>,
    /// Why.
    pub why: String,
    /// Tokens saved.
    pub saved: usize,
    /// What opens the originals.
    pub handles: Vec<Handle>,
}

impl Trace {
    /// Nothing was done: the view is the one before.
    pub(crate) fn unchanged(policy: &str, tokens: usize, limit: usize) -> Trace {
        Trace { policy: policy.into(), before: tokens, after: tokens, limit, ..Trace::default() }
    }

    /// The deepest rung that was needed; `None` if nothing was folded.
    pub fn rung(&self) -> Option<Rung> {
        self.passes.iter().flat_map(|pass| &pass.folds).map(|fold| fold.kind.rung()).max()
    }

    /// All folds that were made, in order.
    pub fn folds(&self) -> impl Iterator<Item = &FoldTrace> {
        self.passes.iter().flat_map(|pass| &pass.folds)
    }
}
