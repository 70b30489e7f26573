//! Whatever a pass proposes, the promises hold: what would break one is not made, and the trace says so.

use enfold::folding::passes::{Cx, Outcome, Pass, PassError};
use enfold::folding::policy::{Policy, PolicyPass, When};
use enfold::history::{ItemId, MessageId};
use enfold::view::View;
use enfold::view::fold::{Change, Fold, FoldKind, Note};
use enfold::view::trace::PassOutcome;
use proptest::prelude::*;

use crate::drawn::{drawn, runner};
use crate::support::folding::{Asked, Folding, Prepared, Subject, Way};
use crate::support::promises;

/// A pass that proposes these changes, whatever it sees.
struct Propose(Vec<Change>);

impl Pass for Propose {
    fn name(&self) -> &'static str {
        "propose"
    }

    fn apply(&self, _view: &View, _cx: &Cx) -> Result<Outcome, PassError> {
        let fold =
            |change: &Change| Fold { kind: FoldKind::Digest, change: change.clone(), why: "why not".into() };
        Ok(Outcome::Folds(self.0.iter().map(fold).collect()))
    }
}

/// A pass that fails.
struct Fail;

impl Pass for Fail {
    fn name(&self) -> &'static str {
        "fail"
    }

    fn apply(&self, _view: &View, _cx: &Cx) -> Result<Outcome, PassError> {
        Err(PassError("out of luck".into()))
    }
}

/// These passes alone.
fn subject(name: &str, passes: Vec<Box<dyn Pass>>) -> Subject {
    let mut policy = Policy::parse("name = \"hostile\"\nabout = \"\"\n").unwrap();
    let step =
        |pass| PolicyPass { pass, when: When::Arrival, options: Default::default(), why: "a law".into() };
    policy.passes = passes.into_iter().map(step).collect();
    Subject { name: name.into(), policy, way: Way::Alone }
}

