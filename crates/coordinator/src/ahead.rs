//! A question that is asked in the background, before its answer is needed.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

use enfold::summary::Question;
use enfold_llm::{CancellationToken, Error};

use crate::summarizer::{Call, Told};

/// An answer that is on its way. Dropping it cancels the request.
pub(crate) struct Ahead {
    pub(crate) key: String,
    pub(crate) round: u32,
    answer: Receiver<Result<Told, Box<Error>>>,
    cancel: CancellationToken,
}

impl Ahead {
    pub(crate) fn ask(question: &Question, call: Call) -> Ahead {
        let (send, answer) = channel();
        let cancel = CancellationToken::new();
        let token = cancel.clone();
        // Nobody listens any more if the session was closed meanwhile.
        std::thread::spawn(move || send.send(call.send(&token)).ok());
        Ahead { key: question.key.clone(), round: question.round, answer, cancel }
    }

    /// The answer, if it is there; with `wait`, when it is. `None` while it is not.
    pub(crate) fn answer(&self, wait: bool) -> Option<Result<Told, Box<Error>>> {
        let gone = || Err(Box::new(Error::Cancelled));
        if wait {
            return Some(self.answer.recv().unwrap_or_else(|_| gone()));
        }
        match self.answer.try_recv() {
            Ok(answer) => Some(answer),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(gone()),
        }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
