//! Choosing lines at a price.
//!
//! At a price λ per token a line is kept if what it is worth exceeds what it costs. Two things make it more than a filter:
//! gaps cost too (a marker, and the harm of minced text), and a line is worth more between its own neighbours, where a
//! reader can tell what it belongs to. Both look only one line back, so a recurrence over three states finds the best
//! choice for a part in one pass: the line is skipped, opens a run, or continues one.

use super::FoldByValue;
use super::analysis::{Analysis, Group, Id, Line, NO_KEY, Part, Voice};

/// Tokens of a gap's marker, `[12 lines]`.
const MARKER: f64 = 4.0;

/// What is kept at one price.
pub(super) struct Plan {
    /// Estimated tokens of the view.
    pub(super) tokens: f64,
    /// Per group: dropped, or the kept lines of each part.
    pub(super) kept: Vec<Option<Vec<Vec<bool>>>>,
}

/// Scratch tables, reused between prices.
pub(super) struct Planner<'a> {
    analysis: &'a Analysis,
    weights: &'a FoldByValue,
    /// Which plan last showed the name or line.
    name_shown: Vec<u32>,
    key_shown: Vec<u32>,
    round: u32,
}

impl<'a> Planner<'a> {
    pub(super) fn new(analysis: &'a Analysis, weights: &'a FoldByValue) -> Planner<'a> {
        Planner {
            analysis,
            weights,
            name_shown: vec![0; analysis.name_value.len()],
            key_shown: vec![0; analysis.key_value.len()],
            round: 0,
        }
    }

    /// The best view at a price, newest groups first: what a newer one shows, an older one need not repeat.
    pub(super) fn plan(&mut self, price: f64) -> Plan {
        self.round += 2;
        let analysis = self.analysis;
        for name in &analysis.given_names {
            self.name_shown[*name as usize] = self.round;
        }
        for key in &analysis.given_keys {
            self.key_shown[*key as usize] = self.round;
        }
        let mut plan = Plan { tokens: analysis.fixed_tokens as f64, kept: vec![None; analysis.groups.len()] };
        for (nth, group) in analysis.groups.iter().enumerate().rev().filter(|(_, group)| !group.fixed) {
            if let Some((tokens, kept)) = self.plan_group(group, price) {
                plan.tokens += tokens;
                plan.kept[nth] = Some(kept);
            }
        }
        plan
    }

    /// The tokens and kept lines of a group, if it is worth its overhead.
    fn plan_group(&mut self, group: &Group, price: f64) -> Option<(f64, Vec<Vec<bool>>)> {
        let mut fresh = Vec::new();
        let mut value = 0.0;
        for name in &group.small_names {
            value += self.claim(*name, &mut fresh);
        }
        let mut tokens = group.overhead as f64;
        let mut kept = Vec::with_capacity(group.parts.len());
        let mut fresh_keys = Vec::new();
        for part in &self.analysis.parts[group.parts.clone()] {
            let gains = self.gains(group, part, &mut fresh, &mut fresh_keys);
            let lines = &self.analysis.lines[part.lines.clone()];
            let keep = choose(lines, &gains, price, self.weights);
            let is_kept = |nth: usize| keep.get(nth).copied().unwrap_or(true);
            for (nth, (line, gain)) in lines.iter().zip(&gains).enumerate() {
                if keep[nth] {
                    tokens += f64::from(line.cost);
                    value += gain.alone;
                    if is_kept(nth.wrapping_sub(1)) && is_kept(nth + 1) {
                        value += gain.between;
                    }
                } else if nth == 0 || keep[nth - 1] {
                    tokens += MARKER;
                }
            }
            kept.push(keep);
        }
        self.release(fresh, fresh_keys);
        if value < price * tokens {
            return None;
        }
        self.show(group, &kept);
        Some((tokens, kept))
    }

    /// What each line would add to the view.
    fn gains(
        &mut self,
        group: &Group,
        part: &Part,
        fresh: &mut Vec<Id>,
        fresh_keys: &mut Vec<Id>,
    ) -> Vec<Gain> {
        let w = self.weights;
        let likeness = (w.affinity * group.affinity).exp();
        let by_voice = match part.voice {
            Voice::User => w.user,
            Voice::Assistant => w.assistant_text,
            Voice::Argument => w.argument,
            Voice::Tool => 1.0,
        };
        let base = w.base * (1.0 + group.age).powf(-w.base_age) * by_voice;
        let analysis = self.analysis;
        let mut gains = Vec::with_capacity(part.lines.len());
        for line in &analysis.lines[part.lines.clone()] {
            let mut names = 0.0;
            for name in &analysis.line_names[line.names.clone()] {
                names += self.claim(*name, fresh);
            }
            names *= likeness;
            let mut whole = 0.0;
            if line.key != NO_KEY {
                let shown = &mut self.key_shown[line.key as usize];
                if line.key_is_short || *shown < self.round {
                    whole = base * f64::from(line.cost) + analysis.key_value[line.key as usize];
                }
                if *shown < self.round {
                    *shown = self.round + 1;
                    fresh_keys.push(line.key);
                }
            }
            gains.push(Gain { alone: whole + names * (1.0 - w.context), between: names * w.context });
        }
        gains
    }

    /// The value of a name not shown yet; from now on this group claims it.
    fn claim(&mut self, name: Id, fresh: &mut Vec<Id>) -> f64 {
        let shown = &mut self.name_shown[name as usize];
        if *shown >= self.round {
            return 0.0;
        }
        *shown = self.round + 1;
        fresh.push(name);
        self.analysis.name_value[name as usize]
    }

    fn release(&mut self, names: Vec<Id>, keys: Vec<Id>) {
        for name in names {
            self.name_shown[name as usize] = 0;
        }
        for key in keys {
            self.key_shown[key as usize] = 0;
        }
    }

    fn show(&mut self, group: &Group, kept: &[Vec<bool>]) {
        for name in &group.small_names {
            self.name_shown[*name as usize] = self.round;
        }
        for (part, keep) in self.analysis.parts[group.parts.clone()].iter().zip(kept) {
            let lines = &self.analysis.lines[part.lines.clone()];
            for line in lines.iter().zip(keep).filter(|(_, keep)| **keep).map(|(line, _)| line) {
                for name in &self.analysis.line_names[line.names.clone()] {
                    self.name_shown[*name as usize] = self.round;
                }
                if line.key != NO_KEY {
                    self.key_shown[line.key as usize] = self.round;
                }
            }
        }
    }
}

