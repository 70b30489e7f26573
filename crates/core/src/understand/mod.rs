//! Understanding a history: what its calls do, which files they touch, and what those files hold at any step.
//!
//! | module | what it knows |
//! |---|---|
//! | [`vocabulary`] | the tools of the known agents, and yours |
//! | [`tools`] | call → operations |
//! | [`shell`] | shell commands, parsed |
//! | [`command_line`] | a line as it was sent: which commands it joins, and what its end tells about them |
//! | [`patch`] | Codex patches and unified diffs |
//! | [`files`], [`file_state`] | the files of a session, and what they hold at any step |
//! | [`calls`] | one record per answered call: what it did and how it ended, read once |
//! | [`ending`], `stated` | exit status, failure and text of a result, from its text or from the fields of an object |
//! | [`changelog`], [`intent`] | the changes of files; the reasons for them, and a field in which edit tools ask for one |
//! | [`categories`], [`priorities`] | what is lost with a result, and what matters most |
//! | [`recalls`] | calls that open again what a view has left out |
//! | [`facts`], [`ledger`] | all of it, growing with the history; what is worth telling of it |

mod arguments;
pub mod calls;
pub mod categories;
pub mod changelog;
pub mod command_line;
pub mod ending;
pub mod facts;
pub mod file_state;
pub mod files;
mod finish;
pub mod intent;
mod known_files;
pub mod ledger;
mod line_diff;
mod lines;
pub mod operation;
pub mod patch;
pub mod paths;
pub mod priorities;
pub mod recalls;
mod script;
pub mod shell;
pub(crate) mod shown;
mod stated;
mod swe_agent;
pub mod tools;
pub mod vocabulary;
