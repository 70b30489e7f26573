//! `enfold completions`: what a shell needs to complete our command line.

use clap::CommandFactory;

use crate::args::{Args, CompletionsArgs};
use crate::failure::Failure;
use crate::output;

/// Prints the script.
pub fn run(args: CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "enfold", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
