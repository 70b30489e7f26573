//! The wire formats over real sessions.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test")]

mod support;

use enfold::file;
use enfold::file::convert::convert;
use enfold::file::document::{Document, Frame};
use enfold::json::Raw;
use enfold::source::Source;
use enfold::wire::WIRES;
use serde_json::{Value, json};
use support::checks::{check_anything, check_conversions, check_spans, mutate};
use support::compare::{same_history, unexplained};
use support::render::list_key;
use support::rules;
use support::sessions::files;

const WIRE_FOLDERS: &[&str] =
    &["dev", "native/anthropic-messages-derived", "native/openai-chat", "native/openai-chat-log"];

fn read(bytes: &[u8]) -> Document {
    file::read(Source::from_bytes(bytes.to_vec()).unwrap()).unwrap()
}

#[test]
fn every_session_converts_into_its_own_format_byte_for_byte() {
    for file in files("byte for byte", WIRE_FOLDERS) {
        let bytes = std::fs::read(&file).unwrap();
        let document = read(&bytes);
        let converted = convert(&document, document.wire, None);
        if is_record(&document) {
            // Its messages make a request; what somebody put beside them is named.
            let again = read(converted.text.as_bytes());
            let raws = |document: &Document| -> Vec<String> {
                document.history.messages().iter().map(|message| message.raw.to_string()).collect()
            };
            assert_eq!(raws(&again), raws(&document), "{}", file.display());
            assert!(!converted.losses.is_empty(), "{}", file.display());
            continue;
        }
        assert!(*converted.text.as_bytes() == bytes, "{}", file.display());
        assert_eq!(converted.losses, [], "{}", file.display());
    }
}

/// Whether a file is a record around a list of messages (tau-bench), and no request.
fn is_record(document: &Document) -> bool {
    let root = serde_json::from_str::<serde_json::Value>(&document.source).ok();
    root.is_some_and(|root| root.is_object() && root.get(list_key(document.wire.name())).is_none())
}

#[test]
fn every_session_says_the_same_in_every_other_format_or_the_losses_name_it() {
    let (mut conversions, mut unchanged) = (0, 0);
    for file in files("every other format", WIRE_FOLDERS) {
        let document = read(&std::fs::read(&file).unwrap());
        for to in WIRES.iter().filter(|to| to.name() != document.wire.name()) {
            let there = convert(&document, *to, Some(Frame::Request));
            let request: serde_json::Value = serde_json::from_str(&there.text).unwrap();
            let messages = request[list_key(to.name())].as_array().unwrap();
            assert_eq!(rules::broken(to.name(), messages), [""; 0], "{} as {}", file.display(), to.name());
            let other = file::read_as(to.name(), Source::from_text(there.text.clone()).unwrap()).unwrap();
            assert_eq!(other.findings, [], "{} as {}", file.display(), to.name());
            let differences = same_history(&document.history, &other.history);
            let left = unexplained(&differences, &there.losses);
            assert!(left.is_empty(), "{} as {}: {left:#?}", file.display(), to.name());
            let back = convert(&other, document.wire, None);
            let again = file::read_as(document.wire.name(), Source::from_text(back.text).unwrap()).unwrap();
            let left = unexplained(&same_history(&other.history, &again.history), &back.losses);
            assert!(left.is_empty(), "{} as {} and back: {left:#?}", file.display(), to.name());
            conversions += 1;
            unchanged += usize::from(differences.is_empty());
        }
    }
    eprintln!("{conversions} conversions, {unchanged} without any difference");
}

#[test]
fn the_response_items_of_codex_are_read_and_converted() {
    let mut sessions = 0;
    for file in files("response items", &["native/codex"]) {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut lines = String::new();
        for line in text.lines() {
            let Ok(line) = Raw::parse(line) else { continue };
            let payload =
                line.get("payload").filter(|_| line.str_at("type").as_deref() == Some("response_item"));
            lines.extend(payload.map(|payload| payload.text().to_string() + "\n"));
        }
        if lines.is_empty() {
            continue;
        }
        let document = read(lines.as_bytes());
        assert_eq!(document.format, "openai-responses", "{}", file.display());
        assert_eq!(document.findings, [], "{}", file.display());
        check_spans(&document.history);
        assert!(convert(&document, document.wire, None).text == *lines);
        check_conversions(&document, &file.display().to_string());
        sessions += 1;
    }
    eprintln!("{sessions} sessions of Codex");
}

#[test]
fn mutated_real_messages_never_panic_and_what_reads_comes_out_the_same() {
    let values = [
        json!(null),
        json!(7),
        json!(""),
        json!("x"),
        json!([]),
        json!({}),
        json!([[{"type": "text"}], 1]),
        json!("tool"),
        json!({"type": "tool_result", "content": [{"type": "text", "text": 1}]}),
    ];
    let mut tried = 0u64;
    for file in files("mutated", WIRE_FOLDERS) {
        let document = read(&std::fs::read(&file).unwrap());
        let messages = document.history.messages();
        for nth in (0..messages.len()).step_by(1 + messages.len() / 12) {
            for window in [1, 3] {
                let some: Vec<&str> =
                    messages[nth..].iter().take(window).map(|message| &*message.raw).collect();
                let mut value: Value = serde_json::from_str(&format!("[{}]", some.join(","))).unwrap();
                for _ in 0..3 {
                    tried += 1;
                    mutate(
                        &mut value,
                        tried.wrapping_mul(0x9E37_79B9_7F4A_7C15),
                        &values[tried as usize % values.len()],
                    );
                    check_anything(&value.to_string());
                }
            }
        }
    }
    eprintln!("{tried} mutations");
}
