//! Spending what no price can: lines that are worth the same come or go together, and a budget may fall between.

use super::{Fate, Plan, Planner};
use crate::text::shape::Noise;

/// Share of the budget that is left over for this.
const OVER: f64 = 0.01;

impl Planner<'_> {
    /// Keeps more lines of what stands in its place, in order, from where its kept lines end: the newest texts first.
    pub(super) fn fill(&self, plan: &mut Plan, budget: f64) {
        let mut left = budget - plan.tokens;
        if left < budget * OVER {
            return;
        }
        let analysis = self.analysis;
        for (nth, group) in analysis.groups.iter().enumerate().rev() {
            let parts = analysis.parts[group.parts.clone()].iter().rev();
            for part in parts.filter(|part| plan.fates[nth] == Fate::Kept && part.folds_in(group)) {
                let mut is_behind_kept = true;
                for at in part.lines.clone() {
                    let line = &analysis.lines[at];
                    if !plan.keep[at] && is_behind_kept && line.cost <= left && line.noise != Noise::Blob {
                        plan.keep[at] = true;
                        plan.sizes[nth] += line.cost;
                        left -= line.cost;
                    }
                    is_behind_kept = plan.keep[at];
                }
            }
        }
        plan.tokens = budget - left;
    }
}
