//! The example sessions of the repository: each is recognised as what it is, by one format alone.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use enfold::file;
use enfold::source::Source;
use enfold::transcript::{Sample, TRANSCRIPTS};
use enfold::wire;

/// Files of `examples/sessions`, the format each is in, and the format its messages are in.
const EXAMPLES: &[(&str, &str, &str)] = &[
    ("ai-sdk.json", "ai-sdk", "ai-sdk"),
    ("anthropic.json", "anthropic", "anthropic"),
    ("claude-code.jsonl", "claude-code", "anthropic"),
    ("codex.jsonl", "codex", "openai-responses"),
    ("copilot-cli.jsonl", "copilot-cli", "openai-chat"),
    ("gemini-cli.json", "gemini-cli", "gemini"),
    ("gemini.json", "gemini", "gemini"),
    ("legacy-rows.json", "flat-rows", "ai-sdk"),
    ("long.jsonl", "openai-chat", "openai-chat"),
    ("mini-swe-agent.traj.json", "mini-swe-agent", "openai-chat"),
    ("openhands-sdk", "openhands-sdk", "openai-chat"),
    ("openhands.jsonl", "openhands", "openai-chat"),
    ("pi.jsonl", "pi", "anthropic"),
    ("responses.json", "openai-responses", "openai-responses"),
    ("swe-agent-0.traj", "swe-agent", "openai-chat"),
    ("swe-agent-1.traj", "swe-agent", "openai-chat"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sessions")
}

/// A file's text; a folder's files one after the other, as JSON values on lines of their own.
fn text(path: &Path) -> Vec<u8> {
    if path.is_file() {
        return std::fs::read(path).unwrap();
    }
    let mut events: Vec<PathBuf> =
        std::fs::read_dir(path).unwrap().map(|file| file.unwrap().path()).collect();
    events.sort();
    let line = |path: &PathBuf| std::fs::read_to_string(path).unwrap().replace(['\n', '\r'], " ") + "\n";
    events.iter().map(line).collect::<String>().into_bytes()
}

#[test]
fn each_example_is_listed() {
    let names = std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, Vec::from_iter(EXAMPLES.iter().map(|(name, ..)| *name)));
}

#[test]
fn each_example_is_claimed_by_its_format_alone() {
    for (name, format, wire) in EXAMPLES {
        let source = Source::from_bytes(text(&folder().join(name))).unwrap();
        let sample = Sample::of(&source);
        let claims = TRANSCRIPTS.iter().filter(|format| format.detect(&sample)).map(|format| format.name());
        let expected = Some(*format).filter(|format| wire::named(format).is_none());
        assert_eq!(Vec::from_iter(claims), Vec::from_iter(expected), "{name}");
        let document = file::read(source).unwrap();
        assert_eq!((document.format, document.wire.name()), (*format, *wire), "{name}");
        assert!(document.history.messages().len() > 3, "{name}");
    }
}

#[test]
fn every_result_in_the_examples_has_its_call() {
    for (name, ..) in EXAMPLES {
        let document = file::read(Source::from_bytes(text(&folder().join(name))).unwrap()).unwrap();
        let results = document
            .history
            .item_ids()
            .zip(document.history.items())
            .filter(|(_, item)| item.result().is_some());
        let orphans = results.filter(|(id, _)| document.history.pair(*id).is_none()).count();
        assert_eq!(orphans, 0, "{name}");
    }
}
