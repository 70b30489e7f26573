//! The example sessions, folded by every policy.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use enfold::item::Role;
use support::folding::{Asked, Folding, Prepared, Subject};
use support::promises;

fn example(name: &str) -> Prepared {
    let path = format!("{}/../../examples/sessions/{name}", env!("CARGO_MANIFEST_DIR"));
    Prepared::of(std::fs::read(path).unwrap())
}

/// Folds a session and checks every promise. True if it fits.
#[track_caller]
fn keeps_every_promise(session: &Prepared, subject: &Subject, limit: usize, name: &str) -> bool {
    let facts = session.facts(&subject.policy);
    let folding = Folding::of(session, subject, &facts, Asked::limit(limit), name);
    promises::ALL.iter().for_each(|promise| promise(&folding));
    folding.outcome.is_ok()
}

#[test]
fn the_long_example_folds_to_any_budget() {
    let session = example("long.jsonl");
    for subject in Subject::policies() {
        for limit in [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 65_000] {
            let fits = keeps_every_promise(&session, &subject, limit, "the long example");
            assert!(fits || !subject.policy.fits, "{limit} tokens are enough for the task");
        }
    }
}

#[test]
fn a_session_that_fits_easily_leaves_as_it_came() {
    let session = example("long.jsonl");
    for subject in Subject::policies() {
        let facts = session.facts(&subject.policy);
        let folding = Folding::of(&session, &subject, &facts, Asked::limit(1_000_000), "the long example");
        let run = folding.run().unwrap();
        assert_eq!(session.rendered(&run.view), session.document.source.to_string());
        assert_eq!(run.trace.rung(), None);
    }
}

#[test]
fn a_task_larger_than_the_budget_is_said_to_be_so() {
    let session = example("long.jsonl");
    let subject = Subject::policy("balanced");
    let facts = session.facts(&subject.policy);
    let folding = Folding::of(&session, &subject, &facts, Asked::limit(100), "the long example");
    let cannot = folding.outcome.err().unwrap();
    assert!(cannot.to_string().starts_with("cannot fit: what must stay takes"), "{cannot}");
    let roles: Vec<Role> =
        cannot.protected.iter().map(|(id, _)| session.history().messages()[*id].role).collect();
    assert!(roles.contains(&Role::System) && roles.contains(&Role::User), "{roles:?}");
}

#[test]
fn every_request_format_folds() {
    for name in ["anthropic.json", "responses.json", "gemini.json", "ai-sdk.json"] {
        let session = example(name);
        for subject in Subject::policies() {
            for share in [3, 5, 8] {
                keeps_every_promise(&session, &subject, session.tally.total() * share / 10, name);
            }
        }
    }
}
