//! What a session has sent: one row, packed. What it has learnt since: another, small.

use rusqlite::{Connection, OptionalExtension, params};

use super::{Fault, count, int};

/// zstd's own default.
const LEVEL: i32 = 3;

/// Writes a checkpoint in place of the one there was.
pub(super) fn put(db: &Connection, session: i64, json: &str) -> Result<(), Fault> {
    let packed = zstd::bulk::compress(json.as_bytes(), LEVEL)
        .map_err(|error| Fault::Damaged(format!("zstd: {error}")))?;
    let put = "INSERT OR REPLACE INTO checkpoints (session, size, packed) VALUES (?1, ?2, ?3)";
    db.prepare_cached(put)?.execute(params![session, int(json.len()), packed])?;
    db.prepare_cached("DELETE FROM learnt WHERE session = ?1")?.execute([session])?;
    Ok(())
}

/// Writes what was learnt since the checkpoint, in place of what there was.
pub(super) fn put_learnt(db: &Connection, session: i64, json: &str) -> Result<(), Fault> {
    let put = "INSERT OR REPLACE INTO learnt (session, json) VALUES (?1, ?2)";
    db.prepare_cached(put)?.execute(params![session, json])?;
    Ok(())
}

/// What was learnt since the checkpoint.
pub(super) fn learnt(db: &Connection, session: i64) -> Result<Option<String>, Fault> {
    let select = "SELECT json FROM learnt WHERE session = ?1";
    Ok(db.prepare_cached(select)?.query_row([session], |row| row.get(0)).optional()?)
}

/// The checkpoint of a session.
pub(super) fn get(db: &Connection, session: i64) -> Result<Option<String>, Fault> {
    let select = "SELECT size, packed FROM checkpoints WHERE session = ?1";
    let row = |row: &rusqlite::Row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?));
    let Some((size, packed)) = db.prepare_cached(select)?.query_row([session], row).optional()? else {
        return Ok(None);
    };
    // One that cannot be read is as good as none: the session begins a new epoch.
    let json = zstd::bulk::decompress(&packed, count(size)).ok();
    Ok(json.and_then(|json| String::from_utf8(json).ok()))
}
