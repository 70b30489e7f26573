//! The last rung: where a policy promises that its views fit, they do.

use super::passes::LAST_RESORT;
use super::runner::Runner;
use crate::understand::facts::Protection;
use crate::view::trace::{PassOutcome, PassTrace};

impl Runner<'_, '_> {
    /// Whole steps and messages leave, oldest first, until the view fits; then what stands in one step with something
    /// that must stay shrinks; then instructions yield to the task.
    pub(super) fn guarantee(&mut self) {
        self.cx.target = self.cx.limit;
        self.trim("the guarantee: what is sent fits");
        self.shrink();
        if self.view.tokens() > self.cx.limit && self.cx.protection == Protection::Full {
            self.cx.protection = Protection::Task;
            self.trim("the guarantee: instructions yield to the task itself");
            self.shrink();
        }
    }

    /// A result that shares its message with what the user says now cannot leave, but its lines can.
    fn shrink(&mut self) {
        if self.view.tokens() > self.cx.limit {
            let reason = "the guarantee: what must stay keeps its step, not all of its lines";
            self.run_pass(LAST_RESORT.shrink, reason);
        }
    }

    /// In a history whose calls and results do not match, some steps cannot go without others that stay; then
    /// everything goes that may.
    fn trim(&mut self, reason: &str) {
        self.run_pass(LAST_RESORT.trim, reason);
        let failed = matches!(self.passes.last(), Some(PassTrace { outcome: PassOutcome::Failed(_), .. }));
        if failed {
            let target = std::mem::replace(&mut self.cx.target, 0);
            self.run_pass(LAST_RESORT.trim, reason);
            self.cx.target = target;
        }
    }
}