/// Two calls at once, one of them answered with a long text; then a third, unanswered.
const SESSION: &str = "\
system: Be careful with what you fold.
user: Fix the failing test in the parser, please
assistant: I look at the parser and at the test of the parser.
  call c1 read {\"path\":\"src/parser.rs\"}
  call c2 bash {\"command\":\"cargo test --package parser\"}
result c1: fn parse() { a rather long line of a rather long file }
result c2: test failed
  | with a long explanation of why it failed, and where, and since when
assistant: It was the parser all along, as one might have guessed.
user: go on
assistant
  call c3 read {\"path\":\"src/printer.rs\"}
";

fn session() -> Prepared {
    Prepared::of(SESSION.as_bytes().to_vec())
}

/// Proposes changes to the session above; how many were refused, and whether the view is as it was.
#[track_caller]
fn refused(changes: Vec<Change>) {
    let session = session();
    let count = changes.len();
    let subject = subject("propose", vec![Box::new(Propose(changes))]);
    let facts = session.facts(&subject.policy);
    let folding = Folding::of(&session, &subject, &facts, Asked::limit(10), "the session");
    let run = folding.run().unwrap();
    assert!(run.view.changes().is_unchanged(), "{:?}", run.trace);
    assert_eq!(run.originals.len(), 0);
    assert_eq!(run.trace.passes[0].outcome, PassOutcome::Folded { refused: count, faults: Vec::new() });
}

fn texts(item: ItemId, nth: usize, text: &str) -> Change {
    Change::Texts { item, texts: vec![(nth, text.to_string())] }
}

fn noted(messages: Vec<MessageId>, item: ItemId) -> Change {
    Change::Messages { messages, note: Some(Note { item, nth: 0, text: "[gone]".into() }) }
}

const CALL: ItemId = ItemId::new(3);
const RESULT: ItemId = ItemId::new(5);

#[test]
fn the_session_is_as_these_tests_think() {
    let session = session();
    assert_eq!(session.history().pair(CALL), Some(RESULT));
    assert_eq!(session.history().items().len(), 10);
    assert_eq!(session.history().messages().len(), 8);
}

#[test]
fn what_is_not_there_is_not_folded() {
    refused(vec![texts(ItemId::new(99), 0, "")]);
    refused(vec![texts(RESULT, 7, "")]);
    refused(vec![Change::Items(vec![ItemId::new(99)])]);
    refused(vec![Change::Items(vec![ItemId::new(usize::MAX)])]);
    refused(vec![Change::drop(vec![MessageId::new(99)])]);
    refused(vec![Change::drop([5, usize::MAX].map(MessageId::new).into())]);
    refused(vec![noted(vec![MessageId::new(5)], ItemId::new(99))]);
    refused(vec![Change::Items(vec![]), Change::drop(vec![]), Change::Texts { item: RESULT, texts: vec![] }]);
}

#[test]
fn a_call_is_not_parted_from_its_result() {
    refused(vec![Change::Items(vec![CALL]), Change::Items(vec![RESULT]), Change::Items(vec![CALL, RESULT])]);
    refused(vec![
        Change::drop(vec![MessageId::new(3)]),
        Change::drop(vec![MessageId::new(2)]),
        Change::drop([2, 4].map(MessageId::new).into()),
    ]);
}

#[test]
fn what_grows_is_not_folded() {
    refused(vec![texts(RESULT, 0, &"longer ".repeat(50))]);
    refused(vec![texts(RESULT, 0, "fn parse() { a rather long line of a rather long file }")]);
    let note = Note { item: RESULT, nth: 0, text: "much longer than what it stands for ".repeat(9) };
    refused(vec![Change::Messages { messages: vec![MessageId::new(5)], note: Some(note) }]);
}

#[test]
fn what_is_protected_is_not_folded() {
    refused(vec![
        texts(ItemId::FIRST, 0, ""),
        texts(ItemId::new(1), 0, "Fix it"),
        texts(ItemId::new(8), 0, ""),
    ]);
    refused(vec![Change::Items(vec![ItemId::FIRST]), Change::Items(vec![ItemId::new(1)])]);
    refused(vec![
        Change::drop(vec![MessageId::FIRST]),
        Change::drop(vec![MessageId::new(1)]),
        Change::drop([5, 6].map(MessageId::new).into()),
    ]);
    refused(vec![texts(ItemId::new(9), 0, "{}"), Change::drop(vec![MessageId::new(7)])]);
    refused(vec![noted(vec![MessageId::new(5)], ItemId::new(1))]);
}

#[test]
fn a_note_does_not_stand_in_what_is_gone() {
    refused(vec![noted([2, 3, 4].map(MessageId::new).into(), RESULT)]);
}

#[test]
fn arguments_stay_json() {
    refused(vec![texts(CALL, 0, "{")]);
}

#[test]
fn something_of_each_message_stays() {
    refused(vec![Change::Items(vec![ItemId::new(7)])]);
}

#[test]
fn a_system_prompt_beside_the_list_cannot_leave_it_even_if_it_is_empty() {
    let request = r#"{"instructions":"","input":[{"role":"user","content":"Find it"}]}"#;
    let session = Prepared::read(enfold::file::read_bytes_as("openai-responses", request.into()).unwrap());
    let subject = subject("propose", vec![Box::new(Propose(vec![Change::drop(vec![MessageId::FIRST])]))]);
    let facts = session.facts(&subject.policy);
    let folding = Folding::of(&session, &subject, &facts, Asked::limit(1), "the session");
    assert!(folding.run().unwrap().view.changes().is_unchanged());
}

#[test]
fn an_empty_message_that_was_sent_does_not_leave() {
    let lines = "{\"role\":\"assistant\",\"content\":null}\n{\"role\":\"user\",\"content\":\"hi\"}\n";
    let session = Prepared::read(enfold::file::read_bytes_as("openai-chat", lines.into()).unwrap());
    let subject = subject("propose", vec![Box::new(Propose(vec![Change::drop(vec![MessageId::FIRST])]))]);
    let facts = session.facts(&subject.policy);
    let is_unchanged = |fresh: MessageId| {
        let asked = Asked { fresh, ..Asked::limit(1) };
        let folding = Folding::of(&session, &subject, &facts, asked, "the session");
        folding.run().unwrap().view.changes().is_unchanged()
    };
    assert!(is_unchanged(MessageId::new(1)) && !is_unchanged(MessageId::FIRST));
}

#[test]
fn a_session_whose_results_answer_no_call_fits_too() {
    let request = r#"{"contents":[{"role":"user","parts":[{"text":"Find it"}]},
        {"role":"model","parts":[{"functionCall":{"name":"find","args":{"path":"some/where"}}}]},
        {"role":"user","parts":[{"functionResponse":{"name":"gone","response":{"output":"not here"}}}]},
        {"role":"model","parts":[{"functionCall":{"name":"find","args":{"path":"somewhere/else"}}}]},
        {"role":"user","parts":[{"functionResponse":{"name":"find","response":{"output":"not there"}}}]},
        {"role":"model","parts":[{"text":"I give up."}]}]}"#;
    let session = Prepared::of(request.into());
    for subject in Subject::policies().into_iter().filter(|subject| subject.policy.fits) {
        for limit in [25, 40, 60] {
            let facts = session.facts(&subject.policy);
            let folding = Folding::of(&session, &subject, &facts, Asked::limit(limit), "the search");
            promises::ALL.iter().for_each(|promise| promise(&folding));
            assert!(folding.outcome.is_ok(), "{} to {limit}", subject.name);
        }
    }
}

#[test]
fn where_nothing_must_stay_something_does() {
    let session =
        Prepared::of(b"assistant: some words nobody asked for\nassistant: and some more\n".to_vec());
    for subject in Subject::policies().into_iter().filter(|subject| subject.policy.fits) {
        let facts = session.facts(&subject.policy);
        let folding = Folding::of(&session, &subject, &facts, Asked::limit(1), "idle talk");
        assert_eq!(folding.outcome.err().unwrap().protected.len(), 1, "{}", subject.name);
    }
}

#[test]
fn a_result_that_is_an_object_stays_one() {
    let request = r#"{"contents":[{"role":"user","parts":[{"text":"List them"}]},
        {"role":"model","parts":[{"functionCall":{"name":"list","args":{}}}]},
        {"role":"user","parts":[{"functionResponse":{"name":"list","response":{"files":["one","two","three"]}}}]}]}"#;
    let session = Prepared::of(request.into());
    let subject = subject("propose", vec![Box::new(Propose(vec![texts(ItemId::new(2), 0, "null")]))]);
    let facts = session.facts(&subject.policy);
    let folding = Folding::of(&session, &subject, &facts, Asked::limit(1), "the session");
    assert!(folding.run().unwrap().view.changes().is_unchanged());
}

