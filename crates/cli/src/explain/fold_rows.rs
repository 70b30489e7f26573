//! Each fold with what it was made of and what it left.

use enfold::count::Tally;
use enfold::history::History;
use enfold::history::MessageId;
use enfold::view::fold::FoldKind;
use enfold::view::trace::FoldTrace;
use serde::Serialize;

use super::what::Labels;

/// One fold.
#[derive(Debug, Serialize)]
pub struct FoldRow {
    /// The messages it touches.
    pub messages: Vec<usize>,
    /// The step of the first of them.
    pub step: Option<u32>,
    pub what: String,
    pub kind: &'static str,
    pub rung: &'static str,
    /// Tokens of what it touches, before and after.
    pub before: usize,
    pub after: usize,
    pub why: String,
    /// What `enfold unfold` takes.
    pub handles: Vec<String>,
}

/// Follows the folds in the order in which they were made: a later one finds what an earlier one left.
pub struct FoldRows<'h> {
    history: &'h History,
    labels: Labels<'h>,
    items: Vec<usize>,
    messages: Vec<usize>,
    /// Tokens of the summary that stands in the view.
    inserted: Option<usize>,
}

impl<'h> FoldRows<'h> {
    /// Before the first fold.
    pub fn new(history: &'h History, tally: &Tally, labels: Labels<'h>) -> FoldRows<'h> {
        let items = history.item_ids().map(|item| tally.item(item)).collect();
        FoldRows { history, labels, items, messages: tally.messages().to_vec(), inserted: None }
    }

    /// A view in which a summary of so many tokens stands.
    pub fn with_summary(self, tokens: usize) -> FoldRows<'h> {
        FoldRows { inserted: Some(tokens), ..self }
    }

    /// The next fold.
    pub fn row(&mut self, fold: &FoldTrace) -> FoldRow {
        let mut messages: Vec<MessageId> =
            fold.items.iter().map(|item| self.history.item(*item).message).collect();
        messages.dedup();
        let taken = self.take(fold, &messages);
        let before = match (fold.kind, self.inserted) {
            (FoldKind::Summary, Some(tokens)) => tokens + fold.saved,
            _ => taken,
        };
        FoldRow {
            step: fold.items.iter().find_map(|item| self.history.item(*item).step),
            messages: messages.iter().map(|message| message.number()).collect(),
            what: self.labels.items(&fold.items),
            kind: fold.kind.name(),
            rung: fold.kind.rung().name(),
            before,
            after: before.saturating_sub(fold.saved),
            why: fold.why.clone(),
            handles: fold.handles.iter().map(|handle| handle.to_string()).collect(),
        }
    }

    /// Tokens of what a fold touches; whole messages count with their overhead.
    fn take(&mut self, fold: &FoldTrace, messages: &[MessageId]) -> usize {
        let inside: usize = messages.iter().map(|id| self.history.message(*id).item_ids().len()).sum();
        let covers_messages = match fold.kind {
            FoldKind::Summary | FoldKind::Told => true,
            FoldKind::Drop => inside == fold.items.len(),
            _ => false,
        };
        if covers_messages {
            return messages.iter().map(|id| std::mem::take(&mut self.messages[id.index()])).sum();
        }
        let before = fold.items.iter().map(|item| self.items[item.index()]).sum();
        if let [item] = fold.items.as_slice() {
            self.items[item.index()] = self.items[item.index()].saturating_sub(fold.saved);
        }
        if let [message] = messages {
            self.messages[message.index()] = self.messages[message.index()].saturating_sub(fold.saved);
        }
        before
    }
}
