//! What must hold for every policy and every view, over sessions drawn and real.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::sync::Arc;

use enfold::document::Document;
use enfold::facts::{Facts, Protection};
use enfold::fold::HandleKey;
use enfold::formats;
use enfold::item::Role;
use enfold::passes::Cx;
use enfold::policy::{POLICIES, Policy};
use enfold::runner::{Run, run};
use enfold::tokens::{Encoding, Tally};
use enfold::validate::{Request, validate};

/// A session with all that folding looks at.
struct Prepared {
    document: Document,
    tally: Tally,
    facts: Facts,
    handles: HandleKey,
}

impl Prepared {
    fn of(bytes: Vec<u8>) -> Prepared {
        let document = formats::read_bytes(bytes).unwrap();
        let tally = Tally::of(&document.history, Arc::new(Encoding::O200k), Default::default());
        let facts = Facts::of(&document.history);
        Prepared { document, tally, facts, handles: HandleKey::new(b"secret", "session") }
    }

    fn cx(&self, limit: usize) -> Cx<'_> {
        Cx::new(limit, &self.facts, &self.handles, self.document.wire)
    }

    fn rendered(&self, run: &Run) -> String {
        self.document.render(run.view.changes()).unwrap().to_string()
    }
}

/// Folds one session to one budget and checks every promise. Returns false if what must stay does not fit.
#[track_caller]
fn holds(session: &Prepared, policy: &Policy, limit: usize, name: &str) -> bool {
    let history = &session.document.history;
    let run = match enfold::runner::run(policy, history, &session.tally, &session.cx(limit)) {
        Ok(run) => run,
        Err(cannot) => {
            assert!(cannot.needed > limit, "{name}: {cannot}");
            let must_stay = |message| session.facts.is_protected_message(history, message, Protection::Task);
            assert!(
                !policy.fits || cannot.protected.iter().all(|(message, _)| must_stay(*message)),
                "{name}: only what is protected may keep a view from fitting"
            );
            return false;
        }
    };
    let text = session.rendered(&run);
    let again = self::run(policy, history, &session.tally, &session.cx(limit)).unwrap();
    assert_eq!(text, session.rendered(&again), "{name}: the same input gives the same bytes");

    let view = Prepared::of(text.clone().into_bytes());
    assert_eq!(view.tally.total(), run.trace.after, "{name}: counted on the result");
    assert!(run.trace.after <= limit, "{name}: {} over {limit}", run.trace.after);
    let errors: Vec<String> = validate(session.document.wire.name(), &Request::of_document(&view.document))
        .into_iter()
        .filter(|finding| finding.severity == enfold::finding::Severity::Error)
        .map(|finding| finding.to_string())
        .collect();
    assert_eq!(errors, Vec::<String>::new(), "{name} at {limit}");

    for (id, item) in history
        .items()
        .iter()
        .enumerate()
        .filter(|(id, _)| session.facts.is_protected(*id, run.trace.protection))
    {
        assert!(
            run.view.has(id) && !run.view.is_changed(id),
            "{name}: item {id} ({:?}) is protected",
            item.kind
        );
    }
    let untouched = (0..history.messages().len()).filter(|message| {
        run.view.message(*message).is_some_and(|raw| raw == history.messages()[*message].raw)
    });
    for message in untouched {
        assert!(
            text.contains(&*history.messages()[message].raw),
            "{name}: untouched messages leave as they came"
        );
    }
    recalls_everything(session, &run, name);
    true
}

/// Everything that the view does not show is among the originals, byte for byte.
fn recalls_everything(session: &Prepared, run: &Run, name: &str) {
    let history = &session.document.history;
    let originals: BTreeSet<&[u8]> = run.originals.values().map(|text| text.as_bytes().as_ref()).collect();
    let dropped: String = run.originals.values().map(|text| format!("{text}\n")).collect();
    for (id, item) in history.items().iter().enumerate() {
        if run.view.has(id) {
            for (nth, text) in item
                .texts
                .iter()
                .enumerate()
                .filter(|(nth, _)| run.view.text(id, *nth) != &*item.texts[*nth].value)
            {
                assert!(
                    originals.contains::<[u8]>(text.value.as_bytes().as_ref()),
                    "{name}: text {nth} of item {id} can be opened"
                );
            }
        } else {
            let raw = &history.messages()[item.message].raw;
            let stored = dropped.contains(&**raw) || originals.contains(raw[item.span.clone()].as_bytes());
            assert!(stored, "{name}: item {id} can be opened");
        }
    }
    for fold in run.trace.folds() {
        assert!(fold.saved > 0, "{name}: {fold:?}");
        assert!(fold.handles.iter().all(|handle| run.originals.contains_key(handle)), "{name}: {fold:?}");
    }
}

fn policies() -> Vec<Policy> {
    POLICIES.iter().map(|(name, _)| Policy::named(name).unwrap()).collect()
}

fn example(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../examples/sessions/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn the_long_example_folds_to_any_budget() {
    let session = Prepared::of(example("long.jsonl"));
    for policy in policies() {
        for limit in [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 65_000] {
            let fits = holds(&session, &policy, limit, &policy.name);
            assert!(fits || !policy.fits, "{}: {limit} tokens are enough for the task", policy.name);
        }
    }
}

#[test]
fn a_session_that_fits_easily_leaves_as_it_came() {
    let session = Prepared::of(example("long.jsonl"));
    for policy in policies() {
        let run =
            run(&policy, &session.document.history, &session.tally, &session.cx(1_000_000)).ok().unwrap();
        assert_eq!(session.rendered(&run), session.document.source.to_string());
        assert_eq!(run.trace.rung(), None);
    }
}

#[test]
fn a_task_larger_than_the_budget_is_said_to_be_so() {
    let session = Prepared::of(example("long.jsonl"));
    let policy = Policy::named("balanced").unwrap();
    let cannot = run(&policy, &session.document.history, &session.tally, &session.cx(100)).err().unwrap();
    assert!(cannot.to_string().starts_with("cannot fit: what must stay takes"), "{cannot}");
    let roles: Vec<Role> =
        cannot.protected.iter().map(|(id, _)| session.document.history.messages()[*id].role).collect();
    assert!(roles.contains(&Role::System) && roles.contains(&Role::User), "{roles:?}");
}

#[test]
fn every_request_format_folds() {
    for name in ["anthropic.json", "responses.json", "gemini.json", "ai-sdk.json"] {
        let session = Prepared::of(example(name));
        for policy in policies() {
            for share in [3, 5, 8] {
                holds(&session, &policy, session.tally.total() * share / 10, name);
            }
        }
    }
}

#[test]
fn every_real_session_folds() {
    let Some(root) = std::env::var_os("ENFOLD_SESSIONS") else {
        eprintln!("SKIPPED: ENFOLD_SESSIONS is not set");
        return;
    };
    let (mut folded, mut refused) = (0, 0);
    let mut files: Vec<_> = std::fs::read_dir(std::path::Path::new(&root).join("dev"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.sort();
    for path in files {
        let session = Prepared::of(std::fs::read(&path).unwrap());
        for policy in policies() {
            for limit in [8_000, 16_000, 32_000, 64_000] {
                if session.tally.total() <= limit {
                    continue;
                }
                match holds(&session, &policy, limit, &path.display().to_string()) {
                    true => folded += 1,
                    false => refused += 1,
                }
            }
        }
    }
    eprintln!("{folded} views hold every promise; {refused} times what must stay does not fit");
}
