//! Sessions that are summarized at least four times, by several policies, with each narrator.

use enfold::folding::passes::Summarize;
use enfold::folding::policy::POLICIES;

use crate::chain::{Seen, Watch};
use crate::narrator::Narrator;
use crate::sources;
use crate::support::folding::Prepared;
use crate::talk::{Setting, run};

/// How often each session is summarized at least.
const ROUNDS: u32 = 4;

/// Views smaller than this have no room for tasks and instructions of real agents.
const LEAST: usize = 1_200;

/// A policy of our own: nearly everything leaves.
const FOUR: &str = "name = \"four\"\nabout = \"\"\n[epoch]\nabove = 0.9\ntarget = 0.5\n[[pass]]\nuse = \"summarize\"\n\
                    above = 0.9\nkeep_messages = 4\ntokens = 300\nledger = 300\nwhy = \"\"\n";

/// A policy in TOML and how its `summarize` is configured.
pub struct Subject {
    pub policy: &'static str,
    pub options: Summarize,
}

pub fn subjects() -> [Subject; 3] {
    let shipped = |name: &str| POLICIES.iter().find(|(known, _)| *known == name).unwrap().1;
    let options = Summarize::default();
    [
        Subject { policy: shipped("summarize"), options: options.clone() },
        Subject {
            policy: shipped("prune_then_summarize"),
            options: Summarize { tokens: 2_000, ..options.clone() },
        },
        Subject { policy: FOUR, options: Summarize { tokens: 300, ledger: 300, ..options } },
    ]
}

/// The largest of some limits at which the session is summarized often enough.
pub fn limit_for(whole: &Prepared, policy: &str) -> Option<usize> {
    let total = whole.tally.total();
    let limits = [50, 35, 25, 18, 12, 8, 5].into_iter().map(|percent| total * percent / 100);
    limits.filter(|limit| *limit >= LEAST).find(|limit| {
        let mut rounds = 0;
        let setting = Setting { policy, limit: *limit, narrator: Narrator::Nobody };
        let (_, unfit) = run(whole, setting, |_, request| {
            rounds = rounds.max(request.shot.summary.map_or(0, |summary| summary.round));
        });
        rounds >= ROUNDS && unfit == 0
    })
}

/// Runs a session with everything that must hold, looked at with each request.
fn watch(name: &str, whole: &Prepared, subject: &Subject, limit: usize, narrator: Narrator) -> Seen {
    let setting = Setting { policy: subject.policy, limit, narrator };
    let title = subject.policy.lines().next().unwrap();
    let name = format!("{name}, {title}, {limit} tokens, {narrator:?}");
    let mut watch = Watch::new(whole, setting, &subject.options, name.clone());
    let (session, unfit) = run(whole, setting, |session, request| watch.look(session, request));
    watch.end(&session);
    let seen = Seen { unfit, ..watch.seen };
    // A narrative may be shorter than the ledger that would stand in its place, so that fewer rounds are needed.
    let least = if narrator == Narrator::Nobody { ROUNDS } else { ROUNDS / 2 };
    assert!(seen.rounds >= least as usize, "{name}: {seen:?}");
    // No loop: an epoch folds deep enough for a tenth of the limit to come in before the next one, on average.
    assert!(seen.epochs <= 2 + 10 * whole.tally.total() / limit, "{name}: {seen:?}");
    assert!(seen.requests < 100 || seen.epochs * 2 <= seen.requests, "{name}: {seen:?}");
    seen
}

/// Which policies a session meets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meets {
    All,
    /// Each its share: with all of them real sessions take ten minutes.
    One,
}

fn watch_all(what: &str, sessions: impl Iterator<Item = (String, Prepared)>, meets: Meets) -> Seen {
    let (mut all, mut short) = (Seen::default(), 0);
    for (nth, (name, whole)) in sessions.enumerate() {
        let subjects = subjects().into_iter().enumerate();
        for (_, subject) in subjects.filter(|(which, _)| meets == Meets::All || *which == nth % 3) {
            let Some(limit) = limit_for(&whole, subject.policy) else {
                short += 1;
                continue;
            };
            for narrator in [Narrator::Nobody, Narrator::Good, Narrator::Moody] {
                all.add(watch(&name, &whole, &subject, limit, narrator));
            }
        }
    }
    eprintln!("{what}: {all:?}; {short} are too short for {ROUNDS} rounds");
    all
}

#[test]
fn example_sessions_are_summarized_round_after_round() {
    let seen = watch_all("example sessions", sources::committed().into_iter(), Meets::All);
    assert!(seen.sessions >= 9 && seen.accepted > 20 && seen.refused > 5, "{seen:?}");
}

#[test]
fn real_sessions_are_summarized_round_after_round() {
    watch_all("real sessions", sources::real("summaries of real sessions", 1), Meets::One);
}

#[test]
fn transcripts_are_summarized_round_after_round() {
    watch_all("transcripts", sources::transcripts("summaries of transcripts", 1), Meets::One);
}
