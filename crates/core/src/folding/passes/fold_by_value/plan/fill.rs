//! Spending what no price can: lines that are worth the same come or go together, and a budget may fall between.

use super::{Fate, Part, Plan, Planner, Voice};
use crate::text::shape::Noise;

/// Share of the budget that is left over for this, and tokens. Less would only leave crumbs.
const OVER: f64 = 0.04;
const LEAST: f64 = 48.0;

impl Planner<'_> {
    /// Keeps more lines of what stands in its place, in order, from where its kept lines end; the newest first, results before
    /// what was said. Where that is not enough, from the beginning of that of which nothing is kept.
    pub(super) fn fill(&self, plan: &mut Plan, budget: f64) {
        let all = [Voice::Tool, Voice::Assistant, Voice::User];
        for (voices, begins) in [(&all[..1], false), (&all[..1], true), (&all, false), (&all, true)] {
            let mut left = budget - plan.tokens;
            if left < LEAST.max(budget * OVER) {
                return;
            }
            self.keep_more(plan, &mut left, voices, begins);
            plan.tokens = budget - left;
        }
    }

    fn keep_more(&self, plan: &mut Plan, left: &mut f64, voices: &[Voice], begins: bool) {
        let analysis = self.analysis;
        for (nth, group) in analysis.groups.iter().enumerate().rev() {
            let parts = analysis.parts[group.parts.clone()].iter().rev();
            let may_grow = |part: &&Part| voices.contains(&part.voice) && plan.fates[nth] == Fate::Kept;
            for part in parts.filter(may_grow) {
                let mut goes_on = begins;
                for at in part.lines.clone() {
                    let line = &analysis.lines[at];
                    if !plan.keep[at] && goes_on && line.cost <= *left && line.noise != Noise::Blob {
                        plan.keep[at] = true;
                        plan.sizes[nth] += line.cost;
                        *left -= line.cost;
                    }
                    goes_on = plan.keep[at];
                }
            }
        }
    }
}
