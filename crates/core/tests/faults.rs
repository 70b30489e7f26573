//! Sessions on which folding once lost, miscounted or broke something: one test for each, named by what must hold.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::collections::BTreeMap;

use enfold::file;
use enfold::finding::Severity;
use enfold::folding::policy::POLICIES;
use enfold::history::{MessageId, Role};
use enfold::validate::Baseline;
use enfold::view::changes::Changes;
use serde_json::Value;
use support::folding::{Asked, Folding, Prepared, Subject};
use support::promises;

fn session(name: &str) -> Prepared {
    let path = format!("{}/tests/data/faults/{name}", env!("CARGO_MANIFEST_DIR"));
    Prepared::read(file::read_bytes(std::fs::read(path).unwrap()).unwrap())
}

/// A view as it leaves: its text, what its handles open, its tokens.
struct Folded {
    text: String,
    opened: String,
    tokens: usize,
}

impl Folded {
    fn shows_or_opens(&self, words: &str) -> bool {
        self.text.contains(words) || self.opened.contains(words)
    }
}

/// Folds, holds the result against every promise, and against the request it was made of. `None`: it cannot fit.
#[track_caller]
fn fold(session: &Prepared, policy: &str, limit: usize) -> Option<Folded> {
    let subject = Subject::policy(policy);
    let facts = session.facts(&subject.policy);
    let folding = Folding::of(session, &subject, &facts, Asked::limit(limit), "the session");
    promises::ALL.iter().for_each(|promise| promise(&folding));
    let run = folding.outcome.ok()?;
    let text = session.rendered(&run.view);
    let view = session.reread(&run.view).unwrap();
    let baseline = Baseline::of(session.document.wire.name(), &session.document.request());
    let new = baseline.beyond(&view.document.request(), &run.view.changes().origins(session.history()));
    assert!(new.is_empty(), "{policy} to {limit}: {new:?}");
    let opened = run.originals.values().map(|original| original.read(run.view.history()).unwrap());
    let opened = opened.collect::<Vec<_>>().join("\n");
    Some(Folded { text, opened, tokens: run.view.tokens() })
}

const BUDGETS: [usize; 7] = [300, 500, 1000, 1500, 2000, 3000, 4000];

/// Folds by every policy to every budget; a good part of it fits: the newest step stands, whatever it takes.
#[track_caller]
fn folds_to_any_budget(session: &Prepared, mut check: impl FnMut(&str, usize, &Folded)) {
    let mut fitted = 0;
    for (policy, _) in POLICIES {
        for limit in BUDGETS {
            if let Some(folded) = fold(session, policy, limit) {
                fitted += 1;
                check(policy, limit, &folded);
            }
        }
    }
    assert!(fitted * 3 > POLICIES.len() * BUDGETS.len(), "{fitted} of them fit");
}

#[track_caller]
fn stays_or_is_opened(name: &str) {
    let session = session(name);
    let unknown = session.history().messages().iter().filter(|message| message.role == Role::Unknown);
    assert_eq!(unknown.count(), 1);
    let findings = &session.document.findings;
    assert!(findings.iter().any(|finding| finding.severity == Severity::Warning), "it is said: {findings:?}");
    assert!(session.tally.total() > 9_000, "it is counted");
    let original = session.document.source.lines().find(|line| line.contains("secret")).unwrap();
    folds_to_any_budget(&session, |policy, limit, folded| {
        assert!(folded.shows_or_opens(original), "{policy} to {limit}: byte for byte");
        assert!(folded.tokens <= limit);
    });
    let opened = fold(&session, "balanced", 1000).unwrap();
    assert!(opened.opened.contains(original), "what has left is behind a handle");
}

#[test]
fn a_message_of_a_role_nobody_knows_stays_or_is_opened_again() {
    stays_or_is_opened("role_ipython.jsonl");
}

#[test]
fn a_message_without_a_role_stays_or_is_opened_again() {
    stays_or_is_opened("norole.jsonl");
}

#[test]
fn a_line_that_is_no_message_stays_or_is_opened_again() {
    stays_or_is_opened("junk.jsonl");
}

#[test]
fn a_cut_line_stays_or_is_opened_again_byte_for_byte() {
    stays_or_is_opened("cut.jsonl");
}

#[test]
fn a_cut_line_stays_in_place_while_there_is_room() {
    let session = session("cut.jsonl");
    let mut changes = Changes::new();
    for message in [1, 2, 4, 5].map(MessageId::new) {
        changes.drop_message(message);
    }
    let view = session.document.render(&changes).unwrap();
    let lines: Vec<&str> = session.document.source.lines().collect();
    let kept = [&lines[..1], &lines[3..4], &lines[6..]].concat();
    assert_eq!(view.lines().collect::<Vec<_>>(), kept, "what was not dropped stands as it stood");
}

