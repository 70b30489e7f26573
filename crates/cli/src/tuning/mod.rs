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
/// The same in the half that checks: other projects differ by more than that without being worse.
const CHECK_TOLERANCE: f64 = 0.01;
/// Fewer sessions than these in a half may say anything by chance.
const HANDFUL: usize = 5;

/// What came of a search.
#[derive(Serialize)]
pub struct Tuned {
    /// Sessions that chose, and sessions that checked.
    pub fit_sessions: usize,
    pub check_sessions: usize,
    /// All that were tried; `balanced` first.
    pub tried: Vec<Tried>,
    /// The cheapest in the half that chooses, as a place among these.
    pub fitted: usize,
    /// Whether the other half finds it as good as `balanced` at least.
    pub confirmed: bool,
    /// The one that is written: the cheapest where it is confirmed, else `balanced`.
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
    /// Chooses among what was tried, `balanced` first.
    fn choose(halves: [usize; 2], tried: Vec<Tried>, takes_unconfirmed: bool) -> Tuned {
        let [fit_sessions, check_sessions] = halves;
        let shipped = &tried[0];
        let kept = (0..tried.len()).filter(|nth| tried[*nth].fit.keeps(&shipped.fit, TOLERANCE));
        let fitted = kept.min_by(|a, b| tried[*a].fit.cost.total_cmp(&tried[*b].fit.cost)).unwrap_or(0);
        let confirmed = tried[fitted].check.worse_than(&shipped.check).is_empty();
        let chosen = if confirmed || takes_unconfirmed { fitted } else { 0 };
        Tuned { fit_sessions, check_sessions, tried, fitted, confirmed, chosen }
    }

    /// The policy that was chosen.
    pub fn policy(&self) -> String {
        self.tried[self.chosen].options.toml("tuned")
    }

    /// Whether a half is so small that its figures may be chance.
    pub fn is_of_few(&self) -> bool {
        self.fit_sessions.min(self.check_sessions) < HANDFUL
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
        return Err(too_few(sessions.len(), inputs.len()));
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
    if inputs.len() > sessions.len() {
        output::note(&format!(
            "{} of {} sessions are larger than their window; the others say nothing\n",
            sessions.len(),
            inputs.len()
        ));
    }
    Ok(Tuned::choose([fit.len(), check.len()], tried, args.unconfirmed))
}

/// Why there are no two halves: where nothing is larger than its window, other projects would not help.
fn too_few(large: usize, all: usize) -> Failure {
    match large {
        0 => {
            let cause = match all {
                1 => "the session is not larger than its window, so nothing has to be folded".to_string(),
                _ => format!("none of {all} sessions is larger than its window, so nothing has to be folded"),
            };
            Failure::new("tune", cause, "say a smaller --window, or name longer sessions")
        }
        _ => Failure::new(
            "tune",
            format!("{large} of {all} sessions are larger than their window, of too few projects"),
            "name more sessions, of two projects at least, or say a smaller --window",
        ),
    }
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
    /// Whether it keeps as much as another, but for so little.
    fn keeps(&self, other: &Score, tolerance: f64) -> bool {
        self.kept()
            .iter()
            .zip(other.kept())
            .all(|((_, ours), (_, theirs))| is_enough(*ours, theirs, tolerance))
    }

    /// In what it is worse than another one, in the half that checks: the name, its own figure, the other one's.
    fn worse_than(&self, other: &Score) -> Vec<(&'static str, Option<f64>, Option<f64>)> {
        let cost = ("cost", Some(self.cost), Some(other.cost));
        let kept = self.kept().into_iter().zip(other.kept());
        let kept = kept.map(|((name, ours), (_, theirs))| (name, ours, theirs));
        let less = kept.filter(|(_, ours, theirs)| !is_enough(*ours, *theirs, CHECK_TOLERANCE));
        (self.cost > other.cost).then_some(cost).into_iter().chain(less).collect()
    }

    /// What of a session stands in its views.
    fn kept(&self) -> [(&'static str, Option<f64>); 3] {
        [("recall", self.recall), ("lines", self.lines), ("asked", self.asked)]
    }

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

/// Whether a share is no more than a tolerance below another.
fn is_enough(ours: Option<f64>, theirs: Option<f64>, tolerance: f64) -> bool {
    ours.map(|ours| ours + tolerance) >= theirs
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

    /// `balanced`, and one that is cheaper in the half that chooses.
    fn tried(check: Score) -> Vec<Tried> {
        let one =
            |cost, check| Tried { options: SHIPPED, fit: Score { cost, ..SEEN }, check, on_front: true };
        vec![one(0.522, Score { cost: 0.636, ..SEEN }), one(0.519, check)]
    }

    /// A policy was written that cost 13 % more than `balanced` in the half that only checks.
    #[test]
    fn what_the_other_half_does_not_confirm_is_not_chosen() {
        let choose = |check, unconfirmed| Tuned::choose([9, 9], tried(check), unconfirmed);
        let dearer = choose(Score { cost: 0.721, ..SEEN }, false);
        assert_eq!((dearer.fitted, dearer.confirmed, dearer.chosen), (1, false, 0));
        let said = tables::verdict(&dearer);
        assert!(said.contains("0.721 against 0.636") && said.contains("--unconfirmed"), "{said}");
        let forgetful = choose(Score { cost: 0.6, recall: Some(0.88), ..SEEN }, false);
        assert_eq!((forgetful.confirmed, forgetful.chosen), (false, 0));
        assert!(tables::verdict(&forgetful).contains("(recall 0.880 against 0.900)"), "only what is worse");
        let asked_for = choose(Score { cost: 0.721, ..SEEN }, true);
        assert_eq!((asked_for.confirmed, asked_for.chosen), (false, 1));
        let good = choose(Score { cost: 0.6, recall: Some(0.895), ..SEEN }, false);
        assert_eq!((good.confirmed, good.chosen, tables::verdict(&good)), (true, 1, String::new()));
    }

    #[test]
    fn what_few_sessions_say_is_called_so() {
        let few = Tuned::choose([9, 4], tried(SEEN), false);
        assert!(few.is_of_few() && !Tuned::choose([9, 5], tried(SEEN), false).is_of_few());
    }
}
