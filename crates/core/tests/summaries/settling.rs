//! What is folded when the work is done.

use enfold::Cache;
use enfold::history::{MessageId, Role};
use enfold::session::EpochReason;
use enfold::summary::Finish;

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
                assert!(settled.tokens + setting.limit / 5 <= sent.tokens, "{here}");
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
    for (name, whole) in sources::committed() {
        for policy in subjects().map(|subject| subject.policy).into_iter().chain([balanced]) {
            let limit = limit_for(&whole, policy).unwrap_or(whole.tally.total() / 2);
            saved += settles(&name, &whole, Setting { policy, limit, narrator: Narrator::Good });
        }
    }
    assert!(saved > 0);
}