#[test]
fn what_left_cannot_leave_again() {
    let session = session();
    let twice = vec![
        Change::drop(vec![MessageId::new(5)]),
        Change::drop(vec![MessageId::new(5)]),
        Change::Items(vec![ItemId::new(7)]),
        texts(ItemId::new(7), 0, ""),
    ];
    let subject = subject("propose", vec![Box::new(Propose(twice))]);
    let facts = session.facts(&subject.policy);
    let folding = Folding::of(&session, &subject, &facts, Asked::limit(10), "the session");
    assert_eq!(
        folding.run().unwrap().trace.passes[0].outcome,
        PassOutcome::Folded { refused: 3, faults: Vec::new() }
    );
    promises::ALL.iter().for_each(|promise| promise(&folding));
}

#[test]
fn a_pass_that_fails_is_skipped_and_the_next_one_works() {
    let session = session();
    let drop_words = Propose(vec![Change::drop(vec![MessageId::new(5)])]);
    let subject = subject("fail", vec![Box::new(Fail), Box::new(drop_words)]);
    let facts = session.facts(&subject.policy);
    let folding = Folding::of(&session, &subject, &facts, Asked::limit(10), "the session");
    let run = folding.run().unwrap();
    assert_eq!(run.trace.passes[0].outcome, PassOutcome::Failed("out of luck".into()));
    assert_eq!(run.trace.passes[0].before, run.trace.passes[0].after);
    assert_eq!(run.trace.passes[1].outcome, PassOutcome::Folded { refused: 0, faults: Vec::new() });
    assert!(run.view.changes().is_dropped(MessageId::new(5)));
}

#[test]
fn a_fold_that_the_provider_would_refuse_takes_no_other_with_it() {
    let request = r#"{"contents":[{"role":"user","parts":[{"text":"Find it"}]},
        {"role":"model","parts":[{"text":"Let me think about where it could be."}]},
        {"role":"user","parts":[{"text":"Well, look for it in the usual places."}]},
        {"role":"model","parts":[{"functionCall":{"name":"find","args":{}}}]},
        {"role":"user","parts":[{"functionResponse":{"name":"find","response":{"output":"here"}}}]},
        {"role":"model","parts":[{"text":"Here it is."}]},
        {"role":"user","parts":[{"text":"Thanks"}]}]}"#;
    let session = Prepared::of(request.into());
    // Gemini takes no call right behind the model's own words.
    let changes = vec![texts(ItemId::new(1), 0, "Let me think."), Change::drop(vec![MessageId::new(2)])];
    let subject = subject("propose", vec![Box::new(Propose(changes))]);
    let facts = session.facts(&subject.policy);
    let folding = Folding::of(&session, &subject, &facts, Asked::limit(10), "the session");
    let run = folding.run().unwrap();
    let PassOutcome::Folded { refused: 1, faults } = &run.trace.passes[0].outcome else {
        panic!("{:?}", run.trace)
    };
    assert!(faults.len() == 1 && faults[0].contains("G1"), "it says why: {faults:?}");
    assert!(!run.view.changes().is_dropped(MessageId::new(2)));
    assert_eq!((run.trace.passes[0].folds.len(), run.originals.len()), (1, 1), "the other one is made");
    let alone = subject_of(vec![Change::drop(vec![MessageId::new(2)])]);
    let facts = session.facts(&alone.policy);
    let folding = Folding::of(&session, &alone, &facts, Asked::limit(10), "the session");
    let outcome = &folding.run().unwrap().trace.passes[0].outcome;
    assert!(matches!(outcome, PassOutcome::Failed(why) if why.contains("refuse")), "{outcome:?}");
}

