//! The commands, one file each.

pub mod changelog;
pub mod completions;
pub mod convert;
pub mod count;
pub mod file_at;
pub mod inspect;
pub mod man;
pub mod models;
pub mod validate;
