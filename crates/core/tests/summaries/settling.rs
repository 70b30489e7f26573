//! What is folded when the work is done.

use enfold::folding::policy::Policy;
use enfold::history::{MessageId, Role};
use enfold::session::EpochReason;
use enfold::summary::Finish;
use enfold::wire::AiSdk;
use enfold::{Cache, Session};
use serde_json::json;

use crate::chain::{faults, read};
use crate::laws::{limit_for, subjects};
use crate::narrator::{Narrator, good};
use crate::shot::Shot;
use crate::sources;
use crate::steps::{call, push_steps, result, says, session, user};
use crate::support::folding::Prepared;
use crate::talk::{Setting, push, send};

#[test]
fn settling_clears_old_outputs_without_a_summary() {
    let mut session = session("prune_then_summarize", 100_000);
    session.prepare(Cache::Warm).unwrap();
    for nth in 0..14 {
        session.push(call(&format!("c{nth}"), "make")).unwrap();
        session.push(result(&format!("c{nth}"), &"some words ".repeat(2_500))).unwrap();
    }
    for text in ["and now?", "and then?"] {
        session.push(says("Done.")).unwrap();
        session.push(user(text)).unwrap();
    }
    let sent = Shot::of(session.prepare(Cache::Warm).unwrap());
    assert_eq!((sent.opened, sent.summary), (None, None), "it fits");
    let settled = Shot::of(session.settle().unwrap());
    assert_eq!((settled.opened, settled.summary), (Some(EpochReason::Settled), None));
    assert!(settled.tokens + 20_000 <= sent.tokens, "{} → {}", sent.tokens, settled.tokens);
    assert!(session.settle().is_none(), "there is nothing more to save");
    session.push(says("Goodbye.")).unwrap();
    let next = Shot::of(session.prepare(Cache::Warm).unwrap());
    assert_eq!((next.opened, next.unchanged), (None, settled.messages.len()));
}

/// Turns of an agent that edits a site: what its tools return are objects.
fn site_turns(turns: std::ops::Range<usize>) -> Vec<String> {
    let section = |turn: usize, nth: usize| {
        json!({ "id": format!("sec_{turn}_{nth}"), "type": "hero", "status": if nth == 0 { "draft" } else { "live" },
                "title": format!("Section {nth} of page {turn}"),
                "body": format!("What stands in section {nth} of page {turn}, as its editors wrote it. ").repeat(4) })
    };
    let turn = |turn: usize| {
        let id = format!("call_{turn}");
        let value = json!({ "pageId": format!("page_{turn}"), "sections": (0..20).map(|nth| section(turn, nth)).collect::<Vec<_>>() });
        let call = json!({ "type": "tool-call", "toolCallId": id, "toolName": "get_page", "input": { "page": turn } });
        let result = json!({ "type": "tool-result", "toolCallId": id, "toolName": "get_page",
                             "output": { "type": "json", "value": value } });
        [
            json!({ "role": "user", "content": format!("Look at page {turn} and mend its title.") }),
            json!({ "role": "assistant", "content": [call] }),
            json!({ "role": "tool", "content": [result] }),
            json!({ "role": "assistant", "content": format!("The title of page {turn} is mended.") }),
        ]
    };
    turns.flat_map(turn).map(|message| message.to_string()).collect()
}

fn site(policy: &str, limit: usize, turns: std::ops::Range<usize>) -> Session {
    let policy = Policy::named(policy).or_else(|_| Policy::parse(policy)).unwrap();
    let mut session = Session::new(&AiSdk, policy, limit);
    for message in site_turns(turns) {
        session.push(message).unwrap();
        session.prepare(Cache::Warm).unwrap();
    }
    session
}

/// The last messages of these turns, as they came.
fn ends_with(shot: &Shot, turns: std::ops::Range<usize>) -> bool {
    let sent: Vec<String> = shot.messages.iter().map(ToString::to_string).collect();
    sent.ends_with(&site_turns(turns))
}

/// A session of 43,624 tokens in a budget of 60,000 came to 377.
#[test]
fn a_session_with_room_is_folded_to_its_target_and_its_newest_turns_stand() {
    let whole = site("balanced", 1_000_000, 0..20).tally().total();
    let mut roomy = site("balanced", whole * 3, 0..20);
    assert!(roomy.settle().is_none(), "there is room");
    // Without what shrinks on arrival: all of it is there when the work is done.
    let lines = "name = \"lines\"\nabout = \"\"\n[epoch]\ntarget = 0.5\n[[pass]]\nuse = \"fold_by_value\"\nwhy = \"\"\n";
    let limit = whole + whole / 50;
    let mut full = site(lines, limit, 0..20);
    let target = limit / 2;
    let settled = Shot::of(full.settle().unwrap());
    assert!(ends_with(&settled, 18..20), "{:?}", settled.messages);
    assert!((target * 9 / 10..=target).contains(&settled.tokens), "{} of {target}", settled.tokens);
    assert!(full.settle().is_none(), "there is nothing more to save");
}

