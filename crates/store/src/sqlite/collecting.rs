//! Removing what is too old or too much, and what nobody holds.

use enfold::history::MessageId;
use std::time::Duration;

use rusqlite::{Connection, params};

use super::dictionaries::Dictionaries;
use super::{Ending, Fault, Sqlite, blobs, count, lock, millis, searching};
use crate::{Error, Hit, Limits, Report, Upkeep};

impl Upkeep for Sqlite {
    fn search(&self, id: &str, query: &str, limit: usize) -> Result<Vec<Hit>, Error> {
        self.find(id, query, limit)
    }

    fn collect(&self, now: Duration, limits: &Limits) -> Result<Report, Error> {
        // The same work either way, so that a dry run tells what would be.
        let ending = if limits.dry_run { Ending::Undo } else { Ending::Commit };
        let report = self.write_until(ending, |tx| {
            let before = used(tx)?;
            let mut gone = idle(tx, now, limits)?;
            let mut blobs = remove(tx, &self.dictionaries, &keys(&gone))?;
            // What a session takes is only known when it is gone: others hold some of the same originals.
            loop {
                let over = used(tx)?.saturating_sub(limits.bytes.unwrap_or(u64::MAX));
                let more = oldest(tx, now, over)?;
                if more.is_empty() {
                    break;
                }
                blobs += remove(tx, &self.dictionaries, &keys(&more))?;
                gone.extend(more);
            }
            let sessions = gone.into_iter().map(|(_, id)| id).collect();
            Ok(Report { sessions, blobs, before, after: used(tx)? })
        })?;
        if !limits.dry_run {
            self.shrink()?;
        }
        Ok(report)
    }
}

impl Sqlite {
    /// Gives room that nothing takes back to the disk.
    fn shrink(&self) -> Result<(), Error> {
        let writer = lock(&self.writer);
        let shrink = || -> Result<(), Fault> {
            for step in ["PRAGMA incremental_vacuum", "PRAGMA wal_checkpoint(TRUNCATE)"] {
                let mut statement = writer.prepare(step)?;
                let mut rows = statement.query([])?;
                while rows.next()?.is_some() {}
            }
            Ok(())
        };
        shrink().map_err(|fault| self.explain(fault))
    }
}

/// Keys and ids of sessions.
type Chosen = Vec<(i64, String)>;

fn keys(sessions: &Chosen) -> Vec<i64> {
    sessions.iter().map(|(key, _)| *key).collect()
}

/// Bytes of the pages in use.
fn used(db: &Connection) -> Result<u64, Fault> {
    let pragma = |name: &str| db.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    Ok(count::<u64>(pragma("page_count")? - pragma("freelist_count")?) * count::<u64>(pragma("page_size")?))
}

/// A session whose lease holds is in use.
const FREE: &str = "(lease_owner IS NULL OR lease_until <= ?1)";

fn idle(db: &Connection, now: Duration, limits: &Limits) -> Result<Chosen, Fault> {
    let Some(idle) = limits.idle else { return Ok(Vec::new()) };
    let select = format!("SELECT key, id FROM sessions WHERE {FREE} AND updated < ?2 ORDER BY updated, key");
    let since = millis(now.saturating_sub(idle));
    let mut statement = db.prepare(&select)?;
    let rows = statement.query_map(params![millis(now), since], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The sessions used least recently that together may take `over` bytes.
fn oldest(db: &Connection, now: Duration, over: u64) -> Result<Chosen, Fault> {
    let select = format!(
        "SELECT key, id, (SELECT coalesce(sum(length(bytes)), 0) FROM messages
                          JOIN blobs ON blobs.key = messages.blob WHERE messages.session = sessions.key)
         FROM sessions WHERE {FREE} ORDER BY updated, key"
    );
    let mut statement = db.prepare(&select)?;
    let mut rows = statement.query(params![millis(now)])?;
    let (mut chosen, mut freed) = (Vec::new(), 0);
    while freed < over {
        let Some(row) = rows.next()? else { break };
        chosen.push((row.get(0)?, row.get(1)?));
        freed += count::<u64>(row.get(2)?).max(1);
    }
    Ok(chosen)
}

/// Removes sessions, and then the blobs that nobody holds. Returns how many of these. O(database).
pub(super) fn remove(db: &Connection, dictionaries: &Dictionaries, sessions: &[i64]) -> Result<u64, Fault> {
    db.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS doomed (key INTEGER PRIMARY KEY);
         CREATE TEMP TABLE IF NOT EXISTS live (key INTEGER PRIMARY KEY);
         DELETE FROM doomed; DELETE FROM live;",
    )?;
    for session in sessions {
        db.execute("INSERT INTO doomed VALUES (?1)", [session])?;
        searching::forget(db, *session, MessageId::FIRST)?;
    }
    db.execute_batch(
        "INSERT OR IGNORE INTO live SELECT blob FROM messages WHERE session NOT IN doomed;
         INSERT OR IGNORE INTO live SELECT blob FROM replaced WHERE session NOT IN doomed;
         INSERT OR IGNORE INTO live SELECT blob FROM handles WHERE session NOT IN doomed AND blob IS NOT NULL;",
    )?;
    free_from(db, dictionaries)?;
    db.execute("DELETE FROM sessions WHERE key IN doomed", [])?;
    Ok(db.execute("DELETE FROM blobs WHERE key NOT IN live", [])? as u64)
}

/// Blobs that others hold too must not need a dictionary that leaves.
fn free_from(db: &Connection, dictionaries: &Dictionaries) -> Result<(), Fault> {
    let bound = "SELECT key FROM blobs WHERE key IN live AND dictionary IN
                 (SELECT key FROM dictionaries WHERE session IN doomed)";
    let mut statement = db.prepare(bound)?;
    let keys: Vec<i64> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for key in keys {
        blobs::pack_alone(db, dictionaries, key)?;
    }
    Ok(())
}
