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
    let words = r"(?i-u)\b(error|exception|failed|failure|panicked|fatal|cannot|can't|not found|no such|denied|refused|unexpected|undefined|rejected)\b|\bE\d{3,}|[A-Za-z]+(Error|Exception)\b";
    Regex::new(words).expect("a constant pattern compiles")
});

/// What was tried so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Attempts {
    commands: BTreeMap<String, CommandEntry>,
    /// Oldest first.
    errors: Vec<ErrorEntry>,
    /// What has not gone right since it went wrong, and which of the errors is about it.
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
        let went_wrong = record.ending.went_wrong();
        if went_wrong {
            self.fail(history, record);
        } else if !self.open.is_empty() {
            self.succeed(record);
        }
        if record.writes() && !went_wrong {
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
        entry.failed = record.ending.went_wrong();
    }

    /// An error, or one more of its kind.
    fn fail(&mut self, history: &History, record: &CallRecord) {
        let text = history.item(record.result).text();
        let body = record.ending.body(&text);
        // `grep` that finds nothing and `test` that is not so have answered, not failed.
        if record.ending.exit == Some(1) && is_silent(body) {
            return;
        }
        let aim = aim(record);
        if let Some(nth) = self.open.get(&aim) {
            self.errors[*nth].times += 1;
            return;
        }
        self.open.insert(aim, self.errors.len());
        let (what, says) = (describe(record), telling_line(body));
        self.errors.push(ErrorEntry { step: record.step, what, says, times: 1, resolved: None });
    }

    /// The end of an error, if there was one.
    fn succeed(&mut self, record: &CallRecord) {
        let Some(nth) = self.open.remove(&aim(record)) else { return };
        let since = &self.changed[self.changed.partition_point(|(known, _)| *known <= nth)..];
        let mut changed: Vec<String> =
            since.iter().rev().take(MOST_CHANGES).map(|(_, path)| path.clone()).collect();
        changed.sort();
        changed.dedup();
        self.errors[nth].resolved = Some(Resolution { step: record.step, changed });
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

/// What was tried, for people.
fn describe(record: &CallRecord) -> String {
    let tool = if record.tool.is_empty() { "a tool" } else { &*record.tool };
    match (record.command(), record.paths().next()) {
        (Some(command), _) => clip(command, LONGEST),
        (None, Some(path)) => format!("{tool} {path}"),
        (None, None) => tool.to_string(),
    }
}

/// What was to be reached: the same words for the same thing, so that a later success is seen to be one. A file may be
/// changed by another tool than the one that failed, and a command's output may be cut another way.
fn aim(record: &CallRecord) -> String {
    match (record.command(), record.paths().next()) {
        (Some(command), _) => clip(without_cut(command), LONGEST),
        (None, Some(path)) if record.writes() => format!("change {path}"),
        (None, Some(path)) => format!("{} {path}", record.operations[0].verb.name()),
        (None, None) => record.tool.to_string(),
    }
}

/// A command without `2>&1`, `| tail -n 20`, `| head -5` at its end.
fn without_cut(command: &str) -> &str {
    let mut command = command.trim_end();
    while let Some(shorter) = command.strip_suffix("2>&1").or_else(|| {
        let (shorter, last) = command.rsplit_once('|')?;
        let program = last.trim_start();
        (!shorter.ends_with('|') && ["tail", "head"].iter().any(|name| is_program(program, name)))
            .then_some(shorter)
    }) {
        command = shorter.trim_end();
    }
    command
}

fn is_program(line: &str, name: &str) -> bool {
    line.strip_prefix(name).is_some_and(|rest| {
        rest.is_empty() || rest.starts_with(' ') && !rest.contains(['&', ';', '>', '<', '`', '$', '\n'])
    })
}

/// Whether nothing was printed but what harnesses put there.
fn is_silent(body: &str) -> bool {
    let says_nothing = |line: &str| {
        line.is_empty() || line.starts_with("Command exited with code ") || line.ends_with("no output)")
    };
    body.lines().all(|line| says_nothing(line.trim()))
}

/// The line that says most about a failure: what the user said when they refused, else the first line with a word of
/// failure in it, else the last. Python says last what went wrong.
fn telling_line(text: &str) -> String {
    let refused = text.split_once("the user said:\n").map(|(_, said)| said);
    let text = refused.unwrap_or(text);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let found = match text.contains("Traceback (most recent call last):") {
        _ if refused.is_some() => lines().next(),
        true => lines().rev().find(|line| TELLING.is_match(line)),
        false => lines().find(|line| TELLING.is_match(line)),
    };
    let found = found.or_else(|| lines().next_back());
    clip(found.unwrap_or("no output"), LONGEST)
}
