//! Counts of real sessions, checked against another tokenizer and another reading of the same files.

use std::sync::Arc;

use enfold::count::{Encoding, Tally};
use enfold::file;
use serde_json::Value;

/// The sum over a session's texts as a plain walk sees them: 4 per message, 4 per call, the texts, names and arguments.
fn by_hand(line: &Value) -> usize {
    let bpe = bpe_openai::o200k_base();
    let count = |value: &Value| value.as_str().map_or(0, |text| bpe.count(text));
    let mut tokens = 4;
    match &line["content"] {
        Value::Array(parts) => tokens += parts.iter().map(|part| count(&part["text"])).sum::<usize>(),
        text => tokens += count(text),
    }
    tokens += count(&line["reasoning_content"]);
    for call in line["tool_calls"].as_array().into_iter().flatten() {
        tokens += 4 + count(&call["function"]["name"]) + count(&call["function"]["arguments"]);
    }
    tokens
}

#[test]
fn every_session_counts_as_the_sum_of_its_texts_and_the_stated_overheads() {
    let Some(root) = std::env::var_os("ENFOLD_SESSIONS") else {
        eprintln!("SKIPPED: ENFOLD_SESSIONS is not set");
        return;
    };
    let mut checked = 0;
    for entry in std::fs::read_dir(std::path::Path::new(&root).join("dev")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let expected: usize = text.lines().map(|line| by_hand(&serde_json::from_str(line).unwrap())).sum();
        let document = file::read_bytes(text.into_bytes()).unwrap();
        let tally = Tally::of(&document.history, Arc::new(Encoding::O200k), Default::default());
        assert_eq!(tally.total(), expected, "{}", path.display());
        checked += 1;
    }
    assert!(checked > 0, "the folder holds no sessions");
    eprintln!("{checked} sessions count as their texts do");
}
