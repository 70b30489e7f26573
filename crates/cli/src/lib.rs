//! The command `enfold`: fold agent sessions, look into them (count, convert, check), and keep them.
//!
//! A library, so that other programs can carry the command: [`run`] takes the words of a command line and gives the exit
//! code. [`inspection`] and [`counted`] are what the commands print with `--json`.

// Nearly nothing leaves this crate: `pub` says which items a module offers to the others.
#![allow(unreachable_pub)]

mod args;
mod asking;
mod blobs;
mod commands;
mod counting;
mod embedded;
mod explain;
mod failure;
mod folding;
mod found;
mod input;
mod inspect;
mod moment;
mod output;
mod parts;
mod policies;
mod progress;
#[cfg(feature = "serve")]
mod proxying;
mod reopening;
mod replaying;
mod report;
mod stored;
mod tuning;
mod unpack;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::args::{Args, Command};
use crate::failure::Failure;

pub use embedded::{
    Count, changes, counted, file_state, inspection, model_told, stored_messages, stored_session,
};
pub use report::finding_json;

/// Does what a command line says, the name of the program being its first word. The exit code: 0 done, 2 usage or bad
/// input, 3 cannot fit, 4 invalid result refused.
pub fn run<W: Into<OsString> + Clone>(words: impl IntoIterator<Item = W>) -> u8 {
    match Args::try_parse_from(words) {
        Ok(args) => match follow(args.command) {
            Ok(()) => 0,
            Err(failure) => tell(&failure),
        },
        // Help and versions come this way too. Where nobody can read them, there is nothing to do about it.
        Err(error) => {
            let error = with_agent_tip(with_tip(error));
            let _ = error.print();
            u8::try_from(error.exit_code()).unwrap_or(2)
        }
    }
}

/// A number that stands behind `--last` without `=` is taken for a FILE: then it is said how it is written.
fn with_tip(mut error: clap::Error) -> clap::Error {
    let is_last =
        |kind| matches!(error.get(kind), Some(ContextValue::String(name)) if name.starts_with("--last[="));
    let is_about_last = [ContextKind::InvalidArg, ContextKind::PriorArg].into_iter().any(is_last);
    if error.kind() == ErrorKind::ArgumentConflict && is_about_last {
        let tip = "--last stands in place of FILE; for the second newest session write --last=2";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// An agent that is named without `--` is no argument of `enfold run`: then it is said how it is written.
fn with_agent_tip(mut error: clap::Error) -> clap::Error {
    let (Some(ContextValue::String(word)), Some(ContextValue::StyledStr(usage))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::Usage))
    else {
        return error;
    };
    let is_run = usage.to_string().contains("enfold run ");
    if error.kind() == ErrorKind::UnknownArgument && is_run && !word.starts_with('-') {
        let tip = format!("the agent stands behind `--`: enfold run -- {word}");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

fn follow(command: Option<Command>) -> Result<(), Failure> {
    let Some(mut command) = command else { return commands::newest::run() };
    if let Some(session) = command.session() {
        session.find_last()?;
    }
    match command {
        Command::Fold(args) => commands::fold::run(args),
        Command::Explain(args) => commands::explain::run(args),
        Command::Unfold(args) => commands::unfold::run(args),
        Command::Inspect(args) => commands::inspect::run(args),
        Command::Count(args) => commands::count::run(args),
        Command::Convert(args) => commands::convert::run(args),
        Command::Validate(args) => commands::validate::run(args),
        Command::FileAt(args) => commands::file_at::run(args),
        Command::Intent(args) => commands::intent::run(args),
        Command::Changelog(args) => commands::changelog::run(args),
        Command::Ledger(args) => commands::ledger::run(args),
        Command::Sessions(args) => commands::sessions::run(args),
        Command::Log(args) => commands::log::run(args),
        Command::Search(args) => commands::search::run(args),
        Command::Replay(args) => commands::replay::run(args),
        Command::Tune(args) => commands::tune::run(args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => commands::serve::run(args),
        #[cfg(feature = "serve")]
        Command::Run(args) => commands::run::run(args),
        #[cfg(feature = "serve")]
        Command::Mcp(args) => commands::mcp::run(args),
        #[cfg(feature = "serve")]
        Command::Doctor(args) => commands::doctor::run(args),
        Command::Passes(args) => commands::passes::run(args),
        Command::Policies(args) => commands::policies::run(args),
        Command::Templates(args) => commands::templates::run(args),
        Command::Models(args) => commands::models::run(args),
        Command::Completions(args) => commands::completions::run(args),
        Command::Man(args) => commands::man::run(args),
    }
}

/// Says what went wrong on stderr, if there is anything to say and anybody to hear it.
fn tell(failure: &Failure) -> u8 {
    if let Some(message) = failure.message() {
        let _ = writeln!(
            std::io::stderr(),
            "{} {}",
            report::toned(report::Stream::Stderr, report::Tone::Bad, "error:"),
            report::clean(&message)
        );
    }
    failure.exit_code()
}
