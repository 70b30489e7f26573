//! What was folded: a packed list for each request that folded something.

use rusqlite::{Connection, OptionalExtension, Row, params};
use zstd::bulk::{Compressor, Decompressor};

use super::dictionaries::LEVEL;
use super::{Fault, count, int};
use crate::FoldRecord;

/// A list as it stands in its row.
struct Packed {
    key: i64,
    size: usize,
    base: Option<i64>,
    bytes: Vec<u8>,
}

/// Adds the folds of a request to an epoch.
pub(super) fn add(db: &Connection, session: i64, epoch: u32, folds: &[FoldRecord]) -> Result<(), Fault> {
    if folds.is_empty() {
        return Ok(());
    }
    let list = serde_json::to_vec(folds).expect("numbers and strings are JSON");
    let (base, bytes) = pack(db, session, &list)?;
    let insert = "INSERT INTO fold_lists (session, epoch, number, size, base, list) VALUES (?1, ?2,
                    (SELECT coalesce(max(number) + 1, 0) FROM fold_lists WHERE session = ?1 AND epoch = ?2),
                    ?3, ?4, ?5)";
    db.prepare_cached(insert)?.execute(params![session, epoch, int(list.len()), base, bytes])?;
    Ok(())
}

/// Packed with the newest list that stands alone, if that makes it half as long; else alone.
fn pack(db: &Connection, session: i64, list: &[u8]) -> Result<(Option<i64>, Vec<u8>), Fault> {
    let failed = |error| Fault::Damaged(format!("a list of folds could not be packed: {error}"));
    let alone = zstd::bulk::compress(list, LEVEL).map_err(failed)?;
    let select = "SELECT key, size, base, list FROM fold_lists WHERE session = ?1 AND base IS NULL
                  ORDER BY epoch DESC, number DESC LIMIT 1";
    let base = db.prepare_cached(select)?.query_row([session], Packed::read).optional()?;
    if let Some(base) = base {
        let dictionary = base.unpack(db)?;
        let with = Compressor::with_dictionary(LEVEL, &dictionary).and_then(|mut it| it.compress(list));
        let with = with.map_err(failed)?;
        if with.len() < alone.len() / 2 {
            return Ok((Some(base.key), with));
        }
    }
    Ok((None, if alone.len() < list.len() { alone } else { list.to_vec() }))
}

/// The folds of an epoch, in order.
pub(super) fn of(db: &Connection, session: i64, epoch: u32) -> Result<Vec<FoldRecord>, Fault> {
    let select =
        "SELECT key, size, base, list FROM fold_lists WHERE session = ?1 AND epoch = ?2 ORDER BY number";
    let mut statement = db.prepare_cached(select)?;
    let rows = statement.query_map(params![session, epoch], Packed::read)?;
    let mut folds = Vec::new();
    for packed in rows {
        let list = packed?.unpack(db)?;
        let list: Vec<FoldRecord> = serde_json::from_slice(&list)
            .map_err(|error| Fault::Damaged(format!("the folds of epoch {epoch}: {error}")))?;
        folds.extend(list);
    }
    Ok(folds)
}

impl Packed {
    fn read(row: &Row) -> Result<Packed, rusqlite::Error> {
        let size = row.get::<_, i64>(1).map(count)?;
        Ok(Packed { key: row.get(0)?, size, base: row.get(2)?, bytes: row.get(3)? })
    }

    /// The list itself. What it is packed with stands alone, so that this ends.
    fn unpack(&self, db: &Connection) -> Result<Vec<u8>, Fault> {
        let damaged = |why: String| Fault::Damaged(format!("list {} of folds: {why}", self.key));
        let unpacked = match (self.base, self.bytes.first()) {
            (None, Some(b'[')) => Ok(self.bytes.clone()),
            (None, _) => zstd::bulk::decompress(&self.bytes, self.size),
            (Some(base), _) => {
                let select = "SELECT key, size, base, list FROM fold_lists WHERE key = ?1 AND base IS NULL";
                let base = db.prepare_cached(select)?.query_row([base], Packed::read).optional()?;
                let base = base.ok_or_else(|| damaged("what it is packed with is missing".into()))?;
                let dictionary = base.unpack(db)?;
                Decompressor::with_dictionary(&dictionary)
                    .and_then(|mut it| it.decompress(&self.bytes, self.size))
            }
        };
        unpacked.map_err(|error| damaged(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use enfold::history::ItemId;

    use crate::{Entry, FoldRecord, NewSession, Recording, Records, Sessions, Sqlite};

    fn folds(epoch: u32, count: u32) -> Vec<FoldRecord> {
        let fold = |nth: u32| FoldRecord {
            pass: "fold_by_value".into(),
            kind: "digest".into(),
            items: vec![ItemId::new(nth as usize)],
            why: format!("lines {nth} of some file"),
            before: Some(u64::from(nth) * 37),
            saved: u64::from(nth * 31 + epoch % 2),
            handles: vec![nth.wrapping_mul(2_654_435_761) % 1_000_000_000],
        };
        (0..count).map(fold).collect()
    }

    #[test]
    fn epochs_that_fold_the_same_again_take_little_room_and_are_read_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(folder.path().join("store.db")).unwrap();
        let now = Duration::from_secs(1);
        let session = NewSession { id: "s".into(), wire: "openai-chat".into(), ..NewSession::default() };
        store.create(&session, now).unwrap();
        // A few folds that resemble nothing, many, the same ones again and again, none, and others.
        let epochs: Vec<Vec<FoldRecord>> = (1..=9)
            .map(|epoch| match epoch {
                1 => folds(1, 2),
                5 => Vec::new(),
                epoch => folds(epoch, 400 + epoch),
            })
            .collect();
        for (epoch, folds) in (1..).zip(&epochs) {
            let recording = Recording {
                epoch,
                opened: Some("overflow".into()),
                policy: "balanced".into(),
                folds: folds.clone(),
                ..Recording::default()
            };
            store.append("s", &Entry { recording: Some(recording), ..Entry::default() }, now).unwrap();
        }
        let read: Vec<Vec<FoldRecord>> =
            store.epochs("s").unwrap().into_iter().map(|epoch| epoch.folds).collect();
        assert_eq!(read, epochs);
        let db = rusqlite::Connection::open(store.path()).unwrap();
        let sizes: Vec<(Option<i64>, i64)> = db
            .prepare("SELECT base, length(list) FROM fold_lists ORDER BY key")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(sizes.len(), 8, "{sizes:?}");
        let alone = sizes.iter().filter(|(base, _)| base.is_none()).map(|(_, size)| *size).max().unwrap();
        let with: Vec<i64> = sizes.iter().filter(|(base, _)| base.is_some()).map(|(_, size)| *size).collect();
        assert!(with.len() >= 5 && with.iter().all(|size| *size < alone / 2), "{sizes:?}");
    }
}
