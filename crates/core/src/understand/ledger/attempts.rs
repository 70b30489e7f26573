//! What was tried: commands with how they ended, errors with what resolved them.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use super::render::clip;
use crate::history::History;
use crate::understand::calls::CallRecord;

/// A command and how it ended last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CommandEntry {
    /// The command line.
    pub command: String,
    /// How often it was run.
    pub runs: usize,
    /// The step in which it was run last.
    pub last_step: u32,
    /// The exit status then, where the result states it.
    pub exit: Option<i32>,
    /// Whether it failed then.
    pub failed: bool,
}

/// Something that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorEntry {
    /// The step.
    pub step: u32,
    /// The command or the tool and its file.
    pub what: String,
    /// The line of the result that says most.
    pub says: String,
    /// How often it went wrong before it went right.
    pub times: usize,
    /// What resolved it, if something did.
    pub resolved: Option<Resolution>,
}

/// How an error was resolved: the same thing went right later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Resolution {
    /// The step in which it went right.
    pub step: u32,
    /// The files that were changed in between.
    pub changed: Vec<String>,
}

/// Commands are told apart by this much of them.
const LONGEST: usize = 200;

/// Changes looked at between an error and its resolution, the latest.
const MOST_CHANGES: usize = 100;

static TELLING: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"(?i-u)\b(error|exception|failed|failure|panicked|fatal|cannot|can't|not found|no such|denied|refused|unexpected|undefined)\b|\bE\d{3,}|[A-Za-z]+(Error|Exception)\b";
    Regex::new(words).expect("a constant pattern compiles")
});

/// What was tried so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Attempts {
    commands: BTreeMap<String, CommandEntry>,
    /// Oldest first.
    errors: Vec<ErrorEntry>,
    /// Which of the errors is about something that has not gone right since.
    open: HashMap<String, usize>,
    /// Changed files with the number of errors known before, to tell what lay between an error and its resolution.
    changed: Vec<(usize, String)>,
}

impl Attempts {
    /// Takes in one more call.
    pub(super) fn add(&mut self, history: &History, record: &CallRecord) {
        if let Some(command) = record.command() {
            self.add_command(clip(command, LONGEST), record);
        }
        let succeeded = record.ending.succeeded();
        if !(succeeded && self.open.is_empty()) {
            self.settle(describe(record), history, record);
        }
        if record.writes() && succeeded {
            let paths = record.paths().map(|path| (self.errors.len(), path.to_string()));
            self.changed.extend(paths);
        }
    }

    fn add_command(&mut self, command: String, record: &CallRecord) {
        let new =
            || CommandEntry { command: command.clone(), runs: 0, last_step: 0, exit: None, failed: false };
        let entry = self.commands.entry(command.clone()).or_insert_with(new);
        entry.runs += 1;
        entry.last_step = record.step;
        entry.exit = record.ending.exit;
        entry.failed = !record.ending.succeeded();
    }

    /// An error, one more of its kind, or the end of one.
    fn settle(&mut self, what: String, history: &History, record: &CallRecord) {
        match (record.ending.succeeded(), self.open.get(&what).copied()) {
            (true, Some(nth)) => {
                self.open.remove(&what);
                let since = &self.changed[self.changed.partition_point(|(known, _)| *known <= nth)..];
                let mut changed: Vec<String> =
                    since.iter().rev().take(MOST_CHANGES).map(|(_, path)| path.clone()).collect();
                changed.sort();
                changed.dedup();
                self.errors[nth].resolved = Some(Resolution { step: record.step, changed });
            }
            (true, None) => {}
            (false, Some(nth)) => self.errors[nth].times += 1,
            (false, None) => {
                self.open.insert(what.clone(), self.errors.len());
                let text = history.items()[record.result].text();
                let says = telling_line(record.ending.body(&text));
                self.errors.push(ErrorEntry { step: record.step, what, says, times: 1, resolved: None });
            }
        }
    }

    /// The latest first, each once.
    pub(super) fn commands(&self) -> Vec<CommandEntry> {
        let mut commands: Vec<CommandEntry> = self.commands.values().cloned().collect();
        commands.sort_by(|a, b| b.last_step.cmp(&a.last_step).then_with(|| a.command.cmp(&b.command)));
        commands
    }

    /// The latest first.
    pub(super) fn errors(&self) -> Vec<ErrorEntry> {
        self.errors.iter().rev().cloned().collect()
    }
}

/// What was tried: the same words for the same thing, so that a later success is seen to be one.
fn describe(record: &CallRecord) -> String {
    let tool = if record.tool.is_empty() { "a tool" } else { &*record.tool };
    match (record.command(), record.paths().next()) {
        (Some(command), _) => clip(command, LONGEST),
        (None, Some(path)) => format!("{tool} {path}"),
        (None, None) => tool.to_string(),
    }
}

/// The line that says most about a failure: the first with a word of failure in it, else the last.
fn telling_line(text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let found = lines().find(|line| TELLING.is_match(line)).or_else(|| lines().next_back());
    clip(found.unwrap_or("no output"), LONGEST)
}
