//! Round after round, with a model and without.

use enfold::history::MessageId;
use std::time::Duration;

use bytestring::ByteString;
use enfold_coordinator::AskedAs;
use enfold_store::{Records, Sessions, Sqlite};

use crate::support::{TASK, begin, config, failures, faults, history, model, open, step, well};

#[test]
fn a_long_session_goes_through_many_rounds_and_another_process_goes_on_with_the_same_view() {
    let folder = tempfile::tempdir().unwrap();
    let (model, summarizer) = model(well);
    let mut session = open(folder.path(), config("summarize").asking(summarizer));
    begin(&mut session);
    let mut rounds = Vec::new();
    let mut last = None;
    for nth in 0..120 {
        step(nth).into_iter().for_each(|message| session.push(message).unwrap());
        let ready = session.prepare().unwrap();
        assert!(ready.tokens <= 6_000);
        assert_eq!(faults(&ready.messages), Vec::<String>::new());
        assert!(ready.messages.iter().any(|message| message.contains(TASK)), "{nth}");
        if let Some(summary) = ready.summary.as_ref().filter(|_| ready.opened.is_some()) {
            rounds.push(summary.round);
            assert!(summary.narrative.is_some(), "{:?}", failures(&ready));
        }
        last = Some(ready);
    }
    assert!(rounds.len() >= 4, "{rounds:?}");
    assert_eq!(rounds, (1..=rounds.len() as u32).collect::<Vec<_>>());
    assert_eq!(model.refused(), Vec::<String>::new());

    let last = last.unwrap();
    drop(session);
    let mut again = open(folder.path(), config("summarize"));
    let ready = again.prepare().unwrap();
    assert_eq!(ready.messages, last.messages);
    assert_eq!(ready.opened, None);
    let store = Sqlite::open(folder.path().join("enfold.db")).unwrap();
    assert_eq!(store.epochs("a session").unwrap().len(), rounds.len());
    let messages = store.messages("a session", MessageId::ALL).unwrap();
    assert_eq!(messages.iter().map(|message| message.raw.to_string()).collect::<Vec<_>>(), history(120));
}

#[test]
fn without_a_model_the_ledger_speaks() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = open(folder.path(), config("summarize"));
    begin(&mut session);
    let mut told = None;
    for nth in 0..40 {
        step(nth).into_iter().for_each(|message| session.push(message).unwrap());
        let ready = session.prepare().unwrap();
        assert_eq!(failures(&ready), []);
        told = ready.summary.or(told);
    }
    let told = told.unwrap();
    assert_eq!(told.narrative, None);
    let summary =
        session.session().view().iter().find(|message| message.contains("<enfold-summary")).unwrap();
    assert!(summary.contains("src/part1.rs") && summary.contains("cargo test part"), "{summary}");
}

#[test]
fn a_summary_asked_for_in_the_background_is_there_when_it_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let (model, summarizer) = model(well);
    let mut session = open(folder.path(), config("summarize").asking(summarizer));
    begin(&mut session);
    let (mut asked_before, mut is_asked) = (0, false);
    for nth in 0..40 {
        step(nth).into_iter().for_each(|message| session.push(message).unwrap());
        let asked = model.requests().len();
        let ready = session.prepare().unwrap();
        if ready.opened.is_some() {
            let summary = ready.summary.clone().unwrap();
            assert!(summary.narrative.is_some(), "{:?}", failures(&ready));
            assert_eq!(model.requests().len(), asked, "nobody is asked a second time");
            asked_before += 1;
            is_asked = false;
        } else if ready.tokens >= 4_200 && !is_asked {
            // Ten points before four fifths of the limit. The question is on its way; it takes a moment to arrive.
            let patience = (0..500).take_while(|_| model.requests().len() == asked);
            patience.for_each(|_| std::thread::sleep(Duration::from_millis(10)));
            assert_eq!(model.requests().len(), asked + 1, "step {nth}: one question, ahead of time");
            is_asked = true;
        }
    }
    assert!(asked_before >= 2, "{asked_before} of the summaries were there before they were needed");
}

