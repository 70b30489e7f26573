//! The command line from outside: what goes in, what comes out, and with which exit code.

#![allow(unreachable_pub)]

mod bad_input;
mod convert;
mod help;
mod huge_input;
mod sessions;
mod support;
