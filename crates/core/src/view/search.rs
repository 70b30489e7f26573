//! Finding what a handle opens in the history itself, where nobody wrote the originals down.
//!
//! A handle is a hash of its original, and every original stands in the history: a text, an item, a stretch of messages, or
//! the edits of one file. So whoever has the session and its key can open every handle of every view of it, whatever policy
//! and budget made the view, also after the session has gone on.

use std::collections::{BTreeMap, BTreeSet};

use crate::history::{History, ItemId, MessageId};
use crate::understand::files::FileTracker;
use crate::view::fold::{Handle, HandleKey};
use crate::view::original::{Original, Originals, stretch};

/// Bytes that are hashed before a search is given up: about a minute.
const MOST_WORK: usize = 64 << 30;

/// What one more comparison costs, in bytes that could have been hashed instead.
const COMPARISON: usize = 128;

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// This is what the handle opens.
    Found(Original),
    /// Nothing of the history has this handle.
    Nothing,
    /// Nothing up to stretches of so many messages has it; longer ones would take too long.
    GivenUp(usize),
}

/// Finds what a handle opens. Texts and items cost one look at the history; stretches of messages, the shortest first, cost
/// one for each message that they could begin with.
///
/// Nine digits are not many: in a history of some thousand messages one handle in a thousand finds another, shorter
/// stretch before its own.
pub fn search(history: &History, tracker: &FileTracker, key: &HandleKey, handle: Handle) -> Search {
    let mut all = search_all(history, tracker, key, BTreeSet::from([handle]));
    match (all.found.remove(&handle), all.given_up) {
        (Some(original), _) => Search::Found(original),
        (None, Some(messages)) => Search::GivenUp(messages),
        (None, None) => Search::Nothing,
    }
}

/// What a search for many handles came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchAll {
    /// What was found.
    pub found: Originals,
    /// Where the rest was given up: after stretches of so many messages.
    pub given_up: Option<usize>,
}

/// The same for many handles, at the cost of one.
pub fn search_all(
    history: &History,
    tracker: &FileTracker,
    key: &HandleKey,
    mut wanted: BTreeSet<Handle>,
) -> SearchAll {
    let mut all = SearchAll::default();
    for original in pieces(history).chain(edits(history, tracker)) {
        let handle = original.handle(history, key).filter(|handle| wanted.remove(handle));
        all.found.extend(handle.map(|handle| (handle, original)));
    }
    for cut in [Cut::BetweenSteps, Cut::Anywhere] {
        if !wanted.is_empty() && all.given_up.is_none() {
            stretches(history, key, cut, &mut wanted, &mut all);
        }
    }
    all
}

/// Where a stretch of messages begins and ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// It parts no call from its result at either end.
    BetweenSteps,
    /// A message that stays may stand between a call and its result, and both left, on either side of it.
    Anywhere,
}

/// Every text and every item.
fn pieces(history: &History) -> impl Iterator<Item = Original> + '_ {
    history.item_ids().flat_map(|item| {
        let texts = 0..history.item(item).texts.len();
        texts.map(move |nth| Original::Text { item, nth }).chain([Original::Item(item)])
    })
}

/// The edits of each file, from any of them to any later one.
fn edits<'a>(history: &'a History, tracker: &'a FileTracker) -> impl Iterator<Item = Original> + 'a {
    let mut files: BTreeMap<&str, Vec<[MessageId; 2]>> = BTreeMap::new();
    for record in tracker.calls() {
        if let (Some(change), Some(messages)) = (record.lone_change(), record.lone_messages(history)) {
            files.entry(&change.path).or_default().push(messages);
        }
    }
    files.into_values().flat_map(|edits| {
        let count = edits.len();
        let ranges = (0..count).flat_map(move |from| (from + 1..=count).map(move |to| from..to));
        ranges.map(move |some| {
            let mut messages = edits[some].concat();
            messages.sort_unstable();
            Original::Messages(messages)
        })
    })
}

/// Every stretch of messages that may have left.
fn stretches(
    history: &History,
    key: &HandleKey,
    cut: Cut,
    wanted: &mut BTreeSet<Handle>,
    all: &mut SearchAll,
) {
    let is_any = cut == Cut::Anywhere;
    let lines: Vec<_> = history.message_ids().map(|id| history.original(id)).collect();
    let ends: Vec<bool> = history.message_ids().map(|id| is_any || may_end(history, id)).collect();
    let starts = history.message_ids().filter(|id| is_any || may_start(history, *id));
    let mut growing: Vec<_> = starts.map(|start| (start.index(), key.lines())).collect();
    let mut work = 0;
    for length in 0..lines.len() {
        if work > MOST_WORK {
            all.given_up = Some(length);
            return;
        }
        growing.retain(|(start, _)| start + length < lines.len());
        for (start, hash) in &mut growing {
            let end = *start + length;
            hash.push(lines[end].as_bytes());
            work += lines[end].len() + COMPARISON;
            let handle = ends[end].then(|| hash.handle()).filter(|handle| wanted.remove(handle));
            if let Some(handle) = handle {
                let messages = stretch(&[*start, end].map(MessageId::new));
                all.found.insert(handle, Original::Stretch(messages));
            }
        }
        if wanted.is_empty() {
            return;
        }
    }
}

/// Whether no result of the message answers a call before it.
fn may_start(history: &History, message: MessageId) -> bool {
    let items = history.message(message).items.clone();
    pairs(history, message).all(|pair| pair >= items.start)
}

/// Whether no call of the message is answered behind it.
fn may_end(history: &History, message: MessageId) -> bool {
    let items = history.message(message).items.clone();
    pairs(history, message).all(|pair| pair < items.end)
}

fn pairs(history: &History, message: MessageId) -> impl Iterator<Item = ItemId> + '_ {
    history.message(message).item_ids().filter_map(|item| history.pair(item))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::notation;
    use crate::understand::facts::Facts;

    /// What stood beyond the horizon on either side of the user's words once could not be opened from the history alone.
    #[test]
    fn a_stretch_that_begins_with_a_late_result_is_found() {
        let text =
            "user: go\nassistant\n  call a ls {}\nuser: wait\nresult a: 1\nassistant: done\nuser: more\n";
        let history = notation::parse(text).unwrap();
        let key = HandleKey::new(b"secret", "session");
        let messages: Vec<MessageId> = MessageId::each(MessageId::new(3)..MessageId::new(5)).collect();
        let handle = key.handle_of_messages(&history, &messages);
        let found = search(&history, Facts::of(&history).tracker(), &key, handle);
        assert_eq!(found, Search::Found(Original::Stretch(stretch(&messages))));
    }
}
