//! How a command ends when it cannot do what it was asked.

use std::fmt::Display;
use std::io;
use std::path::Path;

/// Why a command stopped. The exit code follows from the kind.
#[derive(Debug)]
pub enum Failure {
    /// Wrong usage or an input that cannot be read; the user can fix it. Exit code 2.
    BadInput(String),
    /// What must stay of a session is larger than the budget. Exit code 3.
    CannotFit(String),
    /// The result was made and would be wrong to use: invalid, or lossy where `--strict` forbids it. Exit code 4.
    Refused(String),
    /// The agent that was started ended like this, and has said why. Its exit code.
    #[cfg(feature = "serve")]
    AsTheAgent(u8),
    /// The reader of our output has gone (`enfold … | head`). Nothing went wrong, nobody listens. Exit code 0.
    NobodyReads,
}

impl Failure {
    /// A failure in the order people can act on: the thing, what is wrong with it, what to do.
    pub fn new(thing: impl Display, cause: impl Display, remedy: impl Display) -> Failure {
        Failure::BadInput(format!("{thing}: {cause}; {remedy}"))
    }

    /// A file that the operating system would not read or write.
    pub fn file(path: &Path, error: &io::Error) -> Failure {
        let remedy = match error.kind() {
            io::ErrorKind::NotFound => "check the name",
            io::ErrorKind::PermissionDenied => "check who may read and write there",
            io::ErrorKind::StorageFull => "make room",
            _ => "see whether other programs can use it",
        };
        Failure::new(path.display(), says(error), remedy)
    }

    /// Writing to stdout failed.
    pub fn stdout(error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::NobodyReads,
            _ => Failure::new("standard output", says(error), "check where it goes"),
        }
    }

    /// What to print after `error: `.
    pub fn message(&self) -> Option<String> {
        match self {
            Failure::BadInput(message) | Failure::CannotFit(message) | Failure::Refused(message) => {
                Some(message.clone())
            }
            #[cfg(feature = "serve")]
            Failure::AsTheAgent(_) => None,
            Failure::NobodyReads => None,
        }
    }

    /// The contract of the command line: 0 done, 2 usage or bad input, 3 cannot fit, 4 invalid result refused.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::BadInput(_) => 2,
            Failure::CannotFit(_) => 3,
            Failure::Refused(_) => 4,
            #[cfg(feature = "serve")]
            Failure::AsTheAgent(code) => *code,
            Failure::NobodyReads => 0,
        }
    }
}

/// The system's words, without the number that only we would look up.
fn says(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}
