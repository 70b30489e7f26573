//! Writing an entry: everything in the caller's transaction.

use std::ops::Range;
use std::time::Duration;

use enfold::count::Usage;
use enfold::history::MessageId;
use rusqlite::{Connection, params};

use super::dictionaries::{self, Dictionaries};
use super::{
    Fault, blobs, checkpoints, column, count, folds, handles, int, leases, millis, reading, searching,
    sessions,
};
use crate::{At, Entry, Error, Event, NewMessage, Recording, Timed};

/// Writes an entry into a session.
pub(super) fn append(
    db: &Connection,
    dictionaries: &Dictionaries,
    id: &str,
    entry: &Entry,
    now: Duration,
) -> Result<Range<MessageId>, Fault> {
    let session = sessions::key(db, id)?;
    if let Some(lease) = &entry.lease {
        leases::check(db, session, lease, now)?;
    }
    let length = reading::length(db, session)?;
    let first = match entry.at {
        At::End => length,
        At::Number(number) if number == length => number,
        At::Instead(number) if number <= length => number,
        At::Number(expected) | At::Instead(expected) => {
            return Err(Error::Moved { session: id.into(), expected, found: length }.into());
        }
    };
    if first < length {
        set_aside(db, session, first)?;
    }
    messages(db, dictionaries, session, first, &entry.messages)?;
    for (question, text) in &entry.answers {
        answer(db, session, question, text, now)?;
    }
    usage(db, session, entry.usage.iter().map(|usage| Timed { at: now, what: *usage }))?;
    events(db, session, &entry.events)?;
    if let Some(checkpoint) = &entry.checkpoint {
        checkpoints::put(db, session, checkpoint)?;
    }
    if let Some(learnt) = &entry.learnt {
        checkpoints::put_learnt(db, session, learnt)?;
    }
    if let Some(recording) = &entry.recording {
        record(db, session, recording, now)?;
        let end = first.plus(entry.messages.len());
        handles::put_all(db, dictionaries, id, session, end, &recording.originals)?;
    }
    db.prepare_cached("UPDATE sessions SET updated = max(updated, ?2) WHERE key = ?1")?
        .execute(params![session, millis(now)])?;
    Ok(first..first.plus(entry.messages.len()))
}

/// Messages from a number on, and the dictionaries that become due.
pub(super) fn messages(
    db: &Connection,
    dictionaries: &Dictionaries,
    session: i64,
    first: MessageId,
    messages: &[NewMessage],
) -> Result<(), Fault> {
    let select = "SELECT bytes FROM sessions WHERE key = ?1";
    let mut bytes: u64 = count(db.prepare_cached(select)?.query_row([session], |row| row.get(0))?);
    let numbers = MessageId::each(first..first.plus(messages.len()));
    for (number, message) in numbers.zip(messages) {
        let blob = blobs::put(db, dictionaries, session, message.raw)?;
        let insert = "INSERT INTO messages (session, number, slot, blob) VALUES (?1, ?2, ?3, ?4)";
        let slot = reading::slot_number(message.slot);
        db.prepare_cached(insert)?.execute(params![session, column(number), slot, blob])?;
        bytes += message.raw.len() as u64;
        dictionaries::advance(db, session, bytes, number.next())?;
    }
    db.prepare_cached("UPDATE sessions SET bytes = ?2 WHERE key = ?1")?
        .execute(params![session, int(bytes)])?;
    Ok(())
}

/// Keeps aside what stands from a number on: the host rewrote the past.
fn set_aside(db: &Connection, session: i64, first: MessageId) -> Result<(), Fault> {
    let keep = "INSERT INTO replaced (session, revision, number, slot, blob)
                SELECT session, (SELECT revision FROM sessions WHERE key = ?1), number, slot, blob
                FROM messages WHERE session = ?1 AND number >= ?2";
    db.execute(keep, params![session, column(first)])?;
    db.execute("DELETE FROM messages WHERE session = ?1 AND number >= ?2", params![session, column(first)])?;
    db.execute("UPDATE sessions SET revision = revision + 1 WHERE key = ?1", [session])?;
    searching::forget(db, session, first)
}

pub(super) fn answer(
    db: &Connection,
    session: i64,
    question: &str,
    text: &str,
    now: Duration,
) -> Result<(), Fault> {
    let put = "INSERT OR REPLACE INTO answers (session, question, text, at) VALUES (?1, ?2, ?3, ?4)";
    db.prepare_cached(put)?.execute(params![session, question, text, millis(now)])?;
    Ok(())
}

pub(super) fn usage(
    db: &Connection,
    session: i64,
    usage: impl IntoIterator<Item = Timed<Usage>>,
) -> Result<(), Fault> {
    let insert = "INSERT INTO usage (session, number, at, messages, input, cache_read, cache_write, output)
                  VALUES (?1, (SELECT coalesce(max(number) + 1, 0) FROM usage WHERE session = ?1),
                          ?2, ?3, ?4, ?5, ?6, ?7)";
    for Timed { at, what } in usage {
        db.prepare_cached(insert)?.execute(params![
            session,
            millis(at),
            int(what.messages),
            int(what.input),
            int(what.cache_read),
            int(what.cache_write),
            int(what.output)
        ])?;
    }
    Ok(())
}

pub(super) fn events(db: &Connection, session: i64, events: &[Event]) -> Result<(), Fault> {
    let insert = "INSERT INTO events (session, number, at, kind, json)
                  VALUES (?1, (SELECT coalesce(max(number) + 1, 0) FROM events WHERE session = ?1), ?2, ?3, ?4)";
    for Event { at, kind, json } in events {
        db.prepare_cached(insert)?.execute(params![session, millis(*at), kind, json])?;
    }
    Ok(())
}

/// The epoch of a prepared request, and the folds it adds.
fn record(db: &Connection, session: i64, recording: &Recording, now: Duration) -> Result<(), Fault> {
    let put =
        "INSERT INTO epochs (session, epoch, revision, at, reason, policy, messages, before, after, target)
               VALUES (?1, ?2, (SELECT revision FROM sessions WHERE key = ?1), ?3, ?4, ?5, ?6, ?7, ?8, ?9)
               ON CONFLICT (session, epoch) DO UPDATE SET
                 reason = coalesce(reason, excluded.reason), policy = excluded.policy,
                 messages = excluded.messages, before = excluded.before, after = excluded.after,
                 target = excluded.target";
    db.prepare_cached(put)?.execute(params![
        session,
        recording.epoch,
        millis(now),
        recording.opened,
        recording.policy,
        int(recording.messages),
        int(recording.before),
        int(recording.after),
        int(recording.limit)
    ])?;
    if recording.opened.is_some() {
        let opened = "UPDATE sessions SET compactions = compactions + 1, compacted = ?2 WHERE key = ?1";
        db.prepare_cached(opened)?.execute(params![session, millis(now)])?;
    }
    folds::add(db, session, recording.epoch, &recording.folds)
}

/// A list of numbers as JSON.
pub(super) fn numbers<T: serde::Serialize>(numbers: &[T]) -> String {
    serde_json::to_string(numbers).expect("numbers are JSON")
}
