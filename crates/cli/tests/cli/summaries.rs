//! A summary in a view: written, read back, explained, opened.

use serde_json::Value;

use crate::explain::{begins_at, page_data};
use crate::support::{Store, arg, enfold, example, file, json};

const SUMMARIZE: [&str; 4] = ["--policy", "summarize", "--budget", "16k"];

/// Keeps so few messages that a view can be summarized again.
const FEW: &str = "\
name = \"few\"
about = \"Two messages.\"

[[pass]]
use = \"summarize\"
keep_messages = 2
why = \"for short sessions\"
";

fn with<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [words, &SUMMARIZE].concat()
}

/// The view of a session, and what was said about it.
fn folded(words: &[&str]) -> (String, Value) {
    let ran = enfold(&[words, &["--report", "json"]].concat(), "");
    assert_eq!(ran.code, 0, "{words:?}: {}", ran.stderr);
    (ran.stdout, serde_json::from_str(&ran.stderr).unwrap())
}

#[test]
fn a_view_with_a_summary_is_a_session_in_every_format() {
    let (_folder, few) = file("few.toml", FEW);
    for format in ["openai-chat", "openai-responses", "anthropic", "gemini", "ai-sdk", "notation"] {
        let (view, report) = folded(&with(&["fold", &example("long.jsonl"), "--to", format]));
        let summary = &report["summary"];
        assert_eq!((&summary["round"], &summary["by_model"]), (&1.into(), &false.into()), "{format}");
        let (_folder, path) = file("view", &view);
        let counted = json(&["count", "--json", arg(&path)]);
        assert_eq!(counted["tokens"], report["after"], "{format}: what is reported is what is counted");
        let parts = counted["files"][0]["parts"].as_array().unwrap().clone();
        let told = parts.iter().find(|part| part["part"] == "summaries").unwrap();
        assert_eq!(told["items"], 1, "{format}");
        assert_eq!(enfold(&["inspect", arg(&path)], "").code, 0, "{format}");
        if format != "notation" {
            assert_eq!(enfold(&["validate", arg(&path)], "").code, 0, "{format}");
        }
        let again = ["fold", arg(&path), "--policy", arg(&few), "--budget", "9k", "--to", format];
        let (view, report) = folded(&again);
        assert_eq!(report["summary"]["round"], 2, "{format}: it knows the one before");
        assert_eq!(view.matches("<enfold-summary round=").count(), 1, "{format}: and takes its place");
    }
}

#[test]
fn what_a_summary_takes_and_saves_adds_up() {
    for (name, budget) in
        [("long.jsonl", "16k"), ("long.jsonl", "3k"), ("anthropic.json", "3k"), ("claude-code.jsonl", "3k")]
    {
        for policy in ["summarize", "prune_then_summarize"] {
            let (_, report) = folded(&["fold", &example(name), "--policy", policy, "--budget", budget]);
            let passes = report["passes"].as_array().unwrap();
            for pass in passes {
                let number = |of: &Value, field: &str| of[field].as_u64().unwrap();
                let folds = pass["folds"].as_array().unwrap();
                let saved: u64 =
                    folds.iter().map(|fold| number(fold, "before") - number(fold, "after")).sum();
                assert_eq!(number(pass, "before") - number(pass, "after"), saved, "{name} {policy}: {pass}");
                for fold in folds.iter().filter(|fold| fold["kind"] == "summary") {
                    assert_eq!(fold["after"], report["summary"]["tokens"], "{name} {policy}");
                    assert_eq!(
                        fold["messages"].as_array().unwrap().len() as u64,
                        number(&report["summary"], "messages")
                    );
                }
            }
        }
    }
}

#[test]
fn explain_shows_what_a_summary_says_and_in_place_of_what() {
    let ran = enfold(&with(&["explain", &example("long.jsonl")]), "");
    let (tables, told) = ran.stdout.split_once("\nsummary\n").unwrap();
    let first: Vec<&str> = told.lines().take(4).collect();
    let (_, report) = folded(&with(&["fold", &example("long.jsonl")]));
    let text = report["summary"]["text"].as_str().unwrap();
    assert!(told.ends_with(&format!("\n\n{text}\n")), "{told}");
    assert!(tables.lines().count() < 20, "a row, not a list of all that it hides:\n{tables}");
    insta::assert_snapshot!(first.join("\n"));
}

#[test]
fn the_page_shows_the_summary_where_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let ran = enfold(&with(&["explain", &example("long.jsonl"), "--html", arg(&path)]), "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let data = page_data(&std::fs::read_to_string(&path).unwrap());
    let inserted = &begins_at(&data)["inserted"];
    assert_eq!(inserted["before"], 3, "behind the system message and the task");
    assert!(inserted["what"].as_str().unwrap().starts_with("a summary of "), "{inserted}");
    assert!(inserted["text"].as_str().unwrap().contains("</enfold-ledger>"), "the whole text: {inserted}");
    assert_eq!(data["messages"].as_array().unwrap().len(), 181, "and every message beside it");
}

#[test]
fn the_handle_of_a_summary_opens_the_messages() {
    let store = Store::with(&["long.jsonl"]);
    let blobs = tempfile::tempdir().unwrap();
    let folder = arg(blobs.path());
    let ran = store.run(&with(&["fold", "session:long", "--report", "json", "--blobs", folder]));
    let report: Value = serde_json::from_str(&ran.stderr).unwrap();
    let handle = report["summary"]["handle"].as_str().unwrap();
    let opened = store.done(&["unfold", handle, "--session", "long"]);
    let session = std::fs::read_to_string(example("long.jsonl")).unwrap();
    assert!(session.contains(&opened), "the stretch of the session that holds them, byte for byte");
    let left = opened.lines().filter(|line| !ran.stdout.lines().any(|stays| stays == *line)).count();
    assert_eq!(left as u64, report["summary"]["messages"].as_u64().unwrap());
    assert_eq!(enfold(&["unfold", handle, "--blobs", folder], "").stdout, opened);
    let told = store.done(&["log", "long", "--summaries"]);
    assert!(told.contains(report["summary"]["text"].as_str().unwrap()), "{told}");
}

#[test]
fn a_summary_that_cannot_fit_either_is_listed_with_what_must_stay() {
    let strict = "name = \"strict\"\nabout = \"No guarantee.\"\nfits = false\n\n[[pass]]\nuse = \"summarize\"\nwhy = \"alone\"\n";
    let (_folder, path) = file("strict.toml", strict);
    let ran =
        enfold(&["explain", &example("long.jsonl"), "--policy", arg(&path), "--budget", "5k", "--json"], "");
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let staying = report["cannot_fit"]["must_stay"].as_array().unwrap();
    let sum: u64 = staying.iter().map(|one| one["tokens"].as_u64().unwrap()).sum();
    assert_eq!(sum, report["cannot_fit"]["needed"].as_u64().unwrap());
    assert!(staying.iter().any(|one| one["what"] == "the summary of what was left out"), "{staying:?}");
}
