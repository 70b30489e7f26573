//! Messages of alternating roles, for formats that want neighbours of one role merged.

/// Collects parts into messages; parts of one role that follow each other share one.
#[derive(Debug, Default)]
pub(super) struct Turns {
    turns: Vec<(&'static str, Vec<String>)>,
}

impl Turns {
    pub(super) fn push(&mut self, role: &'static str, part: String) {
        match self.turns.last_mut() {
            Some((last, parts)) if *last == role => parts.push(part),
            _ => self.turns.push((role, vec![part])),
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
            self.turns.insert(0, (role, vec![part()]));
        }
        misses
    }

    pub(super) fn write(self, message: impl Fn(&str, Vec<String>) -> String) -> Vec<String> {
        self.turns.into_iter().map(|(role, parts)| message(role, parts)).collect()
    }
}
