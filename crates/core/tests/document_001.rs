//! Microcompaction: the numbers and cases of its source document.

#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Arc;

use enfold::count::Heuristic;
use enfold::folding::passes::Cache;
use enfold::folding::policy::Policy;
use enfold::view::fold::FoldKind;
use support::views::{Folded, Setting, fold, fold_by};

/// Tokens of a message beside its text.
const OVERHEAD: usize = 4;

/// A window of 200,000: a hot zone of 16,000 and bookends over the 80,000 behind it. A token is four characters.
fn window(tokens: usize) -> Setting<'static> {
    Setting { window: Some(tokens), counter: Arc::new(Heuristic), ..Setting::default() }
}

/// Something said that takes so many tokens.
fn said(tokens: usize) -> String {
    format!("assistant: {}\n", "word".repeat(tokens - OVERHEAD))
}

/// `n` characters in which no two places look alike and no line ends.
fn long(n: usize) -> String {
    let numbers: String = (0..n / 5 + 1).map(|number| format!("{number:05}")).collect();
    numbers[..n].to_string()
}

/// A result that far from the end, in a view that takes more than a quarter of the window.
fn history(tool: &str, text: &str, distance: usize) -> String {
    let before = said(250_000);
    format!(
        "user: go\n{before}assistant\n  call c1 {tool} {{}}\nresult c1: {text}\n{}",
        if distance > OVERHEAD { said(distance) } else { String::new() }
    )
}

#[track_caller]
fn at(tool: &str, text: &str, distance: usize, setting: &Setting) -> Folded {
    fold_by("microcompact", "", &history(tool, text, distance), setting)
}

/// The text of the result in the view.
#[track_caller]
fn result(folded: &Folded) -> String {
    let (_, rest) = folded.view.split_once("\nresult c1: ").unwrap();
    let lines = rest.lines().enumerate().take_while(|(nth, line)| *nth == 0 || line.starts_with("  | "));
    lines.map(|(_, line)| line.trim_start_matches("  | ").to_string() + "\n").collect()
}

/// What remains of 10,000 characters: how many at the start and at the end.
#[track_caller]
fn bookends(distance: usize, setting: &Setting) -> (usize, usize) {
    let whole = long(10_000);
    let folded = at("Read", &whole, distance, setting);
    assert_eq!(folded.kinds(), [FoldKind::Bookend], "{distance} tokens back");
    let text = result(&folded);
    let lines: Vec<&str> = text.lines().collect();
    assert!(whole.starts_with(lines[0]) && whole.ends_with(lines[2]), "{text}");
    let hidden = (whole.len() - lines[0].len() - lines[2].len()).div_ceil(4);
    assert!(lines[1].starts_with(&format!("... [~{hidden} tokens trimmed #")), "{}", lines[1]);
    (lines[0].len(), lines[2].len())
}

#[test]
fn the_hot_zone_stays_whole() {
    let setting = window(200_000);
    for distance in [0, 5_000, 15_999] {
        assert_eq!(at("Read", &long(10_000), distance, &setting).kinds(), [], "{distance} tokens back");
    }
    assert_eq!(at("Read", &long(10_000), 16_000, &setting).kinds(), [FoldKind::Bookend]);
}

#[test]
fn the_hot_zone_is_sixteen_thousand_tokens_or_a_twentieth_of_the_window() {
    for (tokens, border) in [(100_000, 16_000), (320_000, 16_000), (400_000, 20_000), (1_000_000, 50_000)] {
        let text = long(10_000);
        assert_eq!(at("Read", &text, border - 1, &window(tokens)).kinds(), [], "{tokens}");
        assert_eq!(at("Read", &text, border, &window(tokens)).kinds(), [FoldKind::Bookend], "{tokens}");
    }
}

