//! Search: any text is a query, and finds what a person would expect.

use super::{at, chat, said, with};
use crate::{At, Entry, Store};
use enfold::history::MessageId;

list_rules![
    words_phrases_and_beginnings_are_found,
    words_are_found_in_every_script,
    no_query_is_an_error,
    only_what_stands_in_the_session_is_found,
    a_hit_shows_what_was_found,
    fields_and_signatures_are_not_searched,
];

fn found(store: &impl Store, query: &str) -> Vec<usize> {
    let mut numbers: Vec<usize> =
        store.search("s", query, 100).unwrap().into_iter().map(|hit| hit.number.index()).collect();
    numbers.sort_unstable();
    numbers
}

fn words_phrases_and_beginnings_are_found<S: Store>(store: &S) {
    with(
        store,
        "s",
        &[
            "fn load_config(path: &Path) in src/config.rs",
            "error: no such file or directory",
            "Loading the config; a file of such size, no",
        ],
    );
    for (query, expected) in [
        ("config", vec![0, 2]),
        ("CONFIG load", vec![0]),
        ("load_config", vec![0]),
        ("src/config.rs", vec![0]),
        ("such file", vec![1, 2]),
        ("\"no such file\"", vec![1]),
        ("load*", vec![0, 2]),
        ("load", vec![0]),
        ("missing", vec![]),
        ("config missing", vec![]),
    ] {
        assert_eq!(found(store, query), expected, "{query}");
    }
    let newest: Vec<usize> =
        store.search("s", "file", 1).unwrap().iter().map(|hit| hit.number.index()).collect();
    assert_eq!(newest, [2]);
}

fn words_are_found_in_every_script<S: Store>(store: &S) {
    with(
        store,
        "s",
        &[
            "Die Größe der Datei",
            "読み込んだ設定ファイル",
            "Ошибка чтения файла",
            "설정 파일을 읽다",
            "फ़ाइल नहीं मिली",
        ],
    );
    for (query, expected) in [
        ("größe", vec![0]),
        ("GRÖSSE", vec![]),
        ("設定", vec![1]),
        ("定設", vec![]),
        ("ошибка", vec![2]),
        ("파일", vec![3]),
        ("नहीं मिली", vec![4]),
    ] {
        assert_eq!(found(store, query), expected, "{query}");
    }
}

fn no_query_is_an_error<S: Store>(store: &S) {
    with(store, "s", &["a AND b", "c NOT d"]);
    for query in [
        "",
        " ",
        "\"",
        "\"a",
        "a\"b",
        "*",
        "a*b*",
        "(",
        ")",
        "a)",
        "NEAR(",
        "AND",
        "OR OR",
        "NOT",
        "-a",
        "a:b",
        "text:a",
        "^a",
        "{a}",
        "a + b",
        "\u{0}",
        "'; DROP TABLE words; --",
        "😀",
        "a😀b",
        "\u{301}",
        "%",
        "\\",
        "𝒳",
    ] {
        store.search("s", query, 5).unwrap_or_else(|error| panic!("{query:?}: {error}"));
    }
    store.search("s", &"many words ".repeat(10_000), 5).unwrap();
    store.search("s", &"long".repeat(10_000), 5).unwrap();
    assert_eq!(found(store, "AND"), [0]);
    assert_eq!(found(store, "not"), [1]);
}

fn only_what_stands_in_the_session_is_found<S: Store>(store: &S) {
    with(store, "s", &["apple", "pear"]);
    with(store, "t", &["apple", "apple", "apple"]);
    assert_eq!(found(store, "apple"), [0]);
    let raw = said("apple pie");
    store.append("s", &Entry::messages([&*raw]), at(2)).unwrap();
    assert_eq!(found(store, "apple"), [0, 2]);
    store
        .append("s", &Entry { at: At::Instead(MessageId::FIRST), ..Entry::messages([&*raw]) }, at(3))
        .unwrap();
    assert_eq!(found(store, "apple"), [0]);
    assert_eq!(found(store, "pear"), [0; 0]);
    store.remove("t").unwrap();
    with(store, "u", &["plum"]);
    assert!(store.search("u", "apple", 5).unwrap().is_empty());
}

fn a_hit_shows_what_was_found<S: Store>(store: &S) {
    let long = format!("{}\nthe Needle is here\n{}", "hay ".repeat(500), "straw ".repeat(500));
    with(store, "s", &[&long]);
    let hits = store.search("s", "needle", 5).unwrap();
    assert!(hits[0].snippet.contains("hay the Needle is here straw"), "{}", hits[0].snippet);
    assert!(hits[0].snippet.len() < 400);
}

fn fields_and_signatures_are_not_searched<S: Store>(store: &S) {
    store.create(&chat("s"), at(0)).unwrap();
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"call_77","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"notes.txt\"}"}}]}"#;
    store.append("s", &Entry::messages([call]), at(1)).unwrap();
    for (query, expected) in [
        ("read_file", vec![0]),
        ("notes.txt", vec![0]),
        ("function", vec![]),
        ("call_77", vec![]),
        ("role", vec![]),
    ] {
        assert_eq!(found(store, query), expected, "{query}");
    }
}
