//! What a store can do, whichever database is behind it.
//!
//! To write a backend: implement these traits and pass the `contract` suite. Every call that writes is one transaction:
//! when it returns, what it was given survives the process; when it fails, nothing has changed. Calls may come from
//! several threads and several processes.

use std::ops::Range;
use std::time::Duration;

use bytestring::ByteString;
use enfold::count::Usage;
use enfold::history::{MessageId, Slot};
use enfold::view::fold::Handle;
use serde::{Deserialize, Serialize};

use crate::{Entry, Error, Event, FoldRecord, Portable};

/// Everything a store can do.
pub trait Store: Sessions + Records + Leases + Transfer + Upkeep + Send + Sync {}

impl<S: Sessions + Records + Leases + Transfer + Upkeep + Send + Sync> Store for S {}

/// Sessions and their messages.
pub trait Sessions {
    /// Creates an empty session.
    fn create(&self, session: &NewSession, now: Duration) -> Result<(), Error>;

    /// Gives a session another name, policy or model. Its wire format stays: its messages are written in it.
    fn describe(&self, session: &NewSession) -> Result<(), Error>;

    /// A session by its id.
    fn session(&self, id: &str) -> Result<Option<StoredSession>, Error>;

    /// All sessions, the one used last first.
    fn sessions(&self) -> Result<Vec<StoredSession>, Error>;

    /// Removes a session and what only it holds. `false` if there is none.
    fn remove(&self, id: &str) -> Result<bool, Error>;

    /// Writes an entry, all of it or nothing. Returns the numbers of its messages.
    fn append(&self, id: &str, entry: &Entry, now: Duration) -> Result<Range<MessageId>, Error>;

    /// Messages by number, byte for byte. A range that ends after the last message ends there.
    fn messages(&self, id: &str, range: Range<MessageId>) -> Result<Vec<StoredMessage>, Error>;
}

/// What is known about a session besides its messages.
pub trait Records {
    /// The original a handle opens, byte for byte.
    fn original(&self, id: &str, handle: Handle) -> Result<Option<ByteString>, Error>;

    /// The epochs of a session with their folds, oldest first.
    fn epochs(&self, id: &str) -> Result<Vec<Epoch>, Error>;

    /// The answer to a question, by the question's key.
    fn answer(&self, id: &str, question: &str) -> Result<Option<String>, Error>;

    /// All answers, oldest first.
    fn answers(&self, id: &str) -> Result<Vec<Timed<Answer>>, Error>;

    /// What providers reported, oldest first.
    fn usage(&self, id: &str) -> Result<Vec<Timed<Usage>>, Error>;

    /// What the session has sent, as it was last written down.
    fn checkpoint(&self, id: &str) -> Result<Option<String>, Error>;

    /// What the provider's counts have taught it since.
    fn learnt(&self, id: &str) -> Result<Option<String>, Error>;

    /// What happened, oldest first.
    fn events(&self, id: &str) -> Result<Vec<Event>, Error>;
}

/// Who may compact a session. A lease ends by itself, so that a crash never locks a session.
pub trait Leases {
    /// Asks for a session. Whoever holds it, the same owner too, has it until the lease is released or over.
    fn acquire(&self, id: &str, owner: &str, now: Duration, ttl: Duration) -> Result<Acquired, Error>;

    /// Makes a lease last longer; `None` if it is over or somebody else's.
    fn renew(&self, lease: &Lease, now: Duration, ttl: Duration) -> Result<Option<Lease>, Error>;

    /// Ends a lease; nothing happens if it is over already.
    fn release(&self, lease: &Lease) -> Result<(), Error>;
}

/// Whole sessions in and out.
pub trait Transfer {
    /// All of a session.
    fn take_out(&self, id: &str) -> Result<Portable, Error>;

    /// Creates a session with all that belongs to it, or nothing.
    fn put_in(&self, session: &Portable) -> Result<(), Error>;
}

