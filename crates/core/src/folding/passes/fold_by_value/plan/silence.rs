//! The price above which no line of a step is told with it, whatever else the view shows.
//!
//! Nearly all steps of a long history leave, and of most of them nothing is told but that they happened. As with the price
//! above which a group leaves (`ceiling`), a line is worth most while nothing else shows its names; where even then no line is
//! worth its price, nobody has to choose among them.

use super::{Gain, Gap};
use crate::folding::passes::fold_by_value::analysis::{Analysis, Group};
use crate::folding::passes::fold_by_value::texts::Texts;
use crate::folding::passes::fold_by_value::weights;

/// More than what sums in another order are off by, and than what a choice takes for nothing.
const SLACK: f64 = 1e-8;

/// Finds it for each group; nothing is told of one without a telling at any price. O(lines).
pub(super) fn find(analysis: &Analysis, texts: &Texts) -> Vec<f64> {
    let mut finder = Finder { analysis, texts, seen: vec![0; analysis.name_value.len()], gains: Vec::new() };
    let groups = analysis.groups.iter().zip(1..);
    groups.map(|(group, round)| if group.telling.is_some() { finder.of(group, round) } else { 0.0 }).collect()
}

struct Finder<'a> {
    analysis: &'a Analysis,
    texts: &'a Texts,
    /// Per name the last group that had it.
    seen: Vec<u32>,
    gains: Vec<Gain>,
}

impl Finder<'_> {
    fn of(&mut self, group: &Group, round: u32) -> f64 {
        let own = group.parts.clone().rev().filter(|nth| self.analysis.parts[*nth].is_own());
        own.map(|part| self.of_part(group, part, round)).fold(0.0, f64::max)
    }

    fn of_part(&mut self, group: &Group, nth: usize, round: u32) -> f64 {
        self.find_most(group, nth, round);
        let part = &self.analysis.parts[nth];
        let lines = &self.analysis.lines[part.lines.clone()];
        let (mut highest, mut worth, mut cost) = (0.0, 0.0, -Gap::IN_TELLING.tokens());
        for (gain, line) in self.gains.iter().zip(lines) {
            let share =
                self.analysis.weights.told(part.voice) * weights::of_edit(line.is_unchanged, part.news);
            let most = (gain.alone + gain.between) * share + SLACK;
            highest = f64::max(highest, most / line.cost);
            worth += most;
            cost += line.cost;
        }
        // All lines together stay where they take little more than the mark that would stand for them.
        let together = if cost > 0.0 { worth / cost } else { f64::INFINITY };
        highest.max(together) * (1.0 + SLACK)
    }

    /// What each line of a part is worth at most: `Planner::find_gains`, as if the view showed nothing else. A name counts where
    /// the step has it first; elsewhere it can only be an echo.
    fn find_most(&mut self, group: &Group, nth: usize, round: u32) {
        let span = self.analysis.parts[nth].lines.clone();
        let lines = &self.analysis.lines[span.clone()];
        let starts = &self.texts.starts[span.start..=span.end];
        self.gains.clear();
        for (line, range) in lines.iter().zip(starts.windows(2)) {
            let mut names = 0.0;
            for name in &self.texts.names[range[0] as usize..range[1] as usize] {
                let at = *name as usize;
                let is_first = std::mem::replace(&mut self.seen[at], round) != round;
                let values = if is_first { &self.analysis.name_value } else { &self.analysis.echo_value };
                names += values[at];
            }
            names *= group.likeness * weights::of_names(line.noise);
            self.gains.push(match line.is_short {
                true => Gain { alone: 0.0, between: line.worth + names },
                false => Gain {
                    alone: line.worth + names * (1.0 - self.analysis.weights.context),
                    between: names * self.analysis.weights.context,
                },
            });
        }
        self.texts.share_in_blocks(nth, self.analysis.weights.block, lines, &mut self.gains);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{LOWEST, Planner, STEPS, price_at};
    use super::*;
    use crate::count::{Encoding, Tally};
    use crate::file::notation;
    use crate::folding::passes::Cx;
    use crate::folding::passes::fold_by_value::weights::Weights;
    use crate::understand::facts::Facts;
    use crate::view::View;
    use crate::view::fold::HandleKey;
    use crate::wire::Neutral;

    /// The bound repeats what a plan computes. If they part, lines that are worth telling would vanish without a word.
    #[test]
    fn nothing_is_silenced_that_a_plan_would_tell() {
        let steps: String = (1..40)
            .map(|n| {
                let body: Vec<String> = (0..n % 9).map(|line| format!("    let part_{n}_{line} = read({line});")).collect();
                format!(
                    "assistant: Part {n} cannot stay as it is, because limit_{n} is read twice.\n  \
                     call c{n} edit {{\"path\":\"src/p{}.rs\",\"old_string\":\"fn p() {{}}\",\"new_string\":\"fn part_{n}() {{\\n{}\\n}}\"}}\n\
                     result c{n}: done\n",
                    n % 5,
                    body.join("\\n")
                )
            })
            .collect();
        let history = notation::parse(&format!("user: Rework all parts.\n{steps}")).unwrap();
        let tally = Tally::of(&history, Arc::new(Encoding::O200k), Default::default());
        let (facts, handles) = (Facts::of(&history), HandleKey::new(b"secret", "session"));
        let cx = Cx::new(600, &facts, &handles, &Neutral);
        let analysis = Analysis::of(&View::new(&history, &tally), &cx, &[], Weights::at(cx.limit));
        let (mut planner, mut told) = (Planner::new(&analysis), 0);
        let mut loud = Planner::new(&analysis);
        loud.silent_above.fill(f64::INFINITY);
        for step in 0..STEPS {
            let plans =
                [&mut planner, &mut loud].map(|planner| planner.plan(price_at(step), None, f64::INFINITY));
            let [plan, expected] = plans;
            assert_eq!(
                (&plan.fates, &plan.keep),
                (&expected.fates, &expected.keep),
                "price {}",
                price_at(step)
            );
            told += plan.fates.iter().filter(|fate| **fate == super::super::Fate::Told).count();
        }
        let silenced = planner.silent_above.iter().filter(|price| (LOWEST..1.0).contains(*price)).count();
        assert!(told > 100 && silenced > 20, "{told} {silenced}");
    }
}
