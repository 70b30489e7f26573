//! Enfold folds an agent's history to fit a model's window; every fold can be opened again.
//!
//! This crate is the pure core: no I/O, no clock, no randomness, no environment. Bytes come in, values come out.
//!
//! | module | what it knows |
//! |---|---|
//! | [`json`] | JSON read in place, changed by splicing |
//! | [`source`], [`formats`], [`document`] | files: which format they are in, what they hold, how to write them back |
//! | [`item`], [`history`] | what happened: items, messages, turns, steps, pairs |
//! | [`changes`] | what a view changes of a history, spliced into its messages |
//! | [`convert`] | one format into another, with a report of what is lost |
//! | [`notation`] | histories as people write them in tests, documents and bug reports |
//! | [`tokens`] | how much of a window it takes |
//! | [`models`], [`budget`] | what the window is, and how much of it to use |
//! | [`passes`], [`policy`], [`runner`] | folding a history into a budget |
//! | [`session`] | a running session: what to send, request after request |
//! | [`fold`], [`view`], [`trace`] | a fold and its handle, a view and its cost, what was done and why |
//! | [`facts`], [`together`], [`left_out`], [`names`], [`lines`], [`shape`], [`excerpt`], [`stand_in`] | what passes look at and write |
//! | [`ledger`] | what a session is about and how far it has come |
//! | [`summary`] | what a model is asked to tell, how its answer is checked, what stands in the view |
//! | [`validate`] | whether a provider would take a request, rule by rule |
//! | [`understand`] | what it means: operations, files and their states, priorities |

mod arguments;
pub mod budget;
pub mod changes;
pub mod convert;
pub mod document;
pub mod excerpt;
pub mod facts;
pub mod finding;
pub mod fold;
pub mod formats;
pub mod history;
pub mod item;
pub mod json;
pub mod ledger;
pub mod left_out;
mod legality;
pub mod lines;
pub mod models;
pub mod names;
pub mod notation;
pub mod passes;
pub mod policy;
pub mod runner;
pub mod session;
pub mod shape;
pub mod source;
pub mod stand_in;
pub mod summary;
pub mod together;
pub mod tokens;
pub mod trace;
pub mod understand;
pub mod validate;
pub mod view;

pub use session::Session;

/// The README's example is compiled with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
