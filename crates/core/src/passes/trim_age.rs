//! Leaves out whole steps and messages, oldest first, until the view fits.
//!
//! # What it does
//! Steps leave whole, with their calls and results; messages outside steps leave by themselves. Where a result stays next
//! to the gap, a line such as `[5 steps left out #482913077]` at its end says so.
//!
//! # When it fires
//! When the view is over its target. Every policy ends with it as its last resort.
//!
//! # What is lost and how to recall it
//! The oldest work. The handle in the note opens it.
//!
//! # Options
//! - `keep_turns`: the newest turns that are left alone (0)

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Cx, Outcome, Pass, PassError};
use crate::fold::{Change, Fold, FoldKind};
use crate::item::MessageId;
use crate::left_out;
use crate::together::together;
use crate::view::View;

/// See the manual page above.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrimAge {
    /// The newest turns that are left alone.
    pub keep_turns: u32,
}

/// Tokens that a note takes at most, nearly always.
const NOTE: usize = 16;

impl Pass for TrimAge {
    fn name(&self) -> &'static str {
        "trim_age"
    }

    fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError> {
        if view.tokens() <= cx.target {
            return Ok(Outcome::Unchanged("the view fits".into()));
        }
        let runs = self.runs(view, cx);
        if runs.is_empty() {
            return Ok(Outcome::Unchanged("everything left must stay".into()));
        }
        let leaving: BTreeSet<MessageId> = runs.iter().flatten().copied().collect();
        let stays = |id: MessageId| !view.changes().is_dropped(id) && !leaving.contains(&id);
        let fold = |messages: &Vec<MessageId>| {
            let tokens: usize = messages.iter().map(|id| view.message_tokens(*id)).sum();
            let note =
                (tokens > 2 * NOTE).then(|| left_out::note(view.history(), cx, messages, stays)).flatten();
            let change = Change::Messages { messages: messages.clone(), note };
            Fold { kind: FoldKind::Drop, change, why: "the oldest that may go".into() }
        };
        Ok(Outcome::Folds(runs.iter().map(fold).collect()))
    }
}

impl TrimAge {
    /// The messages that leave, those next to each other together.
    fn runs(&self, view: &View, cx: &Cx) -> Vec<Vec<MessageId>> {
        let history = view.history();
        let newest = history.turns().saturating_sub(self.keep_turns);
        let is_recent = |id: &MessageId| history.items_of(*id).iter().any(|item| item.turn > newest);
        let mut runs: Vec<Vec<MessageId>> = Vec::new();
        let mut left = view.tokens();
        let mut is_open = false;
        for group in together(view, cx.wire) {
            if left + NOTE * runs.len() <= cx.target {
                break;
            }
            if group.iter().any(|id| is_recent(id) || *id < cx.fresh || cx.is_protected_message(view, *id)) {
                is_open = false;
                continue;
            }
            left -= group.iter().map(|id| view.message_tokens(*id)).sum::<usize>();
            match runs.last_mut() {
                Some(run) if is_open => run.extend(group),
                _ => runs.push(group),
            }
            is_open = true;
        }
        runs
    }
}
