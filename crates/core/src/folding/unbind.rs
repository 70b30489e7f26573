//! Thinking that is signed together with everything before it (A20) leaves where something before it has changed.

use super::legality::sent;
use super::runner::Runner;
use crate::history::{History, ItemId, ItemKind, MessageId};
use crate::validate::binds_prefix;
use crate::view::changes::Changes;
use crate::view::fold::{Change, Fold, FoldKind};
use crate::view::trace::{PassOutcome, PassTrace};

impl Runner<'_, '_> {
    /// Takes out what a provider would not recognise any more: all thinking from the first message on that is not as it was
    /// sent, and before it what had left already. What is left was signed over the very messages that stand before it.
    pub(super) fn unbind(&mut self) {
        let history = self.view.history();
        let request = self.cx.around.request(None, Vec::new());
        if self.view.changes().is_unchanged() || !binds_prefix(self.cx.wire.name(), &request) {
            return;
        }
        let sent = sent(&self.cx);
        let first = first_difference(history, &sent, self.view.changes()).unwrap_or(history.next_message());
        let leaves = |id: MessageId, item: ItemId| {
            is_thought(history, item)
                && self.view.has(item)
                && (id >= first || sent.is_removed(history, item))
        };
        let thought = history.message_ids().map(|id| {
            let items = history.message(id).item_ids();
            (id, items.filter(|item| leaves(id, *item)).collect::<Vec<ItemId>>())
        });
        let thought: Vec<(MessageId, Vec<ItemId>)> = thought.filter(|(_, items)| !items.is_empty()).collect();
        if thought.is_empty() {
            return;
        }
        let before = self.view.tokens();
        let folds =
            thought.into_iter().filter_map(|(id, items)| self.take_out(id, items)).flatten().collect();
        self.passes.push(PassTrace {
            pass: "unbind".into(),
            reason: "thinking is signed over what stood before it, and that has changed".into(),
            before,
            after: self.view.tokens(),
            outcome: PassOutcome::Folded { refused: 0, faults: Vec::new() },
            folds,
        });
    }

    fn take_out(
        &mut self,
        message: MessageId,
        items: Vec<ItemId>,
    ) -> Option<Vec<crate::view::trace::FoldTrace>> {
        let mut all = self.view.history().message(message).item_ids();
        let is_all = !all.any(|item| self.view.has(item) && !items.contains(&item));
        let change = if is_all { Change::drop(vec![message]) } else { Change::Items(items) };
        let why = "what it was signed over has changed".into();
        self.make_unasked(&Fold { kind: FoldKind::Drop, change, why })
    }
}

/// The first message that two views of a history do not show alike, whatever they show of thinking.
fn first_difference(history: &History, one: &Changes, other: &Changes) -> Option<MessageId> {
    let inserted = |changes: &Changes, id: MessageId| {
        changes.inserted().filter(|inserted| inserted.before == id).map(|inserted| inserted.raw.clone())
    };
    let is_alike = |id: &MessageId| {
        let mut items = history.message(*id).item_ids().filter(|item| !is_thought(history, *item));
        inserted(one, *id) == inserted(other, *id)
            && items.all(|item| {
                let texts = 0..history.item(item).texts.len();
                one.is_removed(history, item) == other.is_removed(history, item)
                    && texts.into_iter().all(|nth| one.replacement(item, nth) == other.replacement(item, nth))
            })
    };
    history.message_ids().find(|id| !is_alike(id))
}

fn is_thought(history: &History, item: ItemId) -> bool {
    matches!(history.item(item).kind, ItemKind::Reasoning(_))
}
