//! A session as the requests it was made of.

use std::ops::Range;
use std::sync::OnceLock;

use enfold::file::document::Document;
use enfold::history::{MessageId, Role};

use crate::words::Words;

/// A session that happened. Before each answer of the model stood a request with everything before it.
pub struct Recorded {
    /// The session.
    pub document: Document,
    requests: Vec<MessageId>,
    starts: Vec<Option<u64>>,
    words: OnceLock<Vec<Words>>,
}

impl Recorded {
    /// Finds the requests of a session.
    pub fn new(document: Document) -> Recorded {
        let messages = document.history.messages();
        // In this format the items of an answer stand side by side in the list, and only the first follows a request.
        let has_several = has_several(&document);
        let is_answer = |nth: &usize| {
            let follows_itself = || has_several && messages[nth - 1].role == Role::Assistant;
            messages[*nth].role == Role::Assistant && *nth > 0 && !follows_itself()
        };
        let requests: Vec<MessageId> = (0..messages.len()).filter(is_answer).map(MessageId::new).collect();
        let starts = starts(&document, &requests);
        Recorded { document, requests, starts, words: OnceLock::new() }
    }

    /// For each request the first message that it did not have: the answer.
    pub fn requests(&self) -> &[MessageId] {
        &self.requests
    }

    /// The messages that a request, counted from 0, was answered with: one, or all the items of an answer where each is a
    /// message by itself. None beyond the last request.
    pub fn answer(&self, request: usize) -> Range<usize> {
        let messages = self.document.history.messages();
        let Some(first) = self.requests.get(request).map(|first| first.index()) else { return 0..0 };
        if !has_several(&self.document) {
            return first..first + 1;
        }
        let said = messages[first..].iter().take_while(|message| message.role == Role::Assistant);
        first..first + said.count()
    }

    /// Seconds between the beginning of this request, counted from 0, and that of the one before; nothing where the session
    /// does not say when things happened.
    pub fn waited(&self, request: usize) -> Option<u64> {
        let before = self.starts.get(request.checked_sub(1)?).copied()??;
        Some(self.starts.get(request).copied()??.saturating_sub(before))
    }

    /// Whether the session says when its requests were made.
    pub fn has_clock(&self) -> bool {
        self.starts.iter().any(Option::is_some)
    }

    /// What each message says. Found once, for all ways.
    pub(crate) fn words(&self) -> &[Words] {
        let history = &self.document.history;
        self.words.get_or_init(|| history.message_ids().map(|id| Words::of(history.items_of(id))).collect())
    }
}

/// Whether an answer is several messages.
fn has_several(document: &Document) -> bool {
    document.wire.name() == "openai-responses"
}

/// When each request was made: with the newest of the messages that the model had not answered yet. Where an answer follows
/// an answer there is none of these: then with the answer before, or, where that has no time, not after the request before.
fn starts(document: &Document, requests: &[MessageId]) -> Vec<Option<u64>> {
    let mut times = document.times.iter().peekable();
    let mut last = None;
    let mut start = |answer: &MessageId| {
        let (mut asked, mut said) = (None, None);
        while let Some((message, seconds)) = times.next_if(|(message, _)| message < answer) {
            match document.history.message(*message).role {
                Role::Assistant => said = said.max(Some(*seconds)),
                _ => asked = asked.max(Some(*seconds)),
            }
        }
        last = asked.or(said).or(last);
        last
    };
    requests.iter().map(&mut start).collect()
}
