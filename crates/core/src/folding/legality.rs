//! What a provider would refuse about a view.

use std::ops::Range;

use bytestring::ByteString;

use crate::finding::{Finding, Place, Severity};
use crate::folding::passes::Cx;
use crate::history::{History, MessageId, Slot};
use crate::json::Raw;
use crate::validate::{Baseline, Bound, Request, binds_prefix};
use crate::view::View;
use crate::view::changes::{Changes, Inserted};

/// The history as it would be sent unfolded, in its whole request.
pub(crate) fn baseline(view: &View, cx: &Cx) -> Baseline {
    let slot = |slot: Slot| {
        let messages = view.history().message_ids().zip(view.history().messages());
        let messages = messages.filter(move |(id, it)| it.slot == slot && !view.history().is_rubble(*id));
        messages.map(|(_, message)| Raw::trusted(&message.raw))
    };
    let request = cx.around.request(slot(Slot::Head).next(), slot(Slot::List).collect());
    Baseline::of(cx.wire.name(), &request)
}

/// What the last view changed; of a session that has sent nothing, nothing.
pub(crate) fn sent(cx: &Cx) -> Changes {
    cx.sent.cloned().unwrap_or_default()
}

/// The errors of a view about thinking that is bound to what was sent before it.
pub(crate) fn unbound_faults(view: &View, cx: &Cx) -> Vec<Finding> {
    if !binds_prefix(cx.wire.name(), &cx.around.request(None, Vec::new())) {
        return Vec::new();
    }
    let [before, now] = [&sent(cx), view.changes()]
        .map(|changes| changes.sequence(view.history(), MessageId::FIRST).collect::<Vec<_>>());
    let [before, now] = [&before, &now].map(|messages| request(cx, messages));
    Bound::of(cx.wire.name(), &before).map_or(Vec::new(), |bound| bound.beyond(&now))
}

/// The errors of the end of a view, from `from` on, that are not those of the history there. What is new is looked at in its
/// context: with the calls that it answers, and the message before. Nothing is done where the view shows all that as it is.
///
/// O(those messages).
pub(crate) fn tail_faults(view: &View, cx: &Cx, from: MessageId) -> Vec<Finding> {
    let history = view.history();
    let new = history.items_from(history.first_item(from)).filter_map(|(item, _)| history.pair(item));
    let first = new.map(|pair| history.item(pair).message).min().unwrap_or(from).min(from);
    let stands = |id: &MessageId| is_sent(history, *id) && !view.changes().is_dropped(*id);
    let before = MessageId::each(MessageId::FIRST..first).rev().find(stands);
    let window = before.unwrap_or(first)..history.next_message();
    if is_shown_whole(view, window.clone()) {
        return Vec::new();
    }
    let all: Vec<MessageId> = MessageId::each(window.clone()).filter(|id| is_sent(history, *id)).collect();
    let raws = all.iter().map(|id| Raw::trusted(&history.message(*id).raw)).collect();
    let baseline = Baseline::of(cx.wire.name(), &cx.around.request(None, raws));
    let inserted = view.changes().inserted().filter(|inserted| window.contains(&inserted.before));
    let mut kept: Vec<(Option<usize>, ByteString)> = Vec::new();
    for (nth, id) in all.iter().enumerate() {
        kept.extend(inserted.filter(|one| one.before == *id).map(|one| (None, one.raw.clone())));
        kept.extend(view.message(*id).map(|raw| (Some(nth), raw)));
    }
    let raws = kept.iter().map(|(_, raw)| Raw::trusted(raw)).collect();
    let origins: Vec<Option<usize>> = kept.iter().map(|(origin, _)| *origin).collect();
    baseline.beyond(&cx.around.request(None, raws), &origins)
}

/// Whether a message is one of the list that is sent.
fn is_sent(history: &History, id: MessageId) -> bool {
    history.message(id).slot == Slot::List && !history.is_rubble(id)
}

/// Whether a view shows these messages as they are.
fn is_shown_whole(view: &View, messages: Range<MessageId>) -> bool {
    let history = view.history();
    let is_in = |inserted: &Inserted| messages.contains(&inserted.before);
    let mut all = MessageId::each(messages.clone());
    !view.changes().inserted().is_some_and(is_in)
        && all.all(|id| {
            !view.changes().is_dropped(id)
                && !history.message(id).item_ids().any(|item| view.is_changed(item))
        })
}

fn request<'a>(cx: &'a Cx, messages: &'a [(Slot, ByteString)]) -> Request<'a> {
    let slot = |slot: Slot| {
        let messages = messages.iter().filter(move |(is, _)| *is == slot);
        messages.map(|(_, raw)| Raw::trusted(raw))
    };
    cx.around.request(slot(Slot::Head).next(), slot(Slot::List).collect())
}

/// The errors of a view, in its whole request, that are not those of its history. A view without a message is one,
/// whatever the format says.
pub(crate) fn new_faults(view: &View, cx: &Cx, baseline: &Baseline) -> Vec<Finding> {
    let kept: Vec<(Slot, ByteString)> = view.changes().sequence(view.history(), MessageId::FIRST).collect();
    let request = request(cx, &kept);
    let mut faults = baseline.beyond(&request, &view.changes().origins(view.history()));
    if request.messages.is_empty() {
        faults.push(Finding::new(Severity::Error, Place::default(), "nothing is left to send"));
    }
    faults
}
