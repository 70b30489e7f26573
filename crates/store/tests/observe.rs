//! A session of the core, stored request by request: every handle of every view opens from the store.

// Helpers of tests fail as tests do.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use enfold::file;
use enfold::folding::policy::Policy;
use enfold::history::{MessageId, Slot};
use enfold::{Cache, Session};
use enfold_store::{At, Entry, NewMessage, NewSession, Original, Records, Sessions, Sqlite, observe};

/// Folds whatever is too long: texts, and whole steps with notes beside them.
const POLICY: &str = r#"
name = "tight"
about = "folds much, for a test"
[[pass]]
use = "cap_results"
why = "large results"
max_tokens = 300
keep_chars = 200
[[pass]]
use = "trim_age"
why = "the rest"
"#;

#[test]
fn every_handle_of_a_session_opens_from_the_store() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sessions/long.jsonl");
    let document = file::read_bytes(std::fs::read(file).unwrap()).unwrap();
    let policy = Policy::parse(POLICY).unwrap();
    let mut session = Session::new(document.wire, policy, 6_000);
    let folder = tempfile::tempdir().unwrap();
    let store = Sqlite::open(folder.path().join("store.db")).unwrap();
    let new = NewSession { id: "s".into(), wire: document.wire.name().into(), ..NewSession::default() };
    store.create(&new, Duration::ZERO).unwrap();
    let mut kinds = BTreeMap::new();
    let mut stored = 0;
    for (nth, message) in document.history.message_ids().zip(document.history.messages()) {
        match message.slot {
            Slot::List => session.push(message.raw.clone()).unwrap(),
            Slot::Head => session.push_head(message.raw.clone()).unwrap(),
        };
        if nth.index() % 5 != 4 {
            continue;
        }
        let now = Duration::from_secs(nth.index() as u64);
        let Ok(prepared) = session.prepare(Cache::Warm) else { continue };
        let history = session.history();
        let recording = observe::recording(history, session.tally(), &prepared);
        for (_, original) in &recording.originals {
            let kind = match original {
                Original::Piece { .. } => "piece",
                Original::Lines(_) => "lines",
                Original::Text(_) => "text",
            };
            *kinds.entry(kind).or_insert(0) += 1;
        }
        let fresh = &history.messages()[stored..];
        let messages =
            fresh.iter().map(|message| NewMessage { slot: message.slot, raw: &message.raw }).collect();
        let entry = Entry {
            at: At::Number(MessageId::new(stored)),
            messages,
            recording: Some(recording),
            ..Entry::default()
        };
        stored = store.append("s", &entry, now).unwrap().end.index();
        for (handle, original) in &prepared.originals {
            assert_eq!(store.original("s", *handle).unwrap(), original.read(session.history()));
        }
    }
    for handle in session.originals().keys() {
        assert_eq!(store.original("s", *handle).unwrap(), session.original(*handle));
    }
    eprintln!("{kinds:?}");
    assert!(kinds.contains_key("piece") && kinds.contains_key("lines"), "{kinds:?}");
    assert_eq!(kinds.get("text"), None, "an original that stands in the history was stored twice");
    assert!(store.session("s").unwrap().unwrap().compactions > 0);
}
