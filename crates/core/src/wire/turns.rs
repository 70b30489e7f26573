//! Messages of alternating roles, for formats that want neighbours of one role merged.

use super::Messages;
use crate::json::ObjectWriter;

/// Collects parts into messages; parts of one role that follow each other share one.
#[derive(Debug)]
pub(super) struct Turns {
    /// The field of a message that holds its parts.
    key: &'static str,
    first: Option<&'static str>,
    /// The last message, to which more parts may come.
    last: Option<(&'static str, Vec<String>)>,
    /// The messages before it.
    done: Messages,
}

impl Turns {
    pub(super) fn new(key: &'static str) -> Turns {
        Turns { key, first: None, last: None, done: Messages::default() }
    }

    pub(super) fn push(&mut self, role: &'static str, part: String) {
        match &mut self.last {
            Some((last, parts)) if *last == role => parts.push(part),
            _ => {
                self.finish_last();
                self.first.get_or_insert(role);
                self.last = Some((role, vec![part]));
            }
        }
    }

    /// The role of the last message so far.
    pub(super) fn last_role(&self) -> Option<&'static str> {
        self.last.as_ref().map(|(role, _)| *role)
    }

    /// Puts a message before all others, unless they start with that role or there are none. True if it did.
    pub(super) fn start_with(&mut self, role: &'static str, part: impl FnOnce() -> String) -> bool {
        let misses = self.first.is_some_and(|first| first != role);
        if misses {
            self.done.insert_first(&self.message(role, vec![part()]));
        }
        misses
    }

    pub(super) fn into_messages(mut self) -> Messages {
        self.finish_last();
        self.done
    }

    fn finish_last(&mut self) {
        if let Some((role, parts)) = self.last.take() {
            self.done.push(&self.message(role, parts));
        }
    }

    fn message(&self, role: &str, parts: Vec<String>) -> String {
        ObjectWriter::new().string("role", role).array(self.key, parts).finish()
    }
}
