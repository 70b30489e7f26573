//! Enfold folds an agent's history to fit a model's window; every fold can be opened again.
//!
//! This crate is the pure core: no I/O, no clock, no randomness, no environment. Bytes come in, values come out.
//!
//! | module | what it knows |
//! |---|---|
//! | [`json`] | JSON read in place, changed by splicing |
//! | [`item`], [`history`] | what happened: items, messages, turns, steps, pairs |

pub mod finding;
pub mod history;
pub mod item;
pub mod json;
