//! The command line from outside: what goes in, what comes out, and with which exit code.

// Helpers of tests may do what tests may.
#![allow(unreachable_pub, clippy::unwrap_used, clippy::print_stderr)]

mod agent;
mod asking;
mod bad_input;
mod blobs;
mod convert;
mod documents;
mod explain;
mod faults;
mod fold;
mod help;
mod huge_input;
mod json_docs;
mod killed;
mod manual;
mod mcp;
mod mistakes;
mod newest;
mod reopening;
mod replay;
mod rounds;
mod run;
mod sessions;
mod store;
mod store_errors;
mod store_import;
mod summaries;
mod support;
mod terminal;
