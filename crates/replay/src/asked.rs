//! What a person said, and how much of it stands in the view word for word.

use std::collections::HashMap;

use enfold::history::{History, Item, ItemKind, MessageId};
use enfold::text::harness;

use crate::held::Held;

/// Longer texts of the user may be folded in part: they are pastes.
const LONGEST: usize = 1_600;
/// Texts that begin alike with so many bytes are looked for together.
const BEGINNING: usize = 8;

/// What a person said so far. Within an epoch a view only grows, so each text is looked for once, and then only in what is
/// added: judging every request of a long conversation takes time in proportion to what is new.
#[derive(Default)]
pub(crate) struct Asked {
    texts: Vec<Text>,
    /// Texts that stand in the view that was looked at last.
    standing: usize,
    /// Texts that were looked for in it.
    looked: usize,
    /// Which view that was: see [`Held::begun`].
    view: usize,
    /// Items of it that were searched.
    searched: usize,
    missing: Missing,
}

struct Text {
    message: MessageId,
    said: Box<str>,
    stands: bool,
}

/// Texts that are still looked for.
#[derive(Default)]
struct Missing {
    by_beginning: HashMap<[u8; BEGINNING], Vec<usize>>,
    short: Vec<usize>,
}

impl Asked {
    /// Takes in what a message of the user says.
    pub(crate) fn hear(&mut self, message: MessageId, items: &[Item]) {
        self.texts.extend(said(items).map(|said| Text { message, said, stands: false }));
    }

    /// How many texts there are.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// How many of them stand in the last request.
    pub(crate) fn standing(&mut self, held: &Held, history: &History) -> usize {
        if self.view != held.begun() {
            self.texts.iter_mut().for_each(|text| text.stands = false);
            let texts = std::mem::take(&mut self.texts);
            *self = Asked { texts, view: held.begun(), ..Asked::default() };
        }
        let items = held.items();
        self.search(&items[self.searched..]);
        self.searched = items.len();
        let mut late = Missing::default();
        for nth in std::mem::replace(&mut self.looked, self.texts.len())..self.texts.len() {
            // Mostly the whole message stands as it is.
            match held.has_message(&history.message(self.texts[nth].message).raw) {
                true => self.found(nth),
                false => late.add(nth, &self.texts[nth].said),
            }
        }
        if !late.is_empty() {
            let earlier = std::mem::replace(&mut self.missing, late);
            self.search(items);
            self.missing.join(earlier);
        }
        self.standing
    }

    /// Looks for what is missing.
    fn search(&mut self, items: &[Item]) {
        if self.missing.is_empty() {
            return;
        }
        let mut found = Vec::new();
        for text in items.iter().flat_map(|item| item.texts.iter()) {
            self.missing.find_in(&text.value, &self.texts, &mut found);
        }
        found.into_iter().for_each(|nth| self.found(nth));
    }

    fn found(&mut self, nth: usize) {
        self.standing += usize::from(!self.texts[nth].stands);
        self.texts[nth].stands = true;
    }
}

impl Missing {
    fn is_empty(&self) -> bool {
        self.by_beginning.is_empty() && self.short.is_empty()
    }

    fn add(&mut self, nth: usize, said: &str) {
        match said.as_bytes().first_chunk() {
            Some(beginning) => self.by_beginning.entry(*beginning).or_default().push(nth),
            None => self.short.push(nth),
        }
    }

    fn join(&mut self, other: Missing) {
        for (beginning, texts) in other.by_beginning {
            self.by_beginning.entry(beginning).or_default().extend(texts);
        }
        self.short.extend(other.short);
    }

    /// Those that stand somewhere in `shown`, which are missing no longer.
    fn find_in(&mut self, shown: &str, texts: &[Text], found: &mut Vec<usize>) {
        let mut keep = |nth: usize, stands: bool| {
            found.extend(stands.then_some(nth));
            !stands
        };
        self.short.retain(|nth| keep(*nth, shown.contains(&*texts[*nth].said)));
        let mut rest = shown.as_bytes();
        while let Some(beginning) = rest.first_chunk().filter(|_| !self.by_beginning.is_empty()) {
            if let Some(alike) = self.by_beginning.get_mut(beginning) {
                alike.retain(|nth| keep(*nth, rest.starts_with(texts[*nth].said.as_bytes())));
            }
            rest = &rest[1..];
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
        .filter(|text| !text.is_empty() && text.len() <= LONGEST)
        .map(Into::into)
}
