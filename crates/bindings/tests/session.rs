//! A running session, as a package calls it.

#![allow(clippy::unwrap_used)]

mod common;

use common::{anthropic, chat, check_origins, options};
use enfold_bindings::{Cache, Code, Message, Session, Synced};

fn session(json: &str) -> Session {
    Session::new(options(json)).unwrap()
}

#[test]
fn views_fit_and_within_an_epoch_only_grow() {
    let all = chat(60);
    let mut session = session(r#"{"budget": 8000}"#);
    let (mut before, mut epochs): (Vec<_>, u32) = (Vec::new(), 0);
    for end in (1..=all.len()).step_by(2) {
        session.sync(&all[..end]).unwrap();
        let view = session.prepare(Cache::Warm).unwrap();
        assert!(view.tokens <= 8_000);
        check_origins(&view, &all[..end]);
        assert_eq!(before[..view.unchanged], view.messages[..view.unchanged]);
        if view.opened().is_none() {
            assert_eq!(view.unchanged, before.len(), "it only grew");
        }
        epochs = view.epoch;
        before = view.messages.to_vec();
    }
    assert!(epochs > 1, "{epochs}");
}

#[test]
fn pushing_syncing_and_syncing_the_tail_are_the_same() {
    let all = chat(30);
    let (mut pushed, mut synced, mut tail) =
        (session(r#"{"budget":8000}"#), session(r#"{"budget":8000}"#), session(r#"{"budget":8000}"#));
    for end in (1..=all.len()).step_by(2) {
        let known = pushed.messages();
        all[known..end].iter().for_each(|message| pushed.push(message.clone()).unwrap());
        assert!(matches!(synced.sync(&all[..end]).unwrap(), Synced::Grown(_)));
        tail.sync_tail(known, &all[known..end]).unwrap();
        let views =
            [&mut pushed, &mut synced, &mut tail].map(|session| session.prepare(Cache::Warm).unwrap());
        assert!(views.iter().all(|view| view.messages == views[0].messages && view.epoch == views[0].epoch));
    }
    assert!(pushed.epoch() > 0);
}

#[test]
fn the_format_shows_with_the_messages() {
    let all = anthropic(3);
    let mut session = session(r#"{"budget": 8000}"#);
    session.push(all[0].clone()).unwrap();
    assert_eq!(session.format(), "openai-chat", "a plain text says nothing yet");
    session.prepare(Cache::Warm).unwrap();
    session.sync(&all).unwrap();
    assert_eq!(session.format(), "anthropic");
    assert_eq!(session.prepare(Cache::Warm).unwrap().messages.len(), all.len());
}

#[test]
fn a_host_that_changed_the_past_is_followed() {
    let mut all = chat(10);
    let mut session = session(r#"{"budget": 50000}"#);
    session.sync(&all).unwrap();
    session.prepare(Cache::Warm).unwrap();
    all[4] = Message::written(all[4].text().replace("unused", "used"));
    assert_eq!(session.sync(&all).unwrap(), Synced::Rewritten { at: 4 });
    let view = session.prepare(Cache::Warm).unwrap();
    assert_eq!((view.unchanged, view.opened()), (4, Some("rewritten")));
    check_origins(&view, &all);
}

#[test]
fn what_a_view_hides_comes_back_by_its_handle() {
    let all = chat(40);
    let mut session = session(r#"{"budget": 8000}"#);
    session.sync(&all).unwrap();
    let view = session.prepare(Cache::Warm).unwrap();
    let (handle, original) = view.originals.first_key_value().expect("something is hidden");
    assert_eq!(session.recall(handle).unwrap().as_ref(), Some(original));
    assert_eq!(session.recall("#000000000").unwrap(), None);
    assert_eq!(session.recall("no handle").unwrap_err().code, Code::BadOption);
}

#[test]
fn a_policys_reserves_are_not_for_views() {
    let policy = r#"name = \"mine\"\nabout = \"\"\n[budget]\nsystem_reserve = 0\nsafety = 0\noutput_reserve = 28000\n"#;
    let options = format!(r#"{{"model": "gpt-4o", "policy": "{policy}"}}"#);
    let limit = |report: String| {
        serde_json::from_str::<serde_json::Value>(&report).unwrap()["trace"]["limit"].as_u64().unwrap()
    };
    let mut session = session(&options);
    session.sync(&chat(4)).unwrap();
    assert_eq!(limit(session.prepare(Cache::Warm).unwrap().report()), 100_000);
    let once = enfold_bindings::fold(&chat(4), &common::options(&options)).unwrap();
    assert_eq!(limit(once.report()), 80_000, "once, as the command folds: from the threshold on");
}

#[test]
fn after_an_overflow_the_next_view_is_smaller() {
    let all = chat(12);
    let mut session = session(r#"{"budget": 100000}"#);
    session.sync(&all).unwrap();
    let refused = session.prepare(Cache::Warm).unwrap();
    session.overflowed(None);
    let again = session.prepare(Cache::Warm).unwrap();
    assert!(again.tokens < refused.tokens * 3 / 4 + 1, "{} {}", refused.tokens, again.tokens);
    assert_eq!(again.opened(), Some("overflow"));
    session.overflowed(None);
    assert!(session.prepare(Cache::Warm).unwrap().tokens < again.tokens, "and harder still");
    let learnt = session.checkpoint().unwrap();
    assert!(learnt.contains(r#""calibration":{"factor":1.0,"offset":0,"reports":[]}"#), "{learnt}");
}

#[test]
fn another_process_goes_on_with_the_same_bytes() {
    let all = chat(40);
    let json = r#"{"budget": 8000, "format": "openai-chat"}"#;
    let mut first = session(json);
    first.sync(&all).unwrap();
    let view = first.prepare(Cache::Warm).unwrap();
    let checkpoint = first.checkpoint().unwrap();
    let mut second = session(json);
    second.sync(&all).unwrap();
    second.reopen(&checkpoint).unwrap();
    assert_eq!(second.prepare(Cache::Warm).unwrap().messages, view.messages);
    assert!(session(json).reopen("{}").is_err());
}

#[test]
fn a_model_may_be_asked_for_the_summary() {
    let all = chat(40);
    let mut session = session(r#"{"budget": 8000, "policy": "summarize", "asks": true}"#);
    session.sync(&all).unwrap();
    let view = session.prepare(Cache::Warm).unwrap();
    let key = view.question().expect("it asks").to_string();
    let question: serde_json::Value = serde_json::from_str(&session.question(&key, 30_000).unwrap()).unwrap();
    assert!(question["user"].as_str().unwrap().contains("make 3"));
    assert_eq!(session.answer(&key, "", "stop").unwrap_err().code, Code::BadInput, "a blank answer");
    session.give_up(&key);
    assert_eq!(session.prepare(Cache::Warm).unwrap().messages, view.messages, "the view was good without");
}

#[test]
fn tools_and_system_come_and_go_between_requests() {
    let all = anthropic(3);
    let mut session = session(r#"{"budget": 50000, "format": "anthropic"}"#);
    session.surround(Some("\"Be brief.\"".into()), Some("[]".into())).unwrap();
    session.sync(&all[..3]).unwrap();
    assert_eq!(session.prepare(Cache::Warm).unwrap().system.as_deref(), Some("\"Be brief.\""));
    session.sync(&all).unwrap();
    assert_eq!(session.prepare(Cache::Warm).unwrap().unchanged, 3);
    session.surround(Some("\"Be kind.\"".into()), None).unwrap();
    assert_eq!(session.sync(&all).unwrap(), Synced::Rewritten { at: 0 });
    assert_eq!(session.prepare(Cache::Warm).unwrap().system.as_deref(), Some("\"Be kind.\""));
}

#[test]
fn settling_folds_what_the_next_request_need_not_hold() {
    let mut session = session(r#"{"budget": 20000}"#);
    // The first view is made with a cold cache, which folds early.
    session.sync(&chat(21)[..9]).unwrap();
    session.prepare(Cache::Warm).unwrap();
    // The newest two turns stand: what is folded are those before.
    let turn =
        |role: &str, text: &str| Message::written(format!(r#"{{"role":"{role}","content":"{text}"}}"#));
    let mut all = chat(21);
    for turns in ["And now?", "And then?"] {
        all.extend([turn("assistant", "Done."), turn("user", turns)]);
    }
    session.sync(&all).unwrap();
    let view = session.prepare(Cache::Warm).unwrap();
    assert_eq!((view.opened(), view.tokens > 16_000), (None, true), "{}", view.tokens);
    let settled = session.settle().expect("much can be folded");
    assert!(settled.tokens < view.tokens);
    assert_eq!(settled.opened(), Some("settled"));
}
