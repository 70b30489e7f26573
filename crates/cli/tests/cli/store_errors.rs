//! What the commands over the store say when they cannot do what they were asked.

use std::process::Command;
use std::time::Duration;

use enfold_store::{Leases, Sqlite};

use crate::support::{Store, arg, enfold, example};

#[test]
fn without_a_store_every_command_says_how_to_make_one() {
    let store = Store::new();
    let said = store.refused(&["sessions", "list"]);
    insta::assert_snapshot!(said, @"error: DIR/store.db: there is no store; make one with `enfold sessions import FILE`, or name another with --store FILE");
    for args in [
        &["sessions", "show", "x"][..],
        &["sessions", "export", "x"],
        &["sessions", "rm", "x"],
        &["sessions", "gc"],
        &["log", "x"],
        &["search", "x", "y"],
        &["ledger", "session:x"],
        &["fold", "session:x", "--budget", "16k"],
        &["unfold", "123456789", "--session", "x"],
    ] {
        assert_eq!(store.refused(args), said, "{args:?}");
    }
    assert!(!store.path().exists(), "looking makes no store");
}

#[test]
fn what_is_no_store_is_named_and_left_alone() {
    let store = Store::new();
    let text = store
        .beside("store.db", "just some notes, longer than a header of SQLite would be, and then some more");
    let folder = tempfile::tempdir().unwrap();
    let mut said = store.refused(&["sessions", "list"]);
    said += &store.refused(&["sessions", "import", &example("pi.jsonl")]);
    said += &enfold(&["sessions", "list", "--store", arg(folder.path())], "")
        .stderr
        .replace(arg(folder.path()), "FOLDER");
    insta::assert_snapshot!(said);
    assert!(std::fs::read_to_string(text).unwrap().starts_with("just some notes"));
}

#[test]
fn a_store_that_was_cut_off_is_damaged() {
    let store = Store::with(&["long.jsonl"]);
    let whole = std::fs::read(store.path()).unwrap();
    std::fs::write(store.path(), &whole[..whole.len() / 2]).unwrap();
    let said = store.refused(&["sessions", "export", "long"]);
    assert!(said.starts_with("error: DIR/store.db: damaged: "), "{said}");
}

