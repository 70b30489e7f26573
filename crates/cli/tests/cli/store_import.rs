//! What goes into the store, and what happens when it is there already.

use rusqlite::Connection;
use serde_json::Value;

use crate::support::{Store, arg, enfold, example};

fn lines(count: usize) -> String {
    let session = std::fs::read_to_string(example("long.jsonl")).unwrap();
    session.lines().take(count).map(|line| format!("{line}\n")).collect()
}

fn outcome(store: &Store, args: &[&str]) -> (String, u64) {
    let told = store.json(&[&["sessions", "import"], args, &["--json"]].concat());
    let session = &told["sessions"][0];
    (session["outcome"].as_str().unwrap().to_string(), session["added"].as_u64().unwrap())
}

#[test]
fn the_same_twice_is_stored_once_and_what_is_new_is_added() {
    let store = Store::new();
    let file = store.beside("talk.jsonl", lines(50));
    assert_eq!(outcome(&store, &[&file]), ("imported".into(), 50));
    assert_eq!(outcome(&store, &[&file]), ("already_there".into(), 0));
    store.beside("talk.jsonl", lines(60));
    assert_eq!(outcome(&store, &[&file]), ("grown".into(), 10));
    assert_eq!(store.messages("talk").join("\n") + "\n", lines(60));
    store.beside("talk.jsonl", lines(20));
    assert_eq!(outcome(&store, &[&file]), ("already_there".into(), 0));
    store.beside("talk.jsonl", &lines(60)[lines(3).len()..]);
    insta::assert_snapshot!(store.refused(&["sessions", "import", &file]));
    assert_eq!(store.messages("talk").len(), 60);
    assert_eq!(outcome(&store, &[&file, "--id", "other"]), ("imported".into(), 57));
    insta::assert_snapshot!(
        "imported",
        store.plain(&store.done(&["sessions", "import", &file, "--id", "third"]))
    );
}

#[test]
fn usage_grows_with_its_log() {
    let store = Store::new();
    let log = std::fs::read_to_string(example("claude-code.jsonl")).unwrap();
    let half: String = log.lines().take(20).map(|line| format!("{line}\n")).collect();
    let file = store.beside("log.jsonl", half);
    store.done(&["sessions", "import", &file]);
    store.beside("log.jsonl", &log);
    assert_eq!(outcome(&store, &[&file]).0, "grown");
    let shown = store.json(&["sessions", "show", "log", "--json"]);
    let whole = Store::with(&["claude-code.jsonl"]).json(&["sessions", "show", "claude-code", "--json"]);
    assert_eq!(shown["usage"], whole["usage"]);
    assert_eq!(shown["tokens"], whole["tokens"]);
}

#[test]
fn standard_input_needs_an_id() {
    let store = Store::new();
    let said = store.refused(&["sessions", "import", "-"]);
    assert!(said.contains("it has no name to call the session by; add --id ID"), "{said}");
    let path = store.path();
    let args = ["sessions", "import", "-", "--id", "piped", "--store", arg(&path)];
    assert_eq!(enfold(&args, lines(5)).code, 0);
    assert_eq!(store.messages("piped").len(), 5);
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_with_a_name_is_read_whole() {
    let store = Store::new();
    let enfold = assert_cmd::cargo::cargo_bin("enfold");
    let script = format!(
        "'{}' sessions import <(cat '{}') --id piped --store '{}'",
        enfold.display(),
        example("long.jsonl"),
        store.path().display()
    );
    let ran = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(store.messages("piped").len(), 181);
}

#[test]
fn one_broken_file_does_not_hold_up_the_others() {
    let store = Store::new();
    let (good, broken) = (store.beside("good.jsonl", lines(5)), store.beside("broken.jsonl", "{\"role\":"));
    let ran = store.run(&["sessions", "import", &broken, &good]);
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.contains("good     imported"), "{}", ran.stdout);
    insta::assert_snapshot!(store.plain(&ran.stderr));
    let worse = store.run(&["sessions", "import", &broken, "nowhere.jsonl"]);
    assert!(
        worse.stderr.ends_with("error: import: 2 of 2 files could not be taken in; see above\n"),
        "{}",
        worse.stderr
    );
    assert_eq!(store.messages("good").len(), 5);
}

#[test]
fn what_cannot_be_read_makes_no_store() {
    let store = Store::new();
    let broken = store.beside("broken.jsonl", "{\"role\":");
    assert_eq!(store.run(&["sessions", "import", &broken]).code, 2);
    assert!(!store.path().exists());
}

#[test]
fn an_export_that_lacks_something_is_refused_whole() {
    let store = Store::with(&["pi.jsonl"]);
    let export = store.done(&["sessions", "export", "pi"]);
    store.done(&["sessions", "rm", "pi"]);
    let (start, _) = export.trim_end().rsplit_once('\n').unwrap();
    let half = &export[..export.len() / 2];
    let without: String = export
        .lines()
        .filter(|line| !line.contains("\"number\":3,"))
        .map(|line| format!("{line}\n"))
        .collect();
    let mut said = String::new();
    for broken in [start, half, &without, "{\"enfold\":9}\n"] {
        let file = store.beside("pi.export", broken);
        said += &store.refused(&["sessions", "import", &file]);
    }
    insta::assert_snapshot!(said);
    assert!(store.done(&["sessions", "list"]).contains("holds no session"));
    let packed = zstd::encode_all(export.as_bytes(), 1).unwrap();
    assert_eq!(outcome(&store, &[&store.beside("pi.zst", packed)]), ("imported".into(), 12));
}