#[test]
fn folding_after_the_work_is_stored_and_says_what_it_saved() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = open(folder.path(), config("balanced"));
    begin(&mut session);
    let mut nth = 0;
    while session.prepare().unwrap().tokens < 5_200 {
        step(nth).into_iter().for_each(|message| session.push(message).unwrap());
        nth += 1;
    }
    // The newest two turns stand: what is folded is the work before them.
    for asks in ["And the tests?", "All of them?"] {
        session.push(r#"{"role":"assistant","content":"Done."}"#).unwrap();
        session.push(format!(r#"{{"role":"user","content":"{asks}"}}"#)).unwrap();
    }
    session.push(r#"{"role":"assistant","content":"Done."}"#).unwrap();
    let before = session.prepare().unwrap();
    assert_eq!(before.opened, None, "it still fits");
    let settled = session.settle().unwrap().expect("much can be saved");
    assert!(settled.tokens + 6_000 / 5 <= before.tokens, "{:?}", settled.tokens);
    assert_eq!(settled.events[0].name(), "prune:complete");
    session.push(r#"{"role":"user","content":"And now the docs."}"#).unwrap();
    let next = session.prepare().unwrap();
    assert_eq!(next.unchanged, settled.messages.len());
    assert!(session.settle().unwrap().is_none(), "there is nothing more to save");
}

#[test]
fn what_a_dashboard_is_told_names_every_number() {
    let folder = tempfile::tempdir().unwrap();
    let (_model, summarizer) = model(well);
    let mut session = open(folder.path(), config("prune_then_summarize").asking(summarizer));
    begin(&mut session);
    let ready = (0..40).find_map(|nth| {
        step(nth).into_iter().for_each(|message| session.push(message).unwrap());
        Some(session.prepare().unwrap()).filter(|ready| ready.opened.is_some())
    });
    let ready = ready.unwrap();
    let kinds: Vec<&str> = ready.events.iter().map(|event| event.name()).collect();
    assert_eq!(kinds, ["compaction:start", "compaction:complete"], "{:?}", failures(&ready));
    for (event, keys) in ready.events.iter().zip([
        vec!["tokensBefore", "modelLimit", "reason"],
        vec!["tokensBefore", "tokensAfter", "messagesCompacted", "wasPruned", "wasSummarized"],
    ]) {
        let data: serde_json::Value = serde_json::from_str(&event.data()).unwrap();
        keys.into_iter().for_each(|key| assert!(!data[key].is_null(), "{key}: {data}"));
    }
    assert_eq!(ready.trace.passes.first().map(|pass| pass.pass.as_str()), Some("prune_outputs"));
    assert!(ready.tools.contains("read"), "{:?}", ready.tools);
}

#[test]
fn the_tools_of_a_view_are_known_however_it_came_about() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = open(folder.path(), config("prune_then_summarize"));
    begin(&mut session);
    let once = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"o","type":"function","function":{"name":"only_once","arguments":"{}"}}]}"#;
    session.push(once).unwrap();
    session.push(r#"{"role":"tool","tool_call_id":"o","content":"done"}"#).unwrap();
    let (mut had, mut lost, mut epochs) = (false, false, 0);
    for nth in 0..80 {
        step(nth).into_iter().for_each(|message| session.push(message).unwrap());
        let ready = session.prepare().unwrap();
        let calls = |message: &&ByteString| message.contains("\"tool_calls\"");
        let view: Vec<&ByteString> = ready.messages.iter().filter(calls).collect();
        let stands =
            |tool: &str| view.iter().any(|message| message.contains(&format!("\"name\":\"{tool}\"")));
        assert!(ready.tools.iter().all(|tool| stands(tool)), "{:?}", ready.tools);
        assert_eq!(ready.tools.contains("only_once"), stands("only_once"));
        had |= ready.tools.contains("only_once");
        lost |= had && !ready.tools.contains("only_once");
        epochs += usize::from(ready.opened.is_some());
    }
    assert!(lost && epochs > 1, "{had} {lost} {epochs}");
}

#[test]
fn the_agents_own_model_is_asked_with_the_conversation_it_knows() {
    let folder = tempfile::tempdir().unwrap();
    let (model, summarizer) = model(well);
    let tools = r#"[{"type":"function","function":{"name":"read","parameters":{"type":"object"}}}]"#;
    let shape = AskedAs::Native { tools: Some(tools.into()), extra: Vec::new() };
    let mut session = open(folder.path(), config("summarize").asking(summarizer.shaped(shape)));
    begin(&mut session);
    let mut asked = 0;
    let mut sent: Vec<Vec<String>> = Vec::new();
    for nth in 0..60 {
        step(nth).into_iter().for_each(|message| session.push(message).unwrap());
        let ready = session.prepare().unwrap();
        sent.push(ready.messages.iter().map(ToString::to_string).collect());
        for request in &model.requests()[asked..] {
            let messages = request.messages();
            let (instruction, conversation) = messages.split_last().unwrap();
            assert!(instruction.contains("answer with the text of the summary"), "{instruction}");
            // What was sent, whenever the question came through, and the step that came since.
            let is_known = |view: &Vec<String>| {
                (view.len()..=view.len() + 2).contains(&conversation.len())
                    && conversation[..view.len()] == view[..]
            };
            assert!(sent.iter().any(is_known), "what was sent last comes first, byte for byte");
            assert!(request.body.contains(tools));
        }
        asked = model.requests().len();
    }
    assert!(asked >= 2, "{asked} questions");
    assert_eq!(model.refused(), Vec::<String>::new());
}
