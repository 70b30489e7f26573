//! What a conversion could not carry over.

use crate::finding::{Finding, Place, Severity};
use crate::item::{Item, MessageId};

/// Collects losses in the order they occur.
#[derive(Debug, Default)]
pub(super) struct Losses {
    findings: Vec<Finding>,
}

impl Losses {
    /// Something of an item is lost.
    pub(super) fn item(&mut self, item: &Item, what: &str) {
        self.message(item.message, what);
    }

    /// Something of a message is lost.
    pub(super) fn message(&mut self, message: MessageId, what: &str) {
        self.findings.push(Finding::new(
            Severity::Warning,
            Place::message(message + 1),
            format!("lost: {what}"),
        ));
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }
}
