//! What handles open. Nearly every original is a piece of a stored message, and is stored as where it stands.

use std::collections::HashMap;
use std::ops::Range;

use enfold::history::{MessageId, Spelling};
use enfold::json::Raw;
use rusqlite::{Connection, OptionalExtension, params};

use super::appending::numbers;
use super::dictionaries::Dictionaries;
use super::{Fault, blobs, column, count, int, message};
use crate::{Error, Original};

/// Where an original is, in terms of blobs.
#[derive(PartialEq, Eq)]
pub(super) enum Place {
    Whole(i64),
    Piece(i64, Range<usize>, Spelling),
    Lines(Vec<i64>),
}

/// Stores what handles open. `length` is how many messages the session has.
pub(super) fn put_all(
    db: &Connection,
    dictionaries: &Dictionaries,
    id: &str,
    session: i64,
    length: MessageId,
    originals: &[(u32, Original)],
) -> Result<(), Fault> {
    let bad = |what: String| Error::BadOriginal { session: id.into(), what };
    // A pass folds several texts of one message; it is opened once for all of them.
    let mut opened: Option<(i64, Vec<u8>)> = None;
    for (digits, original) in originals {
        let place = match original {
            Original::Text(text) => Place::Whole(blobs::put(db, dictionaries, session, text)?),
            Original::Lines(messages) => {
                let blobs = messages.iter().map(|message| blob(db, session, *message));
                let blobs: Option<Vec<i64>> = blobs.collect::<Result<_, _>>()?;
                Place::Lines(blobs.ok_or_else(|| bad(format!("a message beyond the {length} stored")))?)
            }
            Original::Piece { message, span, spelling } => {
                let blob = blob(db, session, *message)?
                    .ok_or_else(|| bad(format!("in message {message} of {length}")))?;
                if opened.as_ref().is_none_or(|(key, _)| *key != blob) {
                    opened = Some((blob, blobs::get(db, dictionaries, blob)?));
                }
                let raw = opened.as_ref().map_or(&[][..], |(_, raw)| raw);
                if piece(raw, span, *spelling).is_none() {
                    return Err(bad(format!("no text at {span:?} of message {message}")).into());
                }
                Place::Piece(blob, span.clone(), *spelling)
            }
        };
        put(db, dictionaries, session, *digits, &place)?;
    }
    Ok(())
}

/// The blob of a message.
fn blob(db: &Connection, session: i64, message: MessageId) -> Result<Option<i64>, Fault> {
    let mut statement = db.prepare_cached("SELECT blob FROM messages WHERE session = ?1 AND number = ?2")?;
    Ok(statement.query_row(params![session, column(message)], |row| row.get(0)).optional()?)
}

fn put(
    db: &Connection,
    dictionaries: &Dictionaries,
    session: i64,
    digits: u32,
    place: &Place,
) -> Result<(), Fault> {
    let known = places(db, session, Some(digits))?;
    for (_, other) in &known {
        // The same text may stand in several places.
        if other == place || open(db, dictionaries, other)? == open(db, dictionaries, place)? {
            return Ok(());
        }
    }
    let insert = "INSERT INTO handles (session, digits, nth, blob, start, stop, spelling, lines)
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let (blob, piece, lines) = match place {
        Place::Whole(blob) => (Some(blob), None, None),
        Place::Piece(blob, span, spelling) => (Some(blob), Some((span, spelling)), None),
        Place::Lines(blobs) => (None, None, Some(numbers(blobs))),
    };
    db.prepare_cached(insert)?.execute(params![
        session,
        digits,
        int(known.len()),
        blob,
        piece.map(|(span, _)| int(span.start)),
        piece.map(|(span, _)| int(span.end)),
        piece.map(|(_, spelling)| i64::from(*spelling == Spelling::Json)),
        lines
    ])?;
    Ok(())
}

