//! What is old enough to leave.

use super::Summarize;
use crate::folding::groups::together;
use crate::folding::passes::Cx;
use crate::history::is_summary;
use crate::history::{MessageId, Slot};
use crate::view::View;

/// What may leave.
pub(super) struct Old {
    /// Steps and messages that may, oldest first.
    pub(super) groups: Vec<Vec<MessageId>>,
    /// What has left before.
    pub(super) gone: Vec<MessageId>,
    /// Tokens of what must stay for ever.
    pub(super) stays: usize,
}

impl Old {
    pub(super) fn of(options: &Summarize, view: &View, cx: &Cx) -> Old {
        let by_turns = (options.keep_turns > 0).then(|| Old::kept(view, cx, 1, options.keep_turns));
        // One long turn is all that many agents have.
        let by_turns = by_turns.filter(|old| !old.groups.is_empty());
        by_turns.unwrap_or_else(|| Old::kept(view, cx, options.keep_messages.max(1), 0))
    }

    fn kept(view: &View, cx: &Cx, messages: usize, turns: u32) -> Old {
        let history = view.history();
        let (gone, here): (Vec<MessageId>, Vec<MessageId>) = history
            .message_ids()
            .filter(|id| history.message(*id).slot == Slot::List)
            .partition(|id| view.changes().is_dropped(*id));
        let newest = here[here.len().saturating_sub(messages)..].first().copied().unwrap_or_default();
        let last_old = history.turns().saturating_sub(turns);
        let is_recent =
            |id: &MessageId| *id >= newest || history.items_of(*id).iter().any(|item| item.turn > last_old);
        let must_stay = |id: &MessageId| {
            *id < cx.first_unsent || cx.is_protected_message(view, *id) || cx.facts.task() == Some(*id)
        };
        let all = together(view, cx);
        let held = all.iter().filter(|group| group.iter().any(must_stay));
        let stays = held.flatten().map(|id| view.message_tokens(*id)).sum();
        let may_leave = |group: &Vec<MessageId>| !group.iter().any(|id| must_stay(id) || is_recent(id));
        let mut groups: Vec<Vec<MessageId>> = all.into_iter().filter(may_leave).collect();
        // A summary of a summary alone says less each time.
        let is_told = |id: &MessageId| history.items_of(*id).iter().all(is_summary);
        if groups.iter().flatten().all(is_told) {
            groups.clear();
        }
        Old { groups, gone, stays }
    }

    /// Everything that may leave or has left, in order.
    pub(super) fn all(&self) -> Vec<MessageId> {
        self.of_groups(self.groups.len())
    }

    /// What has left, and the oldest groups.
    pub(super) fn of_groups(&self, count: usize) -> Vec<MessageId> {
        let mut all: Vec<MessageId> =
            self.groups[..count].iter().flatten().chain(&self.gone).copied().collect();
        all.sort_unstable();
        all
    }

    pub(super) fn through(&self) -> MessageId {
        self.groups.iter().flatten().chain(&self.gone).max().map_or(MessageId::FIRST, |last| last.next())
    }
}
