//! Understanding a history: what its calls do, which files they touch, and what those files hold at any step.
//!
//! | module | what it knows |
//! |---|---|
//! | [`vocabulary`] | the tools of the known agents, and yours |
//! | [`tools`] | call → operations |
//! | [`shell`] | shell commands, parsed |
//! | [`patch`] | Codex patches and unified diffs |
//! | [`files`], [`file_state`] | the files of a session, and what they hold at any step |
//! | [`changelog`], [`intent`] | the changes in order, with their reasons; a field in which edit tools ask for one |
//! | [`categories`], [`priorities`] | what is lost with a result, and what matters most |
//! | [`work`] | what an answered call did, in a few words |
//! | [`outcome`] | exit status, failure and text of a result |

mod arguments;
pub mod categories;
pub mod changelog;
pub mod facts;
pub mod file_state;
pub mod files;
pub mod intent;
pub mod ledger;
mod lines;
pub mod operation;
pub mod outcome;
pub mod patch;
pub mod paths;
pub mod priorities;
mod script;
pub mod shell;
pub(crate) mod shown;
mod swe_agent;
pub mod tools;
pub mod vocabulary;
pub mod walk;
pub mod work;
