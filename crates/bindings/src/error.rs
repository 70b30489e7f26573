//! What went wrong, in a form that every language can make an exception of.

use enfold::FoldOnceError;
use enfold::count::budget::BudgetError;
use enfold::file::ReadError;
use enfold::folding::runner::CannotFit;
use enfold::session::PushError;

/// Why there is no result. What was called on is as good as before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", message.map_or(String::new(), |nth| format!("message {nth}: ")))]
pub struct Error {
    /// The kind, for programs.
    pub code: Code,
    /// The message that is to blame: its place in the host's list, from 0.
    pub message: Option<usize>,
    /// What is wrong and what to do, for people.
    pub what: String,
}

/// The kinds of failure. A language has an exception for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Code {
    /// A message, or a whole input, is none. The caller can mend it.
    BadInput,
    /// An option is wrong. The caller can mend it.
    BadOption,
    /// What must stay does not fit. The caller can allow more.
    CannotFit,
    /// The store failed: nothing was written. The operator can mend it.
    Store,
    /// Another process compacts the session. Trying again later helps.
    Busy,
    /// A session was called from inside one of its own events.
    Reentered,
    /// A call before this one ended in a fault of ours; what it left cannot be trusted.
    Broken,
}

impl Code {
    /// The word for it: `cannot_fit`.
    pub fn name(self) -> &'static str {
        match self {
            Code::BadInput => "bad_input",
            Code::BadOption => "bad_option",
            Code::CannotFit => "cannot_fit",
            Code::Store => "store",
            Code::Busy => "busy",
            Code::Reentered => "reentered",
            Code::Broken => "broken",
        }
    }
}

impl Error {
    /// An error that is no single message's.
    pub fn new(code: Code, what: impl Into<String>) -> Error {
        Error { code, message: None, what: what.into() }
    }

    /// An error about the message at this place of the host's list.
    pub fn of_message(nth: usize, what: impl Into<String>) -> Error {
        Error { code: Code::BadInput, message: Some(nth), what: what.into() }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Error {
        Error::new(Code::BadInput, error.to_string())
    }
}

impl From<PushError> for Error {
    fn from(error: PushError) -> Error {
        Error::new(Code::BadInput, error.to_string())
    }
}

impl From<BudgetError> for Error {
    fn from(error: BudgetError) -> Error {
        Error::new(Code::BadOption, error.to_string())
    }
}

impl From<Box<CannotFit>> for Error {
    fn from(error: Box<CannotFit>) -> Error {
        Error::new(Code::CannotFit, format!("{error}; allow a larger budget"))
    }
}

impl From<FoldOnceError> for Error {
    fn from(error: FoldOnceError) -> Error {
        match error {
            FoldOnceError::Read(error) => error.into(),
            FoldOnceError::CannotFit(error) => error.into(),
            FoldOnceError::Budget(error) => error.into(),
            other => Error::new(Code::BadInput, other.to_string()),
        }
    }
}

impl From<enfold_store::Error> for Error {
    fn from(error: enfold_store::Error) -> Error {
        Error::new(Code::Store, error.to_string())
    }
}

impl From<enfold_coordinator::Error> for Error {
    fn from(error: enfold_coordinator::Error) -> Error {
        use enfold_coordinator::Error as Kept;
        match error {
            Kept::Push(error) => error.into(),
            Kept::CannotFit(error) => error.into(),
            busy @ (Kept::BeingCompacted { .. } | Kept::Crowded(_)) => {
                Error::new(Code::Busy, busy.to_string())
            }
            other @ Kept::OtherFormat { .. } => Error::new(Code::BadOption, other.to_string()),
            other @ Kept::Store(_) => Error::new(Code::Store, other.to_string()),
        }
    }
}
