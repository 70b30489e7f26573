//! Every command on the example sessions of the repository, and on real ones where they are at hand.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{arg, enfold, example, examples, json};

#[test]
fn inspect_shows_where_the_tokens_are_within_80_columns() {
    let ran = enfold(&["inspect", &example("long.jsonl"), "--model", "gpt-4o"], "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for title in ["Where the tokens are", "Tools", "Files", "Largest steps", "Largest items"] {
        assert!(ran.stdout.contains(title), "{title}:\n{}", ran.stdout);
    }
    let longest = ran.stdout.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= 80, "a line of {longest} columns:\n{}", ran.stdout);
}

#[test]
fn the_parts_of_every_example_add_up_to_its_total() {
    for file in examples() {
        let seen = json(&["inspect", "--json", arg(&file)]);
        let total = seen["totals"]["tokens"].as_u64().unwrap();
        let sum = |list: &str| {
            let tokens = seen[list].as_array().unwrap().iter().map(|entry| entry["tokens"].as_u64().unwrap());
            tokens.sum::<u64>()
        };
        let tools: u64 = seen["parts"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|part| part["part"] == "tool definitions")
            .map(|part| part["tokens"].as_u64().unwrap())
            .sum();
        assert!(total > 0, "{}", file.display());
        assert_eq!(sum("parts"), total, "{}", file.display());
        assert_eq!(sum("messages") + tools, total, "{}", file.display());
        assert_eq!(sum("roles") + tools, total, "{}", file.display());
        let counted = json(&["count", "--json", arg(&file)]);
        assert_eq!(counted["tokens"], seen["totals"]["tokens"], "{}", file.display());
    }
}

#[test]
fn every_example_converts_to_its_own_format_byte_for_byte() {
    for file in examples().iter().filter(|file| file.is_file()) {
        let seen = json(&["inspect", "--json", arg(file)]);
        let format = seen["format"].as_str().unwrap();
        let ran = enfold(&["convert", arg(file), "--to", format], "");
        assert_eq!(ran.code, 0, "{}: {}", file.display(), ran.stderr);
        assert!(ran.stdout.as_bytes() == std::fs::read(file).unwrap(), "{}", file.display());
    }
}

#[test]
fn every_example_converts_to_every_wire_format() {
    for file in examples() {
        for format in ["openai-chat", "openai-responses", "anthropic", "ai-sdk", "gemini"] {
            let ran = enfold(&["convert", arg(&file), "--to", format, "--report", "json"], "");
            assert_eq!(ran.code, 0, "{} to {format}: {}", file.display(), ran.stderr);
            let back = enfold(&["count", "--from", format, "--json"], &ran.stdout);
            assert_eq!(back.code, 0, "{} to {format}: {}", file.display(), back.stderr);
        }
    }
}

