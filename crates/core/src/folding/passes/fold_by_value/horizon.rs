//! How far back lines are looked at.
//!
//! What a line is worth falls with its age, so a few budgets back hardly any is worth a token of the view, and in a session
//! that goes on for days there are thousands of times as many lines as there is room for. So lines are read of the
//! newest [`HORIZON`] budgets of tokens only. Older messages leave whole: the line over their run counts them, names what the
//! newest of them were about, and its handle opens all of it.
//!
//! ```text
//! task │ left whole, counted │ the user's words │ left whole │ horizon │ line by line
//! ```
//!
//! What must stay is looked at wherever it stands: instructions, what a person typed, and what stays or leaves with it.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::count::HORIZON;
use crate::folding::groups::belongs;
use crate::folding::passes::{Cx, Tells};
use crate::folding::stretches::Held;
use crate::history::{ItemId, MessageId, Role, Slot};
use crate::view::View;
use crate::view::fold::{Change, Fold};

/// Messages beyond the horizon that stand next to each other.
pub(super) struct Far {
    pub(super) messages: Range<MessageId>,
    pub(super) held: Held,
}

/// The messages of a view that leave whole, oldest first.
pub(super) fn beyond(view: &View, cx: &Cx) -> Vec<Far> {
    let (history, changes) = (view.history(), view.changes());
    // Without a block that tells what left, nothing would count them.
    let tells = cx.tells != Tells::Not && changes.inserted().is_none() && cx.first_unsent == MessageId::FIRST;
    let horizon = if tells { horizon(view, cx) } else { MessageId::FIRST };
    let Some(stretches) = cx.stretches.filter(|_| horizon > MessageId::FIRST) else { return Vec::new() };
    stretches.set_horizon(horizon);
    let mut far = Vec::new();
    let mut start = MessageId::FIRST;
    for end in Looked::at(view, cx, horizon).0.into_iter().chain([horizon]) {
        if start < end {
            let held = stretches.held(history, cx.facts.tracker(), start..end);
            far.push(Far { messages: start..end, held });
        }
        start = end.next();
    }
    far
}

/// The first message of the newest tokens. The newest response is among them, whatever came after it.
fn horizon(view: &View, cx: &Cx) -> MessageId {
    let most = cx.limit.saturating_mul(HORIZON);
    let history = view.history();
    let mut sum = 0;
    let reaches = |id: &MessageId| {
        sum += view.message_tokens(*id);
        sum > most
    };
    let Some(first) = history.message_ids().rev().find(reaches) else { return MessageId::FIRST };
    let speaks = |id: &MessageId| history.message(*id).role == Role::Assistant;
    history.message_ids().rev().find(speaks).map_or(first, |newest| first.min(newest))
}

/// The messages before the horizon that are looked at all the same.
struct Looked(BTreeSet<MessageId>);

impl Looked {
    fn at(view: &View, cx: &Cx, horizon: MessageId) -> Looked {
        let history = view.history();
        let mut looked = Looked(BTreeSet::new());
        let items = cx.facts.guarded().chain(cx.words.items()).map(|item| history.item(item).message);
        let heads = history.message_ids().filter(|id| history.message(*id).slot == Slot::Head);
        let may_stay = items.chain(cx.bonds.held()).chain(heads).filter(|id| *id < horizon);
        let something_stays = |id: MessageId| {
            let mut items = history.message(id).item_ids();
            cx.is_protected_message(view, id) || items.any(|item| stays_in_part(cx, item))
        };
        let mut open: Vec<MessageId> = may_stay.filter(|id| something_stays(*id)).collect();
        open.extend(before_horizon(view, cx, horizon));
        while let Some(id) = open.pop() {
            if id < horizon && looked.0.insert(id) {
                open.extend(bound(view, cx, id));
            }
        }
        looked
    }
}

/// Whether something of a text stays.
fn stays_in_part(cx: &Cx, item: ItemId) -> bool {
    cx.words.keeps_part(item) || cx.words.question_end(item).is_some()
}

/// The messages before the horizon that stay or leave with some behind it.
fn before_horizon(view: &View, cx: &Cx, horizon: MessageId) -> Vec<MessageId> {
    let history = view.history();
    let near = history.items_from(history.first_item(horizon));
    let pairs = near.filter_map(|(item, _)| history.pair(item)).map(|pair| history.item(pair).message);
    pairs.chain(neighbours(view, cx, horizon)).filter(|id| *id < horizon).collect()
}

/// The messages that stay or leave with one.
fn bound(view: &View, cx: &Cx, id: MessageId) -> Vec<MessageId> {
    let history = view.history();
    let pairs = history.message(id).item_ids().filter_map(|item| history.pair(item));
    let pairs = pairs.filter(|pair| view.has(*pair)).map(|pair| history.item(pair).message);
    pairs.chain(neighbours(view, cx, id)).collect()
}

/// Those next to a message that belong to it.
fn neighbours(view: &View, cx: &Cx, id: MessageId) -> impl Iterator<Item = MessageId> {
    let (history, changes) = (view.history(), view.changes());
    let stands = |id: &MessageId| !changes.is_dropped(*id);
    let before = MessageId::each(MessageId::FIRST..id).rev().find(stands);
    let before = before.filter(|before| belongs(view, cx, *before, id) || cx.bonds.is_with_previous(id));
    let after = MessageId::each(id.next()..history.next_message()).find(stands);
    let is_after = |after: &MessageId| belongs(view, cx, id, *after) || cx.bonds.is_with_previous(*after);
    before.into_iter().chain(after.filter(is_after))
}

/// The folds of a view in which stretches stood as their first and last message, with all that stands between these.
pub(super) fn whole(mut folds: Vec<Fold>, far: &[Far]) -> Vec<Fold> {
    for fold in &mut folds {
        let Change::Summary { runs, .. } = &mut fold.change else { continue };
        for run in runs {
            let within = far.iter().filter(|far| run.binary_search(&far.messages.start).is_ok());
            let between: Vec<MessageId> =
                within.flat_map(|far| MessageId::each(far.messages.clone())).collect();
            if !between.is_empty() {
                run.extend(between);
                run.sort_unstable();
                run.dedup();
            }
        }
    }
    folds
}
