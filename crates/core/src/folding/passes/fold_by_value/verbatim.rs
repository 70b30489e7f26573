//! What the calls of steps that left were made with, word for word: commands and paths. They are what a model types again, and
//! a told line has room for the beginning of a command and for the name of a file.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::analysis::Analysis;
use super::journal::ours;
use super::plan::Plan;
use super::worth::Id;
use crate::folding::telling::beginning;
use crate::understand::calls::CallRecord;
use crate::understand::paths;

/// Characters of a command or path that is listed: what is longer is a script, which is not typed again.
const LONGEST: usize = 240;

/// A command or path.
pub(super) struct Verbatim {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// Tokens of its line.
    pub(super) cost: f64,
    pub(super) key: Id,
}

/// What it is, in the order in which they are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Command,
    Path,
}

impl Kind {
    const ALL: [Kind; 2] = [Kind::Command, Kind::Path];

    fn heading(self) -> &'static str {
        match self {
            Kind::Command => "Commands of these steps, word for word:",
            Kind::Path => "Files of these steps, by the path that was used:",
        }
    }
}

/// What a string among the arguments of a call is, if it may be typed again: not where a person said no.
pub(super) fn kind(record: &CallRecord, text: &str) -> Option<Kind> {
    if record.ending.declined || text.len() > LONGEST {
        return None;
    }
    let is_command =
        record.line.as_ref().is_some_and(|line| !line.text.is_empty() && text.ends_with(&line.text));
    let is_path = || {
        let name = paths::name(text);
        name.len() < text.len() && record.paths().any(|path| paths::name(path) == name)
    };
    match is_command {
        true => Some(Kind::Command),
        false => is_path().then_some(Kind::Path),
    }
}

/// What a plan lists of them.
pub(super) struct Listed<'a>(Vec<&'a Verbatim>);

impl<'a> Listed<'a> {
    /// In order, each once.
    pub(super) fn of(analysis: &'a Analysis, plan: &Plan) -> Listed<'a> {
        let kept = analysis.verbatim.iter().zip(&plan.verbatim).filter(|(_, keep)| **keep);
        let mut seen = BTreeSet::new();
        Listed(kept.map(|(verbatim, _)| verbatim).filter(|verbatim| seen.insert(&verbatim.text)).collect())
    }

    /// A told line, in which commands that are listed stand by their beginning.
    pub(super) fn shorten(&self, line: &str) -> String {
        let commands = self.0.iter().filter(|verbatim| verbatim.kind == Kind::Command);
        commands.fold(line.to_string(), |line, command| match line.contains(&command.text) {
            true => {
                line.replace(&format!("`{}`", command.text), &format!("`{} …`", beginning(&command.text)))
            }
            false => line,
        })
    }

    /// Writes the lists.
    pub(super) fn write(&self, out: &mut String) {
        for kind in Kind::ALL {
            let mut of_kind = self.0.iter().filter(|verbatim| verbatim.kind == kind).peekable();
            if of_kind.peek().is_some() {
                let _ = writeln!(out, "{}", kind.heading());
            }
            for verbatim in of_kind {
                let _ = writeln!(out, "{}", ours(&verbatim.text));
            }
        }
    }
}
