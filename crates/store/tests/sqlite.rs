//! The SQLite backend keeps the contract, and what only a file can do wrong.

// Helpers of tests fail as tests do.
#![allow(clippy::unwrap_used)]

use enfold::history::MessageId;
use std::cell::Cell;
use std::fs;
use std::time::Duration;

use enfold_store::contract::contract;
use enfold_store::{Entry, Error, NewSession, Records, Sessions, Sqlite, Transfer, rows};
use rusqlite::Connection;

#[test]
fn sqlite_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let made = Cell::new(0);
    contract(|| {
        made.set(made.get() + 1);
        Sqlite::open(folder.path().join(format!("{}.db", made.get()))).unwrap()
    });
    assert!(made.get() > 30);
    for nth in 1..=made.get() {
        Sqlite::open(folder.path().join(format!("{nth}.db"))).unwrap().check().unwrap();
    }
}

fn now() -> Duration {
    Duration::from_secs(1_700_000_000)
}

fn session(id: &str) -> NewSession {
    NewSession { id: id.into(), wire: "openai-chat".into(), ..NewSession::default() }
}

#[cfg(unix)]
#[test]
fn the_file_and_its_folder_are_for_nobody_else() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/store.db");
    let store = Sqlite::open(&path).unwrap();
    store.create(&session("s"), now()).unwrap();
    let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode("deep"), mode("deep/er")], [0o700; 2]);
    assert_eq!(
        [mode("deep/er/store.db"), mode("deep/er/store.db-wal"), mode("deep/er/store.db-shm")],
        [0o600; 3]
    );
}

#[test]
fn what_is_no_database_of_ours_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    fs::write(&text, "these are my notes, and they are long enough to be a header\n".repeat(20)).unwrap();
    let other = folder.path().join("other.db");
    Connection::open(&other)
        .unwrap()
        .execute_batch("CREATE TABLE theirs (x); PRAGMA user_version = 1")
        .unwrap();
    for path in [&text, &other] {
        let before = fs::read(path).unwrap();
        let error = Sqlite::open(path).map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::NotOurs(_)), "{error}");
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
        assert_eq!(fs::read(path).unwrap(), before);
    }
}

#[test]
fn a_changed_byte_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = Sqlite::open(&path).unwrap();
    store.create(&session("s"), now()).unwrap();
    store.append("s", &Entry::messages(["abcdefgh"]), now()).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute("UPDATE blobs SET bytes = CAST('abcdefgx' AS BLOB)", []).unwrap();
    let error = store.messages("s", MessageId::ALL).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
    assert!(matches!(store.check().unwrap_err(), Error::Damaged { .. }));
}

#[test]
fn rows_of_another_program_become_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("legacy.sqlite");
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch(
            r#"CREATE TABLE "chat rows" (who TEXT, "what" TEXT, at TEXT, thread INTEGER);
               INSERT INTO "chat rows" VALUES
                 ('assistant', '[{"type":"text","text":"a\nb"}]', '2024-05-01 10:00:01', 7),
                 ('user', 'plain { text', '2024-05-01T10:00:00Z', 7),
                 ('user', NULL, '2024-05-01 10:00:02', 7),
                 ('user', '{"text":"other"}', '2024-05-02 00:00:00.250', 8);"#,
        )
        .unwrap();
    let columns = rows::Columns {
        table: "chat rows".into(),
        session: Some("thread".into()),
        role: "who".into(),
        content: "what".into(),
        created: Some("at".into()),
    };
    let found = rows::read(&path, &columns).unwrap();
    let store = Sqlite::open(folder.path().join("store.db")).unwrap();
    for found in &found {
        store.put_in(&found.session).unwrap();
    }
    let raw = |id: &str| -> Vec<String> {
        store.messages(id, MessageId::ALL).unwrap().iter().map(|message| message.raw.to_string()).collect()
    };
    assert_eq!(
        raw("7"),
        [
            r#"{"role":"user","content":"plain { text"}"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"a\nb"}]}"#
        ]
    );
    assert_eq!(raw("8"), [r#"{"role":"user","content":"other"}"#]);
    let stored = store.session("8").unwrap().unwrap();
    assert_eq!((stored.session.wire.as_str(), stored.created.as_millis()), ("ai-sdk", 1_714_608_000_250));
    assert_eq!((found[0].findings.len(), found[1].findings.len()), (1, 0));
    let missing = rows::read(&path, &rows::Columns::default()).unwrap_err().to_string();
    assert!(missing.contains("legacy.sqlite") && missing.contains("no such table: messages"), "{missing}");
    assert!(store.epochs("7").unwrap().is_empty());
}
