//! Enfold folds an agent's history to fit a model's window; every fold can be opened again.
//!
//! This crate is the pure core: no I/O, no clock, no randomness, no environment. Bytes come in, values come out.
//!
//! # Four doors
//!
//! **Fold once.** Bytes of any session in, a view that fits out: [`fold_once`].
//!
//! **Run a session.** Push what happens, prepare what to send. Between epochs a view only grows, so the prompt cache holds:
//! ```
//! use enfold::{Cache, HandleKey, Policy, Session};
//!
//! let handles = HandleKey::new(b"a secret of this installation", "session 1");
//! let mut session = Session::for_model("gpt-4o", Policy::named("balanced")?, handles)?;
//! session.push(r#"{"role":"user","content":"Why does the build fail?"}"#)?;
//! let request = session.prepare(Cache::Cold)?; // send request.messages, push the answer, prepare again
//! assert_eq!(request.messages.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Whole request bodies.** A provider's body in, the body to send out, everything folding does not touch byte for byte:
//! ```
//! use enfold::{Cache, Envelope, HandleKey, Policy, Session};
//!
//! let body = r#"{"model":"gpt-4o","messages":[{"role":"user","content":"Hello"}],"seed":7}"#;
//! let envelope = Envelope::open(body, None)?;
//! let mut session = Session::for_model("gpt-4o", Policy::named("balanced")?, HandleKey::new(b"a secret", "session 1"))?;
//! session.sync_request(&envelope)?;
//! assert_eq!(envelope.seal(&session.prepare(Cache::Cold)?), body);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Read any transcript.** What an agent keeps on disk, as messages, turns, steps and pairs:
//! ```
//! let log = br#"{"role":"user","content":"Hello"}"#.to_vec();
//! let document = enfold::file::read_bytes(log)?;
//! assert_eq!((document.format, document.history.turns()), ("openai-chat", 1));
//! # Ok::<(), enfold::file::ReadError>(())
//! ```
//!
//! # Layers
//!
//! The layers, lowest first. Each uses only those above it in this list (`cargo xtask lint` holds it to that).
//!
//! | layer | what it knows |
//! |---|---|
//! | [`json`] | values as windows into their text, changed by splicing |
//! | [`finding`] | something noticed about an input: severity, rule, place, remedy |
//! | [`text`] | lines, names, what kind of text a line stands in, marks of ours |
//! | [`history`] | what happened: items, messages, turns, steps, pairs |
//! | [`count`] | how much of a window it takes; models and budgets |
//! | [`wire`] | what providers are sent: one folder per wire format |
//! | [`source`] | one JSON value or one per line; faults with line and byte |
//! | [`transcript`] | what agents keep on disk: one file per format |
//! | [`validate`] | whether a provider would take a request, rule by rule |
//! | [`understand`] | what it means: operations, files and their states, what must stay, the ledger |
//! | [`summary`] | what a model is asked to tell, how its answer is checked, what stands in the view |
//! | [`view`] | what the model would be sent: folds, changes, costs, the trace |
//! | [`mod@file`] | whole files: detected, read, written back, converted; the notation |
//! | [`folding`] | passes, policies, and the runner that guarantees the budget |
//! | [`session`] | a running session: what to send, request after request |
//! | [`once`] | folding once: bytes in, bytes out |
//! | [`envelope`] | a provider's whole request body in, the body to send out |

// Pure by lint: `clippy.toml` beside Cargo.toml lists what is refused.
#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_macros,
        clippy::disallowed_methods,
        clippy::disallowed_types,
        clippy::iter_over_hash_type
    )
)]

pub mod count;
pub mod envelope;
pub mod file;
pub mod finding;
pub mod folding;
pub mod history;
pub mod json;
pub mod once;
pub mod session;
pub mod source;
pub mod summary;
pub mod text;
pub mod transcript;
pub mod understand;
pub mod validate;
pub mod view;
pub mod wire;

pub use envelope::Envelope;
pub use folding::passes::{Cache, Pass, Registry};
pub use folding::policy::Policy;
pub use once::{FoldOnceError, Folded, Options, fold_once};
pub use session::{Prepared, Session};
pub use view::fold::{Handle, HandleKey};

/// The README's example is compiled with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
