//! Stored sessions, as a package calls them.

#![allow(clippy::unwrap_used)]

mod common;

use std::sync::{Arc, Mutex};

use common::{chat, check_origins, options};
use enfold_bindings::{Code, StoredSession};
use enfold_script::{Model, Reply};
use enfold_store::Records;

const OPTIONS: &str = r#"{"budget": 8000, "format": "openai-chat"}"#;

fn path(folder: &tempfile::TempDir) -> String {
    folder.path().join("sessions.db").to_str().unwrap().to_string()
}

#[test]
fn a_session_goes_on_where_another_process_left_it() {
    let folder = tempfile::tempdir().unwrap();
    let all = chat(40);
    let mut first = StoredSession::open(&path(&folder), "s", &options(OPTIONS), None).unwrap();
    first.sync(&all).unwrap();
    let view = first.prepare().unwrap();
    check_origins(&view, &all);
    let (handle, original) = view.originals.first_key_value().expect("something is hidden");
    drop(first);
    let mut second = StoredSession::open(&path(&folder), "s", &options(r#"{"budget": 8000}"#), None).unwrap();
    assert_eq!((second.format(), second.messages()), ("openai-chat", all.len()));
    assert_eq!(second.prepare().unwrap().messages, view.messages);
    assert_eq!(second.recall(handle).unwrap().as_ref(), Some(original));
    assert!(second.search("make", 5).unwrap().contains("snippet"));
}

#[test]
fn events_come_when_they_happen_and_the_start_first() {
    let folder = tempfile::tempdir().unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = {
        let heard = heard.clone();
        Arc::new(move |event: &str| heard.lock().unwrap().push(event.to_string()))
    };
    let mut session = StoredSession::open(&path(&folder), "s", &options(OPTIONS), Some(listener)).unwrap();
    session.sync(&chat(40)).unwrap();
    session.prepare().unwrap();
    let heard = heard.lock().unwrap();
    assert!(heard[0].contains("compaction:start"), "{heard:?}");
    assert!(heard.last().unwrap().contains("compaction:complete"), "{heard:?}");
}

#[test]
fn a_summarizer_is_asked_over_http() {
    let model = Model::start(|_| Reply::Text("no summary".into()));
    let folder = tempfile::tempdir().unwrap();
    let json = format!(
        r#"{{"budget": 8000, "format": "openai-chat", "policy": "summarize", "summarizer": "openai:gpt-4o-mini", "summarizer_url": "{}"}}"#,
        model.url()
    );
    let mut session = StoredSession::open(&path(&folder), "s", &options(&json), None).unwrap();
    session.sync(&chat(40)).unwrap();
    let view = session.prepare().unwrap();
    assert!(view.tokens <= 8_000);
    assert!(view.report().contains("summary:failed"), "a bad answer is told and stops nobody");
    assert!(!model.requests().is_empty());
}

#[test]
fn tails_settling_and_overflow_are_those_of_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let all = chat(24);
    let mut session = StoredSession::open(
        &path(&folder),
        "s",
        &options(r#"{"budget": 20000, "format": "openai-chat"}"#),
        None,
    )
    .unwrap();
    session.push(all[0].clone()).unwrap();
    session.sync_tail(1, &all[1..]).unwrap();
    assert_eq!(session.sync_tail(99, &[]).unwrap_err().code, Code::BadOption);
    let view = session.prepare().unwrap();
    session.overflowed(None);
    let again = session.prepare().unwrap();
    assert!(again.tokens < view.tokens * 3 / 4 + 1);
    session.report(again.tokens as u64, 0, 0, 10);
    assert!(session.settle().is_ok());
}

#[test]
fn a_refusal_is_no_usage_and_teaches_only_what_the_provider_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = StoredSession::open(&path(&folder), "s", &options(OPTIONS), None).unwrap();
    session.sync(&chat(40)).unwrap();
    session.prepare().unwrap();
    session.overflowed(None);
    let view = session.prepare().unwrap();
    let store = enfold_store::Sqlite::open(path(&folder)).unwrap();
    let taught = || store.checkpoint("s").unwrap().unwrap();
    assert_eq!(store.usage("s").unwrap(), [], "nobody charged anything");
    assert!(taught().contains(r#""calibration":{"factor":1.0,"offset":0,"reports":[]}"#), "{}", taught());

    let counted = view.tokens + 1_000;
    session.overflowed(Some(counted));
    session.prepare().unwrap();
    assert_eq!(store.usage("s").unwrap(), []);
    assert!(taught().contains(&format!(r#""reported":{counted}"#)), "{}", taught());
}

#[test]
fn what_cannot_be_opened_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let open = |json: &str| StoredSession::open(&path(&folder), "s", &options(json), None).err().unwrap();
    let unknown = open(r#"{"budget": 8000}"#);
    assert_eq!(unknown.code, Code::BadOption);
    assert!(unknown.to_string().contains("say its format"), "{unknown}");
    StoredSession::open(&path(&folder), "s", &options(OPTIONS), None)
        .unwrap()
        .push(chat(0)[0].clone())
        .unwrap();
    assert_eq!(open(r#"{"budget": 8000, "format": "gemini"}"#).code, Code::BadOption);
    assert!(
        open(r#"{"budget": 8000, "summarizer": "gpt"}"#).to_string().contains("expected anthropic:MODEL")
    );
    assert!(open(r#"{"budget": 8000, "cache_seconds": -1}"#).to_string().contains("cache_seconds"));
    let nowhere = StoredSession::open("/proc/nowhere/s.db", "s", &options(OPTIONS), None).err().unwrap();
    assert_eq!(nowhere.code, Code::Store);
}
