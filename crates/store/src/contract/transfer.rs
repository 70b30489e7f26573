//! Whole sessions out of one store and into another.

use enfold::count::Usage;
use enfold::history::{ItemId, MessageId};

use super::{at, raws, said, with};
use crate::{At, Entry, Error, Event, FoldRecord, Original, Portable, Recording, Store};

list_rules![
    a_session_comes_back_the_same_from_its_lines,
    a_session_is_never_put_over_another,
    lines_that_are_no_session_are_refused_with_their_number,
];

fn lines(session: &Portable) -> Vec<u8> {
    let mut lines = Vec::new();
    session.write(&mut lines).unwrap();
    lines
}

/// A session with something of everything.
fn full(store: &impl Store) -> Portable {
    with(store, "s", &["one", "tw\u{0}o \u{2028}", "three"]);
    let raw = said("other");
    let recording = Recording {
        epoch: 1,
        opened: Some("overflow".into()),
        folds: vec![FoldRecord {
            handles: vec![1, 2, 3],
            items: vec![ItemId::new(1)],
            ..FoldRecord::default()
        }],
        originals: vec![
            (1, Original::Lines([0, 1].map(MessageId::new).into())),
            (2, Original::Lines(vec![MessageId::new(2)])),
            (3, Original::Text("x".into())),
        ],
        ..Recording::default()
    };
    let entry = Entry {
        recording: Some(recording),
        usage: vec![Usage { messages: 3, input: 9, cache_read: 8, cache_write: 1, output: 2 }],
        answers: vec![("q".into(), "a\nb".into())],
        events: vec![Event { at: at(7), kind: "error".into(), json: "[1]".into() }],
        ..Entry::default()
    };
    store.append("s", &entry, at(2)).unwrap();
    store
        .append("s", &Entry { at: At::Instead(MessageId::new(2)), ..Entry::messages([&*raw]) }, at(3))
        .unwrap();
    store.take_out("s").unwrap()
}

fn a_session_comes_back_the_same_from_its_lines<S: Store>(store: &S) {
    let before = full(store);
    let read = Portable::read(&*lines(&before)).unwrap();
    assert_eq!(read, before);
    store.remove("s").unwrap();
    store.put_in(&read).unwrap();
    assert_eq!(store.take_out("s").unwrap(), before);
    // The replaced message is no message any more, so what was in it comes along as text.
    assert_eq!(before.originals[1], (2, Original::Text(said("three"))));
}

fn a_session_is_never_put_over_another<S: Store>(store: &S) {
    let session = full(store);
    let error = store.put_in(&session).unwrap_err();
    assert!(matches!(error, Error::SessionExists(_)), "{error}");
    let mut broken = session.clone();
    broken.session.session.id = "t".into();
    broken.originals.push((9, Original::Lines(vec![MessageId::new(99)])));
    assert!(matches!(store.put_in(&broken).unwrap_err(), Error::BadOriginal { .. }));
    assert_eq!(store.session("t").unwrap(), None);
    assert_eq!(raws(store, "s").len(), 3);
}

fn lines_that_are_no_session_are_refused_with_their_number<S: Store>(store: &S) {
    with(store, "s", &["one", "two"]);
    let text = String::from_utf8(lines(&store.take_out("s").unwrap())).unwrap();
    let good: Vec<&str> = text.lines().collect();
    let cases: [(Vec<&str>, &str); 10] = [
        (vec![], "line 1: no session"),
        (vec!["{\"enfold\":2}"], "line 1: version 2"),
        (good[1..].to_vec(), "line 1: the first line"),
        (vec![good[0], good[1], good[3]], "line 3: message 1 where 0"),
        (vec![good[0], good[1], "{\"message\":"], "line 3: EOF"),
        (vec![good[0], good[1], "{\"role\":\"user\"}"], "line 3: unknown variant"),
        (vec![good[0], good[1], good[1]], "line 3: a second session"),
        (good[..4].to_vec(), "line 5: it ends too early"),
        (vec![good[0], good[1], good[2], good[4]], "line 4: the end after 3 lines, not 4"),
        ([&good[..], &good[3..4]].concat(), "line 6: more after the end"),
    ];
    for (lines, expected) in cases {
        let error = Portable::read(lines.join("\n").as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
