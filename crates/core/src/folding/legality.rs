//! What a provider would refuse about a view.

use std::ops::Range;

use bytestring::ByteString;

use crate::finding::{Finding, Place, Severity};
use crate::folding::passes::Cx;
use crate::history::{History, MessageId, Role, Slot};
use crate::json::Raw;
use crate::validate::{Baseline, Bound, Request, binds_prefix};
use crate::view::View;
use crate::view::changes::{Changes, Inserted};

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
    let before = cx.around.request(None, raws);
    let inserted = view.changes().inserted().filter(|inserted| window.contains(&inserted.before));
    let mut kept: Vec<(Option<usize>, ByteString)> = Vec::new();
    for (nth, id) in all.iter().enumerate() {
        kept.extend(inserted.filter(|one| one.before == *id).map(|one| (None, one.raw.clone())));
        kept.extend(view.message(*id).map(|raw| (Some(nth), raw)));
    }
    let raws = kept.iter().map(|(_, raw)| Raw::trusted(raw)).collect();
    let origins: Vec<Option<usize>> = kept.iter().map(|(origin, _)| *origin).collect();
    Baseline::compare(cx.wire.name(), &before, &cx.around.request(None, raws), &origins)
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
/// whatever the format says. O(the view).
pub(crate) fn new_faults(view: &View, cx: &Cx) -> Vec<Finding> {
    let kept: Vec<(Slot, ByteString)> = view.changes().sequence(view.history(), MessageId::FIRST).collect();
    let request = request(cx, &kept);
    let known = context(view);
    let raws = known.iter().map(|id| Raw::trusted(&view.history().message(*id).raw)).collect();
    let heads = view.changes().kept(MessageId::FIRST..view.history().next_message());
    let mut heads = heads.map(|id| view.history().message(id)).filter(|message| message.slot == Slot::Head);
    let head = heads.next().map(|message| Raw::trusted(&message.raw));
    let before = cx.around.request(head, raws);
    let mut faults = Baseline::compare(cx.wire.name(), &before, &request, &origins(view, &known));
    if request.messages.is_empty() {
        faults.push(Finding::new(Severity::Error, Place::default(), "nothing is left to send"));
    }
    faults
}

/// The messages of the history that a view is to be compared with, in order: those it shows, before each of them all since the
/// model spoke, and what its calls and results belong to; and both ends of the list. Whatever is wrong with a message that a view
/// shows can be told from these, and a view of a long history is much less than all of it.
fn context(view: &View) -> Vec<MessageId> {
    let history = view.history();
    let mut ends = history.message_ids().filter(|id| is_sent(history, *id));
    let (first, last) = (ends.next(), ends.next_back());
    let mut all: Vec<MessageId> = first.into_iter().chain(last).collect();
    let mut known = MessageId::FIRST;
    for id in shown(view) {
        let items = history.message(id).item_ids();
        let pairs = items.filter_map(|item| history.pair(item)).map(|pair| history.item(pair).message);
        all.extend(pairs.filter(|id| is_sent(history, *id)));
        // A result stands behind others of the same answer: one of them alone would answer nothing.
        for before in MessageId::each(known..id).rev().filter(|id| is_sent(history, *id)) {
            all.push(before);
            if history.message(before).role == Role::Assistant {
                break;
            }
        }
        all.push(id);
        known = id.next();
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The messages of the list that a view shows.
fn shown<'a>(view: &'a View) -> impl Iterator<Item = MessageId> + 'a {
    let history = view.history();
    view.changes().kept(MessageId::FIRST..history.next_message()).filter(|id| is_sent(history, *id))
}

/// For each message of the list that a view shows, which one of `known` it was; `None` for the one that was put in.
fn origins(view: &View, known: &[MessageId]) -> Vec<Option<usize>> {
    let place = |id: MessageId| known.binary_search(&id).ok();
    let mut origins: Vec<Option<usize>> = shown(view).map(place).collect();
    if let Some(inserted) = view.changes().inserted() {
        let at = shown(view).take_while(|id| *id < inserted.before).count();
        origins.insert(at, None);
    }
    origins
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::count::{Heuristic, Tally};
    use crate::understand::facts::Facts;
    use crate::view::fold::{Change, Fold, FoldKind, HandleKey};
    use crate::wire::{OpenAiChat, Wire};

    /// A result that stood before its call, but behind another one, was once compared with that other one alone: what the view
    /// had made of it seemed to have been wrong all along.
    #[test]
    fn a_result_is_compared_with_all_that_it_stood_behind() {
        let call = |id: &str| {
            let call = json!({"id": id, "type": "function", "function": {"name": "ls", "arguments": "{}"}});
            json!({"role": "assistant", "content": null, "tool_calls": [call]})
        };
        let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "a.txt"});
        let says = |text: &str| json!({"role": "user", "content": text});
        let lines: [Value; 6] =
            [says("Look."), call("a"), result("a"), result("b"), call("b"), says("And now?")];
        let mut history = History::new();
        for line in lines {
            let raw = ByteString::from(line.to_string());
            let (parsed, _) = OpenAiChat.read_any(&raw);
            history.push(raw, parsed);
        }
        let tally = Tally::of(&history, Arc::new(Heuristic), Default::default());
        let (facts, handles) = (Facts::of(&history), HandleKey::new(b"secret", "session"));
        let cx = Cx::new(8_000, &facts, &handles, &OpenAiChat);
        let mut view = View::new(&history, &tally);
        let change = Change::drop(vec![MessageId::new(1), MessageId::new(2)]);
        view.apply(&Fold { kind: FoldKind::Drop, change, why: String::new() }).unwrap();
        assert!(!new_faults(&view, &cx).is_empty());
    }
}
