//! Questions: when they are asked, in which shape, and what becomes of their answers.

use std::collections::BTreeMap;

use enfold::file;
use enfold::file::convert::convert;
use enfold::file::document::Frame;
use enfold::folding::policy::Policy;
use enfold::history::{MessageId, Role};
use enfold::session::Unasked;
use enfold::summary::{Finish, Question};
use enfold::wire::{OpenAiChat, WIRES};
use enfold::{Cache, Session};

use crate::chain::{faults, read};
use crate::laws::{limit_for, subjects};
use crate::narrator::{Narrator, good, told_by};
use crate::shot::Shot;
use crate::sources;
use crate::steps::{push_steps, session, step, user};
use crate::support::folding::Prepared;
use crate::talk::{Setting, push};

const LIMIT: usize = 6_000;

#[test]
fn a_question_is_asked_ahead_once_for_an_epoch_ten_points_before_it() {
    let mut session = session("summarize", LIMIT);
    let (mut asked_in, mut epochs, mut told) = (None, 0, Vec::new());
    for nth in 0..80 {
        push_steps(&mut session, nth..nth + 1);
        let shot = Shot::of(session.prepare(Cache::Warm).unwrap());
        if shot.opened.is_some() {
            epochs += 1;
            assert_eq!(shot.question, None, "what was asked ahead is not asked again");
            let narrative = shot.summary.unwrap().narrative.unwrap();
            assert!(narrative.contains(told.last().unwrap()), "{narrative}");
        }
        let question = session.question_ahead();
        let is_time = shot.tokens >= LIMIT * 7 / 10 && asked_in != Some(shot.epoch);
        assert_eq!(question.is_some(), is_time, "step {nth}, {} tokens", shot.tokens);
        if let Some(question) = question {
            session.answer(&question.key, &good(&question), &Finish::Stop).unwrap();
            asked_in = Some(shot.epoch);
            told.push(told_by(&question));
        }
    }
    assert!(epochs >= 5 && (epochs..=epochs + 1).contains(&told.len()), "{epochs} epochs, {told:?}");
}

#[test]
fn nobody_is_asked_where_nobody_can_be() {
    let mut session = Session::new(&OpenAiChat, Policy::named("summarize").unwrap(), LIMIT);
    session.push(user("go")).unwrap();
    for nth in 0..40 {
        push_steps(&mut session, nth..nth + 1);
        assert_eq!(session.prepare(Cache::Warm).unwrap().question, None);
        assert_eq!(session.question_ahead(), None);
    }
}

/// A session with a question that was asked ahead.
fn asked_ahead() -> (Session, Question, usize) {
    let mut session = session("summarize", LIMIT);
    for nth in 0.. {
        push_steps(&mut session, nth..nth + 1);
        session.prepare(Cache::Warm).unwrap();
        if let Some(question) = session.question_ahead() {
            return (session, question, nth + 1);
        }
    }
    unreachable!("the steps never end")
}

#[test]
fn a_question_that_nobody_answered_in_time_is_forgotten_for_the_next_one() {
    let (mut session, ahead, steps) = asked_ahead();
    push_steps(&mut session, steps..steps + 4);
    let shot = Shot::of(session.prepare(Cache::Warm).unwrap());
    let now = shot.question.unwrap();
    assert_ne!(now.key, ahead.key);
    assert_eq!(session.answer(&ahead.key, &good(&ahead), &Finish::Stop), Err(Unasked::Late));
    assert_eq!(session.answer(&now.key, &good(&now), &Finish::Stop), Ok(()));
}

/// The list of messages that a host has after so many steps.
fn list(steps: usize) -> Vec<String> {
    [user("mend the build")].into_iter().chain((0..steps).flat_map(step)).collect()
}

#[test]
fn what_was_told_ahead_is_forgotten_when_the_host_changes_what_it_tells_about() {
    for (changed, is_kept) in [(2, false), (4, false), (usize::MAX, true)] {
        let (mut session, ahead, steps) = asked_ahead();
        session.answer(&ahead.key, &good(&ahead), &Finish::Stop).unwrap();
        let mut list = list(steps + 2);
        let nth = changed.min(list.len() - 2);
        list[nth] = list[nth].replace("is not used", "was changed").replace("make step", "make anew step");
        session.sync(list).unwrap();
        let shot = Shot::of(session.prepare(Cache::Warm).unwrap());
        let narrative = shot.summary.unwrap().narrative;
        assert_eq!(narrative.is_some(), is_kept, "message {nth} changed: {narrative:?}");
        assert_eq!(shot.question.is_some(), !is_kept, "message {nth} changed");
    }
}

#[test]
fn a_question_about_messages_that_the_host_changed_is_not_waited_for() {
    let (mut session, ahead, steps) = asked_ahead();
    let mut list = list(steps);
    list[2] = list[2].replace("is not used", "was changed");
    session.sync(list).unwrap();
    assert_eq!(session.answer(&ahead.key, &good(&ahead), &Finish::Stop), Err(Unasked::Late));
}

