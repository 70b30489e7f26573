//! Messages of alternating roles, for formats that want neighbours of one role merged.

use crate::json::ObjectWriter;

/// Collects parts into messages; parts of one role that follow each other share one. A message is written as its parts
/// come: kept apart until the end, all of them would stand in memory twice.
#[derive(Debug)]
pub(super) struct Turns {
    /// The field of a message that holds its parts.
    key: &'static str,
    turns: Vec<(&'static str, String)>,
}

/// How every message ends.
const END: &str = "]}";

impl Turns {
    pub(super) fn new(key: &'static str) -> Turns {
        Turns { key, turns: Vec::new() }
    }

    pub(super) fn push(&mut self, role: &'static str, part: String) {
        match self.turns.last_mut() {
            Some((last, message)) if *last == role => {
                message.truncate(message.len() - END.len());
                message.extend([",", &part, END]);
            }
            _ => self.turns.push((role, self.message(role, part))),
        }
    }

    /// The role of the last message so far.
    pub(super) fn last_role(&self) -> Option<&'static str> {
        self.turns.last().map(|(role, _)| *role)
    }

    /// Puts a message before all others, unless they start with that role or there are none. True if it did.
    pub(super) fn start_with(&mut self, role: &'static str, part: impl FnOnce() -> String) -> bool {
        let misses = self.turns.first().is_some_and(|(first, _)| *first != role);
        if misses {
            self.turns.insert(0, (role, self.message(role, part())));
        }
        misses
    }

    pub(super) fn into_messages(self) -> Vec<String> {
        self.turns.into_iter().map(|(_, message)| message).collect()
    }

    fn message(&self, role: &str, part: String) -> String {
        ObjectWriter::new().string("role", role).array(self.key, [part]).finish()
    }
}
