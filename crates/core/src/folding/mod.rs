//! Folding: passes propose, policies order them, the runner measures, checks and guarantees the budget.

pub mod account;
pub mod bonds;
pub mod groups;
mod guarantee;
mod legality;
pub mod notes;
pub mod opener;
pub mod passes;
pub mod persist;
pub mod policy;
pub mod runner;
mod shortened;
pub(crate) mod stretches;
pub(crate) mod telling;
mod unbind;
pub mod words;
