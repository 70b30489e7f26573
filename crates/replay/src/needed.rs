//! What the agent used next, and whether it stood in the view.
//!
//! The next answers say what was needed: rare names that stood in the history, and lines that they repeat. This is how
//! `bench/` judges views too; nothing that decides about folding sees it.

use std::collections::{BTreeSet, HashMap, HashSet};

use enfold::history::{Item, ItemKind, MessageId, Role};
use enfold::text::harness;

use crate::figures::{Figures, Share};
use crate::held::Held;
use crate::recorded::Recorded;
use crate::words::{Mark, Words};

/// Answers that say what was needed.
const AHEAD: usize = 8;
/// A rare name stands in at most so many messages.
const RARE: u32 = 3;
/// Of longer texts of the user, parts may be folded: they are pastes.
const SHORT: usize = 1_600;

/// The words of a whole session, and where the replay is in it.
pub(crate) struct Needed<'a> {
    recorded: &'a Recorded,
    words: &'a [Words],
    answers: Vec<usize>,
    /// Messages that are history by now.
    past: usize,
    /// How many messages of it have a name, and the newest that has it.
    names: HashMap<Mark, (u32, usize)>,
    lines: HashSet<Mark>,
    said: Vec<(MessageId, Box<str>)>,
}

impl<'a> Needed<'a> {
    pub(crate) fn new(recorded: &'a Recorded) -> Needed<'a> {
        let history = &recorded.document.history;
        let is_answer = |id: &MessageId| history.message(*id).role == Role::Assistant;
        let answers = history.message_ids().filter(is_answer).map(MessageId::index).collect();
        let (names, lines) = Default::default();
        Needed { recorded, words: recorded.words(), answers, past: 0, names, lines, said: Vec::new() }
    }

    /// Everything before this message has happened.
    pub(crate) fn advance(&mut self, to: MessageId) {
        let history = &self.recorded.document.history;
        for at in self.past..to.index() {
            for name in &self.words[at].names {
                let (count, newest) = self.names.entry(*name).or_default();
                (*count, *newest) = (*count + 1, at);
            }
            self.lines.extend(&self.words[at].lines);
            let id = MessageId::new(at);
            if history.message(id).role == Role::User {
                self.said.extend(said(history.items_of(id)).map(|text| (id, text)));
            }
        }
        self.past = to.index();
    }

    /// Rare names of the very next answer that the last request does not show, each with the newest message that has it.
    pub(crate) fn missing(&self, held: &Held) -> impl Iterator<Item = (Mark, usize)> {
        let next = self.words.get(self.past).map(|words| &*words.names).unwrap_or_default();
        let hidden = next.iter().filter(|name| !held.has_name(**name));
        hidden.filter_map(|name| {
            let (count, newest) = self.names.get(name)?;
            (*count <= RARE).then_some((*name, *newest))
        })
    }

    /// Whether a message of the session has a name.
    pub(crate) fn is_in(&self, name: Mark, message: usize) -> bool {
        self.words[message].names.binary_search(&name).is_ok()
    }

    /// Judges the last request: does it show what the next answers used? Without one, everything is shown.
    pub(crate) fn judge(&self, held: Option<&Held>, figures: &mut Figures) {
        let next = self.answers.partition_point(|answer| *answer < self.past);
        let ahead = &self.answers[next..self.answers.len().min(next + AHEAD)];
        let Some(first) = ahead.first() else { return };
        let ahead = || ahead.iter().map(|answer| &self.words[*answer]);
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
        let mut wanted =
            self.words[*first].names.iter().filter(|name| self.names.contains_key(name)).peekable();
        if wanted.peek().is_some() {
            figures.steps.add(f64::from(u8::from(wanted.all(has_name))));
        }
        let stands = |(id, said): &&(MessageId, Box<str>)| {
            let whole = &self.recorded.document.history.message(*id).raw;
            held.is_none_or(|held| held.has_message(whole) || held.has_text(said))
        };
        add(&mut figures.asked, self.said.len(), self.said.iter().filter(stands).count());
    }
}

/// Adds a share, where there is something to share.
fn add(share: &mut Share, wanted: usize, shown: usize) {
    if wanted > 0 {
        share.add(shown as f64 / wanted as f64);
    }
}

/// What a person said in a message, where it is short enough to stay whole.
fn said(items: &[Item]) -> impl Iterator<Item = Box<str>> {
    let texts =
        items.iter().filter(|item| matches!(item.kind, ItemKind::Text)).flat_map(|item| item.texts.iter());
    texts
        .filter(|text| !harness::is_harness(&text.value))
        .map(|text| text.value.trim())
        .filter(|text| !text.is_empty() && text.len() <= SHORT)
        .map(Into::into)
}
