//! Last resort when a view is still over its limit: drop, shrink, then weaken protection, in this order.

use super::passes::Tells;
use super::runner::Runner;
use super::words::NO_WORDS;
use crate::history::MessageId;
use crate::understand::facts::Protection;
use crate::view::trace::{PassOutcome, PassTrace};

/// A view that is over by no more than this part of the limit was misjudged: it is made once more with a lower aim.
const MISJUDGED: usize = 20;

/// Where nothing else helps, calls over this part of the limit shrink too.
const SMALL_CALL: usize = 16;

impl Runner<'_, '_> {
    /// What was just asked for is folded as well, what left is told in fewer words and then only noted; whole steps and messages
    /// leave, oldest first, until the view fits; then what stands in one step with something that must stay shrinks; then instructions yield to the task, and at last what the user said on the way.
    pub(super) fn guarantee(&mut self) {
        self.aim_lower();
        if self.view.tokens() > self.cx.limit && self.has_told() && !self.cx.fresh.is_empty() {
            self.start_again();
            self.cx.fresh = &[];
            self.run_pass(
                &*self.last_resort.shrink,
                "the guarantee: what was just asked for is folded as well",
            );
        }
        if self.view.tokens() > self.cx.limit && self.has_told() {
            self.start_again();
            self.cx.tells = Tells::Briefly;
            self.run_pass(&*self.last_resort.shrink, "the guarantee: what left is told in few words");
        }
        if self.view.tokens() > self.cx.limit && self.has_told() {
            // Beside the block there is no room even for what must stay: notes take less.
            self.start_again();
            self.cx.tells = Tells::Not;
            self.run_pass(&*self.last_resort.shrink, "the guarantee: what left is noted, not told");
        }
        self.trim("the guarantee: what is sent fits");
        self.cx.fresh = &[];
        self.shrink();
        if self.view.tokens() > self.cx.limit && self.cx.protection == Protection::Full {
            self.cx.protection = Protection::Task;
            self.trim("the guarantee: instructions yield to the task itself");
            self.shrink();
        }
        if self.view.tokens() > self.cx.limit {
            self.cx.largest_call = self.cx.limit / SMALL_CALL;
            self.shrink();
        }
        if self.view.tokens() > self.cx.limit {
            self.cx.words = &NO_WORDS;
            self.trim("the guarantee: what was said on the way yields to the task itself");
            self.shrink();
        }
    }

    /// What stands in place of lines may take a few tokens more than it was taken for. That is no reason for steps to leave.
    fn aim_lower(&mut self) {
        let over = self.view.tokens() - self.cx.limit;
        let is_ours = self
            .passes
            .iter()
            .any(|pass| pass.pass == self.last_resort.shrink.name() && !pass.folds.is_empty());
        if is_ours && over <= self.cx.limit / MISJUDGED {
            self.start_again();
            let target = std::mem::replace(&mut self.cx.target, self.cx.limit - 2 * over);
            self.run_pass(&*self.last_resort.shrink, "the guarantee: counted once more, with a lower aim");
            self.cx.target = target;
        }
    }

    /// A result that shares its message with what the user says now cannot leave, but its lines can.
    fn shrink(&mut self) {
        if self.view.tokens() > self.cx.limit {
            let reason = "the guarantee: what must stay keeps its step, not all of its lines";
            self.run_pass(&*self.last_resort.shrink, reason);
        }
    }

    /// In a history whose calls and results do not match, some steps cannot go without others that stay; then
    /// everything goes that may, be it the newest.
    fn trim(&mut self, reason: &str) {
        self.run_pass(&*self.last_resort.trim, reason);
        let failed = matches!(self.passes.last(), Some(PassTrace { outcome: PassOutcome::Failed(_), .. }));
        if failed {
            let (target, newest) = (self.cx.target, self.cx.newest);
            (self.cx.target, self.cx.newest) = (0, MessageId::ALL.end);
            self.run_pass(&*self.last_resort.trim, reason);
            (self.cx.target, self.cx.newest) = (target, newest);
        }
    }
}
