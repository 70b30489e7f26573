//! What is known about a session besides its messages.

use bytestring::ByteString;
use enfold::count::Usage;
use enfold::view::fold::Handle;
use rusqlite::{Connection, OptionalExtension, params};

use super::{Fault, Sqlite, checkpoints, count, folds, handles, sessions, time};
use crate::{Answer, Epoch, Error, Event, Records, Timed, digits};

impl Records for Sqlite {
    fn original(&self, id: &str, handle: Handle) -> Result<Option<ByteString>, Error> {
        self.read(|tx| {
            let session = sessions::key(tx, id)?;
            let places = handles::places(tx, session, Some(digits(handle)))?;
            let Some((_, newest)) = places.last() else { return Ok(None) };
            Ok(Some(handles::open(tx, &self.dictionaries, newest)?.into()))
        })
    }

    fn epochs(&self, id: &str) -> Result<Vec<Epoch>, Error> {
        self.read(|tx| epochs(tx, sessions::key(tx, id)?))
    }

    fn answer(&self, id: &str, question: &str) -> Result<Option<String>, Error> {
        self.read(|tx| {
            let session = sessions::key(tx, id)?;
            let select = "SELECT text FROM answers WHERE session = ?1 AND question = ?2";
            Ok(tx
                .prepare_cached(select)?
                .query_row(params![session, question], |row| row.get(0))
                .optional()?)
        })
    }

    fn answers(&self, id: &str) -> Result<Vec<Timed<Answer>>, Error> {
        self.read(|tx| answers(tx, sessions::key(tx, id)?))
    }

    fn usage(&self, id: &str) -> Result<Vec<Timed<Usage>>, Error> {
        self.read(|tx| usage(tx, sessions::key(tx, id)?))
    }

    fn checkpoint(&self, id: &str) -> Result<Option<String>, Error> {
        self.read(|tx| checkpoints::get(tx, sessions::key(tx, id)?))
    }

    fn learnt(&self, id: &str) -> Result<Option<String>, Error> {
        self.read(|tx| checkpoints::learnt(tx, sessions::key(tx, id)?))
    }

    fn events(&self, id: &str) -> Result<Vec<Event>, Error> {
        self.read(|tx| events(tx, sessions::key(tx, id)?))
    }
}

pub(super) fn epochs(db: &Connection, session: i64) -> Result<Vec<Epoch>, Fault> {
    let select = "SELECT epoch, revision, at, reason, policy, messages, before, after, target
                  FROM epochs WHERE session = ?1 ORDER BY epoch";
    let mut statement = db.prepare_cached(select)?;
    let rows = statement.query_map([session], |row| {
        Ok(Epoch {
            epoch: count(row.get(0)?),
            revision: count(row.get(1)?),
            at: time(row.get(2)?),
            opened: row.get(3)?,
            policy: row.get(4)?,
            messages: count(row.get(5)?),
            before: count(row.get(6)?),
            after: count(row.get(7)?),
            limit: count(row.get(8)?),
            folds: Vec::new(),
        })
    })?;
    let mut epochs = rows.collect::<Result<Vec<_>, _>>()?;
    for epoch in &mut epochs {
        epoch.folds = folds::of(db, session, epoch.epoch)?;
    }
    Ok(epochs)
}

pub(super) fn answers(db: &Connection, session: i64) -> Result<Vec<Timed<Answer>>, Fault> {
    let select = "SELECT at, question, text FROM answers WHERE session = ?1 ORDER BY at, question";
    let mut statement = db.prepare_cached(select)?;
    let rows = statement.query_map([session], |row| {
        Ok(Timed { at: time(row.get(0)?), what: Answer { question: row.get(1)?, text: row.get(2)? } })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn usage(db: &Connection, session: i64) -> Result<Vec<Timed<Usage>>, Fault> {
    let select = "SELECT at, messages, input, cache_read, cache_write, output
                  FROM usage WHERE session = ?1 ORDER BY number";
    let mut statement = db.prepare_cached(select)?;
    let rows = statement.query_map([session], |row| {
        let what = Usage {
            messages: count(row.get(1)?),
            input: count(row.get(2)?),
            cache_read: count(row.get(3)?),
            cache_write: count(row.get(4)?),
            output: count(row.get(5)?),
        };
        Ok(Timed { at: time(row.get(0)?), what })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn events(db: &Connection, session: i64) -> Result<Vec<Event>, Fault> {
    let mut statement =
        db.prepare_cached("SELECT at, kind, json FROM events WHERE session = ?1 ORDER BY number")?;
    let rows = statement.query_map([session], |row| {
        Ok(Event { at: time(row.get(0)?), kind: row.get(1)?, json: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
