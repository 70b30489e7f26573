//! Understanding, on real sessions and on commands of the same shapes.

#![allow(clippy::print_stderr, clippy::unwrap_used, reason = "tests print what they measured")]

mod calls;
mod commands;
mod labels;
mod replays;
mod small;
mod strange;
mod support;
