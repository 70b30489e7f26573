//! Folds, originals, answers, usage, events.

use enfold::count::Usage;
use enfold::history::{ItemId, MessageId, Spelling};
use enfold::view::fold::Handle;

use super::{at, raws, said, with};
use crate::{At, Entry, Event, FoldRecord, Original, Recording, Store, Timed};

list_rules![
    a_handle_opens_what_it_hid,
    a_handle_opens_the_same_after_the_past_was_rewritten,
    of_two_originals_with_one_handle_the_newest_is_meant,
    folds_are_kept_by_epoch,
    answers_are_found_by_their_question,
    answers_are_listed_by_time,
    usage_and_events_stay_in_order,
    the_newest_checkpoint_is_kept_and_travels,
];

fn handle(digits: u32) -> Handle {
    Handle::parse(&format!("{digits:09}")).unwrap()
}

fn opened(store: &impl Store, digits: u32) -> Option<String> {
    store.original("s", handle(digits)).unwrap().map(|text| text.to_string())
}

fn recorded(originals: Vec<(u32, Original)>) -> Entry<'static> {
    let recording = Recording { epoch: 1, originals, ..Recording::default() };
    Entry { recording: Some(recording), ..Entry::default() }
}

/// What a message says, as a piece of it.
fn content(message: MessageId, raw: &str) -> Original {
    let start = raw.find(":\"").unwrap();
    let start = raw[start + 2..].find(":\"").unwrap() + start + 3;
    Original::Piece { message, span: start..raw.len() - 1, spelling: Spelling::Quoted }
}

fn a_handle_opens_what_it_hid<S: Store>(store: &S) {
    with(store, "s", &["a \"quoted\" word\n", "two"]);
    let raw = raws(store, "s");
    let plain = Original::Piece { message: MessageId::new(1), span: 2..6, spelling: Spelling::Json };
    let originals = vec![
        (1, content(MessageId::FIRST, &raw[0])),
        (2, plain),
        (3, Original::Lines([0, 1].map(MessageId::new).into())),
        (4, Original::Text("anything".into())),
        (999_999_999, Original::Text(String::new())),
    ];
    store.append("s", &recorded(originals), at(2)).unwrap();
    assert_eq!(opened(store, 1).unwrap(), "a \"quoted\" word\n");
    assert_eq!(opened(store, 2).unwrap(), "role");
    assert_eq!(opened(store, 3).unwrap(), raw.join("\n"));
    assert_eq!(opened(store, 4).unwrap(), "anything");
    assert_eq!(opened(store, 999_999_999).unwrap(), "");
    assert_eq!(opened(store, 5), None);
}

fn a_handle_opens_the_same_after_the_past_was_rewritten<S: Store>(store: &S) {
    with(store, "s", &["one", "two"]);
    let raw = raws(store, "s");
    let originals = vec![
        (1, content(MessageId::new(1), &raw[1])),
        (2, Original::Lines([0, 1].map(MessageId::new).into())),
    ];
    store.append("s", &recorded(originals), at(2)).unwrap();
    let other = said("other");
    store
        .append("s", &Entry { at: At::Instead(MessageId::FIRST), ..Entry::messages([&*other]) }, at(3))
        .unwrap();
    assert_eq!(opened(store, 1).unwrap(), "two");
    assert_eq!(opened(store, 2).unwrap(), raw.join("\n"));
}

fn of_two_originals_with_one_handle_the_newest_is_meant<S: Store>(store: &S) {
    with(store, "s", &["one"]);
    for text in ["first", "second", "second"] {
        store.append("s", &recorded(vec![(1, Original::Text(text.into()))]), at(2)).unwrap();
    }
    assert_eq!(opened(store, 1).unwrap(), "second");
    let kept = store.take_out("s").unwrap().originals;
    assert_eq!(kept, [(1, Original::Text("first".into())), (1, Original::Text("second".into()))]);
}