fn subject_of(changes: Vec<Change>) -> Subject {
    subject("propose", vec![Box::new(Propose(changes))])
}

/// Places as shares of what is there.
#[derive(Clone, Debug)]
enum Garbage {
    Texts(u8, usize, String),
    Items(Vec<u8>),
    Messages(Vec<u8>, Option<(u8, usize)>),
}

/// Proposes garbage.
struct Litter(Vec<Garbage>);

impl Pass for Litter {
    fn name(&self) -> &'static str {
        "litter"
    }

    fn apply(&self, view: &View, _cx: &Cx) -> Result<Outcome, PassError> {
        let (items, messages) = (view.history().items().len(), view.history().messages().len());
        let at = |share: u8, of: usize| usize::from(share) * (of + 1) / 250;
        let item_at = |share: u8| ItemId::new(at(share, items));
        let message_at = |share: u8| MessageId::new(at(share, messages));
        let change = |garbage: &Garbage| match garbage {
            Garbage::Texts(item, nth, text) => texts(item_at(*item), *nth, text),
            Garbage::Items(some) => Change::Items(some.iter().map(|share| item_at(*share)).collect()),
            Garbage::Messages(some, note) => Change::Messages {
                messages: some.iter().map(|share| message_at(*share)).collect(),
                note: note.map(|(share, nth)| Note { item: item_at(share), nth, text: "[gone]".into() }),
            },
        };
        let fold = |garbage| Fold { kind: FoldKind::Digest, change: change(garbage), why: "why not".into() };
        Ok(Outcome::Folds(self.0.iter().map(fold).collect()))
    }
}

fn garbage() -> impl Strategy<Value = Vec<Garbage>> {
    let text = prop::sample::select(vec!["", "x", "{}", "null", "[gone]\n", "\u{0}"]).prop_map(String::from);
    let nth = prop_oneof![5 => Just(0usize), 1 => 0usize..3];
    let places = prop::collection::vec(any::<u8>(), 0..6);
    let note = prop::option::of((any::<u8>(), nth.clone()));
    let one = prop_oneof![
        (any::<u8>(), nth, text).prop_map(|(item, nth, text)| Garbage::Texts(item, nth, text)),
        places.clone().prop_map(Garbage::Items),
        (places, note).prop_map(|(messages, note)| Garbage::Messages(messages, note)),
    ];
    prop::collection::vec(one, 1..12)
}

#[test]
fn every_promise_holds_whatever_a_pass_proposes() {
    let held = runner().run(&(drawn(), garbage(), any::<bool>()), |(drawn, garbage, alone)| {
        let Some(session) = drawn.prepared() else { return Ok(()) };
        // One by one: a single proposal that the provider would refuse takes the whole pass back.
        let litter = garbage.iter().map(|one| Box::new(Litter(vec![one.clone()])) as Box<dyn Pass>);
        let mut passes: Vec<Box<dyn Pass>> = litter.collect();
        passes.push(Box::new(Litter(garbage)));
        let mut subject = subject("litter", passes);
        subject.way = if alone { Way::Alone } else { Way::Run };
        let facts = session.facts(&subject.policy);
        let folding = Folding::of(&session, &subject, &facts, drawn.asked(&session), &drawn.name());
        let kept = promises::ALL.iter().filter(|promise| {
            !std::ptr::fn_addr_eq(**promise, promises::folding_again_changes_nothing as fn(&Folding))
        });
        kept.for_each(|promise| promise(&folding));
        Ok(())
    });
    if let Err(broken) = held {
        panic!("{broken}");
    }
}
