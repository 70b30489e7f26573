//! Searching options of the policy on a user's own sessions.

mod candidate;
pub mod tables;

use enfold_replay::{Half, Origin, Share, Way, half_of};
use serde::Serialize;

use crate::args::TuneArgs;
use crate::counting::Counting;
use crate::failure::Failure;
use crate::output;
use crate::replaying::{self, Asked, One, Row};
pub use candidate::Candidate;
use candidate::SHIPPED;

/// How much less a policy may keep than `balanced` in the half that chooses.
const TOLERANCE: f64 = 0.002;

/// What came of a search.
#[derive(Serialize)]
pub struct Tuned {
    /// Sessions that chose, and sessions that checked.
    pub fit_sessions: usize,
    pub check_sessions: usize,
    /// All that were tried; `balanced` first.
    pub tried: Vec<Tried>,
    /// The one that was chosen, as a place among these.
    pub chosen: usize,
}

/// A set of options and what came of it.
#[derive(Clone, Serialize)]
pub struct Tried {
    pub options: Candidate,
    pub fit: Score,
    pub check: Score,
    /// No other one is better in everything, in the half that chooses.
    pub on_front: bool,
}

/// What a policy costs and keeps: means over the sessions of a half. Nothing where there was nothing to find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    /// With what looking up costs: without it, whoever folds deepest is cheapest.
    pub cost: f64,
    pub recall: Option<f64>,
    pub lines: Option<f64>,
    pub asked: Option<f64>,
}

impl Tuned {
    /// The policy that was chosen.
    pub fn policy(&self) -> String {
        self.tried[self.chosen].options.toml("tuned")
    }
}

/// Tries policies on all sessions that are larger than their window.
pub fn tune(args: &TuneArgs) -> Result<Tuned, Failure> {
    let inputs = replaying::inputs(&args.files, args.last)?;
    replaying::refuse_to_overwrite(&inputs, "--output", args.output.as_deref())?;
    let mut chance = fastrand::Rng::with_seed(args.seed);
    let mut candidates = vec![SHIPPED];
    candidates.extend((0..args.tries).map(|_| Candidate::draw(&mut chance)));
    let policies = candidates.iter().map(|candidate| candidate.policy("tuned"));
    let policies =
        policies.collect::<Result<Vec<_>, _>>().map_err(|error| Failure::BadInput(error.to_string()))?;
    let mut ways = vec![Way::Everything];
    ways.extend(policies.into_iter().map(Way::policy));
    let asked = Asked {
        ways: &ways,
        counting: &Counting::new(&args.counting)?,
        from: &args.from,
        window: args.window,
        gaps: &[],
        has_clock: true,
        keeps_curve: false,
        emit: None,
    };
    let mut sessions = replaying::replay_each(&asked, &inputs, "trying")?;
    sessions.retain(is_large);
    let origin = |one: &One| Origin { file: one.file.clone(), project: one.project.clone() };
    let halves = half_of(&sessions.iter().map(origin).collect::<Vec<_>>());
    let of = |half: Half| -> Vec<&One> {
        sessions.iter().zip(&halves).filter(|(_, is)| **is == half).map(|(one, _)| one).collect()
    };
    let (fit, check) = (of(Half::Fit), of(Half::Check));
    if fit.is_empty() || check.is_empty() {
        let cause = format!(
            "{} of {} sessions are larger than their window, of too few projects",
            sessions.len(),
            inputs.len()
        );
        return Err(Failure::new(
            "tune",
            cause,
            "name more sessions, of two projects at least, or say a smaller --window",
        ));
    }
    let mut tried: Vec<Tried> = candidates
        .iter()
        .enumerate()
        .map(|(nth, options)| Tried {
            options: *options,
            fit: score(&fit, nth + 1),
            check: score(&check, nth + 1),
            on_front: false,
        })
        .collect();
    for nth in 0..tried.len() {
        let is_beaten = tried.iter().any(|other| other.fit.beats(&tried[nth].fit));
        tried[nth].on_front = !is_beaten;
    }
    let shipped = tried[0].fit;
    let keeps = |score: &Score| {
        let enough = |ours: Option<f64>, theirs: Option<f64>| ours.map(|ours| ours + TOLERANCE) >= theirs;
        enough(score.recall, shipped.recall)
            && enough(score.lines, shipped.lines)
            && enough(score.asked, shipped.asked)
    };
    let chosen = (0..tried.len()).filter(|nth| keeps(&tried[*nth].fit));
    let chosen = chosen.min_by(|a, b| tried[*a].fit.cost.total_cmp(&tried[*b].fit.cost)).unwrap_or(0);
    if inputs.len() > sessions.len() {
        output::note(&format!(
            "{} of {} sessions are larger than their window; the others say nothing\n",
            sessions.len(),
            inputs.len()
        ));
    }
    Ok(Tuned { fit_sessions: fit.len(), check_sessions: check.len(), tried, chosen })
}

/// Whether something had to be folded of a session, so that there is something to learn.
fn is_large(one: &One) -> bool {
    one.ways[0].figures.over > 0
}

fn score(sessions: &[&One], way: usize) -> Score {
    let rows = || sessions.iter().map(|one| &one.ways[way]);
    let share = |share: fn(&Row) -> &Share| mean(rows().filter_map(|row| share(row).mean()).collect());
    Score {
        // No half is empty.
        cost: mean(rows().map(|row| row.relative_cost_with_lookups).collect()).unwrap_or(1.0),
        recall: share(|row| &row.figures.recall),
        lines: share(|row| &row.figures.lines),
        asked: share(|row| &row.figures.asked),
    }
}

fn mean(values: Vec<f64>) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

impl Score {
    /// Better in one thing and worse in none. What was not measured is worse than anything that was.
    fn beats(&self, other: &Score) -> bool {
        let pairs = [
            (Some(other.cost), Some(self.cost)),
            (self.recall, other.recall),
            (self.lines, other.lines),
            (self.asked, other.asked),
        ];
        pairs.iter().all(|(ours, theirs)| ours >= theirs) && pairs.iter().any(|(ours, theirs)| ours > theirs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: Score = Score { cost: 0.8, recall: Some(0.9), lines: None, asked: Some(1.0) };

    #[test]
    fn what_was_not_measured_is_not_better_than_what_was() {
        let unseen = Score { recall: None, ..SEEN };
        assert!(SEEN.beats(&unseen) && !unseen.beats(&SEEN));
        let cheaper = Score { cost: 0.7, ..SEEN };
        assert!(cheaper.beats(&SEEN) && !SEEN.beats(&cheaper) && !SEEN.beats(&SEEN));
        assert_eq!(mean(vec![]), None);
    }
}
