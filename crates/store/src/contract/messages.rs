//! Messages: byte for byte, whole entries or nothing.

use std::thread;

use enfold::count::Usage;
use enfold::history::{MessageId, Slot};

use super::{at, chat, ids, raws, said, with};
use crate::{At, Entry, Error, Event, NewMessage, Original, Recording, Store};

list_rules![
    messages_come_back_byte_for_byte,
    the_head_stays_the_head,
    a_part_of_the_messages_is_read_alone,
    a_message_at_the_wrong_number_is_refused,
    an_entry_is_written_whole_or_not_at_all,
    what_was_undone_leaves_no_trace_in_what_follows,
    a_rewritten_past_is_kept_aside,
    many_read_while_one_writes,
];

fn messages_come_back_byte_for_byte<S: Store>(store: &S) {
    store.create(&chat("s"), at(0)).unwrap();
    let noise: String = (0..200_000u32)
        .map(|nth| char::from(33 + (nth.wrapping_mul(2_654_435_761) >> 25) as u8 % 90))
        .collect();
    let raw = [
        r#"{"role":"user","content":"hi"}"#,
        "{ \"content\" :\t\"a\\u0000b \\ud83d\\ude00 😀\",\r\n  \"role\": \"user\", \"n\": 1.0e+02 }",
        "",
        "not JSON at all \u{0}",
        &said(&noise),
        &said(&"the same line again\n".repeat(200_000)),
        r#"{"role":"user","content":"hi"}"#,
    ];
    for raw in raw {
        store.append("s", &Entry::messages([raw]), at(1)).unwrap();
    }
    for (found, raw) in raws(store, "s").iter().zip(raw) {
        assert!(found == raw, "{} bytes are not the {} written", found.len(), raw.len());
    }
}

fn the_head_stays_the_head<S: Store>(store: &S) {
    store.create(&chat("s"), at(0)).unwrap();
    let head = NewMessage { slot: Slot::Head, raw: "\"be brief\"" };
    let raw = said("hi");
    let entry = Entry { messages: vec![head, NewMessage::listed(&raw)], ..Entry::default() };
    assert_eq!(store.append("s", &entry, at(1)).unwrap(), ids(0..2));
    let slots: Vec<Slot> =
        store.messages("s", ids(0..9)).unwrap().iter().map(|message| message.slot).collect();
    assert_eq!(slots, [Slot::Head, Slot::List]);
}

fn a_part_of_the_messages_is_read_alone<S: Store>(store: &S) {
    with(store, "s", &["0", "1", "2", "3"]);
    let part = store.messages("s", ids(1..3)).unwrap();
    let part: Vec<_> = part.iter().map(|message| (message.number.index(), message.raw.to_string())).collect();
    assert_eq!(part, [(1, said("1")), (2, said("2"))]);
    assert!(store.messages("s", ids(4..9)).unwrap().is_empty());
}

fn a_message_at_the_wrong_number_is_refused<S: Store>(store: &S) {
    with(store, "s", &["0", "1"]);
    for wrong in
        [At::Number(MessageId::new(1)), At::Number(MessageId::new(3)), At::Instead(MessageId::new(3))]
    {
        let raw = said("x");
        let entry = Entry { at: wrong, ..Entry::messages([&*raw]) };
        let error = store.append("s", &entry, at(2)).unwrap_err();
        assert!(matches!(error, Error::Moved { found, .. } if found == MessageId::new(2)), "{error}");
    }
    assert_eq!(raws(store, "s"), [said("0"), said("1")]);
    let raw = said("2");
    let entry = Entry { at: At::Number(MessageId::new(2)), ..Entry::messages([&*raw]) };
    assert_eq!(store.append("s", &entry, at(2)).unwrap(), ids(2..3));
}

fn an_entry_is_written_whole_or_not_at_all<S: Store>(store: &S) {
    with(store, "s", &["0"]);
    let before = store.take_out("s").unwrap();
    let raw = said("1");
    let entry = Entry {
        usage: vec![Usage { input: 5, ..Usage::default() }],
        answers: vec![("q".into(), "a".into())],
        events: vec![Event { at: at(2), kind: "fold".into(), json: "{}".into() }],
        recording: Some(Recording {
            epoch: 1,
            opened: Some("overflow".into()),
            originals: vec![
                (1, Original::Text("fine".into())),
                (2, Original::Lines(vec![MessageId::new(7)])),
            ],
            ..Recording::default()
        }),
        ..Entry::messages([&*raw])
    };
    let error = store.append("s", &entry, at(2)).unwrap_err();
    assert!(matches!(error, Error::BadOriginal { .. }), "{error}");
    assert_eq!(store.take_out("s").unwrap(), before);
}

/// Long entries, each first refused and then written, so that a store which packs messages against each other would
/// notice if it remembered something of the refused ones.
fn what_was_undone_leaves_no_trace_in_what_follows<S: Store>(store: &S) {
    store.create(&chat("s"), at(0)).unwrap();
    let mut expected = Vec::new();
    for round in 0..20 {
        let texts = |kind: &str| -> Vec<String> {
            let words =
                |nth: usize| (0..40).map(move |word| (word * word * 7_919 + round * 31 + nth % 4) % 997);
            let text = |nth| words(nth).map(|word| format!("{kind} {word} ")).collect::<String>();
            (0..30).map(|nth| said(&text(nth))).collect()
        };
        let (refused, written) = (texts("no"), texts("written"));
        let originals = vec![(1, Original::Lines(vec![MessageId::new(usize::MAX)]))];
        let entry = Entry {
            recording: Some(Recording { originals, ..Recording::default() }),
            ..Entry::messages(refused.iter().map(String::as_str))
        };
        store.append("s", &entry, at(1)).unwrap_err();
        store.append("s", &Entry::messages(written.iter().map(String::as_str)), at(1)).unwrap();
        expected.extend(written);
    }
    assert!(raws(store, "s") == expected);
}

fn a_rewritten_past_is_kept_aside<S: Store>(store: &S) {
    with(store, "s", &["0", "1", "2"]);
    let raw = said("other");
    let entry = Entry { at: At::Instead(MessageId::new(1)), ..Entry::messages([&*raw]) };
    assert_eq!(store.append("s", &entry, at(2)).unwrap(), ids(1..2));
    assert_eq!(raws(store, "s"), [said("0"), said("other")]);
    assert_eq!(store.session("s").unwrap().unwrap().revision, 1);
    let entry = Entry { at: At::Instead(MessageId::FIRST), ..Entry::default() };
    store.append("s", &entry, at(3)).unwrap();
    let aside = store.take_out("s").unwrap().replaced;
    let aside: Vec<_> = aside
        .iter()
        .map(|old| (old.revision, old.message.number.index(), old.message.raw.to_string()))
        .collect();
    let old = |revision, number, text| (revision, number, said(text));
    assert_eq!(aside, [old(0, 1, "1"), old(0, 2, "2"), old(1, 0, "0"), old(1, 1, "other")]);
}

fn many_read_while_one_writes<S: Store>(store: &S) {
    with(store, "s", &["0"]);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let found = raws(store, "s");
                    let expected: Vec<String> = (0..found.len()).map(|nth| said(&nth.to_string())).collect();
                    assert_eq!(found, expected);
                    if found.len() > 60 {
                        return;
                    }
                }
            });
        }
        for nth in 1..=30 {
            let raw = [said(&(2 * nth - 1).to_string()), said(&(2 * nth).to_string())];
            store.append("s", &Entry::messages(raw.iter().map(String::as_str)), at(nth)).unwrap();
        }
    });
}
