//! Ways side by side.

use std::fmt::Write as _;

use enfold_replay::{Figures, Half};

use super::relative;
use super::sessions::{Corpus, Outcome, WayOutcomes};

/// A way in each row: all sessions, then what each half says about its cost and recall.
pub(super) fn ways(corpus: &Corpus, ways: &[WayOutcomes]) -> String {
    let requests: usize = corpus.sessions.iter().map(|session| session.requests().len()).sum();
    let mut text = format!(
        "### Window {}: {} sessions, {requests} requests\n\n\
         | | cost | +rec | look-ups | breaks | over | recall | steps | lines | asked | one half: cost, +rec, recall | other half |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
        corpus.window,
        corpus.sessions.len()
    );
    for way in ways {
        let half = |half: Half| {
            let of: Vec<Outcome> =
                way.outcomes.iter().filter(|outcome| outcome.half == half).cloned().collect();
            in_short(&of)
        };
        let _ =
            writeln!(text, "{} {} | {} |", row(&way.way, &way.outcomes), half(Half::Fit), half(Half::Check));
    }
    text + "\n"
}

/// Cost, cost with look-ups, recall; a half without sessions says nothing.
fn in_short(of: &[Outcome]) -> String {
    if of.is_empty() {
        return "–".into();
    }
    let (cost, with_lookups) = relative(of);
    format!("{cost:.2}, {with_lookups:.2}, {}", sum(of).recall)
}

/// What all sessions together say about a way.
pub(super) fn row(name: &str, outcomes: &[Outcome]) -> String {
    let (cost, with_lookups) = relative(outcomes);
    let figures = sum(outcomes);
    format!(
        "| {name} | {cost:.3} | {with_lookups:.3} | {:.1} | {:.1} | {} | {} | {} | {} | {} |",
        figures.of_hundred(figures.lookups + figures.repeats),
        figures.of_hundred(figures.breaks),
        figures.over + figures.failed,
        figures.recall,
        figures.steps,
        figures.lines,
        figures.asked,
    )
}

/// All sessions together.
pub(super) fn sum(outcomes: &[Outcome]) -> Figures {
    let mut sum = Figures::default();
    outcomes.iter().for_each(|outcome| sum.merge(&outcome.figures));
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It stood there as `-0.00, -0.00, –`.
    #[test]
    fn a_half_without_sessions_has_no_cost() {
        assert_eq!(in_short(&[]), "–");
        let figures = Figures::default();
        let one = Outcome { half: Half::Fit, relative: 0.5, with_lookups: 0.75, figures };
        assert_eq!(in_short(&[one]), "0.50, 0.75, –");
    }
}
