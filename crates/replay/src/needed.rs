//! What the agent used next, and whether it stood in the view.
//!
//! The next answers say what was needed: rare names that stood in the history, and lines that they repeat. This is how
//! `bench/` judges views too; nothing that decides about folding sees it.

use std::collections::{HashMap, HashSet};

use enfold::history::{Item, ItemKind, MessageId, Role};
use enfold::text::harness;

use crate::figures::{Figures, Share};
use crate::held::Held;
use crate::recorded::Recorded;
use crate::words::{Numbers, Words};

/// Answers that say what was needed.
const AHEAD: usize = 8;
/// A rare name stands in at most so many messages.
const RARE: u32 = 3;
/// Of longer texts of the user, parts may be folded: they are pastes.
const SHORT: usize = 1_600;

/// The words of a whole session, and where the replay is in it.
pub(crate) struct Needed {
    words: Vec<Words>,
    answers: Vec<usize>,
    /// Messages that are history by now.
    past: usize,
    /// How many messages of it have a name.
    frequency: HashMap<u32, u32>,
    lines: HashSet<u32>,
    said: Vec<Box<str>>,
}

impl Needed {
    pub(crate) fn new(recorded: &Recorded, numbers: &mut Numbers) -> Needed {
        let history = &recorded.document.history;
        let words = history.message_ids().map(|id| Words::of(history.items_of(id), numbers)).collect();
        let is_answer = |id: &MessageId| history.message(*id).role == Role::Assistant;
        let answers = history.message_ids().filter(is_answer).map(MessageId::index).collect();
        Needed { words, answers, past: 0, frequency: HashMap::new(), lines: HashSet::new(), said: Vec::new() }
    }

    /// Everything before this message has happened.
    pub(crate) fn advance(&mut self, recorded: &Recorded, to: MessageId) {
        let history = &recorded.document.history;
        for at in self.past..to.index() {
            for name in &self.words[at].names {
                *self.frequency.entry(*name).or_default() += 1;
            }
            self.lines.extend(&self.words[at].lines);
            let id = MessageId::new(at);
            if history.message(id).role == Role::User {
                self.said.extend(said(history.items_of(id)));
            }
        }
        self.past = to.index();
    }

    /// Judges the last request: does it show what the next answers used?
    pub(crate) fn judge(&self, held: &Held, figures: &mut Figures) {
        let next = self.answers.partition_point(|answer| *answer < self.past);
        let ahead = &self.answers[next..self.answers.len().min(next + AHEAD)];
        let Some(first) = ahead.first() else { return };
        let ahead = || ahead.iter().map(|answer| &self.words[*answer]);
        let is_rare = |name: &&u32| self.frequency.get(name).is_some_and(|count| *count <= RARE);
        let names: HashSet<u32> = ahead().flat_map(|words| &words.names).filter(is_rare).copied().collect();
        let lines: HashSet<u32> = ahead()
            .flat_map(|words| &words.lines)
            .filter(|line| self.lines.contains(line))
            .copied()
            .collect();
        let shown = |what: fn(&Words) -> &HashSet<u32>, wanted: &HashSet<u32>| {
            wanted.iter().filter(|one| held.words().iter().any(|words| what(words).contains(one))).count()
        };
        let add = |share: &mut Share, what, wanted: &HashSet<u32>| {
            if !wanted.is_empty() {
                share.add(shown(what, wanted) as f64 / wanted.len() as f64);
            }
        };
        add(&mut figures.recall, |words| &words.names, &names);
        add(&mut figures.lines, |words| &words.lines, &lines);
        let wanted: HashSet<u32> = self.words[*first]
            .names
            .iter()
            .filter(|name| self.frequency.contains_key(name))
            .copied()
            .collect();
        if !wanted.is_empty() {
            let found = shown(|words| &words.names, &wanted);
            figures.steps.add(f64::from(u8::from(found == wanted.len())));
        }
        if !self.said.is_empty() {
            let stands = |said: &str| {
                let mut texts = held.history().items().iter().flat_map(|item| item.texts.iter());
                texts.any(|text| text.value.contains(said))
            };
            figures
                .asked
                .add(self.said.iter().filter(|said| stands(said)).count() as f64 / self.said.len() as f64);
        }
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
