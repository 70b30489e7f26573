//! Which budgets a page shows beside the one that was asked for.

use super::{Explanation, Look};
use crate::folding::{Folding, Room};

/// Shares of the whole session that a slider stops at.
const SHARES: [f64; 6] = [0.05, 0.1, 0.2, 0.35, 0.5, 0.75];

/// No view is worth looking at below this.
const LEAST: usize = 1_000;

/// The looks of a session, smallest budget first, and the one to begin with: the one asked for, or where that folds
/// nothing and nobody named it, the one that shows most of what folding would do.
pub fn climb<'f>(folding: &'f Folding, asked: Look<'f>, is_named: bool) -> (Vec<Look<'f>>, usize) {
    let whole = asked.explained.before;
    let begins_at = match asked.explained.rung.is_none() && !is_named {
        true => rounded(whole as f64 * SHARES[2]),
        false => asked.explained.budget.tokens,
    };
    let mut budgets: Vec<usize> = SHARES.iter().map(|share| rounded(whole as f64 * share)).collect();
    budgets.retain(|budget| *budget >= LEAST && *budget < whole && *budget != asked.explained.budget.tokens);
    budgets.push(whole);
    budgets.dedup();
    let mut looks: Vec<Look> = budgets.into_iter().filter_map(|budget| at(folding, budget)).collect();
    // More room than there is to fill looks like the whole.
    if asked.explained.budget.tokens < whole {
        looks.push(asked);
    }
    looks.sort_by_key(|look| look.explained.budget.tokens);
    let start = looks.iter().position(|look| look.explained.budget.tokens >= begins_at);
    let last = looks.len().saturating_sub(1);
    (looks, start.unwrap_or(last))
}

/// The session at another budget; nothing where what must stay does not fit.
fn at(folding: &Folding, budget: usize) -> Option<Look<'_>> {
    let room = Room { budget, target: budget, window: budget, starts: None, source: "--budget".into() };
    let run = folding.run_in(&room).ok()?;
    Some(Look { explained: Explanation::of_room(folding, &room, &run), run })
}

/// To two digits: a budget that people would name.
fn rounded(tokens: f64) -> usize {
    let digits = 10f64.powf(tokens.max(1.0).log10().floor() - 1.0).max(1.0);
    ((tokens / digits).round() * digits) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_numbers_that_people_would_name() {
        assert_eq!([66_123.0, 1_234.0, 999_499.0, 7.0].map(rounded), [66_000, 1_200, 1_000_000, 7]);
    }
}
