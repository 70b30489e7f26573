//! What the packages for Python, Node and other languages share: JSON in, a view out that says where each message comes from.
//!
//! No language stands here. A package walks its host's objects, writes each message as JSON, calls this crate without holding
//! its interpreter's lock, and makes objects of what comes back. Everything else is in here or below, so that all packages
//! give the same bytes (`packages/contract`).
//!
//! | a host wants | it calls |
//! |---|---|
//! | a list of messages that fits | [`fold`]; of a file's bytes, [`fold_bytes`] |
//! | request after request, with the prompt cache in mind | [`Session`]: [`Session::sync`], [`Session::prepare`], … |
//! | the same, kept in a database | [`StoredSession`] |
//! | to look, not to fold | [`inspect`], [`count`], [`check`], [`convert`], [`ledger`], [`files`], [`changelog`], [`file_at`], [`priorities`], [`pruning`] |
//! | a model's window, and tools that ask for reasons | [`model_budget`], [`add_intent`] |
//! | the command line | [`run`]: the words in, the exit code out |
//! | to keep originals where its agent can read them | [`Persister`] in its [`Options`] |
//! | to know whether a provider's refusal means "too long" | [`is_overflow`] |
//! | many threads on one session | [`OneAtATime`] around it |
//!
//! # How a package converts
//!
//! 1. **Options** are one JSON object, the same names everywhere: [`Options::parse`].
//! 2. **Messages** go in one by one: [`Message::written`] for a text that the package's own walk wrote, [`Message::parse`] for
//!    a text that came from a user. An error names the place in the list.
//! 3. **What comes back** is a [`View`]: for each message its text and its [`Origin`]. `Same(i)`: hand back the host's own
//!    object at `i`. `Changed(i)`: its copy, with what the text says. `New`: an object made from the text.
//! 4. **Only what is new** is converted: a package remembers which objects it has given and in which text, and hands over the
//!    same [`Message`]s again ([`Session::sync`]), or says how many stay ([`Session::sync_tail`]).
//! 5. **Errors** have a [`Code`], an exception per code; the text is for people.
//!
//! ```
//! use enfold_bindings::{Message, Options, Origin, fold};
//!
//! let options = Options::parse(r#"{"budget": "16k"}"#)?;
//! let messages = [Message::parse(0, r#"{"role":"user","content":"Why does the build fail?"}"#)?];
//! let view = fold(&messages, &options)?;
//! assert_eq!((view.origins[0], view.format), (Origin::Same(0), "openai-chat"));
//! # Ok::<(), enfold_bindings::Error>(())
//! ```

mod error;
mod facts;
mod fold;
mod format;
mod kept_account;
mod look;
mod message;
mod names;
mod one_at_a_time;
mod options;
mod persist;
mod room;
mod session;
mod stored;
mod view;

pub use enfold::Cache;
pub use enfold::session::{Origin, Synced};
pub use enfold_cli::run;
pub use enfold_llm::is_overflow;
pub use error::{Code, Error};
pub use facts::{At, add_intent, changelog, facts, file_at, files, model_budget, priorities, pruning};
pub use fold::{fold, fold_bytes};
pub use format::Given;
pub use look::{Converted, check, convert, count, count_text, inspect, ledger};
pub use message::Message;
pub use one_at_a_time::OneAtATime;
pub use options::Options;
pub use persist::Persister;
pub use session::Session;
pub use stored::{Listener, StoredSession};
pub use view::View;
