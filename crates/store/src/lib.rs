//! Keeps Enfold's sessions: every original once, what was folded and why, who is compacting, what it cost.
//!
//! ```text
//! Session (core) ── Entry: messages, folds, originals, usage ──► append   all of it or nothing
//!                                                                  │
//!   unfold, search, export ◄── original, search, take_out ◄────────┘      byte for byte
//! ```
//!
//! | module | what it knows |
//! |---|---|
//! | [`Store`] and the traits it is made of | what a store can do; every backend passes the `contract` suite |
//! | [`Sqlite`] | the embedded backend |
//! | [`Entry`] | what is written in one go |
//! | [`files`] | originals as files that an agent can read |
//! | [`observe`] | what to write about a prepared request |
//! | [`portable`] | a session as JSON lines |
//! | [`rows`] | sessions out of other programs' tables |
//!
//! ```
//! use std::time::Duration;
//!
//! use enfold_store::{Entry, NewSession, Sessions, Sqlite, Upkeep};
//!
//! let folder = tempfile::tempdir()?;
//! let store = Sqlite::open(folder.path().join("sessions.db"))?;
//! let now = Duration::from_secs(1_700_000_000);
//! store.create(&NewSession { id: "s1".into(), wire: "openai-chat".into(), ..NewSession::default() }, now)?;
//! store.append("s1", &Entry::messages([r#"{"role":"user","content":"Fix the parser"}"#]), now)?;
//! assert_eq!(store.search("s1", "pars*", 10)?[0].snippet, "Fix the parser");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Calls block. The clock is an argument: time since 1970 (UTC), kept to the millisecond; [`since_1970`] is the usual one.

mod clock;
#[cfg(feature = "contract")]
pub mod contract;
mod entry;
mod error;
pub mod files;
pub mod observe;
pub mod portable;
mod private;
pub mod rows;
mod sqlite;
mod store;
mod summaries;
mod words;

pub use clock::since_1970;
pub use entry::{At, Entry, Event, FoldRecord, NewMessage, Original, Recording, digits};
pub use error::Error;
pub use portable::Portable;
pub use sqlite::{Durability, Options, Sqlite};
pub use store::{
    Acquired, Answer, Epoch, Hit, Lease, Leases, Limits, NewSession, Records, Report, Sessions, Store,
    StoredMessage, StoredSession, Timed, Transfer, Upkeep,
};
pub use summaries::{FailedSummary, ShownSummary};
