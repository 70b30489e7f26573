//! `enfold sessions`: what the store holds, in and out.

mod export;
mod gc;
mod import;
mod incoming;
mod list;
pub mod messages;
mod rm;
pub mod show;
mod view;

use crate::args::{SessionsArgs, SessionsCommand};
use crate::failure::Failure;

pub use show::said;

/// Does it.
pub fn run(args: SessionsArgs) -> Result<(), Failure> {
    match args.command {
        SessionsCommand::List(args) => list::run(&args),
        SessionsCommand::Show(args) => show::run(&args),
        SessionsCommand::Messages(args) => messages::run(&args),
        SessionsCommand::View(args) => view::run(&args),
        SessionsCommand::Import(args) => import::run(&args),
        SessionsCommand::Export(args) => export::run(&args),
        SessionsCommand::Rm(args) => rm::run(&args),
        SessionsCommand::Gc(args) => gc::run(&args),
    }
}
