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
