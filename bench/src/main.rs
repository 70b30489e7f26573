//! Measures Enfold beside its peers. `bench tokens` counts the same texts with Enfold, Python's tiktoken and npm's
//! gpt-tokenizer; see `bench/README.md`.

mod clock;
mod peers;
mod report;
mod tokens;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["tokens"] => tokens::run(),
        ["count", ref files @ ..] => tokens::count(files),
        _ => Err("usage: bench tokens".into()),
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
