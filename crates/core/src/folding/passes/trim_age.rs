//! Leaves out whole steps and messages, oldest first, until the view fits.
//!
//! # What it does
//! Steps leave whole, with their calls and results; messages outside steps leave by themselves. Where a result stays next
//! to the gap, a line such as `[5 steps left out #482913077]` at its end says so.
//!
//! # When it fires
//! When the view is over its target. Every policy that promises to fit ends with it as its last resort.
//!
//! # What is lost and how to recall it
//! The oldest work. The handle in the note opens it.
//!
//! # Example
//! ```before
//! user: Make the test pass
//! assistant
//!   call c1 read {"path":"a.rs"}
//! result c1: fn one() {}
//! assistant
//!   call c2 bash {"command":"cargo test"}
//! result c2: running 3 tests
//!   | one ... ok, two ... ok, three ... FAILED: expected 3, found 4, see the log of the build for all of it
//! assistant
//!   call c3 bash {"command":"git diff"}
//! result c3: no changes
//! ```
//! ```options
//! budget = 60
//! ```
//! ```after
//! user: Make the test pass
//! assistant
//!   call c3 bash {"command":"git diff"}
//! result c3: no changes
//!   | [2 steps before this left out #731839897]
//! ```
//!
//! What was asked for stays, whatever its age, and so do the newest turns where they are to:
//! ```before
//! user: Say one
//! assistant: One.
//! user: Say two
//! assistant: Two.
//! ```
//! ```options
//! target = 20
//! keep_turns = 2
//! ```
//! ```unchanged
//! everything left must stay
//! ```
//!
//! # Options
//! - `keep_turns`: the newest turns that are left alone (0)
//! - `keep_edits`: steps that changed a file stay (false)
//! - `over_limit`: only a view that does not fit is trimmed, then to its target (false)

use serde::{Deserialize, Serialize};

use super::{Cx, Outcome, Pass, PassError};
use crate::folding::groups::together;
use crate::folding::notes;
use crate::history::MessageId;
use crate::history::is_summary;
use crate::view::View;

/// See the manual page above.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrimAge {
    /// The newest turns that are left alone.
    pub keep_turns: u32,
    /// Steps that changed a file stay.
    pub keep_edits: bool,
    /// Only a view that does not fit is trimmed, then to its target.
    pub over_limit: bool,
}

impl Pass for TrimAge {
    fn name(&self) -> &str {
        "trim_age"
    }

    fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError> {
        let may_take = if self.over_limit { cx.limit } else { cx.target };
        if view.tokens() <= may_take {
            return Ok(Outcome::Unchanged("the view fits".into()));
        }
        let groups = together(view, cx);
        let leaves = self.leaves(view, cx, &groups);
        let folds = notes::drops(
            view,
            cx,
            &groups,
            &leaves,
            |_| true,
            |_| "the oldest that may go".into(),
            &mut notes::Opened::new(),
        );
        if folds.is_empty() {
            return Ok(Outcome::Unchanged("everything left must stay".into()));
        }
        Ok(Outcome::Folds(folds))
    }
}

impl TrimAge {
    /// Which groups leave.
    fn leaves(&self, view: &View, cx: &Cx, groups: &[Vec<MessageId>]) -> Vec<bool> {
        let history = view.history();
        let last_old = history.turns().saturating_sub(self.keep_turns);
        let is_recent = |id: &MessageId| history.items_of(*id).iter().any(|item| item.turn > last_old);
        let is_edit = |id: &MessageId| {
            let mut results = history.message(*id).item_ids();
            results.any(|item| cx.facts.tracker().call(item).is_some_and(|call| !call.changes.is_empty()))
        };
        let must_stay = |group: &Vec<MessageId>| {
            group.iter().any(|id| {
                *id < cx.first_unsent
                    || cx.is_protected_message(view, *id)
                    || (self.keep_edits && is_edit(id))
            })
        };
        // A summary tells about what has left before: it is the last to follow.
        let is_told =
            |group: &Vec<MessageId>| group.iter().all(|id| history.items_of(*id).iter().any(is_summary));
        // A request without a message is none: where nothing must stay, the newest does.
        let newest = groups.last().filter(|_| !groups.iter().any(must_stay));
        let note = notes::note_tokens(view, cx);
        let (mut left, mut before) = (view.tokens(), false);
        let mut leaves = |group: &Vec<MessageId>, may_be_told: bool| {
            let stays = must_stay(group) || group.iter().any(is_recent) || Some(group) == newest;
            let leaves = left > cx.target && !stays && is_told(group) == may_be_told;
            if leaves {
                left -= group.iter().map(|id| view.message_tokens(*id)).sum::<usize>();
                left += if before { 0 } else { note };
            }
            before = leaves;
            leaves
        };
        let mut all: Vec<bool> = groups.iter().map(|group| leaves(group, false)).collect();
        for (leaves_now, group) in all.iter_mut().zip(groups) {
            *leaves_now |= leaves(group, true);
        }
        all
    }
}
