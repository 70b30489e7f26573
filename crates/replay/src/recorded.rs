//! A session as the requests it was made of.

use enfold::file::document::Document;
use enfold::history::{MessageId, Role};

/// A session that happened. Before each answer of the model stood a request with everything before it.
pub struct Recorded {
    /// The session.
    pub document: Document,
    requests: Vec<MessageId>,
}

impl Recorded {
    /// Finds the requests of a session.
    pub fn new(document: Document) -> Recorded {
        let messages = document.history.messages();
        // In this format the items of an answer stand side by side in the list, and only the first follows a request.
        let has_several = document.wire.name() == "openai-responses";
        let is_answer = |nth: &usize| {
            let follows_itself = || has_several && messages[nth - 1].role == Role::Assistant;
            messages[*nth].role == Role::Assistant && *nth > 0 && !follows_itself()
        };
        let requests = (0..messages.len()).filter(is_answer).map(MessageId::new).collect();
        Recorded { document, requests }
    }

    /// For each request the first message that it did not have: the answer.
    pub fn requests(&self) -> &[MessageId] {
        &self.requests
    }
}