#[test]
fn bookends_shrink_linearly_from_2000_to_256_characters() {
    let setting = window(200_000);
    for (distance, chars) in
        [(16_000, 2_000), (36_000, 1_564), (56_000, 1_128), (76_000, 692), (95_000, 278), (95_999, 256)]
    {
        assert_eq!(bookends(distance, &setting), (chars, chars), "{distance} tokens back");
    }
}

#[test]
fn beyond_the_span_a_line_with_the_first_80_characters_remains() {
    let text = format!("first line\n  | {}", long(10_000));
    let folded = at("Read", &text, 96_000, &window(200_000));
    assert_eq!(folded.kinds(), [FoldKind::Placeholder]);
    let start = &long(69);
    let line = result(&folded);
    assert!(
        line.starts_with(&format!("[Read result trimmed, 2503 tokens: \"first line {start}\" #")),
        "{line}"
    );
}

#[test]
fn what_a_line_stands_for_can_be_opened() {
    let folded = at("Read", &long(10_000), 96_000, &window(200_000));
    let handle = folded.trace.folds().next().unwrap().handles[0];
    assert!(result(&folded).contains(&handle.to_string()));
    assert_eq!(folded.originals[&handle], long(10_000));
}

#[test]
fn what_cannot_be_had_again_stays_whole_for_half_as_long_again() {
    let setting = window(200_000);
    for tool in ["Bash", "WebFetch"] {
        assert_eq!(at(tool, &long(10_000), 23_999, &setting).kinds(), [], "{tool}");
        assert_eq!(at(tool, &long(10_000), 24_000, &setting).kinds(), [FoldKind::Bookend], "{tool}");
        // The span begins where the hot zone ends.
        assert_eq!(at(tool, &long(10_000), 103_999, &setting).kinds(), [FoldKind::Bookend], "{tool}");
        assert_eq!(at(tool, &long(10_000), 104_000, &setting).kinds(), [FoldKind::Placeholder], "{tool}");
    }
}

#[test]
fn with_files_it_does_not_and_the_file_is_named() {
    let setting = Setting { blobs: Some("/blobs"), ..window(200_000) };
    let folded = at("Bash", &long(10_000), 16_000, &setting);
    assert_eq!(folded.kinds(), [FoldKind::Bookend]);
    let handle = folded.trace.folds().next().unwrap().handles[0];
    let named = format!("tokens trimmed, full text: /blobs/{}] ...", handle.file_name());
    assert!(result(&folded).contains(&named), "{}", result(&folded));
    let folded = at("Bash", &long(10_000), 96_000, &setting);
    assert!(result(&folded).trim_end().ends_with(&format!(", full text: /blobs/{}]", handle.file_name())));
}

#[test]
fn the_factor_can_be_set() {
    let text = history("Bash", &long(10_000), 31_999);
    for (options, wanted) in [("retention = 2.0", vec![]), ("retention = 1.0", vec![FoldKind::Bookend])] {
        let folded = fold_by("microcompact", options, &text, &window(200_000));
        assert_eq!(folded.kinds(), wanted, "{options}");
    }
}

#[test]
fn categories_decide_what_remains_in_the_end() {
    let setting = window(200_000);
    for (tool, wanted) in [
        ("Read", FoldKind::Placeholder),
        ("Glob", FoldKind::Placeholder),
        ("Grep", FoldKind::Placeholder),
        ("Bash", FoldKind::Placeholder),
        ("WebFetch", FoldKind::Placeholder),
        ("no_such_tool", FoldKind::Placeholder),
        ("SubAgent", FoldKind::Clear),
        ("TaskOutput", FoldKind::Clear),
    ] {
        let folded = at(tool, &long(10_000), 150_000, &setting);
        assert_eq!(folded.kinds(), [wanted], "{tool}");
        let words = if wanted == FoldKind::Clear { "cleared #" } else { "trimmed, 2500 tokens: \"" };
        assert!(result(&folded).starts_with(&format!("[{tool} result {words}")), "{}", result(&folded));
    }
}

