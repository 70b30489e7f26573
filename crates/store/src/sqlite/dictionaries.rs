//! What a session's blobs are packed against: its own recent messages.
//!
//! ```text
//! messages   |--2k--|---4k---|------8k------| … |-----128k-----|-----128k-----| …
//! packed      alone  with the  with the 6k         with the       with the
//!                    first 2k  before it           128k before    128k before
//! ```
//!
//! Most messages are a few hundred bytes, so that by itself each packs badly, and together they repeat each other.
//! Against the messages before it a message packs nearly as small as in one archive, and can still be read alone. A
//! dictionary is a list of blobs that are stored anyway. To read a message, the dictionaries before its own may be
//! needed, so after sixteen a chain of them begins afresh: at most 2 MB are unpacked for one message.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use enfold::history::MessageId;
use rusqlite::{Connection, OptionalExtension, params};
use zstd::dict::{DecoderDictionary, EncoderDictionary};

use super::appending::numbers;
use super::{Fault, blobs, column, count, int, lock};

/// Measured on real sessions (`docs/decisions/0009-store.md`): level 9 saves 2 % more for a third more time.
pub(super) const LEVEL: i32 = 6;

/// The first stretch of a session; each next one is twice as long, up to [`STRETCH`].
const FIRST: u64 = 2 << 10;
const STRETCH: u64 = 128 << 10;
/// Text in a dictionary.
const CONTENT: usize = 128 << 10;
/// Text that one message gives to a dictionary.
const SHARE: usize = 32 << 10;
/// Dictionaries of a chain.
const CHAIN: i64 = 16;
/// Dictionaries that are remembered, some 300 KB each.
const REMEMBERED: usize = 32;
/// More than any chain: only a damaged database has more.
const DEEPEST: usize = 4 * CHAIN as usize;

/// Dictionaries in use, shared by all threads.
#[derive(Default)]
pub(super) struct Dictionaries {
    known: Mutex<HashMap<i64, Arc<Dictionary>>>,
}

/// A dictionary, ready for use.
pub(super) struct Dictionary {
    content: Vec<u8>,
    decoder: DecoderDictionary<'static>,
    encoder: OnceLock<EncoderDictionary<'static>>,
}

impl Dictionary {
    fn new(content: Vec<u8>) -> Dictionary {
        Dictionary { decoder: DecoderDictionary::copy(&content), content, encoder: OnceLock::new() }
    }

    pub(super) fn decoder(&self) -> &DecoderDictionary<'static> {
        &self.decoder
    }

    /// Prepared when something is first packed with it: that takes longer than unpacking ever does.
    pub(super) fn encoder(&self) -> &EncoderDictionary<'static> {
        self.encoder.get_or_init(|| EncoderDictionary::copy(&self.content, LEVEL))
    }
}

impl Dictionaries {
    /// Forgets all of them. A transaction that is undone may have made some, whose keys the next one will use again.
    pub(super) fn forget(&self) {
        lock(&self.known).clear();
    }

