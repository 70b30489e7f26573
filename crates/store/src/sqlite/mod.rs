//! The embedded backend: one SQLite file, a writer and many readers, in WAL mode.

mod appending;
mod blobs;
mod checkpoints;
mod collecting;
mod dictionaries;
mod folds;
mod handles;
mod leases;
mod migrations;
mod opening;
mod reading;
mod records;
mod searching;
mod sessions;
mod transfer;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use enfold::history::MessageId;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, ffi};

use crate::Error;
use dictionaries::Dictionaries;
use opening::Access;

/// A store in one SQLite file. Share it between threads by reference; one of them writes at a time, any number read.
pub struct Sqlite {
    path: PathBuf,
    options: Options,
    access: Access,
    writer: Mutex<Connection>,
    /// Readers that nobody uses at the moment.
    readers: Mutex<Vec<Connection>>,
    dictionaries: Dictionaries,
}

/// How a database is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// What survives a loss of power. Nothing that was acknowledged is lost when only the process dies.
    pub durability: Durability,
    /// How long to wait while another process writes.
    pub patience: Duration,
    /// Pages of 4 KiB the file may have, for machines with little room.
    pub most_pages: Option<u32>,
}

/// What survives a loss of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Everything acknowledged: each write waits for the disk.
    Full,
    /// A sound database that may miss the last writes.
    Relaxed,
}

impl Default for Options {
    fn default() -> Options {
        Options { durability: Durability::Full, patience: Duration::from_secs(10), most_pages: None }
    }
}

/// Readers kept for the next call.
const IDLE_READERS: usize = 8;

impl Sqlite {
    /// Opens a database, or creates it: file 0600, missing folders 0700. An older one is brought up to date.
    pub fn open(path: impl AsRef<Path>) -> Result<Sqlite, Error> {
        Sqlite::open_with(path, Options::default())
    }

    /// Opens a database with other options.
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Sqlite, Error> {
        let path = path.as_ref().to_path_buf();
        let writer = opening::open(&path, &options)?;
        Ok(Sqlite::of(path, options, Access::Write, writer))
    }

    /// The same, also where nothing can be written: a store on a read-only disk, or somebody else's, is read. What would
    /// write to it fails with [`Error::ReadOnly`].
    pub fn open_to_read(path: impl AsRef<Path>, options: Options) -> Result<Sqlite, Error> {
        let path = path.as_ref().to_path_buf();
        match opening::open(&path, &options) {
            Ok(writer) => Ok(Sqlite::of(path, options, Access::Write, writer)),
            Err(Error::ReadOnly(_)) if path.is_file() => {
                let (access, reader) = opening::open_read_only(&path, &options)?;
                Ok(Sqlite::of(path, options, access, reader))
            }
            Err(error) => Err(error),
        }
    }

    fn of(path: PathBuf, options: Options, access: Access, writer: Connection) -> Sqlite {
        let (writer, readers) = (Mutex::new(writer), Mutex::new(Vec::new()));
        Sqlite { path, options, access, writer, readers, dictionaries: Dictionaries::default() }
    }

    /// Whether it can be read and not written.
    pub fn is_read_only(&self) -> bool {
        self.access != Access::Write
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Looks through the whole database for damage: its structure, and every original against its hash. O(database).
    pub fn check(&self) -> Result<(), Error> {
        let damaged = |what: String| Error::Damaged { path: self.path.clone(), what };
        self.read(|tx| {
            let said: String = tx.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
            if said != "ok" {
                return Err(damaged(said).into());
            }
            if tx.prepare("PRAGMA foreign_key_check")?.exists([])? {
                return Err(damaged("a row refers to a session that is not there".into()).into());
            }
            let keys = tx
                .prepare("SELECT key FROM blobs")?
                .query_map([], |row| row.get(0))?
                .collect::<Result<Vec<i64>, _>>()?;
            for key in keys {
                blobs::get(tx, &self.dictionaries, key)?;
            }
            let lost = "SELECT blob FROM messages UNION SELECT blob FROM replaced
                        UNION SELECT blob FROM handles WHERE blob IS NOT NULL
                        EXCEPT SELECT key FROM blobs";
            match tx.prepare(lost)?.exists([])? {
                true => Err(damaged("an original is missing".into()).into()),
                false => Ok(()),
            }
        })
    }

    /// One transaction that writes. Whatever fails undoes all of it.
    fn write<T>(&self, work: impl FnOnce(&Transaction) -> Result<T, Fault>) -> Result<T, Error> {
        self.write_until(Ending::Commit, work)
    }

    fn write_until<T>(
        &self,
        ending: Ending,
        work: impl FnOnce(&Transaction) -> Result<T, Fault>,
    ) -> Result<T, Error> {
        let mut writer = lock(&self.writer);
        let done = (|| {
            let tx = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&tx)?;
            match ending {
                Ending::Commit => tx.commit()?,
                Ending::Undo => tx.rollback()?,
            }
            Ok(done)
        })();
        if done.is_err() || matches!(ending, Ending::Undo) {
            self.dictionaries.forget();
        }
        done.map_err(|fault| self.explain(fault))
    }