#[test]
fn a_role_that_the_format_has_not_is_counted() {
    for name in ["role_dev_anthropic.json", "role_gem.json"] {
        let session = session(name);
        assert!(session.tally.total() > 9_000, "{name}: {}", session.tally.total());
        let folded = fold(&session, "balanced", 1000).unwrap();
        assert!(folded.tokens <= 1000 && folded.shows_or_opens("secret words"), "{name}");
        assert_eq!(
            folded.text.contains("secret words"),
            folded.tokens > 9_000,
            "{name}: over budget is never silent"
        );
    }
}

#[test]
fn stored_reasoning_and_what_it_led_to_stay_or_leave_together() {
    let session = session("r3.json");
    let items =
        |text: &str| serde_json::from_str::<Value>(text).unwrap()["input"].as_array().unwrap().clone();
    let number = |item: &Value| item["id"].as_str().map(|id| id[id.len() - 4..].to_string());
    folds_to_any_budget(&session, |policy, limit, folded| {
        let mut parts: BTreeMap<String, usize> = BTreeMap::new();
        items(&folded.text).iter().filter_map(number).for_each(|id| *parts.entry(id).or_default() += 1);
        assert!(parts.values().all(|parts| *parts == 2), "{policy} to {limit}: {parts:?}");
    });
}

#[test]
fn manual_thinking_folds() {
    for name in ["think1.json", "think2.json"] {
        folds_to_any_budget(&session(name), |policy, limit, folded| {
            assert!(folded.text.contains("\"thinking\":"), "{name}, {policy} to {limit}");
        });
    }
}

#[test]
fn thinking_stays_while_its_tool_loop_is_open() {
    folds_to_any_budget(&session("think1_bare.json"), |policy, limit, folded| {
        assert!(folded.text.contains("\"signature\":"), "{policy} to {limit}");
    });
}

#[test]
fn deepseeks_calls_keep_their_reasoning() {
    folds_to_any_budget(&session("deepseek.json"), |policy, limit, folded| {
        let view: Value = serde_json::from_str(&folded.text).unwrap();
        let calls =
            view["messages"].as_array().unwrap().iter().filter(|message| !message["tool_calls"].is_null());
        assert!(calls.into_iter().all(|call| !call["reasoning_content"].is_null()), "{policy} to {limit}");
    });
}

#[test]
fn signed_calls_stay_as_they_are_or_leave_whole() {
    let session = session("gsig.json");
    folds_to_any_budget(&session, |policy, limit, folded| {
        let view: Value = serde_json::from_str(&folded.text).unwrap();
        let parts =
            view["contents"].as_array().unwrap().iter().flat_map(|it| it["parts"].as_array().unwrap());
        for part in parts.filter(|part| !part["thoughtSignature"].is_null()) {
            let args = part["functionCall"]["args"]["content"].as_str().unwrap();
            assert!(!args.contains("lines"), "{policy} to {limit}: {args}");
        }
    });
}

#[test]
fn a_summary_stands_where_the_report_says_also_behind_the_last_message() {
    let session = session("one_user20.jsonl");
    let subject = Subject::policy("summarize");
    let facts = session.facts(&subject.policy);
    let folding = Folding::of(&session, &subject, &facts, Asked::limit(4000), "one user");
    let run = folding.run().unwrap();
    let is_told = run.view.changes().inserted().is_some();
    assert_eq!(session.rendered(&run.view).contains("<enfold-summary"), is_told);
    assert!(is_told, "there is one");
    fold(&session, "summarize", 4000).unwrap();
}

#[test]
fn what_the_user_says_behind_a_summary_stays() {
    let session = session("merged.jsonl");
    let line = session.document.source.lines().nth(7).unwrap();
    let message: Value = serde_json::from_str(line).unwrap();
    let (_, words) = message["content"].as_str().unwrap().split_once("</enfold-summary>").unwrap();
    let words = words.trim();
    assert!(!words.is_empty());
    folds_to_any_budget(&session, |policy, limit, folded| {
        assert!(folded.text.contains(words), "{policy} to {limit}: {words}");
    });
}

#[test]
fn what_is_said_about_a_document_is_counted() {
    let session = session("ctx.json");
    assert!(session.tally.total() > 5_000, "{}", session.tally.total());
    assert!(fold(&session, "balanced", 500).is_none_or(|folded| folded.tokens <= 500));
}
