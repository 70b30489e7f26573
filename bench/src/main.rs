//! Measures Enfold beside its peers, one command per question; see `bench/README.md`.

mod clock;
mod cost;
mod epochs;
mod eval;
mod facts;
mod flat;
mod folding;
mod judge;
mod ledger;
mod lm;
mod long_session;
mod packages;
mod peers;
mod plot;
mod prepare;
mod proxy;
mod reading;
mod replaying;
mod report;
mod startup;
mod store;
mod tokens;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["tokens"] => tokens::run(),
        ["reading"] => reading::run(),
        ["startup"] => startup::run(),
        ["folding"] => folding::run(),
        ["judge"] => judge::run(),
        ["lm"] => lm::run(),
        ["facts"] => facts::run(),
        ["store"] => store::run(),
        ["prepare"] => prepare::run(),
        ["ledger"] => ledger::run(),
        ["proxy"] => proxy::run(),
        ["epochs"] => epochs::run(),
        ["packages"] => packages::run(),
        ["cost"] => cost::run(),
        ["cost-peers"] => cost::run_peers(),
        ["charged"] => cost::print_charged(),
        ["replay"] => replaying::run(),
        ["flat"] => flat::table().map(|table| println!("{table}")),
        ["read-files", ref arguments @ ..] => reading::read_files(arguments),
        ["epochs-once", ref arguments @ ..] => epochs::in_this_process(arguments),
        ["prepare-once", ref arguments @ ..] => prepare::in_this_process(arguments),
        ["count", ref files @ ..] => tokens::count(files),
        _ => Err(
            "usage: bench tokens | reading | startup | folding | store | prepare | ledger | judge | lm | facts | epochs | cost | cost-peers | replay | packages | proxy"
                .into(),
        ),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Anything that keeps a measurement from being made.
pub(crate) type Failure = Box<dyn std::error::Error>;
