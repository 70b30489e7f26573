//! The examples in the manual pages of the passes are true.
//!
//! An example is a history in the notation, what the pass is told, and what becomes of it, in fenced blocks that follow
//! each other:
//!
//! | block | what stands in it |
//! |---|---|
//! | `before` | a history in the notation |
//! | `options` | TOML, one line each: options of the pass as in a policy, and [`Told`] what view is wanted; may be left out |
//! | `after` | the view in the notation; or |
//! | `unchanged` | why the pass does nothing, in its own words |
//!
//! Tokens are counted in o200k. Without a `budget` everything fits.

#![allow(clippy::unwrap_used)]

mod support;

use enfold::folding::passes::{Cache, Entry, PASSES};
use serde::Deserialize;
use support::views::{Setting, fold, only};

/// What view is wanted: keys of an `options` block that are no options of the pass.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Told {
    /// Tokens there are.
    budget: Option<usize>,
    /// Tokens to aim for; the budget, where nothing else is said.
    target: Option<usize>,
    /// Tokens of the model's window; the budget, where nothing else is said.
    window: Option<usize>,
    /// `cold` or `warm`.
    cache: Option<String>,
    /// The folder in which originals are written to files.
    blobs: Option<String>,
    /// How many messages were sent before: the pass works on what arrives behind them.
    sent: Option<usize>,
}

const TOLD: [&str; 6] = ["budget", "target", "window", "cache", "blobs", "sent"];

/// One example of a manual page.
#[derive(Debug, Default)]
struct Example {
    before: String,
    options: String,
    after: After,
}

#[derive(Debug, Default)]
enum After {
    #[default]
    Missing,
    View(String),
    Unchanged(String),
}

#[test]
fn every_example_in_a_manual_page_is_true() {
    let mut wrong = String::new();
    for entry in PASSES {
        for example in examples(&entry.manual()) {
            let (said, found) = run(entry, &example);
            let wanted = match &example.after {
                After::Missing => panic!("{}: an example has neither `after` nor `unchanged`", entry.name),
                After::View(text) | After::Unchanged(text) => text,
            };
            if found != *wanted {
                wrong += &format!("## {said}\n{found}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "these examples come to something else:\n{wrong}");
}

#[test]
fn every_pass_has_an_example() {
    let without: Vec<&str> =
        PASSES.iter().filter(|entry| examples(&entry.manual()).is_empty()).map(|entry| entry.name).collect();
    assert_eq!(without, Vec::<&str>::new());
}

#[test]
fn no_pass_has_an_option_that_an_example_could_not_set() {
    for entry in PASSES {
        let options = entry.options();
        assert!(TOLD.iter().all(|key| !options.contains_key(*key)), "{}", entry.name);
    }
}

#[test]
fn examples_are_found_in_order() {
    let page = "A\n```before\nuser: a\n```\n```options\nbudget = 1\n```\n```unchanged\nno\n```\n```text\nx\n```\n\
                ```before\nuser: b\n```\nand so\n```after\nuser: c\n```\n";
    insta::assert_debug_snapshot!(examples(page), @r#"
    [
        Example {
            before: "user: a\n",
            options: "budget = 1\n",
            after: Unchanged(
                "no\n",
            ),
        },
        Example {
            before: "user: b\n",
            options: "",
            after: View(
                "user: c\n",
            ),
        },
    ]
    "#);
}

/// The line that says what was run, and what became of it.
fn run(entry: &Entry, example: &Example) -> (String, String) {
    let is_told = |line: &&str| TOLD.contains(&line.split('=').next().unwrap_or_default().trim());
    let (told, mut options): (Vec<&str>, Vec<&str>) = example.options.lines().partition(is_told);
    let said = format!("{} ({})", entry.name, example.options.trim_end().replace('\n', ", "));
    let told: Told = toml::from_str(&told.join("\n")).unwrap();
    let limit = told.budget.unwrap_or(1_000_000);
    let cache = match told.cache.as_deref() {
        None | Some("cold") => Cache::Cold,
        Some("warm") => Cache::Warm,
        Some(other) => panic!("{}: a cache is `cold` or `warm`, not `{other}`", entry.name),
    };
    if told.sent.is_some() {
        options.push("when = \"arrival\"");
    }
    let setting = Setting {
        limit,
        target: told.target,
        window: told.window,
        cache,
        blobs: told.blobs.as_deref(),
        sent: told.sent,
        ..Setting::default()
    };
    let folded = match fold(&example.before, &only(entry.name, &options.join("\n")), &setting) {
        Ok(folded) => folded,
        Err(cannot) => return (said, cannot.to_string()),
    };
    let found = match &example.after {
        After::Unchanged(_) => folded.idle() + "\n",
        After::View(_) | After::Missing => folded.view,
    };
    (format!("{said}: {} → {} tokens", folded.trace.before, folded.trace.after), found)
}

fn examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(tag) = line.strip_prefix("```") else { continue };
        let block: String =
            lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
        match (tag, examples.last_mut()) {
            ("before", _) => examples.push(Example { before: block, ..Example::default() }),
            ("options", Some(example)) => example.options = block,
            ("after", Some(example)) => example.after = After::View(block),
            ("unchanged", Some(example)) => example.after = After::Unchanged(block),
            _ => {}
        }
    }
    examples
}
