//! Where a view says that steps were left out.
//!
//! Where a message is put in to tell what was left out (`fold_by_value`, `summarize`), that message says so. Other passes put
//! none in: it would be one that nobody sent. Their note is a line at the end of the nearest result that stays: results
//! are read as what the world answered, and they may end in anything.

use std::collections::{BTreeMap, BTreeSet};

use crate::folding::passes::Cx;
use crate::history::History;
use crate::history::{ItemId, ItemKind, MessageId, Spelling};
use crate::view::View;
use crate::view::fold::{Change, Fold, FoldKind, Note};

/// How many kept messages to look at in either direction.
const NEAR: usize = 3;

/// How spans of messages say where their originals are, as far as somebody asked.
pub type Opened = BTreeMap<Vec<MessageId>, String>;

/// The folds by which those of `groups` leave that are marked in `leaves`: groups next to each other as one, with one
/// note. `takes_note` tells which kept messages may be written into, `why` gives the reason for some messages. Whoever asks again and again keeps what was `opened`.
pub fn drops(
    view: &View,
    cx: &Cx,
    groups: &[Vec<MessageId>],
    leaves: &[bool],
    takes_note: impl Fn(MessageId) -> bool,
    why: impl Fn(&[MessageId]) -> String,
    opened: &mut Opened,
) -> Vec<Fold> {
    let marked = || groups.iter().zip(leaves);
    let mut stays: Vec<bool> =
        view.history().message_ids().map(|id| !view.changes().is_dropped(id)).collect();
    for (group, _) in marked().filter(|(_, leaves)| **leaves) {
        group.iter().for_each(|id| stays[id.index()] = false);
    }
    let worth_a_note = 2 * note_tokens(view, cx);
    let fold = |run: &[(&Vec<MessageId>, &bool)]| {
        let mut messages: Vec<MessageId> = run.iter().flat_map(|(group, _)| group.iter().copied()).collect();
        // A group may hold a result that came late, after messages of the next.
        messages.sort_unstable();
        let tokens: usize = messages.iter().map(|id| view.message_tokens(*id)).sum();
        let stays = |id: MessageId| stays[id.index()];
        let note = (tokens > worth_a_note)
            .then(|| note(view.history(), cx, &messages, stays, &takes_note, opened))
            .flatten();
        let why = why(&messages);
        Fold { kind: FoldKind::Drop, change: Change::Messages { messages, note }, why }
    };
    let all: Vec<_> = marked().collect();
    all.chunk_by(|(_, one), (_, next)| one == next).filter(|run| *run[0].1).map(fold).collect()
}

/// Tokens that a note takes at most, nearly always.
pub(crate) fn note_tokens(view: &View, cx: &Cx) -> usize {
    let note = format!("\n[1000 messages left out{}]", cx.opens(""));
    view.tally().counter().count(&note) + 2
}

/// A note that `messages`, which stand next to each other, were left out; `None` where no result is near. `stays` tells
/// which other messages are kept, `takes_note` which of those may be written into.
fn note(
    history: &History,
    cx: &Cx,
    messages: &[MessageId],
    stays: impl Fn(MessageId) -> bool,
    takes_note: impl Fn(MessageId) -> bool,
    opened: &mut Opened,
) -> Option<Note> {
    let (first, last) = (*messages.first()?, *messages.last()?);
    let before = MessageId::each(MessageId::FIRST..first)
        .rev()
        .filter(|id| stays(*id))
        .take(NEAR)
        .filter(|id| takes_note(*id));
    let after = MessageId::each(last.next()..history.next_message()).filter(|id| stays(*id)).take(NEAR);
    let after = after.filter(|id| takes_note(*id));
    let behind = before.filter_map(|id| results(history, cx, id).last()).next();
    let ahead = || after.filter_map(|id| results(history, cx, id).next()).next();
    let (place, where_to) = match behind {
        Some(place) => (place, ""),
        None => (ahead()?, " before this"),
    };
    let what = describe(history, messages);
    if !opened.contains_key(messages) {
        opened.insert(messages.to_vec(), cx.opens_messages(history, messages));
    }
    let opens = &opened[messages];
    Some(Note { item: place.0, nth: place.1, text: format!("[{what}{where_to} left out{opens}]") })
}

/// The texts of a message's results that a note may stand in.
fn results<'a>(
    history: &'a History,
    cx: &'a Cx,
    message: MessageId,
) -> impl Iterator<Item = (ItemId, usize)> + 'a {
    let items = history.message(message).item_ids();
    let results =
        items.filter(|id| matches!(history.item(*id).kind, ItemKind::Result(_)) && !cx.is_protected(*id));
    results.flat_map(|id| {
        let texts = history.item(id).texts.iter().enumerate();
        texts.filter(|(_, text)| text.spelling == Spelling::Quoted).map(move |(nth, _)| (id, nth))
    })
}

fn describe(history: &History, messages: &[MessageId]) -> String {
    let steps = messages.iter().filter_map(|id| history.items_of(*id).iter().find_map(|item| item.step));
    // A result that came late stands between messages of another step.
    let steps: BTreeSet<u32> = steps.collect();
    match steps.len() {
        0 => counted(messages.len(), "message"),
        count => counted(count, "step"),
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
