//! A question that is asked in the background, before its answer is needed.

use enfold::summary::Question;

use crate::summarizer::{Call, Heard, Pending};

/// A question, and its answer when it is there.
pub(crate) struct Ahead {
    pub(crate) key: String,
    pub(crate) round: u32,
    pending: Pending,
}

impl Ahead {
    pub(crate) fn ask(question: &Question, call: Call) -> Ahead {
        Ahead { key: question.key.clone(), round: question.round, pending: call.start() }
    }

    /// The answer, if it is there.
    pub(crate) fn get(&mut self) -> Option<Heard> {
        self.pending.get()
    }
}

/// What became of a question that was asked ahead and brought nothing: the round has one more, and it says what was wrong.
pub(crate) struct Spent {
    pub(crate) round: u32,
    /// What was wrong with the answer, if there was one.
    pub(crate) fault: Option<String>,
}
