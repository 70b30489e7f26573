//! What an agent can ask about its own session, as tools of the Model Context Protocol.
//!
//! ```text
//!  agent ── unfold #482913077 ──► which session? ──► the store ──► a page of the original, and how to go on
//! ```
//!
//! The tools read the store and nothing else, so they work beside a proxy that is writing to it. An answer is never longer
//! than a page ([`PAGE`]): whoever recalls something must not lose the window to it.
//!
//! | module | what it knows |
//! |---|---|
//! | `tools` | the tools as agents see them |
//! | `which` | the session that is meant |
//! | `answer` | what each tool answers |
//! | `page` | a part of a long text, and how to go on |
//! | `plain` | messages of a provider's format, for reading |
//! | `rpc` | JSON-RPC: what came, what is sent back |
//! | `methods` | the protocol: its versions, what each method answers |
//! | `pipes`, `http` | the ways by which it comes |

mod answer;
mod http;
mod methods;
mod page;
mod pipes;
mod plain;
mod rpc;
mod tools;
mod which;

use std::sync::Arc;
use std::time::Duration;

use enfold_store::Store;

pub use http::OverHttp;
pub use page::PAGE;
pub use pipes::{ServeError, over, over_pipes};
pub use tools::UNFOLD;

/// Opens the store. Asked again for every call: it may be made after the agent has started.
pub type Open = Arc<dyn Fn() -> Result<Arc<dyn Store>, String> + Send + Sync>;

/// Answers an agent's questions about its session.
#[derive(Clone)]
pub struct Recall {
    open: Open,
    scope: Scope,
}

/// The sessions that may be asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Only this one: its id, or the beginning of it.
    pub session: Option<String>,
    /// Only those written to since then (since 1970): those of an agent that was started then, and of others beside it.
    pub since: Option<Duration>,
}

impl Recall {
    /// Over this store.
    pub fn new(open: Open, scope: Scope) -> Recall {
        Recall { open, scope }
    }
}

/// Why a call cannot be answered. The agent reads it as the result of its call.
#[derive(Debug, thiserror::Error)]
#[error("{thing}: {cause}; {remedy}")]
struct Unanswered {
    thing: String,
    cause: String,
    remedy: String,
}

impl Unanswered {
    fn new(thing: impl ToString, cause: impl ToString, remedy: impl ToString) -> Unanswered {
        Unanswered { thing: thing.to_string(), cause: cause.to_string(), remedy: remedy.to_string() }
    }
}

/// The store says well what is wrong with it.
impl From<enfold_store::Error> for Unanswered {
    fn from(error: enfold_store::Error) -> Unanswered {
        Unanswered::new("the store", error, "`enfold doctor` says what to do")
    }
}
