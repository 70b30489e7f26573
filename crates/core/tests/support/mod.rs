//! What several test files share.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "shared by test files, of which each uses its own part"
)]

pub mod compare;
pub mod sessions;