#[test]
fn rows_of_a_table_become_sessions() {
    let store = Store::new();
    let path = store.beside("app.sqlite", "");
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch(
            r#"CREATE TABLE chat (conversationId TEXT, role TEXT, body TEXT, createdAt TEXT);
               CREATE TABLE users (name TEXT);
               INSERT INTO chat VALUES
                 ('a', 'user', 'Paint the shed', '2024-05-01 10:00:00'),
                 ('a', 'assistant', '[{"type":"text","text":"Which colour?"}]', '2024-05-01 10:00:05'),
                 ('b', 'user', 'Hello', NULL);"#,
        )
        .unwrap();
    let told = store.json(&["sessions", "import", &path, "--json"]);
    let ids: Vec<&str> =
        told["sessions"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a", "b"]);
    assert_eq!(store.messages("a").len(), 2);
    let shown = store.json(&["sessions", "show", "a", "--json"]);
    assert_eq!(
        (&shown["name"], &shown["created"]),
        (&"Paint the shed".into(), &"2024-05-01T10:00:00.000Z".into())
    );
    let undated: Value = store.json(&["sessions", "show", "b", "--json"]);
    assert!(undated["created"].as_str().unwrap() > "2025", "{undated}");
    assert_eq!(outcome(&store, &[&path]).0, "already_there");
    let mut said = String::new();
    for more in [&["--table", "users"][..], &["--table", "chats"], &["--id", "one"]] {
        said += &store.refused(&[&["sessions", "import", &path], more].concat());
    }
    said += &store.refused(&["sessions", "import", &example("pi.jsonl"), "--table", "chat"]);
    said += &store.refused(&["sessions", "import", arg(&store.path())]);
    insta::assert_snapshot!(said);
}

#[test]
fn the_store_is_in_the_users_data_folder() {
    let data = tempfile::tempdir().unwrap();
    let enfold = |args: &[&str]| {
        let mut command = assert_cmd::Command::cargo_bin("enfold").unwrap();
        command.args(args).env_remove("ENFOLD_STORE").env("XDG_DATA_HOME", data.path()).output().unwrap()
    };
    assert!(enfold(&["sessions", "import", &example("pi.jsonl")]).status.success());
    let path = data.path().join("enfold/enfold.db");
    assert!(path.is_file());
    let listed = String::from_utf8(enfold(&["sessions", "list", "--json"]).stdout).unwrap();
    assert!(listed.contains(arg(&path)), "{listed}");
    let mut command = assert_cmd::Command::cargo_bin("enfold").unwrap();
    let homeless = command.args(["sessions", "list"]).env_clear().output().unwrap();
    insta::assert_snapshot!(String::from_utf8(homeless.stderr).unwrap());
}

#[test]
fn an_export_with_absurd_numbers_is_told_without_a_panic() {
    let store = Store::with(&["long.jsonl"]);
    let export = store.done(&["sessions", "export", "long"]);
    let most = u64::MAX.to_string();
    let absurd = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        for time in ["created", "updated"] {
            if let Some(time) = line.get_mut("session").and_then(|session| session.get_mut(time)) {
                *time = u64::MAX.into();
            }
        }
        line.to_string() + "\n"
    };
    let (body, end) = export.trim_end().rsplit_once('\n').unwrap();
    let mut lines: String = body.lines().map(absurd).collect();
    let fold = format!(
        r#"{{"pass":"p","kind":"drop","items":[{most}],"why":"","before":{most},"saved":{most},"handles":[1]}}"#
    );
    let epoch = format!(
        r#"{{"epoch":{{"epoch":4294967295,"revision":9,"at":{most},"opened":"over","policy":"","messages":{most},"before":{most},"after":{most},"limit":0,"folds":[{fold},{fold},{fold}]}}}}"#
    );
    let usage = format!(
        r#"{{"usage":{{"at":0,"messages":{most},"input":{most},"cache_read":{most},"cache_write":0,"output":{most}}}}}"#
    );
    for line in [&epoch, &usage, &usage, &usage] {
        lines += line;
        lines += "\n";
    }
    let before: usize = end.trim_start_matches("{\"end\":").trim_end_matches('}').parse().unwrap();
    lines += &format!("{{\"end\":{}}}\n", before + 4);
    let file = store.beside("absurd", lines);
    store.done(&["sessions", "import", &file, "--id", "absurd"]);
    for args in [
        &["sessions", "list"][..],
        &["sessions", "show", "absurd"],
        &["log", "absurd"],
        &["log", "absurd", "--json"],
        &["inspect", "session:absurd"],
        &["fold", "session:absurd", "--budget", "16k"],
        &["sessions", "export", "absurd"],
        &["sessions", "gc", "--idle", "1s", "--yes"],
    ] {
        store.done(args);
    }
}
