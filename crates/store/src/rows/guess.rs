//! Finding the table of messages in another program's file, and which of its columns is what.

use std::path::Path;

use rusqlite::Connection;

use super::{Columns, open};
use crate::{Error, sqlite};

/// What programs call the column that says which session a row belongs to.
const SESSION: &[&str] =
    &["session_id", "session", "conversation_id", "conversation", "thread_id", "thread", "chat_id", "chat"];
/// What they call who speaks.
const ROLE: &[&str] = &["role", "sender", "author", "speaker", "who"];
/// What they call what is said.
const CONTENT: &[&str] = &["content", "message", "text", "body", "parts", "what"];
/// What they call when.
const CREATED: &[&str] = &[
    "created_at",
    "created",
    "timestamp",
    "time_created",
    "created_time",
    "sent_at",
    "time",
    "date",
    "ts",
    "at",
];

/// The columns of a table of messages, by their names: `conversationId` is as good as `conversation_id`. Without a
/// table, the only one that can be meant.
pub fn guess(path: &Path, table: Option<&str>) -> Result<Columns, Error> {
    let failed = |error: rusqlite::Error| sqlite::explain_other(error, path);
    let no_rows = |why: String| Error::NoRows { path: path.into(), why };
    let other = open(path).map_err(failed)?;
    if sqlite::is_ours(&other).map_err(failed)? {
        return Err(no_rows("it is a store of Enfold; open it with --store, and export from it".into()));
    }
    let tables = tables(&other).map_err(failed)?;
    if let Some(table) = table {
        let found = tables.iter().find(|(name, _)| name.eq_ignore_ascii_case(table));
        let (name, columns) = found.ok_or_else(|| {
            no_rows(format!(
                "it has no table `{table}`; it has {}",
                list(tables.iter().map(|(name, _)| name))
            ))
        })?;
        return recognise(name, columns).map_err(no_rows);
    }
    let mut fitting = tables.iter().filter_map(|(name, columns)| recognise(name, columns).ok());
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => {
            let seen = tables.iter().map(|(name, columns)| format!("{name} ({})", columns.join(", ")));
            Err(no_rows(format!(
                "no table has a column for who speaks (such as `role`) and one for what is said (such as `content`); it has {}",
                list(seen)
            )))
        }
        (Some(first), Some(second)) => {
            let names = [first, second].into_iter().chain(fitting).map(|columns| columns.table);
            Err(no_rows(format!(
                "several tables could hold messages; choose one with --table: {}",
                list(names)
            )))
        }
    }
}

fn list(names: impl Iterator<Item = impl ToString>) -> String {
    const MOST: usize = 12;
    let names: Vec<String> = names.map(|name| name.to_string()).collect();
    match names.len() {
        0 => "no tables".into(),
        1..=MOST => names.join(", "),
        more => format!("{}, and {} more", names[..MOST].join(", "), more - MOST),
    }
}

fn recognise(table: &str, columns: &[String]) -> Result<Columns, String> {
    let find = |known: &[&str]| {
        known.iter().find_map(|known| columns.iter().find(|column| plain(column) == plain(known))).cloned()
    };
    let missing = |what: &str, known: &[&str]| {
        let seen = list(columns.iter());
        format!("table `{table}` has no column for {what} ({}); its columns are {seen}", known.join(", "))
    };
    Ok(Columns {
        table: table.into(),
        session: find(SESSION),
        role: find(ROLE).ok_or_else(|| missing("who speaks", ROLE))?,
        content: find(CONTENT).ok_or_else(|| missing("what is said", CONTENT))?,
        created: find(CREATED),
    })
}

/// A name without case and lines: `createdAt` and `created_at` are the same.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Tables with the names of their columns.
fn tables(other: &Connection) -> rusqlite::Result<Vec<(String, Vec<String>)>> {
    let select =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                  ORDER BY name";
    let mut statement = other.prepare(select)?;
    let names = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    let mut columns = other.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let mut tables = Vec::new();
    for name in names {
        let of = columns.query_map([&name], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        tables.push((name, of));
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(sql: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.db");
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        (folder, path)
    }

    fn told(sql: &str, table: Option<&str>) -> String {
        let (folder, path) = made(sql);
        match guess(&path, table) {
            Ok(Columns { table, session, role, content, created }) => {
                let or = |name: Option<String>| name.unwrap_or("-".into());
                format!("{table}: {} {role} {content} {}", or(session), or(created))
            }
            Err(error) => error.to_string().replace(folder.path().to_str().unwrap(), ""),
        }
    }

    #[test]
    fn columns_are_found_by_what_programs_call_them() {
        let usual =
            "CREATE TABLE messages (id, session_id, role, content, created_at); CREATE TABLE users (name);";
        assert_eq!(told(usual, None), "messages: session_id role content created_at");
        let camel = "CREATE TABLE Chat (conversationId, Sender, text, createdAt)";
        assert_eq!(told(camel, None), "Chat: conversationId Sender text createdAt");
        assert_eq!(told("CREATE TABLE m (role, content)", Some("M")), "m: - role content -");
    }

    #[test]
    fn what_is_not_there_is_answered_with_what_is() {
        let two = "CREATE TABLE a (role, content); CREATE TABLE b (role, text); CREATE TABLE c (x, y)";
        assert_eq!(
            told(two, None),
            "/other.db: several tables could hold messages; choose one with --table: a, b"
        );
        assert_eq!(told(two, Some("d")), "/other.db: it has no table `d`; it has a, b, c");
        assert!(told(two, Some("c")).ends_with("; its columns are x, y"), "{}", told(two, Some("c")));
        let none = told("CREATE TABLE c (x, y)", None);
        assert!(none.ends_with("(such as `content`); it has c (x, y)"), "{none}");
        assert!(told("SELECT 1", None).ends_with("it has no tables"));
    }

    #[test]
    fn a_store_of_ours_is_no_legacy_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        crate::Sqlite::open(&path).unwrap();
        assert!(guess(&path, None).unwrap_err().to_string().contains("it is a store of Enfold"));
    }
}
