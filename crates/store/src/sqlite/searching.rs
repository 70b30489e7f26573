//! Full-text search. The index is filled up to the newest message whenever somebody searches a store that can be written.

use enfold::history::MessageId;
use rusqlite::{Connection, params};

use super::{Fault, Sqlite, column, int, message, reading, sessions};
use crate::words::{self, Term};
use crate::{Error, Hit};

impl Sqlite {
    pub(super) fn find(&self, id: &str, query: &str, limit: usize) -> Result<Vec<Hit>, Error> {
        let terms = words::terms(query);
        if !self.is_read_only() && !self.read(|tx| is_indexed(tx, sessions::key(tx, id)?))? {
            self.write(|tx| self.index(tx, sessions::key(tx, id)?))?;
        }
        self.read(|tx| self.look_up(tx, sessions::key(tx, id)?, &terms, limit))
    }

    /// Takes the messages that are not in the index into it. O(new messages).
    fn index(&self, db: &Connection, session: i64) -> Result<(), Fault> {
        let (wire, done) = state(db, session)?;
        let length = reading::length(db, session)?;
        let mut insert = db.prepare_cached("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?;
        for message in reading::messages(db, &self.dictionaries, session, done..length)? {
            let text = words::readable(&wire, message.slot, &message.raw);
            insert.execute(params![row_of(session, message.number), words::spread(&text)])?;
        }
        db.prepare_cached("UPDATE sessions SET indexed = ?2 WHERE key = ?1")?
            .execute(params![session, column(length)])?;
        Ok(())
    }

    fn look_up(
        &self,
        db: &Connection,
        session: i64,
        terms: &[Term],
        limit: usize,
    ) -> Result<Vec<Hit>, Fault> {
        let desk = Desk::new()?;
        let phrases = desk.phrases(terms)?;
        if phrases.is_empty() {
            return Ok(Vec::new());
        }
        let (wire, indexed) = state(db, session)?;
        // Where nothing can be written, what is not in the index is looked through itself.
        let mut numbers: Vec<MessageId> = MessageId::each(indexed..reading::length(db, session)?).collect();
        numbers.reverse();
        numbers.extend(candidates(db, session, &phrases)?);
        let mut hits = Vec::new();
        for numbers in numbers.chunks(AT_ONCE) {
            let mut texts = Vec::new();
            for number in numbers {
                for message in reading::messages(db, &self.dictionaries, session, *number..number.next())? {
                    texts.push((*number, words::readable(&wire, message.slot, &message.raw)));
                }
            }
            let holds_the_words = numbers.iter().all(|number| *number < indexed);
            let found = desk.select(&phrases, &texts, holds_the_words)?;
            let found = texts.iter().filter(|(number, _)| found.contains(number));
            hits.extend(
                found.map(|(number, text)| Hit { number: *number, snippet: words::snippet(text, terms) }),
            );
            if hits.len() >= limit {
                break;
            }
        }
        hits.truncate(limit);
        Ok(hits)
    }
}

/// Messages looked through at once.
const AT_ONCE: usize = 32;

/// The messages that hold every word of every phrase, newest first.
fn candidates(db: &Connection, session: i64, phrases: &[Phrase]) -> Result<Vec<MessageId>, Fault> {
    let select =
        "SELECT rowid FROM words WHERE words MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid DESC";
    let words: Vec<String> = phrases.iter().flat_map(Phrase::words).collect();
    let (first, last) = (row_of(session, MessageId::FIRST), row_of(session + 1, MessageId::FIRST) - 1);
    let mut statement = db.prepare_cached(select)?;
    let rows = statement.query_map(params![words.join(" AND "), first, last], |row| row.get::<_, i64>(0))?;
    rows.map(|row| Ok(message(row? % NUMBERS))).collect()
}

/// Words next to each other, as the index spells them.
struct Phrase {
    words: Vec<String>,
    is_prefix: bool,
}

impl Phrase {
    /// Each word as an expression of the index. It is quoted, so that none is taken for an operator.
    fn words(&self) -> impl Iterator<Item = String> {
        let last = self.words.len() - 1;
        self.words.iter().enumerate().map(move |(nth, word)| {
            let star = if self.is_prefix && nth == last { "*" } else { "" };
            format!("\"{word}\"{star}")
        })
    }

