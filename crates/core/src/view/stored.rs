//! What a view changes of its history, written down so that another process has the same bytes.
//!
//! A folded text is mostly lines of its original. So it is stored as pieces: ranges of the original, and words of ours.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::State;
use super::changes::{Changes, Inserted};
use super::references::References;
use crate::count::Tally;
use crate::history::{History, ItemId, MessageId};
use crate::view::View;

/// The changes of a view.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// Other texts: item, which of its texts, what stands there.
    texts: Vec<(ItemId, usize, Vec<Piece>)>,
    /// Items that left their messages.
    removed: Vec<ItemId>,
    /// Messages that left.
    dropped: Vec<MessageId>,
    /// The message that was put in.
    inserted: Option<Inserted>,
    /// Texts that say their lines stand elsewhere.
    references: Vec<Reference>,
}

/// A text that says its lines stand in other items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Reference {
    item: ItemId,
    to: Vec<ItemId>,
    text: Vec<Piece>,
    /// The text without that claim.
    otherwise: Vec<Piece>,
}

/// A part of a folded text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Piece {
    /// Bytes of the original, from and to.
    Kept(usize, usize),
    /// What does not stand there.
    Other(String),
}

impl State {
    /// What the view changes, as ranges of the originals where it can be.
    pub(crate) fn store(&self, history: &History) -> Stored {
        let original = |item: ItemId, nth: usize| &*history.item(item).texts[nth].value;
        let texts = self.changes.texts();
        let references = self.references.all().into_iter();
        // What a summary is, a session stores by itself.
        let inserted = |inserted: &Inserted| Inserted { summary: None, ..inserted.clone() };
        Stored {
            texts: texts.map(|(item, nth, text)| (item, nth, pieces(original(item, nth), text))).collect(),
            removed: self.changes.removed().collect(),
            dropped: self.changes.dropped().collect(),
            inserted: self.changes.inserted().map(inserted),
            references: references
                .map(|(item, to, text, otherwise)| {
                    let pieces = |text: &str| pieces(original(item, 0), text);
                    Reference { item, to, text: pieces(text), otherwise: pieces(otherwise) }
                })
                .collect(),
        }
    }

    /// The same changes of the first `messages` messages, with what they cost by another tally.
    pub(crate) fn counted_again(self, history: &History, tally: &Tally, messages: MessageId) -> State {
        View::counted(history, tally, self.changes, self.references, messages)
    }

    /// The state of a view of the first `messages` messages, as it was stored; why not, if it does not fit them.
    pub(crate) fn restore(
        history: &History,
        tally: &Tally,
        stored: &Stored,
        messages: MessageId,
    ) -> Result<State, String> {
        let items = history.first_item(messages);
        let known = |item: &ItemId| *item < items;
        let whole = |item: ItemId, nth: usize, pieces: &[Piece]| {
            let original = history.get_item(item).filter(|_| known(&item)).and_then(|it| it.texts.get(nth));
            let original = original.ok_or_else(|| format!("item {item} has no text {nth}"))?;
            joined(&original.value, pieces).ok_or_else(|| format!("a text of item {item} is shorter"))
        };
        let mut changes = Changes::new();
        for (item, nth, pieces) in &stored.texts {
            let text = whole(*item, *nth, pieces)?;
            changes.replace(history, *item, *nth, text).map_err(|error| error.to_string())?;
        }
        let fits =
            stored.removed.iter().all(known) && stored.dropped.iter().all(|message| *message < messages);
        fits.then_some(()).ok_or("it leaves out what is not there")?;
        for item in &stored.removed {
            changes.remove_item(*item);
        }
        for message in &stored.dropped {
            changes.drop_message(*message);
        }
        changes.insert(stored.inserted.clone());
        let mut references = References::default();
        for Reference { item, to, text, otherwise } in &stored.references {
            references.add(*item, to, whole(*item, 0, text)?, whole(*item, 0, otherwise)?);
        }
        Ok(View::counted(history, tally, changes, references, messages))
    }
}

/// Shorter lines are written out: their range would take as much.
const WORTH_A_RANGE: usize = 12;

/// A text as ranges of its original, line by line, and what stands between them. Linear but for a look-up per line.
fn pieces(original: &str, text: &str) -> Vec<Piece> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut at = 0;
    for line in original.split_inclusive('\n') {
        places.entry(line).or_default().push(at);
        at += line.len();
    }
    let mut pieces: Vec<Piece> = Vec::new();
    for line in text.split_inclusive('\n') {
        let goes_on = match pieces.last() {
            Some(Piece::Kept(_, end)) if original[*end..].starts_with(line) => Some(*end),
            _ => None,
        };
        let after = match pieces.last() {
            Some(Piece::Kept(_, end)) => *end,
            _ => 0,
        };
        let known = || {
            let places = places.get(line).filter(|_| line.len() >= WORTH_A_RANGE)?;
            places.get(places.partition_point(|place| *place < after)).or(places.first()).copied()
        };
        match (goes_on, pieces.last_mut()) {
            (Some(_), Some(Piece::Kept(_, end))) => *end += line.len(),
            (_, last) => match (known(), last) {
                (Some(start), _) => pieces.push(Piece::Kept(start, start + line.len())),
                (None, Some(Piece::Other(words))) => words.push_str(line),
                (None, _) => pieces.push(Piece::Other(line.to_string())),
            },
        }
    }
    pieces
}

fn joined(original: &str, pieces: &[Piece]) -> Option<String> {
    let part = |piece| match piece {
        &Piece::Kept(start, end) => original.get(start..end),
        Piece::Other(words) => Some(words.as_str()),
    };
    pieces.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn kept_lines_are_ranges_and_markers_are_words() {
        let original = "fn first() {}\nfn second() {}\nfn third() {}\nfn fourth() {}\n";
        let folded = "fn first() {}\n[2 lines #123456789]\nfn fourth() {}\n";
        let stored = pieces(original, folded);
        assert_eq!(serde_json::to_string(&stored).unwrap(), r##"[[0,14],"[2 lines #123456789]\n",[43,58]]"##);
        assert_eq!(joined(original, &stored).as_deref(), Some(folded));
    }

    #[test]
    fn ranges_beyond_a_text_are_no_text() {
        assert_eq!(joined("short", &[Piece::Kept(0, 9)]), None);
        assert_eq!(joined("é", &[Piece::Kept(0, 1)]), None, "inside a character");
    }

    proptest! {
        #[test]
        fn any_text_comes_back(lines in prop::collection::vec("[ab\u{e9}]{0,20}\n?", 0..12), picks in prop::collection::vec(0usize..12, 0..12)) {
            let original: String = lines.concat();
            let folded: String = picks.iter().filter_map(|nth| lines.get(*nth)).map(String::as_str).collect();
            prop_assert_eq!(joined(&original, &pieces(&original, &folded)), Some(folded));
        }
    }
}