fn folds_are_kept_by_epoch<S: Store>(store: &S) {
    with(store, "s", &["one", "two"]);
    let fold = |item: ItemId| FoldRecord {
        pass: "trim_age".into(),
        kind: "drop".into(),
        items: vec![item, item.next()],
        why: "old".into(),
        before: Some(30),
        saved: 20,
        handles: vec![7, 999_999_999],
    };
    let first = Recording {
        epoch: 1,
        opened: Some("overflow".into()),
        policy: "age".into(),
        messages: 1,
        before: 100,
        after: 60,
        limit: 80,
        folds: vec![fold(ItemId::FIRST), fold(ItemId::new(5))],
        originals: Vec::new(),
    };
    let more = Recording {
        opened: None,
        messages: 2,
        after: 70,
        folds: vec![fold(ItemId::new(9))],
        ..first.clone()
    };
    let next = Recording { epoch: 2, folds: Vec::new(), ..first.clone() };
    for (second, recording) in [(10, &first), (20, &more), (30, &next)] {
        let entry = Entry { recording: Some(recording.clone()), ..Entry::default() };
        store.append("s", &entry, at(second)).unwrap();
    }
    let epochs = store.epochs("s").unwrap();
    let told: Vec<_> =
        epochs.iter().map(|epoch| (epoch.epoch, epoch.at, epoch.messages, epoch.after)).collect();
    assert_eq!(told, [(1, at(10), 2, 70), (2, at(30), 1, 60)]);
    assert_eq!(epochs[0].opened.as_deref(), Some("overflow"));
    assert_eq!(epochs[0].folds, [fold(ItemId::FIRST), fold(ItemId::new(5)), fold(ItemId::new(9))]);
    let session = store.session("s").unwrap().unwrap();
    assert_eq!((session.compactions, session.compacted), (2, Some(at(30))));
}

fn answers_are_found_by_their_question<S: Store>(store: &S) {
    with(store, "s", &["one"]);
    with(store, "t", &["one"]);
    for text in ["draft", "final"] {
        let entry = Entry { answers: vec![("key".into(), text.into())], ..Entry::default() };
        store.append("s", &entry, at(2)).unwrap();
    }
    assert_eq!(store.answer("s", "key").unwrap().as_deref(), Some("final"));
    assert_eq!(store.answer("s", "other").unwrap(), None);
    assert_eq!(store.answer("t", "key").unwrap(), None);
}

fn answers_are_listed_by_time<S: Store>(store: &S) {
    with(store, "s", &["one"]);
    assert_eq!(store.answers("s").unwrap(), []);
    for (second, question, text) in [(3, "b", "draft"), (4, "a", "other"), (5, "b", "final")] {
        let entry = Entry { answers: vec![(question.into(), text.into())], ..Entry::default() };
        store.append("s", &entry, at(second)).unwrap();
    }
    let told = store.answers("s").unwrap().into_iter();
    let told: Vec<_> = told.map(|Timed { at, what }| (at, what.question, what.text)).collect();
    let line = |second, question: &str, text: &str| (at(second), question.to_string(), text.to_string());
    assert_eq!(told, [line(4, "a", "other"), line(5, "b", "final")]);
}

fn usage_and_events_stay_in_order<S: Store>(store: &S) {
    with(store, "s", &["one"]);
    let usage = |input| Usage { messages: 1, input, cache_read: 3, cache_write: 2, output: 1 };
    let event = |kind: &str| Event { at: at(5), kind: kind.into(), json: r#"{"n":1}"#.into() };
    for (second, input) in [(2, 10), (3, 5)] {
        let entry =
            Entry { usage: vec![usage(input)], events: vec![event("b"), event("a")], ..Entry::default() };
        store.append("s", &entry, at(second)).unwrap();
    }
    let expected = [Timed { at: at(2), what: usage(10) }, Timed { at: at(3), what: usage(5) }];
    assert_eq!(store.usage("s").unwrap(), expected);
    assert_eq!(store.events("s").unwrap(), [event("b"), event("a"), event("b"), event("a")]);
}

fn the_newest_checkpoint_is_kept_and_travels<S: Store>(store: &S) {
    with(store, "s", &["one"]);
    assert_eq!(store.checkpoint("s").unwrap(), None);
    for json in [r#"{"epoch":1}"#, r#"{"epoch":2,"words":"ä"}"#] {
        let checkpoint = Some(json.to_string());
        store.append("s", &Entry { checkpoint: checkpoint.clone(), ..Entry::default() }, at(2)).unwrap();
        assert_eq!(store.checkpoint("s").unwrap(), checkpoint);
        assert_eq!(store.learnt("s").unwrap(), None, "a checkpoint says what was learnt until then");
        let learnt = Some(r#"{"factor":1.5}"#.to_string());
        store.append("s", &Entry { learnt: learnt.clone(), ..Entry::default() }, at(2)).unwrap();
        assert_eq!((store.checkpoint("s").unwrap(), store.learnt("s").unwrap()), (checkpoint, learnt));
    }
    let mut whole = store.take_out("s").unwrap();
    whole.session.session.id = "elsewhere".into();
    let mut lines = Vec::new();
    whole.write(&mut lines).unwrap();
    store.put_in(&crate::Portable::read(&lines[..]).unwrap()).unwrap();
    assert_eq!(store.checkpoint("elsewhere").unwrap(), store.checkpoint("s").unwrap());
    assert_eq!(store.learnt("elsewhere").unwrap(), store.learnt("s").unwrap());
}
