//! A proxy between an agent and its model. What the agent sends is folded in flight; what the model answers goes back byte
//! for byte.
//!
//! ```text
//!  agent ──► guard ──► route ──► read ──► which session? ──► fold ──► check ──► upstream
//!    ▲                                         │               │                    │
//!    │                                       store ◄───────────┘                    │
//!    └───────────────────────── the stream, byte for byte ◄─────────────────────────┘
//!                                     └─ a copy is read for usage
//! ```
//!
//! A request that no fold touches leaves byte for byte as it came. What a session is stands in the store: a process that
//! starts anew sends the same bytes again.
//!
//! | module | what it knows |
//! |---|---|
//! | [`config`] | what can be set, and where upstreams are |
//! | `server` | connections, and how they end |
//! | `guard` | who may ask for what: hosts, origins, the token |
//! | `route` | which path is what |
//! | `intake` | request bodies under limits: sizes, encodings, depth |
//! | `headers` | what is passed on, and what is not |
//! | `relay` | one request to an upstream, its answer back |
//! | `watch` | a copy of the answer, read for usage |
//! | `identity` | whose request it is |
//! | `threads` | conversations that are under way, found and opened |
//! | `thread` | one conversation: what was sent last, what to send now |
//! | `model` | the way of a request to a model, from beginning to end |
//! | `opener` | how this agent can open what is left out, as its request shows |
//! | `turn` | a request that was sent, until what it cost is stored |
//! | `aside` | what a client asks beside its conversation |
//! | `compact` | a conversation in short, for upstreams that cannot |
//! | `overflow` | whether a provider says that a request is too long |
//! | `hub` | what happened, told to whoever listens |
//! | `tally` | numbers for people and Prometheus |
//! | `traces` | spans for OpenTelemetry |
//! | `money` | what a session cost, and would have cost unfolded |
//! | `api` | REST |
//! | `dashboard` | the pages that show all this |

mod answer;
mod api;
mod aside;
mod compact;
pub mod config;
mod dashboard;
mod guard;
mod headers;
mod hub;
mod identity;
mod intake;
mod model;
mod money;
mod opener;
mod overflow;
mod relay;
mod route;
mod server;
mod tally;
mod thread;
mod threads;
mod traces;
mod turn;
mod upstream;
mod watch;

pub use config::{Config, ConfigError, Home, Limits, Mode};
pub use server::{Bound, Reach, ServeError};
pub use tally::Totals;
pub use traces::Traces;
pub use upstream::{Upstream, Upstreams};
