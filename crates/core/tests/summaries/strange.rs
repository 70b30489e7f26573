//! What went wrong once.

use enfold::Cache;
use enfold::history::MessageId;
use enfold::session::EpochReason;
use enfold::summary::{Block, Finish};

use crate::narrator::{good, told_by};
use crate::shot::Shot;
use crate::steps::{call, output, push_steps, result, says, session, step, texts, user};

/// An epoch whose only reason was a cold cache was forgotten with the answer: the view without a summary was sent.
#[test]
fn an_epoch_of_a_cold_cache_is_not_lost_when_its_question_is_answered() {
    let policy = "name = \"early\"\nabout = \"\"\n[[pass]]\nuse = \"summarize\"\nabove = 0.5\nwhy = \"\"\n";
    let mut session = session(policy, 6_000);
    session.prepare(Cache::Warm).unwrap();
    push_steps(&mut session, 0..11);
    assert_eq!(session.prepare(Cache::Warm).unwrap().opened, None);
    push_steps(&mut session, 11..12);
    let cold = Shot::of(session.prepare(Cache::Cold).unwrap());
    assert_eq!(cold.opened, Some(EpochReason::Cold));
    let question = cold.question.unwrap();
    session.answer(&question.key, &good(&question), &Finish::Stop).unwrap();
    let better = Shot::of(session.prepare(Cache::Cold).unwrap());
    assert_eq!(better.opened, Some(EpochReason::Cold));
    assert!(better.summary.unwrap().narrative.unwrap().contains(&told_by(&question)));
}

/// The summary was not counted among the messages that stay, so the message before the changed one was lost.
#[test]
fn what_a_host_changes_behind_a_summary_costs_no_other_message() {
    let mut session = session("summarize", 6_000);
    let mut list: Vec<String> = [user("mend the build")].into_iter().chain((0..20).flat_map(step)).collect();
    session.sync(list.clone()).unwrap();
    let sent = Shot::of(session.prepare(Cache::Warm).unwrap());
    assert!(sent.summary.is_some());
    *list.last_mut().unwrap() = result("c19", "nothing to be done");
    session.sync(list.clone()).unwrap();
    let shot = Shot::of(session.prepare(Cache::Warm).unwrap());
    let kept = sent.messages.len() - 1;
    assert_eq!(shot.messages[..kept], sent.messages[..kept]);
    assert_eq!(texts(&shot.messages[kept..]), list[list.len() - 1..]);
    assert_eq!(shot.unchanged, kept);
}

/// The next narrative told nothing of a round that nobody had told about.
#[test]
fn what_nobody_told_about_is_asked_about_again() {
    let mut session = session("summarize", 6_000);
    let mut told = std::collections::BTreeSet::new();
    for round in 1..=4 {
        push_steps(&mut session, round * 20..round * 20 + 20);
        let shot = Shot::of(session.prepare(Cache::Warm).unwrap());
        let question = shot.question.unwrap();
        assert_eq!(question.round, round as u32);
        if round == 2 || round == 3 {
            session.give_up(&question.key);
            assert!(shot.summary.unwrap().narrative.unwrap().contains("round 1"));
            continue;
        }
        told.extend(question.messages.clone());
        session.answer(&question.key, &good(&question), &Finish::Stop).unwrap();
        let shot = Shot::of(session.prepare(Cache::Warm).unwrap());
        let through = shot.summary.unwrap().through;
        assert_eq!(
            told,
            MessageId::each(MessageId::new(1)..through).collect(),
            "everything but the task, once"
        );
    }
}

/// It had stood in the view when the messages around it were told about, and nobody told about it when it left.
#[test]
fn a_request_that_leaves_later_than_its_neighbours_is_told_about_then() {
    let mut session = session("summarize", 6_000);
    push_steps(&mut session, 0..3);
    // Pasted: what is typed does not leave.
    let words = format!("no, mend the tests first: {}", "this one fails, and that one, ".repeat(80));
    let request = session.push(user(&words)).unwrap();
    let mut asked = Vec::new();
    for round in 1..=3 {
        if round == 2 {
            session.push(says("The tests are mended.")).unwrap();
            session.push(user("and now the build")).unwrap();
        }
        push_steps(&mut session, round * 20..round * 20 + 20);
        let question = session.prepare(Cache::Warm).unwrap().question.unwrap();
        session.answer(&question.key, &good(&question), &Finish::Stop).unwrap();
        let is_shown = texts(&session.prepare(Cache::Warm).unwrap().messages);
        let is_shown = is_shown.contains(&user(&words));
        asked.push((is_shown, question.messages.contains(&request)));
    }
    let left = asked.iter().position(|(is_shown, _)| !is_shown).unwrap();
    assert!(left > 0, "it stays at first: {asked:?}");
    assert_eq!(asked.iter().position(|(_, is_asked)| *is_asked), Some(left), "{asked:?}");
}

/// What had been cut on arrival was counted as if it were whole, and the native shape was said not to fit.
#[test]
fn the_native_shape_is_counted_as_it_is_sent() {
    let policy = "name = \"both\"\nabout = \"\"\n[epoch]\nabove = 0.8\n\
                  [[pass]]\nuse = \"cap_results\"\nwhen = \"arrival\"\nmax_tokens = 500\nkeep_chars = 400\nwhy = \"\"\n\
                  [[pass]]\nuse = \"summarize\"\nabove = 0.8\nkeep_messages = 4\nwhy = \"\"\n";
    let mut session = session(policy, 6_000);
    push_steps(&mut session, 0..10);
    session.prepare(Cache::Warm).unwrap();
    push_steps(&mut session, 10..14);
    session.push(call("large", "make all")).unwrap();
    session.push(result("large", &(100..130).map(output).collect::<String>())).unwrap();
    let shot = Shot::of(session.prepare(Cache::Warm).unwrap());
    let question = shot.question.unwrap();
    let native = session.native(8_000).unwrap();
    assert!(native.tokens < 7_000, "{}", native.tokens);
    let large = |messages: &[bytestring::ByteString]| {
        messages.iter().find(|raw| raw.contains("\"tool_call_id\":\"large\"")).cloned().unwrap()
    };
    assert_eq!(large(&native.messages), large(&shot.messages), "cut on arrival");
    session.answer(&question.key, &good(&question), &Finish::Stop).unwrap();
    let better = Shot::of(session.prepare(Cache::Warm).unwrap());
    assert_eq!(large(&better.messages), large(&shot.messages), "cut once, not twice");
}

/// The oldest leaves first, and the summary of an earlier view was the oldest: what it told was lost.
#[test]
fn a_summary_that_a_history_begins_with_is_the_last_to_leave() {
    let told =
        Block { round: 4, messages: 99, opens: " #123456789", ledger: "- much was done", narrative: None };
    let mut session = session("age", 2_000);
    session.push(user(&told.render())).unwrap();
    push_steps(&mut session, 0..20);
    let sent = Shot::of(session.prepare(Cache::Warm).unwrap());
    assert!(texts(&sent.messages).iter().any(|message| message.contains("much was done")));
    assert!(
        !texts(&sent.messages).iter().any(|message| message.contains("value_0_")),
        "older steps have left"
    );
}
