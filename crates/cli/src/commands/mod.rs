//! The commands, one file each.

pub mod changelog;
pub mod completions;
pub mod convert;
pub mod count;
pub mod explain;
pub mod file_at;
pub mod fold;
pub mod inspect;
pub mod intent;
pub mod ledger;
pub mod log;
pub mod man;
pub mod models;
pub mod newest;
pub mod passes;
pub mod policies;
pub mod search;
pub mod sessions;
pub mod templates;
pub mod unfold;
pub mod validate;