#[test]
fn one_long_turn_is_the_newest_and_stands() {
    let mut session = session("balanced", 12_000);
    session.prepare(Cache::Warm).unwrap();
    push_steps(&mut session, 0..20);
    session.prepare(Cache::Warm).unwrap();
    assert!(session.settle().is_none());
}

/// As document 003 has it: whatever the size of the view, once 20,000 tokens are saved behind the 40,000 that are protected.
#[test]
fn old_outputs_are_cleared_at_the_end_of_the_work_although_there_is_room() {
    for policy in ["prune", "prune_then_summarize"] {
        let mut session = site(policy, 1_000_000, 0..60);
        let before = session.view().iter().map(|message| message.len()).sum::<usize>();
        let pruning = session.pruning();
        assert!(pruning.is_worth_it && pruning.tokens >= 20_000, "{pruning:?}");
        let settled = session.settle().unwrap();
        let events: Vec<&str> = settled.events.iter().map(|event| event.name()).collect();
        assert_eq!(events, ["prune:complete"]);
        let settled = Shot::of(settled);
        assert!(ends_with(&settled, 50..60), "what is protected stands");
        assert!(settled.messages.iter().map(|message| message.len()).sum::<usize>() < before);
        assert!(!session.pruning().is_worth_it && session.settle().is_none(), "once");
        let mut small = site(policy, 1_000_000, 0..20);
        assert!(small.settle().is_none(), "less than 20,000 tokens would be saved");
    }
}

#[test]
fn a_session_that_sent_nothing_has_nothing_to_settle() {
    let mut session = session("summarize", 1_000);
    push_steps(&mut session, 0..10);
    assert!(session.settle().is_none());
}

/// With a narrative that was told ahead, a new summary has the same number as that one, and was made without asking.
#[test]
fn settling_shows_what_was_told_and_never_more() {
    let mut session = session("summarize", 6_000);
    let mut steps = 0;
    let question = loop {
        push_steps(&mut session, steps..steps + 1);
        steps += 1;
        session.prepare(Cache::Warm).unwrap();
        if let Some(question) = session.question_ahead() {
            break question;
        }
    };
    session.answer(&question.key, &good(&question), &Finish::Stop).unwrap();
    push_steps(&mut session, steps..steps + 20);
    assert!(session.settle().is_none(), "what is told is not enough");
    let shot = Shot::of(session.prepare(Cache::Warm).unwrap());
    assert_eq!(shot.summary.unwrap().round, 1);
    assert!(shot.question.is_some(), "there is more to tell");
}

/// Settles a session now and then. Returns how often something was saved.
fn settles(name: &str, whole: &Prepared, setting: Setting) -> usize {
    let mut session = setting.session(whole);
    let (mut asked, mut round, mut saved) = (0, 0, 0);
    for (nth, message) in whole.history().message_ids().zip(whole.history().messages()) {
        if nth > MessageId::FIRST
            && message.role == Role::Assistant
            && let Some((sent, _)) = send(&mut session, Cache::Warm, setting.narrator, &mut asked)
        {
            round = sent.summary.as_ref().map_or(round, |summary| summary.round);
            if let Some(settled) = session.settle().map(Shot::of) {
                let here = format!("{name} at message {nth}");
                saved += 1;
                assert_eq!(settled.opened, Some(EpochReason::Settled), "{here}");
                assert_eq!(settled.epoch, sent.epoch + 1, "{here}");
                assert_eq!(settled.question, None, "{here}");
                let prunes = setting.policy.contains("when = \"end\"");
                let least = if prunes { 20_000 } else { setting.limit / 5 };
                assert!(settled.tokens + least <= sent.tokens, "{here}");
                let shown = settled.summary.as_ref().map_or(0, |summary| summary.round);
                assert!(shown <= round, "{here}: round {shown} after {round}");
                let view = read(whole.document.wire, &settled);
                assert_eq!(faults(whole, &session, view), Vec::<String>::new(), "{here}");
            } else {
                assert_eq!(session.view(), sent.messages, "{name} at message {nth}");
            }
        }
        push(&mut session, message);
    }
    saved
}

#[test]
fn settling_saves_a_fifth_or_does_nothing() {
    let balanced = enfold::folding::policy::POLICIES.iter().find(|(name, _)| *name == "balanced").unwrap().1;
    let mut saved = 0;
    let site = Prepared::of(format!("[{}]", site_turns(0..12).join(",")).into_bytes());
    for (name, whole) in sources::committed().into_iter().chain([("site".to_string(), site)]) {
        for policy in subjects().map(|subject| subject.policy).into_iter().chain([balanced]) {
            let limit = limit_for(&whole, policy).unwrap_or(whole.tally.total() / 2);
            saved += settles(&name, &whole, Setting { policy, limit, narrator: Narrator::Good });
        }
    }
    assert!(saved > 0);
}