    /// A dictionary by its key. `depth` counts the dictionaries that are being put together at the moment.
    pub(super) fn get(&self, db: &Connection, key: i64, depth: usize) -> Result<Arc<Dictionary>, Fault> {
        if let Some(known) = lock(&self.known).get(&key) {
            return Ok(known.clone());
        }
        if depth > DEEPEST {
            return Err(Fault::Damaged(format!("dictionary {key} needs too many others")));
        }
        let mut statement = db.prepare_cached("SELECT share, blobs FROM dictionaries WHERE key = ?1")?;
        let found: Option<(i64, String)> =
            statement.query_row([key], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let (share, parts) = found.ok_or_else(|| Fault::Damaged(format!("dictionary {key} is missing")))?;
        let parts: Vec<i64> = serde_json::from_str(&parts)
            .map_err(|error| Fault::Damaged(format!("dictionary {key}: {error}")))?;
        let mut content = Vec::with_capacity(CONTENT + SHARE);
        for blob in parts {
            let whole = blobs::get_at(db, self, blob, depth + 1)?;
            content.extend_from_slice(&whole[..count::<usize>(share).min(whole.len())]);
        }
        let made = Arc::new(Dictionary::new(content));
        let mut known = lock(&self.known);
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(key, made.clone());
        Ok(made)
    }
}

/// The dictionary to pack a session's next blob with.
pub(super) fn current(db: &Connection, session: i64) -> Result<Option<i64>, Fault> {
    let newest = "SELECT key, blobs FROM dictionaries WHERE session = ?1 ORDER BY key DESC LIMIT 1";
    let newest: Option<(i64, String)> =
        db.prepare_cached(newest)?.query_row([session], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    Ok(newest.filter(|(_, blobs)| blobs != "[]").map(|(key, _)| key))
}

/// Makes the session's next dictionary when its stretch is over. `bytes` is the size of all its originals, `next` the
/// number of its next message.
pub(super) fn advance(db: &Connection, session: i64, bytes: u64, next: MessageId) -> Result<(), Fault> {
    let newest = "SELECT chain, bytes, (SELECT count(*) FROM dictionaries AS all_ones
                    WHERE all_ones.session = ?1 AND all_ones.chain = newest.chain)
                  FROM dictionaries AS newest WHERE session = ?1 ORDER BY key DESC LIMIT 1";
    let newest: Option<(i64, i64, i64)> = db
        .prepare_cached(newest)?
        .query_row([session], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let (chain, since, made) = newest.unwrap_or_default();
    let stretch = (FIRST << made.min(16)).min(STRETCH);
    if bytes.saturating_sub(count(since)) < stretch {
        return Ok(());
    }
    let (chain, parts) =
        if made < CHAIN { (chain, parts(db, session, chain)?) } else { (column(next), Vec::new()) };
    let insert = "INSERT INTO dictionaries (session, chain, bytes, share, blobs) VALUES (?1, ?2, ?3, ?4, ?5)";
    db.prepare_cached(insert)?.execute(params![session, chain, int(bytes), int(SHARE), numbers(&parts)])?;
    Ok(())
}

/// The starts of the newest messages of a chain, oldest first. What needs a dictionary of another chain, or of another
/// session, is left out: chains end, and sessions can be removed one by one.
fn parts(db: &Connection, session: i64, chain: i64) -> Result<Vec<i64>, Fault> {
    let newest = "SELECT blobs.key, blobs.size FROM messages JOIN blobs ON blobs.key = messages.blob
                  WHERE messages.session = ?1 AND messages.number >= ?2
                    AND (coalesce(blobs.dictionary, 0) = 0 OR blobs.dictionary IN
                         (SELECT key FROM dictionaries WHERE session = ?1 AND chain = ?2))
                  ORDER BY messages.number DESC";
    let mut statement = db.prepare_cached(newest)?;
    let mut rows = statement.query([session, chain])?;
    let (mut parts, mut content) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        parts.push(row.get(0)?);
        content += count::<usize>(row.get(1)?).min(SHARE);
        if content >= CONTENT {
            break;
        }
    }
    parts.reverse();
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use enfold::history::MessageId;

    use crate::{Entry, NewSession, Sessions, Sqlite};

    #[test]
    fn a_chain_of_dictionaries_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let store = Sqlite::open(&path).unwrap();
        let session = NewSession { id: "s".into(), ..NewSession::default() };
        store.create(&session, Duration::ZERO).unwrap();
        // Large messages, of which a dictionary takes only the start, and some that come again and again.
        let text = |nth: usize| match nth % 3 {
            0 => format!("{} again {}", nth % 9, "and again ".repeat(20)),
            _ => format!("{nth} {}", format!("line {} of {nth}\n", nth * nth).repeat(4_000)),
        };
        let texts: Vec<String> = (0..180).map(text).collect();
        for part in texts.chunks(7) {
            store.append("s", &Entry::messages(part.iter().map(String::as_str)), Duration::ZERO).unwrap();
        }
        // Opened again: nothing is remembered, so that everything is put together from the rows.
        let store = Sqlite::open(&path).unwrap();
        let last = store.messages("s", MessageId::new(179)..MessageId::new(180)).unwrap();
        assert!(*last[0].raw == *texts[179]);
        let all = store.messages("s", MessageId::ALL).unwrap();
        assert!(all.iter().zip(&texts).all(|(found, text)| *found.raw == **text));
        let db = rusqlite::Connection::open(&path).unwrap();
        let chains = "SELECT count(DISTINCT chain), count(*) FROM dictionaries";
        let (chains, all): (i64, i64) =
            db.query_row(chains, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        assert!(chains > 2 && all > 2 * super::CHAIN, "{chains} chains, {all} dictionaries");
    }
}
