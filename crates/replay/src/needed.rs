//! What the agent used next, and whether it stood in the view.
//!
//! The next answers say what was needed: rare names that stood in the history, and lines that they repeat. This is how
//! `bench/` judges views too; nothing that decides about folding sees it.

use std::collections::{BTreeSet, HashMap, HashSet};

use enfold::history::{MessageId, Role};

use crate::asked::Asked;
use crate::figures::{Figures, Share};
use crate::held::Held;
use crate::recorded::Recorded;
use crate::words::{Mark, Words};

/// Answers that say what was needed.
const AHEAD: usize = 8;
/// A rare name stands in at most so many messages.
const RARE: u32 = 3;

/// The words of a whole session, and where the replay is in it.
pub(crate) struct Needed<'a> {
    recorded: &'a Recorded,
    words: &'a [Words],
    /// The request that is looked at, counted from 0.
    request: usize,
    /// Messages that are history by now.
    past: usize,
    /// How many messages of it have a name, and the newest that has it.
    names: HashMap<Mark, (u32, usize)>,
    lines: HashSet<Mark>,
    asked: Asked,
}

impl<'a> Needed<'a> {
    pub(crate) fn new(recorded: &'a Recorded) -> Needed<'a> {
        let (names, lines, asked) = Default::default();
        Needed { recorded, words: recorded.words(), request: 0, past: 0, names, lines, asked }
    }

    /// Everything before the answer to this request has happened.
    pub(crate) fn advance(&mut self, request: usize) {
        let history = &self.recorded.document.history;
        let to = self.recorded.answer(request).start;
        for at in self.past..to {
            for name in &self.words[at].names {
                let (count, newest) = self.names.entry(*name).or_default();
                (*count, *newest) = (*count + 1, at);
            }
            self.lines.extend(&self.words[at].lines);
            let id = MessageId::new(at);
            if history.message(id).role == Role::User {
                self.asked.hear(id, history.items_of(id));
            }
        }
        (self.request, self.past) = (request, to);
    }

    /// Rare names of the very next answer that the last request does not show, each with the newest message that has it.
    pub(crate) fn missing(&self, held: &Held) -> impl Iterator<Item = (Mark, usize)> {
        let next = self.answer(self.request).iter().flat_map(|words| &words.names);
        let hidden = next.filter(|name| !held.has_name(**name));
        hidden.filter_map(|name| {
            let (count, newest) = self.names.get(name)?;
            (*count <= RARE).then_some((*name, *newest))
        })
    }

    /// Whether a message of the session has a name.
    pub(crate) fn is_in(&self, name: Mark, message: usize) -> bool {
        self.words[message].names.binary_search(&name).is_ok()
    }

    /// What an answer says, message by message.
    fn answer(&self, request: usize) -> &'a [Words] {
        &self.words[self.recorded.answer(request)]
    }

    /// Judges the last request: does it show what the next answers used? Without one, everything is shown.
    pub(crate) fn judge(&mut self, held: Option<&Held>, figures: &mut Figures) {
        let last = self.recorded.requests().len().min(self.request + AHEAD);
        let ahead = || (self.request..last).flat_map(|request| self.answer(request));
        let is_rare = |name: &&Mark| self.names.get(name).is_some_and(|(count, _)| *count <= RARE);
        let names: BTreeSet<Mark> = ahead().flat_map(|words| &words.names).filter(is_rare).copied().collect();
        let lines: BTreeSet<Mark> = ahead()
            .flat_map(|words| &words.lines)
            .filter(|line| self.lines.contains(line))
            .copied()
            .collect();
        let has_name = |name: &Mark| held.is_none_or(|held| held.has_name(*name));
        let has_line = |line: &Mark| held.is_none_or(|held| held.has_line(*line));
        add(&mut figures.recall, names.len(), names.iter().filter(|name| has_name(name)).count());
        add(&mut figures.lines, lines.len(), lines.iter().filter(|line| has_line(line)).count());
        let next = self.answer(self.request).iter().flat_map(|words| &words.names);
        let mut wanted = next.filter(|name| self.names.contains_key(name)).peekable();
        if wanted.peek().is_some() {
            figures.steps.add(f64::from(u8::from(wanted.all(has_name))));
        }
        let (said, history) = (self.asked.len(), &self.recorded.document.history);
        add(&mut figures.asked, said, held.map_or(said, |held| self.asked.standing(held, history)));
    }
}

/// Adds a share, where there is something to share.
fn add(share: &mut Share, wanted: usize, shown: usize) {
    if wanted > 0 {
        share.add(shown as f64 / wanted as f64);
    }
}
