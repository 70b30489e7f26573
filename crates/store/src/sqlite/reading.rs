//! Messages as they were written.

use std::ops::Range;

use bytestring::ByteString;
use enfold::history::{MessageId, Slot};
use rusqlite::{Connection, params};

use super::dictionaries::Dictionaries;
use super::{Fault, blobs, column, message};
use crate::StoredMessage;

/// Messages by number. O(their size).
pub(super) fn messages(
    db: &Connection,
    dictionaries: &Dictionaries,
    session: i64,
    range: Range<MessageId>,
) -> Result<Vec<StoredMessage>, Fault> {
    let select = "SELECT number, slot, blob FROM messages
                  WHERE session = ?1 AND number >= ?2 AND number < ?3 ORDER BY number";
    let mut statement = db.prepare_cached(select)?;
    let mut rows = statement.query(params![session, column(range.start), column(range.end)])?;
    let mut messages = Vec::new();
    while let Some(row) = rows.next()? {
        let raw: ByteString = blobs::text(db, dictionaries, row.get(2)?)?.into();
        messages.push(StoredMessage { number: message(row.get(0)?), slot: slot(row.get(1)?), raw });
    }
    Ok(messages)
}

/// How many messages a session has: one behind the last.
pub(super) fn length(db: &Connection, session: i64) -> Result<MessageId, Fault> {
    let select = "SELECT coalesce(max(number) + 1, 0) FROM messages WHERE session = ?1";
    Ok(message(db.prepare_cached(select)?.query_row([session], |row| row.get(0))?))
}

pub(super) fn slot(number: i64) -> Slot {
    if number == 0 { Slot::List } else { Slot::Head }
}

pub(super) fn slot_number(slot: Slot) -> i64 {
    match slot {
        Slot::List => 0,
        Slot::Head => 1,
    }
}
