//! The command line from outside: what goes in, what comes out, and with which exit code.

// Helpers of tests may do what tests may.
#![allow(unreachable_pub, clippy::unwrap_used, clippy::print_stderr)]

mod bad_input;
mod convert;
mod help;
mod huge_input;
mod sessions;
mod support;
