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
        let (cause, remedy) = match error.kind() {
            io::ErrorKind::NotFound => (says(error), "check the name"),
            io::ErrorKind::IsADirectory => ("it is a folder".into(), "name a file in it"),
            // Whoever reads text says so of bytes that are none.
            io::ErrorKind::InvalidData => ("it is not UTF-8 text".into(), "name a text file"),
            io::ErrorKind::PermissionDenied => (says(error), "check who may read and write there"),
            io::ErrorKind::StorageFull => (says(error), "make room"),
            _ => (says(error), "see whether other programs can use it"),
        };
        Failure::new(path.display(), cause, remedy)
    }

    /// A file that could not be written. Most often its folder is not there.
    pub fn unwritten(path: &Path, error: &io::Error) -> Failure {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        match folder {
            Some(folder) if error.kind() == io::ErrorKind::NotFound => {
                let cause = format!("there is no folder {}", folder.display());
                Failure::new(path.display(), cause, "make it first, or name another")
            }
            _ => Failure::file(path, error),
        }
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
                Some(without_numbers(message))
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

/// The system's words, in the middle of a sentence.
pub fn says(error: &io::Error) -> String {
    let text = without_numbers(&error.to_string());
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

/// A text without the numbers of the system's errors, which only we would look up: ` (os error 2)`.
fn without_numbers(text: &str) -> String {
    let mut parts = text.split(" (os error ");
    let mut plain = parts.next().unwrap_or_default().to_string();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => plain += rest,
            _ => plain += &format!(" (os error {part}"),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_systems_errors_are_left_out_wherever_they_stand() {
        let failure =
            Failure::BadInput("a: no such file (os error 2); b (os error x), c (os error 13)".into());
        assert_eq!(failure.message().unwrap(), "a: no such file; b (os error x), c");
    }

    #[test]
    fn a_missing_folder_is_named_where_something_is_to_be_written() {
        let missing = io::Error::from(io::ErrorKind::NotFound);
        let said = Failure::unwritten(Path::new("/no/such/place/view.jsonl"), &missing).message().unwrap();
        assert_eq!(
            said,
            "/no/such/place/view.jsonl: there is no folder /no/such/place; make it first, or name another"
        );
    }
}
