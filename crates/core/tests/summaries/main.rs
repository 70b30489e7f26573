//! Summaries of running sessions: round after round, with a narrator, without one, and with one that talks rubbish.
#![allow(clippy::unwrap_used, clippy::print_stderr, unreachable_pub, reason = "a test")]

#[path = "../support/mod.rs"]
mod support;

mod asking;
mod chain;
mod laws;
mod left_out;
mod narrator;
mod opening;
mod settling;
mod shot;
mod sources;
mod steps;
mod strange;
mod talk;
