//! Counting over real sessions and over inputs made to hurt.

#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests are outside what clippy sees as tests"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytestring::ByteString;
use enfold::count::media::ImageRule;
use enfold::count::{Counter, Encoding, Heuristic, Tally, weigh};
use enfold::history::{
    Call, CallResult, Item, ItemId, ItemKind, Reasoning, Role, Slot, Span, Spelling, Text,
};
use enfold::history::{History, Parsed};
use enfold::json::Raw;
use proptest::prelude::*;

#[test]
fn every_text_of_the_real_sessions_counts_as_the_independent_tokenizer_says() {
    let mut texts = 0;
    for file in sessions() {
        for line in std::fs::read_to_string(&file).unwrap().lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            each_text(&value, &mut |text| {
                texts += 1;
                assert_eq!(Encoding::O200k.count(text), bpe_openai::o200k_base().count(text), "{file:?}");
                assert_eq!(Encoding::Cl100k.count(text), bpe_openai::cl100k_base().count(text), "{file:?}");
                let count = Encoding::O200k.count(text);
                assert_eq!(Encoding::O200k.count_up_to(text, count), Some(count), "{file:?}");
                assert_eq!(
                    count.checked_sub(1).and_then(|less| Encoding::O200k.count_up_to(text, less)),
                    None
                );
            });
        }
    }
    eprintln!("{texts} texts compared");
}

#[test]
fn megabytes_of_one_kind_are_counted_in_linear_time() {
    Encoding::O200k.load();
    Encoding::Cl100k.load();
    let megabytes = if cfg!(debug_assertions) { 1 } else { 4 };
    for (name, text) in hurtful(megabytes << 20) {
        for encoding in [Encoding::O200k, Encoding::Cl100k] {
            let start = Instant::now();
            let count = encoding.count(&text);
            let took = start.elapsed();
            assert!(count > 0 && count <= text.len(), "{name}");
            assert!(took < Duration::from_secs(10) * megabytes as u32, "{name}: {took:?}");
        }
    }
}

#[test]
fn a_chat_message_counts_as_its_texts_plus_four_and_four_per_call() {
    let counter = Encoding::O200k;
    let count = |text: &str| counter.count(text);
    let mut history = History::new();
    push(&mut history, Role::User, vec![item(ItemKind::Text, &["fix the bug"])]);
    let call = |id: &str| {
        ItemKind::Call(Box::new(Call { id: id.into(), name: "read_file".into(), freeform: false }))
    };
    let arguments = r#"{"path":"a.rs"}"#;
    let calls =
        vec![item(ItemKind::Text, &["ok"]), item(call("1"), &[arguments]), item(call("2"), &[arguments])];
    push(&mut history, Role::Assistant, calls);
    let result = |id: &str| {
        ItemKind::Result(Box::new(CallResult {
            call: id.into(),
            name: None,
            is_error: false,
            structure: None,
        }))
    };
    push(&mut history, Role::Tool, vec![item(result("1"), &["fn main() {}"])]);
    push(&mut history, Role::User, vec![item(result("1"), &["one"]), item(result("2"), &["two", "three"])]);
    let tally = Tally::of(&history, Arc::new(counter), ImageRule::default());
    let one_call = 4 + count("read_file") + count(arguments);
    assert_eq!(
        tally.messages(),
        [
            4 + count("fix the bug"),
            4 + count("ok") + 2 * one_call,
            4 + count("fn main() {}"),
            4 + 2 * 4 + count("one") + count("two") + count("three"),
        ]
    );
    assert_eq!(tally.total(), tally.messages().iter().sum::<usize>());
    assert_eq!(tally.item(ItemId::new(2)), one_call - 4, "an item carries no overhead");
}

#[test]
fn reasoning_counts_its_text_or_what_its_encrypted_part_holds() {
    let weigh = |texts: &[&str], opaque| {
        let item = item(ItemKind::Reasoning(Reasoning { opaque }), texts);
        weigh::count_item(&Heuristic, ImageRule::default(), &item, "")
    };
    assert_eq!(weigh(&["four letters"], 0), 3);
    assert_eq!(weigh(&["four letters"], 800), 3, "a signature is too short to count");
    assert_eq!(weigh(&["a summary"], 8_000), (6_000 - 650) / 4);
    assert_eq!(weigh(&[], 100), 0);
}