    fn expression(&self) -> String {
        format!("\"{}\"{}", self.words.join(" "), if self.is_prefix { "*" } else { "" })
    }
}

/// A little index in memory that knows where words stand: it takes queries apart exactly as the large one takes texts
/// apart, and finds phrases in the few messages that the large one leaves.
struct Desk(Connection);

impl Desk {
    fn new() -> Result<Desk, Fault> {
        let memory = Connection::open_in_memory()?;
        memory.execute_batch(
            "CREATE VIRTUAL TABLE page USING fts5 (text, content = '', tokenize = \"unicode61 remove_diacritics 2\");
             CREATE VIRTUAL TABLE page_words USING fts5vocab (page, instance);",
        )?;
        Ok(Desk(memory))
    }

    fn fill<'t>(&self, texts: impl Iterator<Item = (usize, &'t str)>) -> Result<(), Fault> {
        self.0.execute("INSERT INTO page (page) VALUES ('delete-all')", [])?;
        let mut insert = self.0.prepare_cached("INSERT INTO page (rowid, text) VALUES (?1, ?2)")?;
        for (number, text) in texts {
            insert.execute(params![int(number), words::spread(text)])?;
        }
        Ok(())
    }

    /// The terms as the index spells them. What holds no word for it is left out.
    fn phrases(&self, terms: &[Term]) -> Result<Vec<Phrase>, Fault> {
        let texts: Vec<String> = terms.iter().map(|term| term.words.join(" ")).collect();
        self.fill(texts.iter().map(String::as_str).enumerate())?;
        let mut statement =
            self.0.prepare("SELECT term FROM page_words WHERE doc = ?1 ORDER BY \"offset\"")?;
        let mut phrases = Vec::new();
        for (nth, term) in terms.iter().enumerate() {
            let words = statement.query_map([int(nth)], |row| row.get(0))?;
            let words: Vec<String> = words.collect::<Result<_, _>>()?;
            if !words.is_empty() {
                phrases.push(Phrase { words, is_prefix: term.is_prefix });
            }
        }
        Ok(phrases)
    }

    /// The texts that hold every phrase. Those that the large index found hold every word.
    fn select(
        &self,
        phrases: &[Phrase],
        texts: &[(MessageId, String)],
        holds_the_words: bool,
    ) -> Result<Vec<MessageId>, Fault> {
        if holds_the_words && phrases.iter().all(|phrase| phrase.words.len() == 1) {
            return Ok(texts.iter().map(|(number, _)| *number).collect());
        }
        self.fill(texts.iter().map(|(number, text)| (number.index(), text.as_str())))?;
        let expression: Vec<String> = phrases.iter().map(Phrase::expression).collect();
        let mut statement = self.0.prepare_cached("SELECT rowid FROM page WHERE page MATCH ?1")?;
        let rows = statement.query_map([expression.join(" AND ")], |row| row.get::<_, i64>(0))?;
        rows.map(|row| Ok(message(row?))).collect()
    }
}

/// Takes a session's messages from a number on out of the index.
pub(super) fn forget(db: &Connection, session: i64, first: MessageId) -> Result<(), Fault> {
    let (_, indexed) = state(db, session)?;
    for number in MessageId::each(first..indexed) {
        db.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([row_of(session, number)])?;
    }
    db.prepare_cached("UPDATE sessions SET indexed = min(indexed, ?2) WHERE key = ?1")?
        .execute(params![session, column(first)])?;
    Ok(())
}

fn is_indexed(db: &Connection, session: i64) -> Result<bool, Fault> {
    Ok(state(db, session)?.1 == reading::length(db, session)?)
}

/// A session's wire format, and how many of its messages are in the index.
fn state(db: &Connection, session: i64) -> Result<(String, MessageId), Fault> {
    let mut statement = db.prepare_cached("SELECT wire, indexed FROM sessions WHERE key = ?1")?;
    Ok(statement.query_row([session], |row| Ok((row.get(0)?, message(row.get(1)?))))?)
}

/// Numbers of rows that belong to one session.
const NUMBERS: i64 = 1 << 32;

fn row_of(session: i64, number: MessageId) -> i64 {
    session * NUMBERS + column(number)
}
