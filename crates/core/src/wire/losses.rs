//! What a conversion could not carry over as it was.

use crate::finding::{Finding, Place, Severity};
use crate::history::{Item, ItemKind, MessageId};

/// Collects losses in the order they occur.
#[derive(Debug, Default)]
pub(super) struct Losses {
    findings: Vec<Finding>,
}

impl Losses {
    /// Something of an item is lost.
    pub(super) fn item(&mut self, item: &Item, what: &str) {
        self.push(Severity::Warning, item.message, format!("lost: {what}"));
    }

    /// The target has no way, or not in this place, to say what the item is.
    pub(super) fn cannot_say(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Other(kind) => self.item(item, &format!("a part of type `{kind}`")),
            ItemKind::Media(_) => self.item(item, "media of this kind, or in this place"),
            ItemKind::Reasoning(_) => self.item(item, "reasoning outside an assistant's message"),
            ItemKind::Call(_) => self.item(item, "a call outside an assistant's message"),
            ItemKind::Result(_) => self.item(item, "a result in this place"),
            ItemKind::Text | ItemKind::Summary => self.item(item, "a text in this place"),
        }
    }

    /// Something stands in another place or role than it did.
    pub(super) fn moved(&mut self, item: &Item, what: &str) {
        self.push(Severity::Warning, item.message, format!("moved: {what}"));
    }

    /// Something stands in the target that was not in the history.
    pub(super) fn added(&mut self, message: MessageId, what: &str) {
        self.push(Severity::Warning, message, format!("added: {what}"));
    }

    /// Something is spelled differently, and nothing is gone.
    pub(super) fn changed(&mut self, item: &Item, what: &str) {
        self.push(Severity::Note, item.message, format!("changed: {what}"));
    }

    fn push(&mut self, severity: Severity, message: MessageId, what: String) {
        let finding = Finding::new(severity, Place::message(message.number()), what);
        // Ten results of one message lose the same thing: that is one thing to tell. What was added is counted.
        if self.findings.last() != Some(&finding) || finding.what.starts_with("added") {
            self.findings.push(finding);
        }
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }
}