    /// One transaction that reads: everything as it was at one moment, whatever is written meanwhile.
    fn read<T>(&self, work: impl FnOnce(&Transaction) -> Result<T, Fault>) -> Result<T, Error> {
        let idle = lock(&self.readers).pop();
        let mut reader = match idle {
            Some(reader) => reader,
            None => opening::reader(&self.path, self.access, &self.options)
                .map_err(|fault| self.explain(fault))?,
        };
        let done = (|| {
            let tx = reader.transaction()?;
            let done = work(&tx)?;
            tx.commit()?;
            Ok(done)
        })();
        let mut readers = lock(&self.readers);
        if readers.len() < IDLE_READERS {
            readers.push(reader);
        }
        drop(readers);
        done.map_err(|fault| self.explain(fault))
    }

    fn explain(&self, fault: Fault) -> Error {
        explain(fault, &self.path, self.options.patience)
    }
}

/// How a transaction ends.
#[derive(Clone, Copy)]
enum Ending {
    Commit,
    /// Everything is undone: it was only tried.
    Undo,
}

/// What stops a piece of work inside a transaction: an error of ours, or one of the database's that is explained outside.
enum Fault {
    Ours(Error),
    Sqlite(rusqlite::Error),
    /// What is stored is not what was written.
    Damaged(String),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Ours(error)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        Fault::Sqlite(error)
    }
}

/// A fault in words that name the file and what to do.
fn explain(fault: Fault, path: &Path, patience: Duration) -> Error {
    let path = path.to_path_buf();
    let source = match fault {
        Fault::Ours(error) => return error,
        Fault::Damaged(what) => return Error::Damaged { path, what },
        Fault::Sqlite(error) => error,
    };
    let (code, extended) = match &source {
        rusqlite::Error::SqliteFailure(failure, _) => (failure.code, failure.extended_code),
        _ => return Error::Database { path, source: Box::new(source) },
    };
    match code {
        ErrorCode::DiskFull => Error::Full(path),
        // The file that readers and writers share could not be made longer.
        ErrorCode::SystemIoFailure if extended == ffi::SQLITE_IOERR_SHMSIZE => Error::Full(path),
        ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied => Error::ReadOnly(path),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Error::Busy { path, waited: patience },
        ErrorCode::NotADatabase => Error::NotOurs(path),
        ErrorCode::DatabaseCorrupt => Error::Damaged { path, what: source.to_string() },
        _ => Error::Database { path, source: Box::new(source) },
    }
}

/// What the database says about another program's file, in words.
pub(crate) fn explain_other(error: rusqlite::Error, path: &Path) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            Error::NoRows { path: path.into(), why: "not a database of SQLite".into() }
        }
        _ => Error::Database { path: path.into(), source: Box::new(error) },
    }
}

/// Whether a database is a store.
pub(crate) fn is_ours(db: &Connection) -> rusqlite::Result<bool> {
    let application: i32 = db.pragma_query_value(None, "application_id", |row| row.get(0))?;
    Ok(application == opening::APPLICATION)
}

/// A thread that panicked has left nothing half-done: its transaction was undone when it was dropped.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn time(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// Numbers that are counts in our types and `INTEGER` in the database.
fn int(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// A message's number as a column holds it.
fn column(message: MessageId) -> i64 {
    int(message.index())
}

/// The message whose number a column holds.
fn message(number: i64) -> MessageId {
    MessageId::new(count(number))
}

fn count<T: TryFrom<i64> + Default>(number: i64) -> T {
    T::try_from(number).unwrap_or_default()
}