/// What a line is worth by itself, and what it is worth more between its neighbours.
#[derive(Clone, Copy)]
struct Gain {
    alone: f64,
    between: f64,
}

/// The states of the recurrence.
const SKIP: usize = 0;
const OPEN: usize = 1;
const RUN: usize = 2;

/// The best choice of lines for one part.
///
/// `between` is granted to a line when both neighbours are kept; the ends of a text count as kept neighbours.
fn choose(lines: &[Line], gains: &[Gain], price: f64, w: &FoldByValue) -> Vec<bool> {
    let gap = price * (MARKER + w.fragmentation);
    let mut best = [f64::NEG_INFINITY; 3];
    let mut came_from: Vec<[u8; 3]> = Vec::with_capacity(gains.len());
    for (nth, (gain, line)) in gains.iter().zip(lines).enumerate() {
        let own = gain.alone - price * f64::from(line.cost);
        if nth == 0 {
            best = [-price * MARKER, f64::NEG_INFINITY, own];
            came_from.push([0; 3]);
            continue;
        }
        let previous = gains[nth - 1].between;
        let after_skip = best[SKIP];
        let (skip, skip_from) = max3([best[SKIP], best[OPEN] - gap, best[RUN] - gap]);
        let (run, run_from) = max3([f64::NEG_INFINITY, best[OPEN], best[RUN] + previous]);
        best = [skip, after_skip + own, run + own];
        came_from.push([skip_from, SKIP as u8, run_from]);
    }
    let Some(last) = gains.last() else { return Vec::new() };
    let (_, end) = max3([best[SKIP], best[OPEN], best[RUN] + last.between]);
    let mut state = end;
    let mut keep = vec![false; gains.len()];
    for nth in (0..gains.len()).rev() {
        keep[nth] = usize::from(state) != SKIP;
        state = came_from[nth][usize::from(state)];
    }
    keep
}

fn max3(values: [f64; 3]) -> (f64, u8) {
    let mut best = (values[0], 0);
    for (nth, value) in values.into_iter().enumerate().skip(1) {
        if value > best.0 {
            best = (value, nth as u8);
        }
    }
    best
}
