//! Running a policy over a history: pass after pass, each checked, and the budget guaranteed at the end.

use std::collections::{BTreeMap, BTreeSet};

use crate::fold::{Change, Fold, FoldKind, Handle};
use crate::history::History;
use crate::item::{ItemId, MessageId};
use crate::passes::{Cx, Outcome};
use crate::policy::{Policy, Step};
use crate::together::together;
use crate::tokens::Tally;
use crate::trace::{FoldTrace, PassOutcome, PassTrace, Trace};
use crate::view::View;

/// A view that fits, its story, and what it hides.
pub struct Run<'h> {
    /// What to send.
    pub view: View<'h>,
    /// What was done and why.
    pub trace: Trace,
    /// The originals behind the handles, to be stored before the view leaves.
    pub originals: BTreeMap<Handle, Vec<u8>>,
}

/// What must stay does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot fit: what must stay takes {needed} tokens, {} over the budget of {limit}", needed - limit)]
pub struct CannotFit {
    /// Tokens of what must stay.
    pub needed: usize,
    /// Tokens there are.
    pub limit: usize,
    /// What must stay, message by message, largest first.
    pub protected: Vec<(MessageId, usize)>,
    /// What was tried.
    pub trace: Trace,
}

/// Runs a policy. A history that fits goes through unchanged unless a pass works at any size.
pub fn run<'h>(
    policy: &Policy,
    history: &'h History,
    tally: &'h Tally,
    cx: &Cx,
) -> Result<Run<'h>, Box<CannotFit>> {
    let mut runner = Runner { view: View::new(history, tally), originals: BTreeMap::new(), cx };
    let mut trace = Trace {
        policy: policy.name.clone(),
        before: runner.view.tokens(),
        limit: cx.limit,
        ..Trace::default()
    };
    for step in &policy.passes {
        trace.passes.push(runner.run_pass(step));
    }
    if policy.fits && runner.view.tokens() > cx.limit {
        trace.passes.push(runner.leave_out_oldest());
    }
    trace.after = runner.view.tokens();
    if policy.fits && trace.after > cx.limit {
        return Err(Box::new(runner.cannot_fit(trace)));
    }
    Ok(Run { view: runner.view, trace, originals: runner.originals })
}

struct Runner<'h, 'c> {
    view: View<'h>,
    originals: BTreeMap<Handle, Vec<u8>>,
    cx: &'c Cx<'c>,
}

impl Runner<'_, '_> {
    fn run_pass(&mut self, step: &Step) -> PassTrace {
        let before = self.view.tokens();
        let mut traced = PassTrace {
            pass: step.pass.name().to_string(),
            reason: step.why.clone(),
            before,
            after: before,
            outcome: PassOutcome::Folded { refused: 0 },
            folds: Vec::new(),
        };
        match step.pass.apply(&self.view, self.cx) {
            Ok(Outcome::Unchanged(why)) => traced.outcome = PassOutcome::Unchanged(why),
            Err(error) => traced.outcome = PassOutcome::Failed(error.to_string()),
            Ok(Outcome::Folds(folds)) => {
                let mut refused = 0;
                for fold in folds {
                    match self.make(&fold) {
                        Some(made) => traced.folds.push(made),
                        None => refused += 1,
                    }
                }
                traced.outcome = PassOutcome::Folded { refused };
            }
        }
        traced.after = self.view.tokens();
        traced
    }

    /// Makes a fold, if it touches nothing protected, parts no pair and saves something.
    fn make(&mut self, fold: &Fold) -> Option<FoldTrace> {
        let items = self.items_of(&fold.change);
        if items.iter().any(|item| self.cx.is_protected(*item)) {
            return None;
        }
        let effect = self.view.apply(fold).ok()?;
        let handles = self.keep_originals(&fold.change);
        Some(FoldTrace {
            kind: fold.kind,
            items,
            why: fold.why.clone(),
            saved: effect.before - effect.after,
            handles,
        })
    }

    fn items_of(&self, change: &Change) -> Vec<ItemId> {
        match change {
            Change::Texts { item, .. } => vec![*item],
            Change::Items(items) => items.clone(),
            Change::Messages(messages) => {
                let messages: BTreeSet<&MessageId> = messages.iter().collect();
                let known = messages.into_iter().filter_map(|id| self.view.history().messages().get(*id));
                known.flat_map(|message| message.items.clone()).collect()
            }
        }
    }

    /// Stores what a change hides and returns the handles that open it.
    fn keep_originals(&mut self, change: &Change) -> Vec<Handle> {
        let history = self.view.history();
        let originals: Vec<Vec<u8>> = match change {
            Change::Texts { item, texts } => {
                let texts = texts.iter().map(|(nth, _)| &history.items()[*item].texts[*nth].value);
                texts.map(|text| text.as_bytes().to_vec()).collect()
            }
            Change::Items(items) => items
                .iter()
                .map(|item| {
                    let item = &history.items()[*item];
                    history.messages()[item.message].raw[item.span.clone()].as_bytes().to_vec()
                })
                .collect(),
            Change::Messages(messages) => vec![raw_lines(history, messages)],
        };
        let keep = |original: Vec<u8>| {
            let handle = self.cx.handles.handle(&original);
            self.originals.insert(handle.clone(), original);
            handle
        };
        originals.into_iter().map(keep).collect()
    }

    /// The last rung: whole steps and messages leave, oldest first, until the view fits.
    fn leave_out_oldest(&mut self) -> PassTrace {
        let before = self.view.tokens();
        let mut folds = Vec::new();
        for messages in together(&self.view, self.cx.wire) {
            if self.view.tokens() <= self.cx.limit {
                break;
            }
            let why = "the oldest that may go: the budget must hold".to_string();
            let fold = Fold { kind: FoldKind::Drop, change: Change::Messages(messages), why };
            folds.extend(self.make(&fold));
        }
        let outcome = match folds.is_empty() {
            true => PassOutcome::Unchanged("everything left must stay".into()),
            false => PassOutcome::Folded { refused: 0 },
        };
        let reason = "the guarantee: what is sent fits".to_string();
        PassTrace {
            pass: "leave_out_oldest".into(),
            reason,
            before,
            after: self.view.tokens(),
            outcome,
            folds,
        }
    }

    fn cannot_fit(&self, trace: Trace) -> CannotFit {
        let left = 0..self.view.history().messages().len();
        let mut protected: Vec<(MessageId, usize)> =
            left.map(|id| (id, self.view.message_tokens(id))).filter(|(_, tokens)| *tokens > 0).collect();
        protected.sort_by_key(|(id, tokens)| (std::cmp::Reverse(*tokens), *id));
        CannotFit { needed: self.view.tokens(), limit: self.cx.limit, protected, trace }
    }
}

fn raw_lines(history: &History, messages: &[MessageId]) -> Vec<u8> {
    let lines = messages.iter().map(|message| &*history.messages()[*message].raw);
    lines.collect::<Vec<_>>().join("\n").into_bytes()
}
