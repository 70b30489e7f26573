//! `enfold`: fold agent sessions, look into them (count, convert, check), and keep them.

// A binary exports nothing: `pub` says which items a module offers to the others.
#![allow(unreachable_pub)]

mod args;
mod asking;
mod blobs;
mod commands;
mod counting;
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
mod report;
mod stored;
mod unpack;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::failure::Failure;

fn main() -> ExitCode {
    match run(Args::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => tell(&failure),
    }
}

fn run(command: Option<Command>) -> Result<(), Failure> {
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
        #[cfg(feature = "serve")]
        Command::Serve(args) => commands::serve::run(args),
        #[cfg(feature = "serve")]
        Command::Run(args) => commands::run::run(args),
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
fn tell(failure: &Failure) -> ExitCode {
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
