//! Versions of the schema. A file per step; steps that were released are never edited.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::Fault;
use super::opening::APPLICATION;
use crate::Error;

/// The steps, in order: the first makes version 1.
pub(super) static STEPS: &[&str] = &[
    include_str!("../../migrations/0001_sessions.sql"),
    include_str!("../../migrations/0002_search.sql"),
    include_str!("../../migrations/0003_fold_lists.sql"),
    include_str!("../../migrations/0004_checkpoints.sql"),
    include_str!("../../migrations/0005_learnt.sql"),
];

/// Brings a database up to date, step by step, all of it or nothing.
pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), Fault> {
    if version(connection)? == STEPS.len() {
        return Ok(());
    }
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it while this one waited.
    let found = version(&tx)?;
    if found > STEPS.len() {
        let (found, known) = (found as u32, STEPS.len() as u32);
        return Err(Error::Newer { path: path.into(), found, known }.into());
    }
    for (step, sql) in STEPS.iter().enumerate().skip(found) {
        make(&tx, step, sql)?;
    }
    tx.commit()?;
    Ok(())
}

/// Whether a database that cannot be changed is of this version.
pub(super) fn check(connection: &Connection, path: &Path) -> Result<(), Fault> {
    match version(connection)? {
        found if found == STEPS.len() => Ok(()),
        found if found > STEPS.len() => {
            let (found, known) = (found as u32, STEPS.len() as u32);
            Err(Error::Newer { path: path.into(), found, known }.into())
        }
        _ => Err(Error::ReadOnly(path.into()).into()),
    }
}

fn make(tx: &Transaction, step: usize, sql: &str) -> Result<(), Fault> {
    tx.execute_batch(sql)?;
    tx.pragma_update(None, "user_version", step as i64 + 1)?;
    tx.pragma_update(None, "application_id", APPLICATION)?;
    Ok(())
}

fn version(connection: &Connection) -> Result<usize, Fault> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use enfold::history::{ItemId, MessageId};

    use super::*;
    use crate::{Entry, Records, Sessions, Sqlite, Upkeep};

    /// A session as the first version wrote it: two messages, the second packed.
    const ROWS: &str = r#"
        INSERT INTO sessions (key, id, name, wire, policy, created, updated, bytes)
            VALUES (7, 's', 'old', 'openai-chat', 'balanced', 1000, 2000, 58);
        INSERT INTO messages VALUES (7, 0, 0, 1), (7, 1, 0, 2);
        INSERT INTO handles (session, digits, nth, blob) VALUES (7, 123456789, 0, 1);
        INSERT INTO epochs VALUES (7, 1, 0, 1500, 'over', 'balanced', 2, 100, 60, 80);
    "#;

    /// Its folds, as they were first written and as they are since version 3.
    const FOLDS: [&str; 2] = [
        "INSERT INTO folds VALUES (7, 1, 0, 'trim_age', 'drop', '[0]', 'old', 50, 40, '[123456789]'),
                                  (7, 1, 1, 'cap_results', 'cap', '[1,2]', 'long', NULL, 7, '[]')",
        r#"INSERT INTO fold_lists SELECT NULL, 7, 1, 0, length(list), NULL, CAST(list AS BLOB) FROM (SELECT
            '[{"pass":"trim_age","kind":"drop","items":[0],"why":"old","before":50,"saved":40,"handles":[123456789]},
              {"pass":"cap_results","kind":"cap","items":[1,2],"why":"long","before":null,"saved":7,"handles":[]}]'
            AS list)"#,
    ];

    /// A database as the version after so many steps left it.
    fn made_by(version: usize, path: &Path) {
        let mut old = Connection::open(path).unwrap();
        old.pragma_update(None, "journal_mode", "WAL").unwrap();
        let tx = old.transaction().unwrap();
        for (step, sql) in STEPS.iter().enumerate().take(version) {
            make(&tx, step, sql).unwrap_or_else(|_| panic!("step {step}"));
        }
        tx.execute_batch(ROWS).unwrap();
        tx.execute_batch(FOLDS[usize::from(version >= 3)]).unwrap();
        for (key, text) in [(1i64, MESSAGES[0]), (2, MESSAGES[1])] {
            let hash = blake3::hash(text.as_bytes());
            let (prefix, rest) = crate::sqlite::blobs::split(&hash);
            let insert = "INSERT INTO blobs VALUES (?1, ?2, ?3, ?4, 0, ?5)";
            let values = rusqlite::params![key, prefix, rest, text.len() as i64, text.as_bytes()];
            tx.execute(insert, values).unwrap();
        }
        tx.commit().unwrap();
    }

    const MESSAGES: [&str; 2] =
        [r#"{"role":"user","content":"hello"}"#, r#"{"role":"user","content":"there"}"#];

    fn schema(path: &Path) -> Vec<String> {
        let db = Connection::open(path).unwrap();
        let mut statement =
            db.prepare("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn a_database_of_every_older_version_is_brought_up_to_date() {
        let folder = tempfile::tempdir().unwrap();
        let fresh = folder.path().join("fresh.db");
        drop(Sqlite::open(&fresh).unwrap());
        for version in 1..=STEPS.len() {
            let path = folder.path().join(format!("{version}.db"));
            made_by(version, &path);
            let store = Sqlite::open(&path).unwrap();
            store.check().unwrap();
            let raw: Vec<String> = store
                .messages("s", MessageId::ALL)
                .unwrap()
                .iter()
                .map(|message| message.raw.to_string())
                .collect();
            assert_eq!(raw, MESSAGES);
            let handle = enfold::view::fold::Handle::parse("123456789").unwrap();
            assert_eq!(*store.original("s", handle).unwrap().unwrap(), *MESSAGES[0]);
            let folds = &store.epochs("s").unwrap()[0].folds;
            assert_eq!(folds.len(), 2, "from version {version}");
            assert_eq!(
                (&*folds[0].pass, folds[0].before, &*folds[0].handles),
                ("trim_age", Some(50), &[123456789][..])
            );
            assert_eq!(
                (&*folds[1].pass, folds[1].before, &*folds[1].items),
                ("cap_results", None, &[1, 2].map(ItemId::new)[..])
            );
            assert_eq!(
                store.search("s", "there", 5).unwrap()[0].number,
                MessageId::new(1),
                "from version {version}"
            );
            store.append("s", &Entry::messages(["there again"]), Duration::from_secs(3)).unwrap();
            assert_eq!(store.search("s", "there", 5).unwrap().len(), 2);
            drop(store);
            assert_eq!(schema(&path), schema(&fresh));
        }
    }

    #[test]
    fn a_database_of_a_newer_version_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        drop(Sqlite::open(&path).unwrap());
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        let error = Sqlite::open(&path).map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Newer { found: 99, .. }), "{error}");
        assert!(error.to_string().ends_with("update Enfold"));
    }
}
