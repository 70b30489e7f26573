//! The example sessions, folded by every policy.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use enfold::history::Role;
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
        cannot.protected.iter().map(|(id, _)| session.history().message(*id).role).collect();
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

/// In Anthropic's format results and the user's words share a message; the step with it could not shrink, and policies
/// that only drop said that the task does not fit.
#[test]
fn a_large_result_beside_the_users_words_does_not_keep_a_view_from_fitting() {
    let log: String = (0..2_000).map(|n| format!("line {n} of a log that goes on and on\\n")).collect();
    let request = format!(
        r#"{{"model":"claude-sonnet-4-5","max_tokens":100,"tools":[{{"name":"bash","input_schema":{{"type":"object"}}}}],"messages":[{{"role":"user","content":"Find it."}},{{"role":"assistant","content":[{{"type":"tool_use","id":"a","name":"bash","input":{{}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a","content":"{log}"}},{{"type":"text","text":"Look at the end of it."}}]}}]}}"#
    );
    let session = Prepared::of(request.into_bytes());
    for subject in Subject::policies().iter().filter(|subject| subject.policy.fits) {
        assert!(
            keeps_every_promise(&session, subject, 1_000, "a result beside words"),
            "{}",
            subject.policy.name
        );
    }
}
