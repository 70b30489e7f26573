//! The wire formats over real sessions.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test")]

mod support;

use enfold::convert::convert;
use enfold::document::Document;
use enfold::formats::{self, WIRES};
use enfold::source::Source;
use support::compare::{same_history, unexplained};
use support::sessions::files;

const WIRE_FOLDERS: &[&str] =
    &["dev", "native/anthropic-messages-derived", "native/openai-chat", "native/openai-chat-log"];

fn read(bytes: &[u8]) -> Document {
    formats::read(Source::from_bytes(bytes.to_vec()).unwrap()).unwrap()
}

#[test]
fn every_session_converts_into_its_own_format_byte_for_byte() {
    for file in files("byte for byte", WIRE_FOLDERS) {
        let bytes = std::fs::read(&file).unwrap();
        let document = read(&bytes);
        let converted = convert(&document, document.wire, None);
        assert!(*converted.text.as_bytes() == bytes, "{}", file.display());
        assert_eq!(converted.losses, [], "{}", file.display());
    }
}

#[test]
fn every_session_says_the_same_in_every_other_format_or_the_losses_name_it() {
    let (mut conversions, mut unchanged) = (0, 0);
    for file in files("every other format", WIRE_FOLDERS) {
        let document = read(&std::fs::read(&file).unwrap());
        for to in WIRES.iter().filter(|to| to.name() != document.wire.name()) {
            let there = convert(&document, *to, None);
            let other = formats::read_as(to.name(), Source::from_text(there.text.clone()).unwrap()).unwrap();
            assert_eq!(other.findings, [], "{} as {}", file.display(), to.name());
            let differences = same_history(&document.history, &other.history);
            let left = unexplained(&differences, &there.losses);
            assert!(left.is_empty(), "{} as {}: {left:#?}", file.display(), to.name());
            let back = convert(&other, document.wire, None);
            let again =
                formats::read_as(document.wire.name(), Source::from_text(back.text).unwrap()).unwrap();
            let left = unexplained(&same_history(&other.history, &again.history), &back.losses);
            assert!(left.is_empty(), "{} as {} and back: {left:#?}", file.display(), to.name());
            conversions += 1;
            unchanged += usize::from(differences.is_empty());
        }
    }
    eprintln!("{conversions} conversions, {unchanged} without any difference");
}
