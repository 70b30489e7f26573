//! Sessions out of other programs' tables: a row per message, with the role, and content that may be JSON in a string.

mod guess;

use std::path::Path;
use std::time::Duration;

use enfold::file;
use enfold::finding::Finding;
use enfold::history::MessageId;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::json;

use crate::{Error, NewSession, Portable, StoredMessage, StoredSession, sqlite};

pub use guess::guess;

/// Where the rows are and what their columns are called.
#[derive(Clone, Debug)]
pub struct Columns {
    /// The table.
    pub table: String,
    /// Which session a row belongs to; without it all rows are one session, named like the file.
    pub session: Option<String>,
    /// Who speaks.
    pub role: String,
    /// What is said.
    pub content: String,
    /// When: seconds or milliseconds since 1970, or a date as SQLite reads it. Orders the rows.
    pub created: Option<String>,
}

impl Default for Columns {
    fn default() -> Columns {
        Columns {
            table: "messages".into(),
            session: Some("session_id".into()),
            role: "role".into(),
            content: "content".into(),
            created: Some("created_at".into()),
        }
    }
}

/// A session that was found, and what was noticed on the way. [`crate::Transfer::put_in`] stores it.
#[derive(Clone, Debug)]
pub struct Found {
    /// The session.
    pub session: Portable,
    /// Rows that were left out, and why.
    pub findings: Vec<Finding>,
}

/// Reads all sessions of a table in another SQLite file, which is not changed.
pub fn read(path: &Path, columns: &Columns) -> Result<Vec<Found>, Error> {
    let rows = rows(path, columns).map_err(|error| sqlite::explain_other(error, path))?;
    let name = path.file_stem().map_or("rows".into(), |stem| stem.to_string_lossy().into_owned());
    let mut found = Vec::new();
    for (nth, rows) in rows.chunk_by(|one, two| one.session == two.session).enumerate() {
        let refuse = |why: String| Error::Import { line: nth + 1, why };
        let id = rows[0].session.clone().unwrap_or_else(|| name.clone());
        found.push(session(id, rows).map_err(refuse)?);
    }
    Ok(found)
}

struct FlatRow {
    session: Option<String>,
    at: Option<Duration>,
    /// The row as the format's reader takes it.
    line: String,
}

fn rows(path: &Path, columns: &Columns) -> rusqlite::Result<Vec<FlatRow>> {
    let other = open(path)?;
    let maybe = |name: &Option<String>| name.as_deref().map_or("NULL".to_string(), quoted);
    let (session, created) = (maybe(&columns.session), maybe(&columns.created));
    // Milliseconds, from whatever it is: seconds have eleven digits until the year 5138.
    let at = format!(
        "CASE typeof({created}) WHEN 'text' THEN CAST(unixepoch({created}, 'subsec') * 1000 AS INTEGER)
         WHEN 'null' THEN NULL ELSE CAST({created} * (CASE WHEN {created} < 1e11 THEN 1000 ELSE 1 END) AS INTEGER) END"
    );
    let select = format!(
        "SELECT CAST({session} AS TEXT), {at}, CAST({} AS TEXT), CAST({} AS TEXT)
         FROM {} ORDER BY 1, 2, rowid",
        quoted(&columns.role),
        quoted(&columns.content),
        quoted(&columns.table)
    );
    let mut statement = other.prepare(&select)?;
    let rows = statement.query_map([], read_row)?;
    rows.collect()
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags)
}

/// A name as SQL spells it, whatever it holds.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn read_row(row: &Row) -> rusqlite::Result<FlatRow> {
    let at = row.get::<_, Option<i64>>(1)?.and_then(|at| u64::try_from(at).ok()).map(Duration::from_millis);
    let (role, content): (Option<String>, Option<String>) = (row.get(2)?, row.get(3)?);
    let line = json!({"id": 0, "role": role, "content": content}).to_string();
    Ok(FlatRow { session: row.get(0)?, at, line })
}

fn session(id: String, rows: &[FlatRow]) -> Result<Found, String> {
    let lines: Vec<&str> = rows.iter().map(|row| row.line.as_str()).collect();
    let document = file::read_bytes_as("flat-rows", lines.join("\n").into_bytes())
        .map_err(|error| format!("session `{id}`: {error}"))?;
    let messages: Vec<StoredMessage> = document
        .history
        .messages_from(MessageId::FIRST)
        .map(|(number, message)| StoredMessage { number, slot: message.slot, raw: message.raw.clone() })
        .collect();
    let times = || rows.iter().filter_map(|row| row.at);
    let session = StoredSession {
        session: NewSession { id, wire: document.wire.name().into(), ..NewSession::default() },
        created: times().min().unwrap_or_default(),
        updated: times().max().unwrap_or_default(),
        messages: messages.len(),
        bytes: messages.iter().map(|message| message.raw.len() as u64).sum(),
        ..StoredSession::default()
    };
    Ok(Found { session: Portable { session, messages, ..Portable::default() }, findings: document.findings })
}
