//! Stored sessions: read like files, folded, searched, told about, taken out and in.

use std::collections::BTreeMap;

use enfold::file;
use serde_json::Value;

use crate::support::{Store, arg, enfold, example, examples, json};

fn id(file: &std::path::Path) -> String {
    let name = file.file_name().unwrap().to_str().unwrap();
    name.split('.').next().unwrap().to_string()
}

#[test]
fn every_example_is_kept_byte_for_byte() {
    let store = Store::new();
    for file in examples().iter().filter(|file| file.is_file()) {
        store.done(&["sessions", "import", arg(file)]);
        let document = file::read_bytes(std::fs::read(file).unwrap()).unwrap();
        let raws: Vec<String> = document.history.messages().iter().map(|one| one.raw.to_string()).collect();
        assert_eq!(store.messages(&id(file)), raws, "{}", file.display());
    }
    let written = store.done(&["convert", "session:long", "--to", "openai-chat"]);
    assert!(written == std::fs::read_to_string(example("long.jsonl")).unwrap());
}

#[test]
fn a_stored_session_tells_what_its_file_tells() {
    let store = Store::new();
    for file in examples() {
        store.done(&["sessions", "import", arg(&file)]);
        let session = format!("session:{}", id(&file));
        for command in ["changelog", "ledger"] {
            let stored = store.json(&[command, "--json", &session]);
            assert_eq!(stored, json(&[command, "--json", arg(&file)]), "{command} {session}");
        }
        let stored = store.json(&["inspect", "--json", &session]);
        let read = json(&["inspect", "--json", arg(&file)]);
        for part in
            ["totals", "parts", "messages", "roles", "steps", "files", "tools", "usage", "model", "window"]
        {
            assert_eq!(stored[part], read[part], "{part} of {session}");
        }
    }
    let path = "src/limits.c";
    let stored = store.done(&["file-at", "session:long", path, "--step", "60"]);
    assert!(stored.len() > 1000, "{stored}");
    assert_eq!(stored, enfold(&["file-at", &example("long.jsonl"), path, "--step", "60"], "").stdout);
    for command in [
        &["count", "session:long"][..],
        &["validate", "session:long"],
        &["explain", "session:long", "--budget", "16k"],
    ] {
        let file: Vec<String> =
            command.iter().map(|word| word.replace("session:long", &example("long.jsonl"))).collect();
        let file: Vec<&str> = file.iter().map(String::as_str).collect();
        assert_eq!(
            store.done(command).replace("session:long", "FILE"),
            enfold(&file, "").stdout.replace(&example("long.jsonl"), "FILE")
        );
    }
    assert_eq!(
        store.json(&["sessions", "show", "long", "--json"])["epochs"].as_array().unwrap().len(),
        0,
        "explaining records nothing"
    );
}

/// The handles of a view's report.
fn handles(report: &str) -> Vec<String> {
    let report: Value = serde_json::from_str(report).unwrap();
    let passes = report["passes"].as_array().unwrap().iter();
    let folds = passes.flat_map(|pass| pass["folds"].as_array().unwrap().clone());
    folds
        .flat_map(|fold| fold["handles"].as_array().unwrap().clone())
        .map(|handle| handle.as_str().unwrap().to_string())
        .collect()
}