#[test]
fn ephemeral_results_shrink_like_all_others_before_that() {
    assert_eq!(at("SubAgent", &long(10_000), 56_000, &window(200_000)).kinds(), [FoldKind::Bookend]);
}

#[test]
fn categories_of_the_policy_win() {
    let policy = |category: &str| {
        let text = format!(
            "name = \"mine\"\nabout = \"\"\nfits = false\n[understand.categories]\nBash = \"{category}\"\n\
             [[pass]]\nuse = \"microcompact\"\nwhy = \"\"\n"
        );
        Policy::parse(&text).unwrap()
    };
    let kinds = |category: &str, distance: usize| {
        let text = history("Bash", &long(10_000), distance);
        fold(&text, &policy(category), &window(200_000)).ok().unwrap().kinds()
    };
    assert_eq!(kinds("ephemeral", 150_000), [FoldKind::Clear]);
    assert_eq!(kinds("rereadable", 16_000), [FoldKind::Bookend]);
    assert_eq!(kinds("non-reproducible", 16_000), []);
}

#[test]
fn everything_said_pushes_older_results_back() {
    let text = long(10_000);
    let result = format!("user: go\n{}assistant\n  call c1 Read {{}}\nresult c1: {text}\n", said(60_000));
    let user = format!("user: {}\n", "word".repeat(8_000 - OVERHEAD));
    let kinds =
        |after: &str| fold_by("microcompact", "", &format!("{result}{after}"), &window(200_000)).kinds();
    assert_eq!(kinds(&said(8_000)), []);
    assert_eq!(kinds(&format!("{user}{}", said(8_000))), [FoldKind::Bookend]);
}

#[test]
fn it_is_dormant_while_the_cache_is_warm() {
    let setting = Setting { cache: Cache::Warm, ..window(200_000) };
    let folded = at("Read", &long(10_000), 150_000, &setting);
    assert_eq!((folded.kinds(), folded.idle()), (vec![], "the cache is warm".to_string()));
}

#[test]
fn a_warm_cache_is_no_reason_to_send_what_does_not_fit() {
    let text = history("Read", &long(10_000), 150_000);
    let used = fold_by("microcompact", "", &text, &window(200_000)).trace.before;
    let setting = Setting { cache: Cache::Warm, limit: used - 1, ..window(200_000) };
    assert_eq!(fold_by("microcompact", "", &text, &setting).kinds(), [FoldKind::Placeholder]);
}

#[test]
fn it_is_dormant_below_a_quarter_of_the_window() {
    let text =
        format!("user: go\nassistant\n  call c1 Read {{}}\nresult c1: {}\n{}", long(10_000), said(40_000));
    let used = fold_by("microcompact", "", &text, &window(0)).trace.before;
    let below = fold_by("microcompact", "", &text, &window(used * 4 + 4));
    assert_eq!((below.kinds(), below.idle()), (vec![], "less than 25 % of the window is used".to_string()));
    assert_eq!(fold_by("microcompact", "", &text, &window(used * 4)).kinds(), [FoldKind::Bookend]);
}

#[test]
fn without_a_window_nothing_happens() {
    assert_eq!(at("Read", &long(10_000), 150_000, &window(0)).idle(), "the size of the window is not known");
}

#[test]
fn what_is_as_short_as_its_bookends_stays() {
    let setting = window(200_000);
    assert_eq!(at("Read", &long(4_000), 16_000, &setting).kinds(), []);
    assert_eq!(at("Read", "ok", 150_000, &setting).kinds(), []);
}

