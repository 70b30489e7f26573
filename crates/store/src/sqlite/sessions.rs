//! Sessions: created, listed, removed.

use std::ops::Range;
use std::time::Duration;

use enfold::history::MessageId;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, params};

use super::{Fault, Sqlite, appending, collecting, count, millis, reading, time};
use crate::{Entry, Error, NewSession, Sessions, StoredMessage, StoredSession};

impl Sessions for Sqlite {
    fn create(&self, session: &NewSession, now: Duration) -> Result<(), Error> {
        self.write(|tx| insert(tx, session, now).map(|_| ()))
    }

    fn describe(&self, session: &NewSession) -> Result<(), Error> {
        let NewSession { id, name, policy, model, .. } = session;
        self.write(|tx| {
            let key = key(tx, id)?;
            let update = "UPDATE sessions SET name = ?2, policy = ?3, model = ?4 WHERE key = ?1";
            tx.execute(update, params![key, name, policy, model])?;
            Ok(())
        })
    }

    fn session(&self, id: &str) -> Result<Option<StoredSession>, Error> {
        self.read(|tx| {
            let mut statement = tx.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?;
            Ok(statement.query_row([id], read_session).optional()?)
        })
    }

    fn sessions(&self) -> Result<Vec<StoredSession>, Error> {
        self.read(|tx| {
            let mut statement = tx.prepare_cached(&format!("{SELECT} ORDER BY updated DESC, key DESC"))?;
            let rows = statement.query_map([], read_session)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    fn remove(&self, id: &str) -> Result<bool, Error> {
        self.write(|tx| {
            let Some(session) = find(tx, id)? else { return Ok(false) };
            collecting::remove(tx, &self.dictionaries, &[session])?;
            Ok(true)
        })
    }

    fn append(&self, id: &str, entry: &Entry, now: Duration) -> Result<Range<MessageId>, Error> {
        self.write(|tx| appending::append(tx, &self.dictionaries, id, entry, now))
    }

    fn messages(&self, id: &str, range: Range<MessageId>) -> Result<Vec<StoredMessage>, Error> {
        self.read(|tx| {
            let session = key(tx, id)?;
            reading::messages(tx, &self.dictionaries, session, range)
        })
    }
}

const SELECT: &str = "SELECT id, name, wire, policy, model, created, updated,
    (SELECT coalesce(max(number) + 1, 0) FROM messages WHERE session = key),
    bytes, revision, compactions, compacted, lease_owner, lease_until FROM sessions";

fn read_session(row: &Row) -> rusqlite::Result<StoredSession> {
    let owner: Option<String> = row.get(12)?;
    Ok(StoredSession {
        session: NewSession {
            id: row.get(0)?,
            name: row.get(1)?,
            wire: row.get(2)?,
            policy: row.get(3)?,
            model: row.get(4)?,
        },
        created: time(row.get(5)?),
        updated: time(row.get(6)?),
        messages: count(row.get(7)?),
        bytes: count(row.get(8)?),
        revision: count(row.get(9)?),
        compactions: count(row.get(10)?),
        compacted: row.get::<_, Option<i64>>(11)?.map(time),
        lease: owner.zip(row.get::<_, Option<i64>>(13)?.map(time)),
    })
}

/// Creates a session and returns its key.
pub(super) fn insert(db: &Connection, session: &NewSession, now: Duration) -> Result<i64, Fault> {
    let insert = "INSERT INTO sessions (id, name, wire, policy, model, created, updated)
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)";
    let NewSession { id, name, wire, policy, model } = session;
    match db.execute(insert, params![id, name, wire, policy, model, millis(now)]) {
        Ok(_) => Ok(db.last_insert_rowid()),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
            Err(Error::SessionExists(id.clone()).into())
        }
        Err(error) => Err(error.into()),
    }
}

/// The key of a session that must be there.
pub(super) fn key(db: &Connection, id: &str) -> Result<i64, Fault> {
    find(db, id)?.ok_or_else(|| Error::NoSession(id.to_string()).into())
}

fn find(db: &Connection, id: &str) -> Result<Option<i64>, Fault> {
    let mut statement = db.prepare_cached("SELECT key FROM sessions WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?)
}

/// The session of an id as it is stored.
pub(super) fn stored(db: &Connection, id: &str) -> Result<StoredSession, Fault> {
    let mut statement = db.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?;
    let found = statement.query_row([id], read_session).optional()?;
    found.ok_or_else(|| Error::NoSession(id.to_string()).into())
}
