//! The dashboard in a real browser, while a session runs through the proxy.
//!
//! With `ENFOLD_SCREENSHOTS` set (`cargo xtask screenshots`) the pictures of the README are made anew.

// Helpers of tests may do what tests may.
#![allow(unreachable_pub, clippy::unwrap_used, clippy::print_stderr)]

mod agent;
mod inert;
mod pages;
mod support;
