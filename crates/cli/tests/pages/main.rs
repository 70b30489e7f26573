//! The pages in a real browser: what a reader presses, what happens, and that nothing else does.
//!
//! With `ENFOLD_SCREENSHOTS` set (`cargo xtask screenshots`) the pictures of the README are made anew.

// Helpers of tests may do what tests may.
#![allow(unreachable_pub, clippy::unwrap_used, clippy::print_stderr)]

mod explain;
mod inert;
mod inspect;
mod replay;
mod support;
