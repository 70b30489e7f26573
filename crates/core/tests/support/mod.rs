//! What several test files share.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "shared by test files, of which each uses its own part"
)]

pub mod checks;
pub mod compare;
pub mod fixtures;
pub mod folding;
pub mod generate;
pub mod odd;
pub mod promises;
pub mod render;
pub mod rules;
pub mod sessions;
pub mod views;
pub mod work;
