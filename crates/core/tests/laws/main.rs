//! What must hold for every pass, every policy and every view, over sessions drawn and real. A pass or policy that is
//! registered is covered here; nothing has to be added.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test")]

#[path = "../support/mod.rs"]
mod support;

mod drawn;
mod formats;
mod hostile;
mod real;
mod sessions;
