//! A summary that is being put together.

use super::old::Old;
use crate::folding::passes::{Cx, Outcome};
use crate::history::MessageId;
use crate::summary::{Asked, Block, Summary};
use crate::understand::ledger::Ledger;
use crate::view::View;
use crate::view::changes::Inserted;
use crate::view::fold::{Change, Fold, FoldKind};

/// Tokens of a summary's own words around what it tells.
pub(super) const FRAME: usize = 120;

/// Tokens by which two summaries of different messages may differ: their numbers.
const SPARE: usize = 8;

/// Tokens for the two parts of a summary.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub(super) narrative: usize,
    pub(super) ledger: usize,
}

impl Room {
    pub(super) fn total(self) -> usize {
        self.narrative + self.ledger
    }
}

/// A summary that is being put together.
pub(super) struct Draft<'a, 'v> {
    pub(super) view: &'a View<'v>,
    pub(super) cx: &'a Cx<'a>,
    pub(super) old: &'a Old,
    pub(super) room: Room,
    pub(super) ledger: &'a Ledger,
    /// The view fits: as little leaves as pays for the summary.
    pub(super) only_pays: bool,
}

/// A summary in its place.
pub(super) struct Done {
    fold: Fold,
    pub(super) messages: Vec<MessageId>,
    /// It stands for everything that may leave.
    is_all: bool,
    /// It brings the view to its target.
    reaches: bool,
    /// It tells about everything that has left.
    tells_all: bool,
}

impl Done {
    /// Whether no further round is needed: for a view that is too large, or for what passes before left out.
    pub(super) fn is_enough(&self, is_over: bool) -> bool {
        if is_over { self.reaches || self.is_all } else { self.tells_all }
    }

    pub(super) fn outcome(self, asked: Option<Asked>) -> Outcome {
        match asked {
            None => Outcome::Folds(vec![self.fold]),
            Some(asked) => Outcome::Ask(vec![self.fold], Box::new(asked)),
        }
    }
}

impl Draft<'_, '_> {
    /// The summary with its text, if the view gets smaller by it.
    pub(super) fn finish(&self, mut summary: Summary) -> Option<Done> {
        let groups = &self.old.groups;
        let told = groups.iter().take_while(|group| group.iter().all(|id| *id < summary.through)).count();
        let tells_all = self.old.gone.last().is_none_or(|gone| *gone < summary.through);
        let count = if self.only_pays { self.least(&summary, told)? } else { told };
        let messages = self.old.of_groups(count);
        summary.through = summary.through.min(messages.last()?.next());
        summary.narrated = summary.narrated.min(summary.through);
        summary.stayed.retain(|id| *id < summary.narrated);
        let text = self.text(&summary, &messages);
        let cost = self.view.count_inserted(&text);
        let freed: usize = groups[..count].iter().flatten().map(|id| self.view.message_tokens(*id)).sum();
        if cost >= freed {
            return None;
        }
        let why = format!("round {}: {} messages are told, not shown", summary.round, messages.len());
        let inserted = Inserted {
            before: self.cx.behind_task(self.view.history()),
            raw: self.cx.wire.user_message(&text).into(),
            text,
            summary: Some(summary),
        };
        let change = Change::Summary { runs: vec![messages.clone()], inserted };
        let fold = Fold { kind: FoldKind::Summary, change, why };
        let after = self.view.tokens() - freed + cost;
        let reaches = after <= self.cx.target;
        Some(Done { fold, messages, is_all: count == groups.len(), reaches, tells_all })
    }

    /// How many of the oldest groups pay for a summary.
    fn least(&self, summary: &Summary, most: usize) -> Option<usize> {
        let text = self.text(summary, &self.old.of_groups(most));
        let cost = self.view.count_inserted(&text) + SPARE;
        let mut freed = 0;
        let pays = |group: &Vec<MessageId>| {
            freed += group.iter().map(|id| self.view.message_tokens(*id)).sum::<usize>();
            freed > cost
        };
        self.old.groups[..most].iter().position(pays).map(|nth| nth + 1)
    }

    fn text(&self, summary: &Summary, messages: &[MessageId]) -> String {
        let counter = self.view.tally().counter();
        let opens = self.cx.opens_messages(self.view.history(), messages);
        let mut most = match summary.narrative {
            Some(_) => self.room.ledger,
            None => self.room.total(),
        };
        loop {
            let ledger = self.ledger.render_rest(counter, most);
            let block = Block {
                round: summary.round,
                messages: messages.len(),
                opens: &opens,
                ledger: &ledger,
                narrative: summary.narrative.as_deref(),
            };
            let text = block.render();
            let over = counter.count(&text).saturating_sub(self.room.total() + FRAME);
            if over == 0 || most == 0 {
                return text;
            }
            most = most.saturating_sub(over.max(8));
        }
    }
}
