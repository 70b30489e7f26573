//! Long sessions that survive: what to send next, stored before it is sent.
//!
//! ```text
//!  push ──► prepare ──► fold ──► still over? ──► ask a model ──► check ──► store ──► the view
//!              ▲                     │               │
//!              │                     └── no model, a bad answer, an error: the ledger speaks alone
//!              └── the next message                      settle ◄── the agent's work is done
//! ```
//!
//! A [`Coordinator`] joins three parts that know nothing of each other: [`enfold::Session`] (what to send),
//! [`enfold_store`] (what must not be lost), [`enfold_llm`] (who can be asked). No failure of a model stops the agent:
//! the view is good without its answer. One process at a time compacts a session; others wait and use what it made.
//!
//! ```no_run
//! use std::sync::Arc;
//! use enfold::wire::OpenAiChat;
//! use enfold::folding::policy::Policy;
//! use enfold_coordinator::{Config, Coordinator};
//!
//! # fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let store = Arc::new(enfold_store::Sqlite::open("sessions.db")?);
//! let config = Config::new(&OpenAiChat, Policy::named("balanced")?, 100_000);
//! let mut session = Coordinator::open(store, "my-session", config)?;
//! session.push(r#"{"role":"user","content":"Make the tests pass."}"#)?;
//! let ready = session.prepare()?;
//! println!("{} messages, {} tokens", ready.messages.len(), ready.tokens);
//! # Ok(()) }
//! ```
//!
//! | module | what it knows |
//! |---|---|
//! | `coordinator` | what comes in and goes out, stored first: [`Coordinator::push`], [`Coordinator::sync`], [`Coordinator::settle`] |
//! | `order` | the order of things until a request is ready, without waiting; one compaction at a time |
//! | `drive` | two ways through it: [`Coordinator::prepare`], [`Coordinator::prepare_async`] |
//! | `reading` | a session out of the store, with the very view it had |
//! | `summarizer` | who is asked, in which shape, how often |
//! | `ahead` | asking in the background |
//! | `working` | a guard that settles when the work ends |
//! | `events` | what happened, in the words of dashboards |

mod ahead;
mod config;
mod coordinator;
mod drive;
mod error;
mod events;
mod order;
mod reading;
mod summarizer;
mod working;

pub use config::{Clock, Config, Sink};
pub use coordinator::Coordinator;
pub use error::Error;
pub use summarizer::{AskedAs, Summarizer};
pub use working::Working;
