//! Gathers findings and puts them in the order of their places.

use crate::finding::{Finding, Place, Severity};

/// The findings of one validation.
#[derive(Debug, Default)]
pub(super) struct Report {
    findings: Vec<Finding>,
}

impl Report {
    /// The provider refuses this.
    pub(super) fn error(
        &mut self,
        rule: &'static str,
        place: Place,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.add(Severity::Error, rule, place, what, remedy);
    }

    /// Some servers or models refuse this.
    pub(super) fn warning(
        &mut self,
        rule: &'static str,
        place: Place,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.add(Severity::Warning, rule, place, what, remedy);
    }

    /// Worth knowing.
    pub(super) fn note(
        &mut self,
        rule: &'static str,
        place: Place,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.add(Severity::Note, rule, place, what, remedy);
    }

    /// Where the severity depends on what else is known.
    pub(super) fn add(
        &mut self,
        severity: Severity,
        rule: &'static str,
        place: Place,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.findings.push(Finding::new(severity, place, what).remedy(remedy).rule(rule));
    }

    /// All findings: those about the request as a whole first, then message by message, block by block.
    pub(super) fn into_ordered(self) -> Vec<Finding> {
        let mut findings = self.findings;
        findings.sort_by_cached_key(|finding| {
            let field = finding.place.field.as_deref().unwrap_or_default();
            let message = finding.place.message.unwrap_or(0);
            let section = if message == 0 { section(field) } else { String::new() };
            (message, section, numbers(field))
        });
        findings
    }
}

/// `tools` of `tools.3.name`: fields beside the list of messages stay together.
fn section(field: &str) -> String {
    field.split(['.', '[']).next().unwrap_or_default().to_string()
}

/// 3, 10 of `messages.3.content.10.text`: so that block 10 comes after block 9.
fn numbers(field: &str) -> Vec<usize> {
    field
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| !digits.is_empty())
        .map(|digits| digits.parse().unwrap_or(usize::MAX))
        .collect()
}
