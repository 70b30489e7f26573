//! Searching options of the policy on a user's own sessions.

mod candidate;
pub mod tables;

use enfold_replay::{Half, Way, half_of};
use serde::Serialize;

use crate::args::TuneArgs;
use crate::counting::Counting;
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;
use crate::replaying::{self, Asked, One};
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

/// What a policy costs and keeps: means over the sessions of a half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    pub cost: f64,
    pub recall: f64,
    pub lines: f64,
    pub asked: f64,
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
    let mut chance = fastrand::Rng::with_seed(args.seed);
    let mut candidates = vec![SHIPPED];
    candidates.extend((0..args.tries).map(|_| Candidate::draw(&mut chance)));
    let policies = candidates.iter().map(|candidate| candidate.policy("tuned"));
    let policies =
        policies.collect::<Result<Vec<_>, _>>().map_err(|error| Failure::BadInput(error.to_string()))?;
    let mut ways = vec![Way::Everything];
    ways.extend(policies.into_iter().map(Way::policy));
    let asked = Asked { window: args.window, gaps: &[], has_clock: true, keeps_curve: false };
    let counting = Counting::new(&args.counting)?;
    let progress = Progress::items("trying", inputs.len() as u64);
    let replayed = replaying::on_all_cores(&inputs, &progress, |input| {
        replaying::replay_one(&asked, &ways, &counting, input, &args.from, None)
    });
    drop(progress);
    let sessions: Vec<One> =
        replayed.into_iter().filter_map(|one| one.ok().flatten()).filter(is_large).collect();
    let names: Vec<&str> = sessions.iter().map(|one| one.file.as_str()).collect();
    let halves = half_of(&names);
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
        let enough = |ours: f64, theirs: f64| ours >= theirs - TOLERANCE;
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
    let mean = |values: Vec<f64>| {
        if values.is_empty() { 1.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
    };
    Score {
        cost: mean(rows().filter_map(|row| row.relative_cost).collect()),
        recall: mean(rows().filter_map(|row| row.figures.recall.mean()).collect()),
        lines: mean(rows().filter_map(|row| row.figures.lines.mean()).collect()),
        asked: mean(rows().filter_map(|row| row.figures.asked.mean()).collect()),
    }
}

impl Score {
    /// Better in one thing and worse in none.
    fn beats(&self, other: &Score) -> bool {
        let pairs = [
            (other.cost, self.cost),
            (self.recall, other.recall),
            (self.lines, other.lines),
            (self.asked, other.asked),
        ];
        pairs.iter().all(|(ours, theirs)| ours >= theirs) && pairs.iter().any(|(ours, theirs)| ours > theirs)
    }
}