#[test]
fn what_fold_hides_opens_byte_for_byte_in_a_later_process() {
    let store = Store::with(&["long.jsonl", "claude-code.jsonl"]);
    let blobs = tempfile::tempdir().unwrap();
    let ran = store.run(&[
        "fold",
        "session:long",
        "--budget",
        "16k",
        "--report",
        "json",
        "--blobs",
        arg(blobs.path()),
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let handles = handles(&ran.stderr);
    assert!(handles.len() > 20, "{handles:?}");
    for handle in &handles {
        let file = enfold(&["unfold", handle, "--blobs", arg(blobs.path())], "").stdout;
        assert!(!file.is_empty());
        assert!(store.done(&["unfold", handle, "--session", "lon"]) == file, "{handle}");
    }
    let first = &handles[0];
    assert_eq!(store.done(&["unfold", first]), store.done(&["unfold", &first[1..], "--session", "long"]));
    let elsewhere = tempfile::tempdir().unwrap();
    let fallen_back = store.done(&["unfold", first, "--blobs", arg(elsewhere.path())]);
    assert_eq!(fallen_back, store.done(&["unfold", first]), "what the folder lacks is found in the store");
}

#[test]
fn folding_the_same_again_records_nothing_and_folding_otherwise_a_new_epoch() {
    let store = Store::with(&["long.jsonl"]);
    let epochs = || store.json(&["sessions", "show", "long", "--json"])["epochs"].as_array().unwrap().len();
    let view = store.done(&["fold", "session:long", "--budget", "16k"]);
    assert_eq!(store.done(&["fold", "session:long", "--budget", "16k"]), view);
    assert_eq!(epochs(), 1);
    store.done(&["fold", "session:long", "--budget", "8k"]);
    assert_eq!(epochs(), 2);
    store.done(&["fold", "session:long", "--budget", "1M"]);
    assert_eq!(epochs(), 2, "nothing was folded");
}

#[test]
fn a_view_in_another_format_opens_too() {
    let store = Store::with(&["long.jsonl"]);
    let ran =
        store.run(&["fold", "session:long", "--budget", "16k", "--to", "anthropic", "--report", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let converted = enfold(&["convert", &example("long.jsonl"), "--to", "anthropic"], "").stdout;
    let handles = handles(&ran.stderr);
    assert!(handles.len() > 20);
    let mut whole = 0;
    for handle in &handles {
        let original = store.done(&["unfold", handle]);
        assert!(!original.is_empty(), "{handle}");
        whole += usize::from(converted.contains(serde_json::to_string(&original).unwrap().as_str()));
    }
    assert!(whole > 10, "{whole} of {} stand in the session as they are", handles.len());
}

#[test]
fn show_list_and_log_tell_the_story_of_a_session() {
    let store = Store::with(&["claude-code.jsonl", "long.jsonl"]);
    store.done(&["fold", "session:long", "--budget", "16k"]);
    insta::assert_snapshot!("list", store.plain(&store.done(&["sessions", "list"])));
    insta::assert_snapshot!("show", store.plain(&store.done(&["sessions", "show", "long"])));
    insta::assert_snapshot!("show_usage", store.plain(&store.done(&["sessions", "show", "claude"])));
    insta::assert_snapshot!("log", store.plain(&store.done(&["log", "long"])));
    insta::assert_snapshot!("log_usage", store.plain(&store.done(&["log", "claude"])));
}

#[test]
fn a_log_has_a_line_for_each_entry() {
    let store = Store::with(&["claude-code.jsonl"]);
    store.done(&["fold", "session:claude-code", "--budget", "3k"]);
    let log = store.done(&["log", "claude-code", "--json"]);
    let entries: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut kinds = BTreeMap::new();
    for entry in &entries {
        *kinds.entry(entry["kind"].as_str().unwrap()).or_insert(0) += 1;
        assert!(entry["at"].as_str().unwrap().ends_with('Z'), "{entry}");
    }
    assert_eq!(kinds, BTreeMap::from([("created", 1), ("event", 1), ("epoch", 1), ("usage", 12)]));
    let epoch = entries.last().unwrap();
    assert!(epoch["before"].as_u64().unwrap() > epoch["after"].as_u64().unwrap());
    let folds = epoch["folds"].as_array().unwrap();
    assert!(folds.iter().all(|group| group["before"].as_u64() >= group["after"].as_u64()), "{folds:?}");
}

#[test]
fn agents_answers_and_events_stand_in_the_log() {
    use enfold_store::{Entry, Event, Sessions, Sqlite};
    let store = Store::with(&["pi.jsonl"]);
    let at = std::time::Duration::from_secs(4_000_000_000);
    let event = Event { at, kind: "compaction:complete".into(), json: r#"{"tokens":9}"#.into() };
    let answers = vec![("q1".to_string(), "## Done\nThe parser is fixed.".to_string())];
    let entry = Entry { answers, events: vec![event], ..Entry::default() };
    Sqlite::open(store.path()).unwrap().append("pi", &entry, at).unwrap();
    let log = store.done(&["log", "pi"]);
    assert!(log.contains("answer") && log.contains("## Done The parser is fixed."), "{log}");
    assert!(log.contains("compaction:complete") && log.contains(r#"{"tokens":9}"#), "{log}");
    let log = store.done(&["log", "pi", "--json"]);
    let entries: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let event = entries.iter().find(|entry| entry["event"] == "compaction:complete").unwrap();
    assert_eq!((&event["kind"], &event["about"]["tokens"]), (&"event".into(), &9.into()));
    let answer = entries.iter().find(|entry| entry["kind"] == "answer").unwrap();
    assert_eq!(
        (&answer["question"], &answer["text"]),
        (&"q1".into(), &"## Done\nThe parser is fixed.".into())
    );
}

#[test]
fn a_session_comes_back_the_same_from_its_export() {
    let store = Store::with(&["long.jsonl", "responses.json"]);
    store.done(&["fold", "session:long", "--budget", "16k"]);
    let before = store.json(&["sessions", "show", "long", "--json"]);
    let (messages, log) = (store.messages("long"), store.done(&["log", "long", "--json"]));
    let export = store.beside("long.export", store.done(&["sessions", "export", "long"]));
    assert_eq!(store.done(&["sessions", "rm", "long"]), "removed long (181 messages)\n");
    store.done(&["sessions", "import", &export]);
    assert_eq!(store.json(&["sessions", "show", "long", "--json"]), before);
    assert_eq!(store.messages("long"), messages);
    assert_eq!(store.done(&["log", "long", "--json"]), log);
    let again = store.json(&["sessions", "import", &export, "--json"]);
    assert_eq!(again["sessions"][0]["outcome"], "already_there");
}

#[test]
fn search_finds_words_in_originals_newest_first() {
    let store = Store::with(&["long.jsonl", "claude-code.jsonl"]);
    store.done(&["fold", "session:long", "--budget", "8k"]);
    let hits = store.json(&["search", "long", "limits_report arguments", "--json"])["hits"].clone();
    let numbers: Vec<u64> =
        hits.as_array().unwrap().iter().map(|hit| hit["message"].as_u64().unwrap()).collect();
    assert!(!numbers.is_empty() && numbers.is_sorted_by(|one, two| one > two), "{numbers:?}");
    let file = std::fs::read_to_string(example("long.jsonl")).unwrap();
    for number in numbers {
        let line = file.lines().nth(number as usize - 1).unwrap();
        assert!(line.contains("limits_report") && line.contains("arguments"), "message {number}: {line}");
    }
    let few = store.json(&["search", "long", "int", "--limit", "3", "--json"]);
    assert_eq!(few["hits"].as_array().unwrap().len(), 3);
    let all = store.json(&["search", "--all", "year", "--json"]);
    let all = all["hits"].as_array().unwrap().clone();
    let mut sessions: Vec<&str> = all.iter().map(|hit| hit["session"].as_str().unwrap()).collect();
    sessions.dedup();
    assert_eq!(sessions.len(), 2, "{sessions:?}");
    insta::assert_snapshot!(store.done(&["search", "long", "\"too few arguments\""]));
    assert_eq!(store.done(&["search", "long", "xyzzy"]), "No message holds all of these words.\n");
}

#[test]
fn gc_says_what_it_would_remove_and_then_removes_it() {
    let store = Store::with(&["long.jsonl", "claude-code.jsonl"]);
    assert!(store.done(&["sessions", "gc"]).starts_with("Nothing is too much; "));
    assert!(store.done(&["sessions", "gc", "--idle", "30d"]).starts_with("Nothing is too much; "));
    let dry = store.json(&["sessions", "gc", "--max-size", "1kB", "--dry-run", "--json"]);
    assert_eq!(dry["sessions"].as_array().unwrap().len(), 2);
    assert_eq!(store.json(&["sessions", "list", "--json"])["sessions"].as_array().unwrap().len(), 2);
    let said = store.done(&["sessions", "gc", "--max-size", "150kB"]);
    assert!(said.contains("long") && said.contains("1 session and "), "{said}");
    let left = store.json(&["sessions", "list", "--json"]);
    assert_eq!(left["sessions"][0]["id"], "claude-code");
    let refused = store.refused(&["sessions", "gc", "--max-size", "1kB"]);
    assert!(refused.contains("this would remove every session there is (1 session); add --yes"), "{refused}");
    assert_eq!(store.json(&["sessions", "list", "--json"])["sessions"].as_array().unwrap().len(), 1);
    let said = store.done(&["sessions", "gc", "--max-size", "1kB", "--yes"]);
    assert!(said.contains("That is more than --max-size"), "{said}");
    assert!(store.done(&["sessions", "list"]).contains("holds no session"));
}

#[test]
fn a_session_without_messages_is_no_trouble() {
    use enfold_store::{NewSession, Sessions, Sqlite};
    let store = Store::new();
    let session = NewSession { id: "new".into(), wire: "anthropic".into(), ..NewSession::default() };
    Sqlite::open(store.path()).unwrap().create(&session, std::time::Duration::from_secs(1)).unwrap();
    for args in [
        &["sessions", "list"][..],
        &["sessions", "show", "new"],
        &["log", "new"],
        &["inspect", "session:new"],
        &["ledger", "session:new"],
        &["changelog", "session:new"],
        &["convert", "session:new", "--to", "openai-chat"],
    ] {
        store.done(args);
    }
    assert_eq!(store.done(&["fold", "session:new", "--budget", "16k"]), "");
    assert_eq!(store.done(&["search", "new", "x"]), "No message holds all of these words.\n");
}

#[test]
fn lines_that_nobody_counted_are_not_shown_as_exact() {
    let store = Store::new();
    let call = |id: &str, arguments: &str| {
        let call = serde_json::json!({"id": id, "type": "function",
            "function": {"name": "bash", "arguments": serde_json::json!({"command": arguments}).to_string()}});
        let result = serde_json::json!({"role": "tool", "tool_call_id": id, "content": ""});
        format!(
            "{}\n{result}\n",
            serde_json::json!({"role": "assistant", "content": "", "tool_calls": [call]})
        )
    };
    let session = [
        "{\"role\":\"user\",\"content\":\"Brew it.\"}\n".to_string(),
        call("1", "printf 'a\\nb\\n' > tea.txt"),
        call("2", "python3 brew.py > /dev/null && sed -i '/x/d' tea.txt"),
        call("3", "sed -i '/x/d' pot.txt"),
    ];
    store.done(&["sessions", "import", &store.beside("brew.jsonl", session.concat())]);
    let shown = store.done(&["sessions", "show", "brew"]);
    let row =
        |name: &str| shown.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{shown}"));
    assert!(row("tea.txt").contains("≥ 2"), "{shown}");
    assert!(row("pot.txt").ends_with('?'), "{shown}");
    let files = &store.json(&["sessions", "show", "brew", "--json"])["files"];
    assert!(files.as_array().unwrap().iter().all(|file| file["uncounted"] == true), "{files}");
}
