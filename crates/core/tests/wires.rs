//! What must hold for every wire format.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use enfold::file;
use enfold::file::convert::convert;
use enfold::file::document::{Document, Frame};
use enfold::history::{MessageId, Spelling};
use enfold::source::Source;
use enfold::view::changes::Changes;
use enfold::wire::WIRES;
use proptest::prelude::*;
use serde_json::Value;
use support::checks::{check_anything, check_conversions, check_spans, mutate, read_as};
use support::generate::{Wildness, session};
use support::render::{framed, list_key, request};
use support::{fixtures, odd};

const FRAMES: [Frame; 3] = [Frame::Request, Frame::Array, Frame::Lines];

fn read(text: &str) -> Document {
    let source = Source::from_text(text.to_string().into()).unwrap();
    file::read(source).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn every_fixture_is_detected_in_every_frame_and_comes_out_byte_for_byte() {
    for (format, text) in fixtures::ALL {
        let document = read(text);
        assert_eq!(document.format, *format);
        for frame in FRAMES {
            let text = convert(&document, document.wire, Some(frame)).text;
            let framed = read(&text);
            assert_eq!(framed.format, *format, "{frame:?}");
            assert_eq!(framed.findings, []);
            assert_eq!(convert(&framed, framed.wire, None).text, text);
            assert_eq!(convert(&framed, framed.wire, Some(frame)).losses, []);
        }
        assert_eq!(convert(&document, document.wire, None).text, *text);
    }
}

#[test]
fn every_fixture_says_the_same_in_every_other_format_or_the_losses_name_it() {
    for (format, text) in fixtures::ALL {
        let document = read(text);
        check_spans(&document.history);
        check_conversions(&document, format);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn drawn_sessions_are_detected_and_come_out_byte_for_byte(session in session(Wildness::Valid), seed: u64) {
        for wire in WIRES.iter() {
            for frame in FRAMES {
                let text = framed(&session, wire.name(), frame, seed, true);
                let document = read_as(wire.name(), &text);
                prop_assert_eq!(&document.findings, &[]);
                check_spans(&document.history);
                prop_assert!(convert(&document, *wire, None).text == *text);
            }
            let text = framed(&session, wire.name(), Frame::Request, seed, false);
            prop_assert_eq!(read(&text).format, wire.name(), "{}", text);
        }
    }

    #[test]
    fn drawn_sessions_read_the_same_in_all_formats(session in session(Wildness::Valid), seed: u64) {
        for wire in WIRES.iter() {
            let document = read_as(wire.name(), &framed(&session, wire.name(), Frame::Request, seed, false));
            check_conversions(&document, wire.name());
        }
    }

    #[test]
    fn broken_sessions_are_mended_for_every_provider(session in session(Wildness::Broken), seed: u64) {
        for wire in WIRES.iter() {
            let text = framed(&session, wire.name(), Frame::Array, seed, false);
            if let Ok(document) = file::read_as(wire.name(), Source::from_text(text.into()).unwrap()) {
                check_conversions(&document, wire.name());
            }
        }
    }

    #[test]
    fn messages_nobody_touches_stay_byte_for_byte(
        session in session(Wildness::Valid), seed: u64, picks in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..4),
    ) {
        for wire in WIRES.iter() {
            let text = framed(&session, wire.name(), Frame::Array, seed, true);
            let document = read_as(wire.name(), &text);
            let mut view = Changes::new();
            let mut touched = std::collections::BTreeMap::new();
            for (pick, drop) in &picks {
                let message = MessageId::new(pick.index(document.history.messages().len()));
                let items = document.history.message(message).item_ids();
                if *drop {
                    view.drop_message(message);
                    touched.insert(message, true);
                } else if let Some(item) = items.clone().find(|item| !document.history.item(*item).texts.is_empty()) {
                    let is_json = document.history.item(item).texts[0].spelling == Spelling::Json;
                    let with = if is_json { "{\"less\":1}" } else { "less \"text\"\n" };
                    view.replace(&document.history, item, 0, with.to_string()).unwrap();
                    touched.entry(message).or_insert(false);
                }
            }
            let dropped = touched.values().filter(|dropped| **dropped).count();
            if dropped == document.history.messages().len() {
                continue;
            }
            let rendered = document.render(&view).unwrap();
            let after = read_as(wire.name(), &rendered);
            let kept: Vec<MessageId> = document.history.message_ids()
                .filter(|message| touched.get(message) != Some(&true))
                .collect();
            prop_assert_eq!(after.history.messages().len(), kept.len());
            for (message, old) in after.history.messages().iter().zip(kept) {
                let before = &document.history.message(old).raw;
                prop_assert_eq!(touched.contains_key(&old), message.raw != *before);
            }
        }
    }
}

fn anything() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        serde_json::json!(null),
        serde_json::json!(true),
        serde_json::json!(-1.5),
        serde_json::json!(""),
        serde_json::json!("text"),
        serde_json::json!([]),
        serde_json::json!({}),
        serde_json::json!([{"type": "text", "text": 5}, "bare", 7, null, [[]]]),
        serde_json::json!({"type": "tool_result", "content": {"type": "text"}}),
        serde_json::json!({"type": "content", "value": [{"type": "media"}]}),
        serde_json::json!({"functionResponse": {"response": []}}),
        serde_json::json!("tool_result"),
        serde_json::json!("tool-result"),
        serde_json::json!("function_call_output"),
        serde_json::json!("assistant"),
        serde_json::json!("tool"),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_requests_never_panic_and_what_reads_comes_out_the_same(
        session in session(Wildness::Broken), seed: u64, changes in prop::collection::vec((any::<u64>(), anything()), 1..6),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0u8..7), 0..3),
    ) {
        let wire = WIRES[(seed % WIRES.len() as u64) as usize];
        let mut messages = request(&session, wire.name())[list_key(wire.name())].take();
        for (pick, with) in &changes {
            mutate(&mut messages, pick | 7, with);
        }
        let text = odd::print(&messages, seed, false, &[]);
        check_anything(&text);
        let mut bytes = text.into_bytes();
        for (at, bit) in &flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        if let Ok(text) = String::from_utf8(bytes) {
            check_anything(&text);
        }
    }
}
