//! Obtains an answer from a model for a request whose messages are already in the provider's wire format.
//!
//! It never hangs (every wait has an end), never loops (retries are counted, deterministic failures are not
//! retried) and never shows a key (it prints as `…` and is cut out of whatever a server sends back).
//!
//! ```no_run
//! # async fn run() -> Result<(), enfold_llm::Error> {
//! use enfold_llm::{Api, Ask, Client, Endpoint, Options};
//!
//! let client = Client::new(Endpoint::from_env(Api::Anthropic, None)?, Options::default())?;
//! let ask = Ask::new("claude-haiku-4-5", 2_000).message(r#"{"role":"user","content":"Say hello."}"#);
//! let answer = client.ask(&ask, &Default::default()).await?;
//! println!("{:?}: {}", answer.finish, answer.text);
//! # Ok(()) }
//! ```
//!
//! | module | what it knows |
//! |---|---|
//! | [`ask`](Ask) | what is asked and what is answered |
//! | [`client`](Client) | attempts, waits, the deadline, the breaker |
//! | [`endpoint`](Endpoint) | where requests go, and which key may go there |
//! | [`error`](Error) | what can go wrong, and what to do about it |
//! | [`connect`], `url` | connections, certificates, proxies; URLs |
//! | `attempt`, [`sse`] | one request over HTTP, read under limits |
//! | [`usage`] | what providers say about tokens |
//! | `body` | request bodies, spliced; what a model refuses is left out |
//! | `read` | the answers of the three APIs |
//! | [`blocking`](Blocking) | the same for callers without a runtime |

mod ask;
mod attempt;
mod blocking;
mod body;
mod breaker;
mod classify;
mod client;
pub mod connect;
mod endpoint;
mod error;
mod key;
mod read;
mod retry;
pub mod sse;
mod url;
pub mod usage;

pub use ask::{Answer, Api, Ask, Progress};
pub use blocking::Blocking;
pub use classify::is_overflow;
pub use client::{Client, Options, Proxy};
pub use endpoint::Endpoint;
pub use enfold::count::Usage;
pub use enfold::summary::Finish;
pub use error::{Error, Fault, Said, Waiting};
pub use key::Key;
pub use tokio_util::sync::CancellationToken;
pub use url::parse as parse_url;