#[test]
fn a_transcript_format_cannot_be_written() {
    let ran = enfold(&["convert", &example("long.jsonl"), "--to", "claude-code"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    let start = "error: --to claude-code: it is a transcript format: an agent's own log, which only that agent can write; convert to one of ";
    assert!(ran.stderr.starts_with(start) && ran.stderr.contains("openai-chat"), "{}", ran.stderr);
    let framed =
        enfold(&["convert", &example("claude-code.jsonl"), "--to", "claude-code", "--as", "array"], "");
    assert_eq!(framed.code, 2);
}

#[test]
fn strict_conversion_refuses_losses_and_writes_nothing() {
    let lossy = "{\"role\":\"user\",\"content\":\"hi\",\"name\":\"ann\"}\n{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"x\"}\n";
    let ran = enfold(&["convert", "--to", "gemini", "--strict"], lossy);
    assert_eq!((ran.code, ran.stdout.as_str()), (4, ""));
    assert!(ran.stderr.contains("gemini cannot express all of it"), "{}", ran.stderr);
}

#[test]
fn the_page_holds_no_markup_of_the_session_and_loads_nothing() {
    let evil = "{\"role\":\"user\",\"content\":\"<script>alert(1)</script><img src=x onerror=alert(1)> ' \\\" </style>\"}\n\
        {\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"<b>read_file</b>\",\"arguments\":\"{\\\"path\\\":\\\"</script><script>x\\\"}\"}}]}\n\
        {\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"</script><script>alert(2)</script>\"}\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let ran = enfold(&["inspect", "--html", arg(&path)], evil);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains("page.html: the page of standard input: "), "{}", ran.stderr);
    let page = std::fs::read_to_string(&path).unwrap();
    assert_eq!(page.matches("<script").count(), 2, "its own two");
    assert_eq!(page.matches("</script>").count(), 2);
    for markup in ["<img", "<b>read_file", "http://", "https://", "url(", "@import"] {
        assert!(!page.contains(markup), "{markup}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "shown as text");
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn count_says_how_it_counted() {
    let ran = enfold(&["count", &example("long.jsonl"), "--model", "gpt-4o"], "");
    assert!(ran.stdout.contains("tokens (o200k, exact)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Overhead: 4 per message"), "{}", ran.stdout);
    let claude = enfold(&["count", &example("long.jsonl"), "--model", "claude-sonnet-4-5"], "");
    assert!(claude.stdout.contains("estimated"), "{}", claude.stdout);
    let heuristic = enfold(&["count", &example("long.jsonl"), "--tokenizer", "heuristic"], "");
    assert!(heuristic.stdout.contains("(heuristic, estimated)"), "{}", heuristic.stdout);
}

#[test]
fn count_takes_several_files_and_plain_text() {
    let two = enfold(&["count", &example("pi.jsonl"), &example("codex.jsonl")], "");
    assert!(two.stdout.contains("pi.jsonl") && two.stdout.contains("in total"), "{}", two.stdout);
    let text = enfold(&["count", "--text"], "hello world\n");
    assert!(text.stdout.starts_with("3 tokens"), "{}", text.stdout);
    let hint = enfold(&["count"], "hello world\n");
    assert_eq!(hint.code, 2);
    assert!(hint.stderr.trim_end().ends_with("to count it as plain text, add --text"), "{}", hint.stderr);
}

#[test]
fn an_unknown_tokenizer_and_a_broken_one_are_named() {
    assert_eq!(enfold(&["count", "--tokenizer", "bert"], "").code, 2);
    let missing = enfold(&["count", "--tokenizer", "no/tokenizer.json"], "");
    assert!(missing.stderr.contains("no/tokenizer.json: no such file or directory"), "{}", missing.stderr);
}

#[test]
fn a_tokenizer_of_ones_own_is_used_or_its_remedy_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokenizer.json").display().to_string();
    let model = r#"{"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}}"#;
    std::fs::write(&path, model).unwrap();
    let ran = enfold(&["count", "--text", "--tokenizer", &path], "ababa");
    if cfg!(feature = "tokenizer-json") {
        assert!(ran.stdout.starts_with("3 tokens"), "{}{}", ran.stdout, ran.stderr);
    } else {
        let remedy = "cargo install --path crates/cli --features tokenizer-json";
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(&path) && ran.stderr.trim_end().ends_with(remedy), "{}", ran.stderr);
    }
}

#[test]
fn validate_accepts_the_examples_and_refuses_an_orphan_result() {
    let good = enfold(&["validate", &example("long.jsonl")], "");
    assert_eq!(good.code, 0, "{}{}", good.stdout, good.stderr);
    let orphan = "{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"x\"}\n";
    let bad = enfold(&["validate"], orphan);
    assert_eq!(bad.code, 4, "{}", bad.stdout);
    assert!(bad.stdout.contains("C2"), "{}", bad.stdout);
    let report: Value = serde_json::from_str(&enfold(&["validate", "--json"], orphan).stdout).unwrap();
    assert_eq!(report["valid"], false);
}

#[test]
fn validate_prints_its_rules() {
    let one = enfold(&["validate", "--rules", "anthropic"], "");
    assert!(one.stdout.contains("A1") && !one.stdout.contains("C1 "), "{}", one.stdout);
    let all = json(&["validate", "--rules", "--json"]);
    assert_eq!(all.as_object().unwrap().len(), 6);
}

#[test]
fn models_lists_filters_and_explains() {
    assert!(enfold(&["models"], "").stdout.lines().count() > 100);
    let some = enfold(&["models", "claude", "sonnet"], "").stdout;
    assert!(some.contains("claude-sonnet-4-5") && !some.contains("gpt-4o"), "{some}");
    let one = enfold(&["models", "openai/gpt-4o"], "").stdout;
    assert!(one.contains("usable") && one.contains("128000 - 4096 - 2000 - 5000"), "{one}");
    let unknown = enfold(&["models", "gtp-4o"], "");
    assert_eq!(unknown.code, 0);
    assert!(unknown.stderr.contains("did you mean `gpt-4o`?"), "{}", unknown.stderr);
}

#[test]
fn own_models_win() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, "[\"gpt-4o\"]\ncontext = 64000\n").unwrap();
    assert_eq!(json(&["models", "gpt-4o", "--json", "--models", arg(&path)])["context"], 64_000);
    std::fs::write(&path, "nonsense").unwrap();
    assert_eq!(enfold(&["models", "--models", arg(&path)], "").code, 2);
}

#[test]
fn file_at_prints_the_content_and_how_sure_it_is() {
    let ran = enfold(&["file-at", &example("long.jsonl"), "src/budget.c", "--step", "36"], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("#include \"tally.h\"\n"), "{}", ran.stdout);
    assert_eq!(ran.stderr, "src/budget.c: after step 36: whole, 132 lines; certain\n");
    let early = enfold(&["file-at", &example("long.jsonl"), "src/main.c", "--step", "1"], "");
    assert_eq!(early.code, 2);
    assert!(early.stderr.contains("there is src/main.c (from step "), "{}", early.stderr);
    let late = enfold(&["file-at", &example("long.jsonl"), "src/main.c", "--step", "65"], "");
    assert!(late.stderr.contains("--step 65: the session has 64 steps"), "{}", late.stderr);
}

#[test]
fn changelog_lists_changes_with_their_intents() {
    let text = enfold(&["changelog", &example("long.jsonl")], "").stdout;
    assert!(text.starts_with("# Changes\n") && text.contains("## src/main.c"), "{text}");
    let changes = json(&["changelog", &example("long.jsonl"), "--json"]);
    assert!(changes["changes"].as_array().unwrap().iter().any(|change| change["intent"].is_string()));
}

#[test]
fn real_sessions_are_inspected_or_refused_with_a_reason() {
    let files = real_sessions();
    for file in &files {
        let ran = enfold(&["inspect", "--json", arg(file), "--tokenizer", "heuristic"], "");
        assert!(matches!(ran.code, 0 | 2), "{}: {} {}", file.display(), ran.code, ran.stderr);
        if ran.code == 2 {
            eprintln!("{}", ran.stderr.trim_end());
        }
    }
}

#[test]
fn real_sessions_fold_into_a_budget_or_say_why_not() {
    for file in real_sessions() {
        let ran = enfold(&["fold", arg(&file), "--budget", "16k", "--report", "json"], "");
        assert!(matches!(ran.code, 0 | 2 | 3), "{}: {} {}", file.display(), ran.code, ran.stderr);
        if ran.code != 0 {
            eprintln!("{}", ran.stderr.lines().last().unwrap_or(""));
            continue;
        }
        let said: Value = serde_json::from_str(ran.stderr.lines().last().unwrap()).unwrap();
        let mut count = vec!["count", "--json", "--from", said["to"].as_str().unwrap()];
        count.extend(said["model"].as_str().into_iter().flat_map(|model| ["--model", model]));
        let counted: Value = serde_json::from_str(&enfold(&count, &ran.stdout).stdout).unwrap();
        assert_eq!(counted["tokens"], said["after"], "{}", file.display());
        assert!(counted["tokens"].as_u64().unwrap() <= 16_000, "{}", file.display());
    }
}

fn real_sessions() -> Vec<PathBuf> {
    let Some(root) = std::env::var_os("ENFOLD_SESSIONS") else {
        eprintln!("SKIPPED: set ENFOLD_SESSIONS to a folder of real sessions");
        return Vec::new();
    };
    let folders = [Path::new(&root).join("dev"), Path::new(&root).join("native")];
    let files: Vec<PathBuf> = folders.iter().flat_map(|folder| walk(folder)).collect();
    assert!(files.len() > 10, "{} files", files.len());
    files
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(walk(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

#[test]
fn the_ledger_tells_task_files_and_commands_within_its_size() {
    let whole = json(&["ledger", "--json", &example("long.jsonl")]);
    let task = whole["task"].as_str().unwrap();
    assert_eq!(whole["requests"][0]["text"], task);
    assert!(
        !whole["files"].as_array().unwrap().is_empty() && !whole["commands"].as_array().unwrap().is_empty()
    );
    let ran = enfold(&["ledger", &example("long.jsonl"), "--tokens", "300"], "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains(task.lines().next().unwrap()), "{}", ran.stdout);
    assert!(ran.stdout.contains("more"), "what is left out is said:\n{}", ran.stdout);
}