/// Search and room.
pub trait Upkeep {
    /// Messages of a session that hold all words of a query, newest first. Any text is a query: words, `"a phrase"`,
    /// `begin*`.
    fn search(&self, id: &str, query: &str, limit: usize) -> Result<Vec<Hit>, Error>;

    /// Removes sessions beyond the limits, least recently used first, and everything nobody holds. Never one whose
    /// lease holds. With [`Limits::dry_run`] nothing is changed; the report is the same.
    fn collect(&self, now: Duration, limits: &Limits) -> Result<Report, Error>;
}

/// A session to be created.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSession {
    /// What hosts call it. Unique.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Name of its wire format.
    pub wire: String,
    /// Name of its policy.
    pub policy: String,
    /// The model's id, where known.
    pub model: Option<String>,
}

/// A session as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSession {
    /// What it was created with.
    #[serde(flatten)]
    pub session: NewSession,
    /// When it was created.
    #[serde(with = "crate::portable::millis")]
    pub created: Duration,
    /// When it was last written to.
    #[serde(with = "crate::portable::millis")]
    pub updated: Duration,
    /// How many messages it has.
    pub messages: usize,
    /// Size of all its originals in bytes, as they were written.
    pub bytes: u64,
    /// How often the host rewrote the past.
    pub revision: u32,
    /// How often an epoch was opened.
    pub compactions: u32,
    /// When that was last.
    #[serde(with = "crate::portable::maybe_millis", default)]
    pub compacted: Option<Duration>,
    /// Who holds it, until when. It may be over.
    #[serde(skip)]
    pub lease: Option<(String, Duration)>,
}

/// A message as it was stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredMessage {
    /// Its number.
    pub number: MessageId,
    /// Where the format puts it.
    pub slot: Slot,
    /// Its exact text.
    pub raw: ByteString,
}

/// An epoch as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Epoch {
    /// Its number.
    pub epoch: u32,
    /// The session's revision when it was opened.
    pub revision: u32,
    /// When it was first recorded.
    #[serde(with = "crate::portable::millis")]
    pub at: Duration,
    /// Why it was opened.
    pub opened: Option<String>,
    /// The policy.
    pub policy: String,
    /// Messages of the history that its newest view is made of.
    pub messages: usize,
    /// Tokens before folding, of the newest view.
    pub before: u64,
    /// Tokens of the newest view.
    pub after: u64,
    /// Tokens it had to fit.
    pub limit: u64,
    /// Its folds in order.
    pub folds: Vec<FoldRecord>,
}

/// Something and when it was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timed<T> {
    /// When.
    #[serde(with = "crate::portable::millis")]
    pub at: Duration,
    /// What.
    #[serde(flatten)]
    pub what: T,
}

/// The answer to a question that folding asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The question's key.
    pub question: String,
    /// What was answered.
    pub text: String,
}

/// The right to compact a session for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The session.
    pub session: String,
    /// Who holds it.
    pub owner: String,
    /// When it ends by itself.
    pub until: Duration,
    /// Grows with each lease of the session.
    pub number: u64,
}

/// The answer to whoever asks for a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acquired {
    /// It is theirs.
    Lease(Lease),
    /// Somebody has it.
    Held {
        /// Who.
        by: String,
        /// Until when at the latest, unless they renew it.
        until: Duration,
    },
}

/// How much a store may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Sessions not written to for longer leave.
    pub idle: Option<Duration>,
    /// Bytes the database may take; the sessions used least recently leave until it does not take more.
    pub bytes: Option<u64>,
    /// Only says what would be done.
    pub dry_run: bool,
}

/// What a collection removed, or would remove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Ids of sessions, in the order in which they left.
    pub sessions: Vec<String>,
    /// Originals that nobody held any more.
    pub blobs: u64,
    /// Bytes of the database before.
    pub before: u64,
    /// Bytes of the database after.
    pub after: u64,
}

/// A message that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its number.
    pub number: MessageId,
    /// The words found and what stands around them, on one line.
    pub snippet: String,
}