#[test]
fn a_store_that_somebody_writes_to_for_too_long_is_busy() {
    let store = Store::with(&["pi.jsonl"]);
    let other = rusqlite::Connection::open(store.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(store.done(&["sessions", "list"]).contains("pi"), "reading goes on");
    let said = store.refused(&["sessions", "rm", "pi"]);
    insta::assert_snapshot!(said, @"error: DIR/store.db: another process has been writing for 5 s; try again, or stop it");
}

#[test]
fn a_store_that_cannot_be_written_is_named() {
    let disk = tempfile::tempdir().unwrap();
    let mount = |options: &str| {
        let args = ["-t", "tmpfs", "-o", options, "tmpfs", arg(disk.path())];
        Command::new("mount").args(args).output().is_ok_and(|done| done.status.success())
    };
    if !mount("size=4m") {
        eprintln!("SKIPPED: a disk that cannot be written; this user may not mount one");
        return;
    }
    let path = disk.path().join("store.db");
    let run = |args: &[&str]| enfold(&[args, &["--store", arg(&path)]].concat(), "");
    let imported = run(&["sessions", "import", &example("pi.jsonl")]);
    let is_read_only = mount("remount,ro,size=4m");
    let said = run(&["sessions", "import", &example("long.jsonl")]);
    let _ = Command::new("umount").arg(disk.path()).output();
    assert!(is_read_only && imported.code == 0, "{}", imported.stderr);
    assert_eq!((said.code, said.stdout.as_str()), (2, ""));
    insta::assert_snapshot!(said.stderr.replace(arg(disk.path()), "DISK"), @"error: DISK/store.db: cannot be written; make the file and its folder writable, or name another place: nothing was changed");
}

#[test]
fn an_id_that_is_not_there_or_not_enough_is_answered_with_those_that_are() {
    let store = Store::with(&["openhands.jsonl", "openhands-sdk", "long.jsonl"]);
    let mut said = String::new();
    for id in ["open", "openhands-skd", "nothing like it", ""] {
        said += &store.refused(&["sessions", "show", id]);
    }
    said += &store.refused(&["inspect", "session:open"]);
    said += &store.refused(&["sessions", "rm", "long", "open"]);
    said += &store.refused(&["inspect", "session:long", "--from", "openai-chat"]);
    said += &store.refused(&["search", "long"]);
    said += &store.refused(&["search", "long", "()"]);
    said += &store.refused(&["sessions", "import", "session:long"]);
    insta::assert_snapshot!(said);
    assert_eq!(
        store.json(&["sessions", "show", "openhands", "--json"])["id"],
        "openhands",
        "a whole id is enough"
    );
    assert_eq!(store.json(&["sessions", "show", "l", "--json"])["id"], "long");
}

#[test]
fn a_handle_that_opens_nothing_is_answered_with_where_to_look() {
    let store = Store::with(&["long.jsonl", "pi.jsonl"]);
    let mut said = store.refused(&["unfold", "123456789"]);
    let view = store.done(&["fold", "session:long", "--budget", "16k"]);
    let at = view.find('#').unwrap();
    let handle = view[at + 1..]
        .split(|letter: char| !letter.is_ascii_digit())
        .find(|digits| digits.len() == 9)
        .unwrap();
    let last = handle.chars().last().unwrap();
    let near = handle[..8].to_string() + if last == '0' { "1" } else { "0" };
    assert_eq!(store.run(&["unfold", handle]).code, 0);
    let hint = store.refused(&["unfold", &near]);
    assert!(hint.ends_with(&format!("did you mean `{handle}`?\n")), "{hint}");
    said += &store.refused(&["unfold", handle, "--session", "pi"]).replace(handle, "HANDLE");
    said += &store.refused(&["unfold", "12"]);
    insta::assert_snapshot!(said);
}

#[test]
fn one_handle_with_two_originals_asks_which_session_is_meant() {
    use enfold_store::{Entry, Original, Recording, Sessions};
    let store = Store::with(&["pi.jsonl", "codex.jsonl"]);
    let sqlite = Sqlite::open(store.path()).unwrap();
    for id in ["pi", "codex"] {
        let originals = vec![(7, Original::Text(id.into())), (8, Original::Text("same".into()))];
        let recording = Recording { epoch: 1, originals, ..Recording::default() };
        sqlite.append(id, &Entry { recording: Some(recording), ..Entry::default() }, Duration::ZERO).unwrap();
    }
    insta::assert_snapshot!(store.refused(&["unfold", "000000007"]), @"error: #000000007: several sessions have an original with this handle; add --session with one of codex, pi");
    assert_eq!(store.done(&["unfold", "000000007", "--session", "cod"]), "codex");
    assert_eq!(store.done(&["unfold", "000000008"]), "same");
}

#[test]
fn a_session_that_is_being_compacted_is_left_alone() {
    let store = Store::with(&["long.jsonl"]);
    let sqlite = Sqlite::open(store.path()).unwrap();
    let now = std::time::UNIX_EPOCH.elapsed().unwrap();
    sqlite.acquire("long", "an agent", now, Duration::from_secs(3_000)).unwrap();
    let seconds = |said: String| said.replace("3001", "N").replace("3000", "N").replace("2999", "N");
    let mut said = seconds(store.refused(&["sessions", "rm", "long"]));
    let ran = store.run(&["fold", "session:long", "--budget", "16k", "--report", "none"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "no view leaves whose originals are not recorded");
    said += &seconds(ran.stderr);
    insta::assert_snapshot!(said);
    let shown = store.done(&["sessions", "show", "long"]);
    assert!(shown.contains("held by an agent for "), "{shown}");
    assert!(store.done(&["sessions", "gc", "--max-size", "1kB"]).contains("is being compacted"));
    assert_eq!(store.messages("long").len(), 181);
}
