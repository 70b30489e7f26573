//! The program `enfold`. Everything is in the library of the same crate, so that packages can carry the command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(enfold_cli::run(std::env::args_os()))
}
