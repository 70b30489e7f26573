//! Sessions much longer than their horizon.

use serde_json::json;

use super::{EpochReason, Session};
use crate::count::{HORIZON, Tally};
use crate::folding::passes::{Cache, Cx};
use crate::folding::policy::Policy;
use crate::folding::runner::run;
use crate::history::MessageId;
use crate::understand::facts::Facts;
use crate::view::fold::{Handle, HandleKey};
use crate::view::search::{Search, search};
use crate::wire::OpenAiChat;

const LIMIT: usize = 1_200;
const TASK: &str = "Find out which unit is slow.";
const ASIDE: &str = "And leave vendor/ alone, whatever it says.";

/// A step of about a hundred tokens.
fn step(nth: usize) -> [String; 2] {
    let id = format!("c{nth}");
    let arguments = json!({ "command": format!("time unit_{nth}") }).to_string();
    let call = json!({"id": id, "type": "function", "function": {"name": "bash", "arguments": arguments}});
    let result: String =
        (0..8).map(|pass| format!("unit_{nth} pass {pass} took {} ms\n", nth * pass)).collect();
    [
        json!({"role": "assistant", "content": null, "tool_calls": [call]}).to_string(),
        json!({"role": "tool", "tool_call_id": id, "content": result}).to_string(),
    ]
}

/// A session of so many steps that was sent step by step, and how often it was folded anew. The user speaks at the
/// beginning, and once more after the third step.
fn session(steps: usize) -> (Session, usize) {
    let mut session = Session::new(&OpenAiChat, Policy::named("balanced").unwrap(), LIMIT);
    let says = |text: &str| json!({"role": "user", "content": text}).to_string();
    session.push(says(TASK)).unwrap();
    let mut epochs = 0;
    for nth in 1..=steps {
        for message in step(nth) {
            session.push(message).unwrap();
        }
        if nth == 3 {
            session.push(says(ASIDE)).unwrap();
        }
        let prepared = session.prepare(Cache::Warm).unwrap();
        assert!(prepared.tokens <= LIMIT);
        epochs += usize::from(prepared.opened == Some(EpochReason::Overflow));
    }
    let all = session.tally().total();
    assert!(steps < 600 || all > 2 * HORIZON * LIMIT, "{all} tokens are within the horizon");
    (session, epochs)
}

/// The block that tells what left.
fn told(session: &Session) -> &str {
    session.summary_text().unwrap()
}

#[test]
fn what_a_person_typed_beyond_the_horizon_stays_word_for_word() {
    let (session, _) = session(700);
    for words in [TASK, ASIDE] {
        assert_eq!(session.view().iter().filter(|message| message.contains(words)).count(), 1, "{words}");
    }
}

#[test]
fn what_stands_beyond_the_horizon_is_counted_and_opens_whole() {
    let (session, _) = session(700);
    let line = told(&session).lines().find(|line| line.starts_with("Steps 1–")).unwrap();
    let (_, rest) = line.split_once('#').unwrap();
    let handle = Handle::parse(&rest[..9]).unwrap();
    let last: usize = line["Steps 1–".len()..].split(' ').next().unwrap().parse().unwrap();
    assert!(last > 350, "{line}");
    let runs: usize = rest[9..].trim_start_matches([':', ' ']).split(' ').next().unwrap().parse().unwrap();
    // Some of the newest are told one by one.
    assert!((last - 5..=last).contains(&runs), "the calls are counted: {line}");
    assert!(rest.contains(&format!("`time unit_{last}`")), "the newest are named: {line}");
    let original = session.original(handle).unwrap();
    let messages: Vec<&str> = original.lines().collect();
    // All of its steps, and the user's words between them.
    assert_eq!(messages.len(), 2 * last + 1);
    assert_eq!(messages[..2], step(1));
    assert_eq!(messages[2 * last - 1..], step(last));
    let (history, facts) = (session.history(), Facts::of(session.history()));
    let found = search(history, facts.tracker(), &HandleKey::guessable(""), handle);
    let Search::Found(found) = found else { panic!("{found:?}") };
    assert_eq!(found.read(history).unwrap(), original, "it opens from the history alone, too");
}

#[test]
fn lines_from_beyond_the_horizon_are_neither_read_nor_kept() {
    let known = [700, 1_400].map(|steps| session(steps).0.tally().known_lines());
    let [short, long] = known;
    assert!(long < short + short / 8, "{known:?}");
    let (session, _) = session(700);
    let tally = Tally::of(session.history(), session.tally().shared_counter(), Default::default());
    let (facts, key) = (Facts::of(session.history()), HandleKey::guessable(""));
    let cx = Cx::new(LIMIT, &facts, &key, &OpenAiChat);
    run(&Policy::named("balanced").unwrap(), session.history(), &tally, &cx).unwrap();
    let most = HORIZON * LIMIT / 50;
    assert!((most / 4..most).contains(&tally.known_lines()), "{} items were read", tally.known_lines());
}

#[test]
fn epochs_are_as_many_and_as_large_however_long_the_session() {
    let (_, short) = session(700);
    let (long, many) = session(1_400);
    assert!(many < 2 * short + short / 8, "{short} and {many}");
    assert!(told(&long).len() < 4_000, "{}", told(&long));
}

#[test]
fn what_earlier_epochs_found_changes_nothing() {
    let (session, _) = session(700);
    let key = HandleKey::guessable("");
    let cx = session.cx(LIMIT, Cache::Cold, MessageId::FIRST);
    let policy = Policy::named("balanced").unwrap();
    let view = |cx: &Cx| {
        let run = run(&policy, session.history(), session.tally(), cx).unwrap();
        let all = MessageId::FIRST;
        run.view.changes().sequence(session.history(), all).collect::<Vec<_>>()
    };
    let known = view(&cx);
    let anew = view(&Cx { stretches: None, signed: None, hidden: None, handles: &key, ..cx });
    assert_eq!(known, anew);
}
