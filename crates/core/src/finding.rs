//! What was noticed about an input: one type for readers and validators.

use std::fmt;

/// Something worth telling the user about an input that could still be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// The number of the provider rule that is broken (`A4`, `C1`, …), where it is one.
    pub rule: Option<&'static str>,
    /// Where it stands.
    pub place: Place,
    /// What is there.
    pub what: String,
    /// What would mend it; empty where nothing needs to be done.
    pub remedy: String,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing is lost.
    Note,
    /// Something could not be read or will be refused by some servers.
    Warning,
    /// The provider refuses this.
    Error,
}

/// Where in an input something stands. Numbers count from 1, as people do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Line of the source file.
    pub line: Option<usize>,
    /// Byte offset in the source file.
    pub byte: Option<usize>,
    /// Number of the message in the history.
    pub message: Option<usize>,
    /// The field, in the provider's own spelling: `messages.3.content.0`.
    pub field: Option<String>,
}

impl Finding {
    /// A finding without rule or remedy.
    pub fn new(severity: Severity, place: Place, what: impl Into<String>) -> Finding {
        Finding { severity, rule: None, place, what: what.into(), remedy: String::new() }
    }

    /// Adds what would mend it.
    pub fn remedy(mut self, remedy: impl Into<String>) -> Finding {
        self.remedy = remedy.into();
        self
    }

    /// Adds the number of the rule it breaks.
    pub fn rule(mut self, rule: &'static str) -> Finding {
        self.rule = Some(rule);
        self
    }
}

/// Collects findings about one input. A hostile input can hold a hundred million faults; nobody reads more than the
/// first [`Findings::MOST`], so only those are kept and the others counted.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    left_out: usize,
}

impl Findings {
    /// How many are kept.
    pub const MOST: usize = 1_000;

    /// Adds a finding; it is only made if there is room.
    pub fn add(&mut self, finding: impl FnOnce() -> Finding) {
        if self.kept.len() < Findings::MOST {
            self.kept.push(finding());
        } else {
            self.left_out += 1;
        }
    }

    /// What was found, with a last line about what was left out.
    pub fn finish(mut self) -> Vec<Finding> {
        if self.left_out > 0 {
            let what = format!("and {} findings more, not listed", self.left_out);
            self.kept.push(Finding::new(Severity::Warning, Place::default(), what));
        }
        self.kept
    }
}

impl From<Vec<Finding>> for Findings {
    fn from(kept: Vec<Finding>) -> Findings {
        Findings { kept, left_out: 0 }
    }
}

impl Place {
    /// A line of the source.
    pub fn line(line: usize) -> Place {
        Place { line: Some(line), ..Place::default() }
    }

    /// A message of the history, counted from 1.
    pub fn message(message: usize) -> Place {
        Place { message: Some(message), ..Place::default() }
    }

    /// A byte offset in the source.
    pub fn byte(byte: usize) -> Place {
        Place { byte: Some(byte), ..Place::default() }
    }

    /// Adds the field.
    pub fn field(mut self, field: impl Into<String>) -> Place {
        self.field = Some(field.into());
        self
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.line.map(|line| format!("line {line}")));
        parts.extend(self.byte.map(|byte| format!("byte {byte}")));
        parts.extend(self.message.map(|message| format!("message {message}")));
        parts.extend(self.field.clone());
        f.write_str(&parts.join(", "))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.severity)?;
        if let Some(rule) = self.rule {
            write!(f, " {rule}")?;
        }
        let place = self.place.to_string();
        if !place.is_empty() {
            write!(f, " ({place})")?;
        }
        write!(f, ": {}", self.what)?;
        if !self.remedy.is_empty() {
            write!(f, "; {}", self.remedy)?;
        }
        Ok(())
    }
}