#[test]
fn an_answer_to_something_else_changes_nothing() {
    let mut session = session("summarize", LIMIT);
    push_steps(&mut session, 0..20);
    let shot = Shot::of(session.prepare(Cache::Warm).unwrap());
    let question = shot.question.clone().unwrap();
    let answer = good(&question);
    let key = "0".repeat(32);
    assert_eq!(session.answer(&key, &answer, &Finish::Stop), Err(Unasked::Late));
    assert_eq!(session.view(), shot.messages);
    let rejected = session.answer(&question.key, &answer, &Finish::Length);
    assert!(matches!(rejected, Err(Unasked::Rejected(_))), "{rejected:?}");
    assert_eq!(session.view(), shot.messages);
    let again = Shot::of(session.prepare(Cache::Warm).unwrap());
    assert_eq!((again.messages, again.question, again.opened), (shot.messages, None, None));
    let late = session.answer(&question.key, &answer, &Finish::Stop);
    assert_eq!(late, Err(Unasked::Late), "the view was sent without it");
}

#[test]
fn an_answer_that_comes_after_a_bad_one_is_still_used() {
    let mut session = session("summarize", LIMIT);
    push_steps(&mut session, 0..20);
    let question = session.prepare(Cache::Warm).unwrap().question.unwrap();
    assert!(session.answer(&question.key, "no", &Finish::Stop).is_err());
    assert_eq!(session.answer(&question.key, &good(&question), &Finish::Stop), Ok(()));
    assert!(session.prepare(Cache::Warm).unwrap().summary.unwrap().narrative.is_some());
}

#[test]
fn what_is_unchanged_is_measured_against_what_was_sent() {
    let mut session = session("summarize", LIMIT);
    push_steps(&mut session, 0..8);
    let sent = Shot::of(session.prepare(Cache::Warm).unwrap()).messages;
    push_steps(&mut session, 8..14);
    let shot = Shot::of(session.prepare(Cache::Warm).unwrap());
    let question = shot.question.unwrap();
    session.answer(&question.key, &good(&question), &Finish::Stop).unwrap();
    assert_eq!(session.view(), sent, "the view that came with the question was not sent");
    let better = Shot::of(session.prepare(Cache::Warm).unwrap());
    assert_eq!(better.unchanged, 1, "the task alone");
    assert_eq!(better.messages[0], sent[0]);
}

/// Looks at the native shape of a waiting question: `last` was sent last.
fn is_good(whole: &Prepared, session: &Session, question: &Question, last: &Shot, here: &str) {
    let wire = whole.document.wire;
    let native = session.native(usize::MAX).unwrap();
    assert!(native.messages.starts_with(&last.messages), "{here}");
    assert_eq!(native.head, last.head, "{here}");
    let instruction = native.messages.last().unwrap();
    assert!(instruction.contains("call no tool"), "{here}: {instruction}");
    let shot = Shot { head: native.head.clone(), messages: native.messages.clone(), ..last.clone() };
    let view = whole.with_history(read(wire, &shot));
    assert_eq!(view.tally.total(), native.tokens, "{here}: counted on the result");
    assert_eq!(faults(whole, session, view.history().clone()), Vec::<String>::new(), "{here}");
    let needs = native.tokens + question.max_tokens();
    assert_eq!(session.native(needs), Some(native), "{here}");
    assert_eq!(session.native(needs - 1), None, "{here}");
}

/// Asks in the native shape with each question of a session. Returns how often.
fn asks_natively(name: &str, whole: &Prepared, setting: Setting) -> usize {
    let mut session = setting.session(whole);
    let (mut sent, mut asked) = (None::<Shot>, 0);
    for (nth, message) in whole.history().message_ids().zip(whole.history().messages()) {
        if nth > MessageId::FIRST && message.role == Role::Assistant {
            let mut shot = Shot::of(session.prepare(Cache::Warm).unwrap());
            let is_for_now = shot.question.is_some();
            if let Some(question) = shot.question.clone().or_else(|| session.question_ahead()) {
                let last = if is_for_now { sent.as_ref() } else { Some(&shot) };
                match last {
                    Some(last) => {
                        is_good(whole, &session, &question, last, &format!("{name} at message {nth}"));
                        asked += 1;
                    }
                    None => assert_eq!(session.native(usize::MAX), None, "{name}: nothing was sent yet"),
                }
                if session.answer(&question.key, &good(&question), &Finish::Stop).is_ok() && is_for_now {
                    shot = Shot::of(session.prepare(Cache::Warm).unwrap());
                }
            }
            sent = Some(shot);
        }
        push(&mut session, message);
    }
    asked
}

#[test]
fn the_native_shape_is_the_conversation_and_an_instruction_in_every_format() {
    let mut asked = BTreeMap::new();
    let written = sources::committed();
    // No agent keeps its messages in a file of this format.
    let (name, whole) = written.iter().find(|(name, _)| name == "ai-sdk.json").unwrap();
    let pi = WIRES.iter().find(|wire| wire.name() == "pi-agent-core").unwrap();
    let text = convert(&whole.document, *pi, Some(Frame::Request)).text;
    let pi = Prepared::read(file::read_bytes_as(pi.name(), text.as_bytes().to_vec()).unwrap());
    let pi = (format!("{name} as pi-agent-core"), pi);
    for (name, whole) in written.into_iter().chain([pi]) {
        let policy = subjects()[0].policy;
        let Some(limit) = limit_for(&whole, policy) else { continue };
        let setting = Setting { policy, limit, narrator: Narrator::Good };
        *asked.entry(whole.document.wire.name()).or_insert(0) += asks_natively(&name, &whole, setting);
    }
    for wire in WIRES {
        assert!(asked.get(wire.name()).is_some_and(|times| *times > 0), "{}: {asked:?}", wire.name());
    }
}
