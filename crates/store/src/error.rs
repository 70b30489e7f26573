//! What can go wrong, who can fix it, and how.

use enfold::history::MessageId;
use std::path::PathBuf;
use std::time::Duration;

/// Why a store did not do what it was asked. Whatever was begun is undone.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller names a session that is not there.
    #[error("no session `{0}`")]
    NoSession(String),
    /// The caller creates a session that is there.
    #[error("session `{0}` exists already; choose another id, or remove it first")]
    SessionExists(String),
    /// Somebody else has appended, or the caller counts wrongly. Read what is new and try again.
    #[error(
        "session `{session}` has {found} messages, not {expected}: read what was appended meanwhile, then try again"
    )]
    Moved {
        /// The session.
        session: String,
        /// Where the caller wanted to append.
        expected: MessageId,
        /// How many messages there are.
        found: MessageId,
    },
    /// The lease that the caller writes under has expired or was given to somebody else.
    #[error("the lease of `{owner}` on session `{session}` is over; acquire it again")]
    LeaseLost {
        /// The session.
        session: String,
        /// Who held it.
        owner: String,
    },
    /// An original refers to a message or a piece of one that is not there. The caller's mistake.
    #[error("session `{session}`: a handle's original is {what}")]
    BadOriginal {
        /// The session.
        session: String,
        /// What it refers to.
        what: String,
    },
    /// The operator has to make room.
    #[error("{}: the disk is full; make room, or collect old sessions, then try again: nothing was changed", .0.display())]
    Full(PathBuf),
    /// The operator has to allow writing.
    #[error("{}: cannot be written; make the file and its folder writable, or name another place: nothing was changed", .0.display())]
    ReadOnly(PathBuf),
    /// Another process has been writing for too long.
    #[error("{}: another process has been writing for {} s; try again, or stop it", path.display(), waited.as_secs())]
    Busy {
        /// The database.
        path: PathBuf,
        /// How long we waited.
        waited: Duration,
    },
    /// The operator has to update.
    #[error("{}: written by a newer Enfold (schema {found}, this one knows {known}); update Enfold", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// The version of its schema.
        found: u32,
        /// The newest version known here.
        known: u32,
    },
    /// The file is something else.
    #[error("{}: not a database of Enfold; name another file", .0.display())]
    NotOurs(PathBuf),
    /// What is stored is not what was written: a failing disk, or somebody's editing. Restore a copy.
    #[error("{}: damaged: {what}; restore a copy, or export what can be read", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// What is to be imported is not what it should be.
    #[error("import, line {line}: {why}")]
    Import {
        /// Line or row, counted from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// Another program's table does not hold what was looked for. The caller names another, or its columns.
    #[error("{}: {why}", path.display())]
    NoRows {
        /// The other program's file.
        path: PathBuf,
        /// What is there instead, and what to do.
        why: String,
    },
    /// A file could not be made, read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Anything else the database says. Ours to fix.
    #[error("{}: {source}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What it says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
