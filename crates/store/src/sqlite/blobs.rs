//! Originals: each once, by what it is.

use rusqlite::{Connection, OptionalExtension, params};
use zstd::bulk::{Compressor, Decompressor};

use super::dictionaries::{self, Dictionaries};
use super::{Fault, count, int};

/// Stores a text for a session, if it is not there, and returns its key.
pub(super) fn put(
    db: &Connection,
    dictionaries: &Dictionaries,
    session: i64,
    text: &str,
) -> Result<i64, Fault> {
    let hash = blake3::hash(text.as_bytes());
    if let Some(key) = find(db, &hash)? {
        return Ok(key);
    }
    let dictionary = dictionaries::current(db, session)?;
    let packed = pack(db, dictionaries, dictionary, text.as_bytes())?;
    let insert = "INSERT INTO blobs (prefix, hash, size, dictionary, bytes) VALUES (?1, ?2, ?3, ?4, ?5)";
    let (prefix, rest) = split(&hash);
    db.prepare_cached(insert)?.execute(params![
        prefix,
        rest,
        int(text.len()),
        packed.dictionary,
        packed.bytes
    ])?;
    Ok(db.last_insert_rowid())
}

fn find(db: &Connection, hash: &blake3::Hash) -> Result<Option<i64>, Fault> {
    let (prefix, rest) = split(hash);
    let mut statement = db.prepare_cached("SELECT key FROM blobs WHERE prefix = ?1 AND hash = ?2")?;
    Ok(statement.query_row(params![prefix, rest], |row| row.get(0)).optional()?)
}

/// A hash as its row has it: the first eight bytes as a number, and the others.
pub(super) fn split(hash: &blake3::Hash) -> (i64, &[u8]) {
    let (prefix, rest) = hash.as_bytes().split_first_chunk().expect("a hash has more than eight bytes");
    (i64::from_le_bytes(*prefix), rest)
}

/// A blob as it stands in its row.
struct Packed {
    dictionary: Option<i64>,
    bytes: Vec<u8>,
}

/// The `dictionary` of bytes that stand as they are.
const AS_IT_IS: i64 = 0;

fn pack(
    db: &Connection,
    dictionaries: &Dictionaries,
    dictionary: Option<i64>,
    text: &[u8],
) -> Result<Packed, Fault> {
    let failed = |error: std::io::Error| Fault::Damaged(format!("a text could not be packed: {error}"));
    let bytes = match dictionary {
        Some(key) => {
            let dictionary = dictionaries.get(db, key, 0)?;
            Compressor::with_prepared_dictionary(dictionary.encoder())
                .and_then(|mut compressor| compressor.compress(text))
        }
        None => zstd::bulk::compress(text, dictionaries::LEVEL),
    }
    .map_err(failed)?;
    Ok(if bytes.len() < text.len() {
        Packed { dictionary, bytes }
    } else {
        Packed { dictionary: Some(AS_IT_IS), bytes: text.to_vec() }
    })
}

/// The original, byte for byte.
pub(super) fn get(db: &Connection, dictionaries: &Dictionaries, key: i64) -> Result<Vec<u8>, Fault> {
    get_at(db, dictionaries, key, 0)
}

/// The original, at some depth of dictionaries that need dictionaries.
pub(super) fn get_at(
    db: &Connection,
    dictionaries: &Dictionaries,
    key: i64,
    depth: usize,
) -> Result<Vec<u8>, Fault> {
    let select = "SELECT prefix, hash, size, dictionary, bytes FROM blobs WHERE key = ?1";
    let mut statement = db.prepare_cached(select)?;
    let mut rows = statement.query([key])?;
    let Some(row) = rows.next()? else { return Err(Fault::Damaged(format!("blob {key} is missing"))) };
    let (prefix, rest): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
    let size: usize = count(row.get(2)?);
    let bytes = row.get_ref(4)?.as_blob().map_err(rusqlite::Error::from)?;
    let unpacked = match row.get::<_, Option<i64>>(3)? {
        Some(AS_IT_IS) => Ok(bytes.to_vec()),
        Some(dictionary) => {
            let dictionary = dictionaries.get(db, dictionary, depth)?;
            Decompressor::with_prepared_dictionary(dictionary.decoder())
                .and_then(|mut decompressor| decompressor.decompress(bytes, size))
        }
        None => zstd::bulk::decompress(bytes, size),
    };
    match unpacked {
        Ok(text) if split(&blake3::hash(&text)) == (prefix, &rest) => Ok(text),
        Ok(_) => Err(Fault::Damaged(format!("blob {key} is not what was written"))),
        Err(error) => Err(Fault::Damaged(format!("blob {key}: {error}"))),
    }
}

/// The original as the text it was.
pub(super) fn text(db: &Connection, dictionaries: &Dictionaries, key: i64) -> Result<String, Fault> {
    String::from_utf8(get(db, dictionaries, key)?)
        .map_err(|_| Fault::Damaged(format!("blob {key} is not text")))
}

/// Packs a blob anew, without any dictionary.
pub(super) fn pack_alone(db: &Connection, dictionaries: &Dictionaries, key: i64) -> Result<(), Fault> {
    let packed = pack(db, dictionaries, None, &get(db, dictionaries, key)?)?;
    db.prepare_cached("UPDATE blobs SET dictionary = ?2, bytes = ?3 WHERE key = ?1")?.execute(params![
        key,
        packed.dictionary,
        packed.bytes
    ])?;
    Ok(())
}