#[test]
fn each_text_of_a_result_is_treated_by_itself_and_the_rest_of_it_stays() {
    let [one, two] = [long(6_000), long(9_000)];
    let text = format!(
        "user: go\n{}assistant\n  call c1 Read {{}}\n  call c2 Bash {{\"command\":\"make\"}}\n\
         result c1 error: {one}\n  + short\n  + {two}\n    image https://example.com/a.png\n\
         result c2: {one}\n{}",
        said(60_000),
        said(90_000)
    );
    let folded = fold_by("microcompact", "span_share = 0.0", &text, &window(200_000));
    let shown =
        &folded.view[folded.view.find("  call c1").unwrap()..folded.view.rfind("assistant: ").unwrap()];
    insta::assert_snapshot!(shown, @r#"
      call c1 Read {}
      call c2 Bash {"command":"make"}
    result c1 error: [Read result trimmed, 1500 tokens; failed: "00000000010000200003000040000500006000070000800009000100001100012000130001400015" #525360996]
      + short
      + [Read result trimmed, 2250 tokens; failed: "00000000010000200003000040000500006000070000800009000100001100012000130001400015" #737261498]
        image https://example.com/a.png
    result c2: [Bash result trimmed, 1500 tokens: "00000000010000200003000040000500006000070000800009000100001100012000130001400015" #525360996]
    "#);
    let opened: Vec<usize> = folded.originals.values().map(|text| text.len()).collect();
    assert!(opened.contains(&6_000) && opened.contains(&9_000), "{opened:?}");
}

#[test]
fn results_in_one_message_are_equally_far_back_and_each_of_its_own_category() {
    let text = format!(
        "user: go\n{}assistant\n  call c1 Read {{}}\n  call c2 SubAgent {{}}\n\
         tool\n  result c1: {}\n  result c2: {}\n{}",
        said(60_000),
        long(10_000),
        long(400_000),
        said(15_000)
    );
    let kinds = |options: &str| {
        let mut kinds = fold_by("microcompact", options, &text, &window(200_000)).kinds();
        kinds.sort();
        kinds
    };
    assert_eq!(kinds(""), []);
    let all = "hot_tokens = 15000\nspan_share = 0.0";
    assert_eq!(kinds(all), [FoldKind::Placeholder, FoldKind::Clear]);
}

#[test]
fn the_cap_is_for_results_over_50000_tokens() {
    let text = |tokens: usize| {
        format!("user: go\nassistant\n  call c1 Bash {{}}\nresult c1: {}\n", long(tokens * 4))
    };
    let setting = Setting { limit: 1_000_000, ..window(10_000_000) };
    let fold =
        |tokens: usize| fold(&text(tokens), &Policy::named("microcompact").unwrap(), &setting).ok().unwrap();
    assert_eq!(fold(50_000).kinds(), []);
    let capped = fold(50_001);
    assert_eq!(capped.kinds(), [FoldKind::Cap]);
    let shown = result(&capped);
    let lines: Vec<usize> = shown.lines().map(str::len).collect();
    assert_eq!((lines[0], lines[2]), (2_000, 2_000));
    assert!(shown.contains("... [~49001 tokens trimmed #"), "{}", shown.lines().nth(1).unwrap());
}

#[test]
fn decisions_are_the_same_while_nothing_changed() {
    let text = format!("{}{}", history("Read", &long(10_000), 30_000), said(20_000));
    let [one, two] = [0, 1].map(|_| fold_by("microcompact", "", &text, &window(200_000)));
    assert_eq!(one.view, two.view);
    assert_eq!(one.trace, two.trace);
}

#[test]
fn folding_again_changes_nothing() {
    let text = format!(
        "user: go\n{}assistant\n  call c1 Read {{}}\nresult c1: {}\nassistant\n  call c2 Grep {{}}\nresult c2: {}\n{}",
        said(60_000),
        long(10_000),
        long(100_000),
        said(20_000)
    );
    let twice = "name = \"twice\"\nabout = \"\"\nfits = false\n\
                 [[pass]]\nuse = \"microcompact\"\nwhy = \"\"\n[[pass]]\nuse = \"microcompact\"\nwhy = \"again\"\n";
    let folded = fold(&text, &Policy::parse(twice).unwrap(), &window(200_000)).ok().unwrap();
    assert_eq!(folded.trace.passes[0].folds.len(), 2);
    assert_eq!(folded.trace.passes[1].folds.len(), 0);
}
