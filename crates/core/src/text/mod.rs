//! Texts, looked at closely: lines, names, what kind of text a line stands in, strings in arguments, marks of ours.

pub(crate) mod arguments;
pub mod harness;
pub(crate) mod json_units;
pub mod lines;
pub mod names;
mod nearest;
mod preview;
pub mod shape;
pub(crate) mod summary_mark;

pub use nearest::nearest;
pub use preview::preview;
