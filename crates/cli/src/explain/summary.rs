//! The summary that stands in a view.

use enfold::folding::runner::Run;
use enfold::history::MessageId;
use enfold::view::fold::FoldKind;
use serde::Serialize;

/// A message that the view has and the session has not.
#[derive(Debug, Serialize)]
pub struct SummaryRow {
    /// 1 for the first of a session.
    pub round: u32,
    /// How many messages it stands for.
    pub messages: usize,
    /// The message it stands before.
    pub before: usize,
    /// Whether a model wrote some of it.
    pub by_model: bool,
    pub tokens: usize,
    /// What opens the messages it stands for.
    pub handle: Option<String>,
    pub text: String,
}

impl SummaryRow {
    /// The one of a view, if it has one.
    pub fn of(run: &Run) -> Option<SummaryRow> {
        let (summary, inserted) = (run.summary()?, run.view.changes().inserted()?);
        let told = run.trace.folds().find(|fold| fold.kind == FoldKind::Summary)?;
        let mut messages: Vec<MessageId> =
            told.items.iter().map(|item| run.view.history().item(*item).message).collect();
        messages.dedup();
        Some(SummaryRow {
            round: summary.round,
            messages: messages.len(),
            before: inserted.before.number(),
            by_model: summary.narrative.is_some(),
            tokens: run.view.inserted_tokens(),
            handle: told.handles.first().map(ToString::to_string),
            text: inserted.text.clone(),
        })
    }

    /// Which one, and who wrote it.
    pub fn title(&self) -> String {
        format!("round {}, {}", self.round, author(self.by_model))
    }
}

/// Who wrote a summary, for people.
pub fn author(by_model: bool) -> &'static str {
    if by_model { "by a model and the ledger" } else { "by the ledger alone" }
}