/// What a session's handles open, or one of them: the newest last.
pub(super) fn places(db: &Connection, session: i64, digits: Option<u32>) -> Result<Vec<(u32, Place)>, Fault> {
    let select = match digits {
        Some(_) => {
            "SELECT digits, blob, start, stop, spelling, lines FROM handles
                    WHERE session = ?1 AND digits = ?2 ORDER BY nth"
        }
        None => {
            "SELECT digits, blob, start, stop, spelling, lines FROM handles
                 WHERE session = ?1 AND ?2 IS NULL ORDER BY digits, nth"
        }
    };
    let mut statement = db.prepare_cached(select)?;
    let mut rows = statement.query(params![session, digits])?;
    let mut places = Vec::new();
    while let Some(row) = rows.next()? {
        let (blob, lines): (Option<i64>, Option<String>) = (row.get(1)?, row.get(5)?);
        let piece: Option<(i64, i64)> = row.get::<_, Option<i64>>(2)?.zip(row.get(3)?);
        let spelling = match row.get::<_, Option<i64>>(4)? {
            Some(0) => Spelling::Quoted,
            _ => Spelling::Json,
        };
        let place = match (blob, piece, lines) {
            (Some(blob), Some((start, stop)), _) => Place::Piece(blob, count(start)..count(stop), spelling),
            (Some(blob), None, _) => Place::Whole(blob),
            (None, _, lines) => Place::Lines(
                serde_json::from_str(&lines.unwrap_or_default())
                    .map_err(|error| Fault::Damaged(format!("a handle of session {session}: {error}")))?,
            ),
        };
        places.push((row.get(0)?, place));
    }
    Ok(places)
}

/// The text at a place.
pub(super) fn open(db: &Connection, dictionaries: &Dictionaries, place: &Place) -> Result<String, Fault> {
    match place {
        Place::Whole(blob) => blobs::text(db, dictionaries, *blob),
        Place::Piece(blob, span, spelling) => piece(&blobs::get(db, dictionaries, *blob)?, span, *spelling)
            .ok_or_else(|| Fault::Damaged(format!("no text at {span:?} of blob {blob}"))),
        Place::Lines(keys) => {
            let texts = keys.iter().map(|key| blobs::text(db, dictionaries, *key));
            Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
        }
    }
}

/// A piece of a message as it was read.
fn piece(raw: &[u8], span: &Range<usize>, spelling: Spelling) -> Option<String> {
    let text = std::str::from_utf8(raw.get(span.clone())?).ok()?;
    match spelling {
        Spelling::Json => Some(text.to_string()),
        Spelling::Quoted => Some(Raw::parse(text).ok()?.str()?.to_string()),
    }
}

/// What a session's handles open, in terms of its messages where they still stand.
pub(super) fn portable(
    db: &Connection,
    dictionaries: &Dictionaries,
    session: i64,
) -> Result<Vec<(u32, Original)>, Fault> {
    let mut numbers: HashMap<i64, MessageId> = HashMap::new();
    let mut statement = db.prepare_cached("SELECT number, blob FROM messages WHERE session = ?1")?;
    let mut rows = statement.query([session])?;
    while let Some(row) = rows.next()? {
        numbers.insert(row.get(1)?, message(row.get(0)?));
    }
    let mut originals = Vec::new();
    for (digits, place) in places(db, session, None)? {
        let original = match &place {
            Place::Whole(_) => None,
            Place::Piece(blob, span, spelling) => numbers.get(blob).map(|message| Original::Piece {
                message: *message,
                span: span.clone(),
                spelling: *spelling,
            }),
            Place::Lines(blobs) => blobs
                .iter()
                .map(|blob| numbers.get(blob).copied())
                .collect::<Option<_>>()
                .map(Original::Lines),
        };
        let original = match original {
            Some(original) => original,
            None => Original::Text(open(db, dictionaries, &place)?),
        };
        originals.push((digits, original));
    }
    Ok(originals)
}
