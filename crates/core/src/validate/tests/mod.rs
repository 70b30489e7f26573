//! What the validators promise: every rule demonstrated, real sessions accepted, nothing panics, docs that agree.

mod baseline;
mod conversions;
mod docs;
mod fixtures;
mod laws;
mod sessions;

use super::{Request, WIRES, rules, validate};
use crate::finding::{Finding, Severity};
use crate::json::Raw;

/// Validates a request object or a bare list as it stands.
fn findings(wire: &str, text: &str) -> Vec<Finding> {
    validate(wire, &Request::of(wire, Raw::parse(text).unwrap()))
}

/// What is found, one line each.
fn lines(wire: &str, text: &str) -> String {
    findings(wire, text).iter().map(|finding| format!("{finding}\n")).collect()
}

fn errors(findings: &[Finding]) -> Vec<String> {
    findings.iter().filter(|finding| finding.severity == Severity::Error).map(Finding::to_string).collect()
}