#[test]
fn tools_count_by_their_dense_json() {
    let dense = Raw::parse(r#"[{"name":"a \" b","x":[1,2]}]"#).unwrap();
    let airy = Raw::parse("[ {\n  \"name\" : \"a \\\" b\",\n  \"x\" : [ 1 , 2 ]\n} ]").unwrap();
    assert_eq!(weigh::count_tools(&Heuristic, dense), 4 + 7);
    assert_eq!(weigh::count_tools(&Heuristic, dense), weigh::count_tools(&Heuristic, airy));
    assert_eq!(weigh::count_tools(&Heuristic, Raw::parse("null").unwrap()), 0);
}

proptest! {
    #[test]
    fn a_tally_kept_up_to_date_equals_one_made_at_once(
        messages in prop::collection::vec(prop::collection::vec("[a-z ]{0,20}", 0..4), 1..20),
        updates in prop::collection::vec(any::<bool>(), 20),
    ) {
        let counter: Arc<dyn Counter> = Arc::new(Heuristic);
        let mut history = History::new();
        let mut kept = Tally::new(counter.clone(), ImageRule::default());
        for (texts, update) in messages.iter().zip(updates) {
            let items = texts.iter().map(|text| item(ItemKind::Text, &[text])).collect();
            push(&mut history, Role::User, items);
            if update {
                kept.update(&history);
            }
        }
        kept.update(&history);
        let whole = Tally::of(&history, counter, ImageRule::default());
        prop_assert_eq!(kept.messages(), whole.messages());
        prop_assert_eq!(kept.total(), whole.total());
        for id in history.item_ids() {
            prop_assert_eq!(kept.item(id), whole.item(id));
        }
    }
}

#[test]
fn an_update_looks_only_at_what_is_new() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    struct Spy(AtomicUsize);
    impl Counter for Spy {
        fn name(&self) -> String {
            "spy".into()
        }
        fn count(&self, text: &str) -> usize {
            self.0.fetch_add(text.len(), Ordering::Relaxed);
            1
        }
        fn is_exact(&self) -> bool {
            true
        }
    }
    let spy = Arc::new(Spy(AtomicUsize::new(0)));
    let mut history = History::new();
    push(&mut history, Role::User, vec![item(ItemKind::Text, &["x".repeat(10_000).as_str()])]);
    let mut tally = Tally::of(&history, spy.clone(), ImageRule::default());
    push(&mut history, Role::User, vec![item(ItemKind::Text, &["new"])]);
    tally.update(&history);
    assert_eq!(spy.0.load(Ordering::Relaxed), 10_003);
}

fn sessions() -> Vec<PathBuf> {
    let Some(folder) = std::env::var_os("ENFOLD_SESSIONS") else {
        eprintln!("SKIPPED: set ENFOLD_SESSIONS to a folder of real sessions to compare counts over them");
        return Vec::new();
    };
    let folder = PathBuf::from(folder).join("dev");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    assert!(!files.is_empty(), "{folder:?} holds no sessions");
    files.sort();
    files
}

fn each_text(value: &serde_json::Value, act: &mut dyn FnMut(&str)) {
    match value {
        serde_json::Value::String(text) => act(text),
        serde_json::Value::Array(values) => values.iter().for_each(|value| each_text(value, act)),
        serde_json::Value::Object(members) => members.values().for_each(|value| each_text(value, act)),
        _ => {}
    }
}

fn hurtful(bytes: usize) -> Vec<(&'static str, String)> {
    let repeat = |unit: &str| unit.repeat(bytes / unit.len());
    let random = |accept: fn(u32) -> Option<char>| {
        let mut state = 12345u32;
        let mut text = String::new();
        while text.len() < bytes {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.extend(accept(state >> 8));
        }
        text
    };
    vec![
        ("one letter", repeat("a")),
        ("spaces", repeat(" ")),
        ("spaces, then a letter", repeat(" ") + "x"),
        ("tabs", repeat("\t")),
        ("line feeds", repeat("\n")),
        ("carriage returns", repeat("\r\n")),
        ("mixed white space", repeat(" \t \n  ")),
        ("dashes", repeat("-")),
        ("punctuation", repeat("!?#$%&()*+,-./:;<=>@[]^_`{|}~")),
        ("digits", repeat("1234567890")),
        ("one Chinese character", repeat("中")),
        ("Chinese without spaces", random(|n| char::from_u32(0x4e00 + n % 20_000))),
        ("Thai", repeat("สวัสดีครับผม")),
        ("combining marks", repeat("a\u{301}\u{302}")),
        ("emoji families", repeat("👨‍👩‍👧‍👦")),
        ("random unicode", random(|n| char::from_u32(n % 0x11_0000))),
        ("random letters", random(|n| char::from_u32(u32::from(b'a') + n % 26))),
        ("special tokens", repeat("<|endoftext|>")),
        ("nul", repeat("\0")),
    ]
}

fn item(kind: ItemKind, texts: &[&str]) -> Item {
    let text = |value: &&str| Text {
        value: ByteString::from(*value),
        span: Span::new(0..0),
        spelling: Spelling::Quoted,
    };
    let texts = texts.iter().map(text).collect();
    Item { texts, ..Item::new(kind, 0..0) }
}

fn push(history: &mut History, role: Role, items: Vec<Item>) {
    history.push(ByteString::new(), Parsed { role, slot: Slot::List, items, extras: Vec::new() });
}
