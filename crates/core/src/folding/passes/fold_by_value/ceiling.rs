//! The price above which a group is left out, whatever else the view shows.
//!
//! A line is worth most while nothing else shows its names. With that much for every line, a group's surplus at a price
//! is bounded by what its lines are worth beyond their cost, less its overhead; where the bound falls below nothing, no
//! choice of lines can keep the group, and a plan at that price or a higher one need not look at it. In a history of
//! eight times the budget that is most of it.

use super::analysis::Analysis;
use super::plan::{HIGHEST, LOWEST, NOTE};
use super::weights;

/// How exactly the price is found; it is rounded up.
const CLOSE: f64 = 1.02;

/// What a line is worth at most, and what it costs.
struct Most {
    worth: f64,
    cost: f64,
}

/// Finds it for each group. O(lines).
pub(super) fn find(analysis: &mut Analysis) {
    let mut names = vec![0u32; analysis.name_value.len()];
    let mut keys = vec![0u32; analysis.key_value.len()];
    let mut lines: Vec<Most> = Vec::new();
    for nth in 0..analysis.groups.len() {
        let group = &analysis.groups[nth];
        if group.stays || group.overhead <= NOTE {
            continue;
        }
        let round = nth as u32 + 1;
        let is_first = |seen: &mut [u32], id: u32| std::mem::replace(&mut seen[id as usize], round) != round;
        let mut small = 0.0;
        for name in &group.small_names {
            small += if is_first(&mut names, *name) { analysis.name_value[*name as usize] } else { 0.0 };
        }
        for key in &group.small_keys {
            small += if is_first(&mut keys, *key) { analysis.key_value[*key as usize] } else { 0.0 };
        }
        lines.clear();
        for part in analysis.parts[group.parts.clone()].iter().rev().filter(|part| part.folds_in(group)) {
            for line in &analysis.lines[part.lines.clone()] {
                let mut worth = 0.0;
                for name in &analysis.line_names[line.names()] {
                    let value = match is_first(&mut names, *name) {
                        true => &analysis.name_value,
                        false => &analysis.echo_value,
                    };
                    worth += value[*name as usize];
                }
                worth *= group.likeness * part.currency * weights::of_names(line.noise);
                lines.push(Most { worth: worth + line.worth, cost: line.cost });
            }
        }
        let overhead = group.overhead - NOTE;
        analysis.groups[nth].leaves_above = highest(&lines, small + analysis.groups[nth].own_worth, overhead);
    }
}

/// By bisection: the bound falls as the price rises.
fn highest(lines: &[Most], small: f64, overhead: f64) -> f64 {
    let is_worth = |price: f64| {
        let surplus = |line: &Most| (line.worth - price * line.cost).max(0.0);
        small + lines.iter().map(surplus).sum::<f64>() >= price * overhead
    };
    let (mut low, mut high) = (LOWEST, HIGHEST);
    if is_worth(high) {
        return f64::INFINITY;
    }
    while high / low > CLOSE {
        let middle = (low * high).sqrt();
        match is_worth(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    // The plan sums in another order.
    high * (1.0 + 1e-9)
}
