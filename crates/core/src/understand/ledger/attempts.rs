//! What was tried: commands with how they ended, errors with what resolved them.

use std::collections::{BTreeMap, HashMap};

use bytestring::ByteString;
use serde::Serialize;

use super::aim::{self, Aim};
use super::render::clip;
use super::telling::telling_line;
use crate::history::History;
use crate::understand::calls::CallRecord;
use crate::understand::finish;
use crate::understand::operation::Verb;

/// A command and how it ended last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CommandEntry {
    /// The command line.
    pub command: ByteString,
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
#[non_exhaustive]
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

/// What was tried so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Attempts {
    commands: BTreeMap<ByteString, CommandEntry>,
    /// Oldest first.
    errors: Vec<ErrorEntry>,
    /// What has not gone right since it went wrong, by what may end it: the aim, and which of the errors is about it.
    open: HashMap<String, Vec<(Aim, usize)>>,
    /// Changed files with the number of errors known before, to tell what lay between an error and its resolution.
    changed: Vec<(usize, String)>,
}

impl Attempts {
    /// Takes in one more call.
    pub(super) fn add(&mut self, history: &History, record: &CallRecord) {
        if record.ending.missing || finish::ends_work(history, record.call) {
            return;
        }
        if record.command().is_some() {
            self.add_command(record);
        }
        let went_wrong = record.ending.went_wrong();
        if went_wrong {
            self.fail(history, record);
        } else if !self.open.is_empty() {
            self.succeed(history, record);
        }
        if !went_wrong {
            let paths = record.changes.iter().map(|change| (self.errors.len(), change.path.clone()));
            self.changed.extend(paths);
        }
    }

    fn add_command(&mut self, record: &CallRecord) {
        let line = record.line.as_ref().map(|line| line.without_cut()).filter(|line| !line.is_empty());
        let command = line.as_deref().or(record.command()).unwrap_or_default();
        let command = ByteString::from(clip(command, LONGEST));
        let new =
            || CommandEntry { command: command.clone(), runs: 0, last_step: 0, exit: None, failed: false };
        let entry = self.commands.entry(command.clone()).or_insert_with(new);
        entry.runs += 1;
        entry.last_step = record.step;
        // The status of a pipe is that of its end.
        entry.exit = record.ending.exit.filter(|_| !record.ending.crashed);
        entry.failed = record.ending.went_wrong();
    }

    /// An error, or one more of its kind, of which the latest says what is wrong.
    fn fail(&mut self, history: &History, record: &CallRecord) {
        let text = history.item(record.result).text();
        let body = record.ending.body(&text);
        if is_answer(history, record, body) {
            return;
        }
        let says = clip(&telling_line(body), LONGEST);
        let (key, aim) = aim::missed(history, record, body);
        let open = self.open.entry(key).or_default();
        if let Some((_, nth)) = open.iter().find(|(known, _)| known.is(&aim)) {
            let error = &mut self.errors[*nth];
            error.times += 1;
            error.says = says;
            return;
        }
        open.push((aim, self.errors.len()));
        let what = describe(record);
        self.errors.push(ErrorEntry { step: record.step, what, says, times: 1, resolved: None });
    }

    /// The end of the errors whose aims a call has reached.
    fn succeed(&mut self, history: &History, record: &CallRecord) {
        let text = history.item(record.result).text();
        let body = record.ending.body(&text);
        for key in aim::reached(history, record) {
            let Some(open) = self.open.get_mut(&key) else { continue };
            let ended: Vec<usize> =
                open.extract_if(.., |(aim, _)| aim.is_reached_by(record, body)).map(|(_, nth)| nth).collect();
            if open.is_empty() {
                self.open.remove(&key);
            }
            for nth in ended {
                let changed = self.changed_since(nth);
                self.errors[nth].resolved = Some(Resolution { step: record.step, changed });
            }
        }
    }

    /// The files that were changed after an error.
    fn changed_since(&self, error: usize) -> Vec<String> {
        let since = &self.changed[self.changed.partition_point(|(known, _)| *known <= error)..];
        let mut changed: Vec<String> =
            since.iter().rev().take(MOST_CHANGES).map(|(_, path)| path.clone()).collect();
        changed.sort();
        changed.dedup();
        changed
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

/// What was tried, for people: the line as it was sent, or the tool and its file.
fn describe(record: &CallRecord) -> String {
    let tool = if record.tool.is_empty() { "a tool" } else { &*record.tool };
    let line = record.line.as_ref().map(|line| line.text.as_str()).filter(|text| !text.is_empty());
    match (line.or(record.command()), record.paths().next()) {
        (Some(command), _) => clip(command, LONGEST),
        (None, Some(path)) => format!("{tool} {path}"),
        (None, None) => tool.to_string(),
    }
}

/// Whether a failed call is an answer all the same: the user stopped it, or the agent did, or nothing was found.
fn is_answer(history: &History, record: &CallRecord, body: &str) -> bool {
    record.found_nothing(body)
        || (record.ending.exit == Some(1) && is_silent(body))
        || is_known_already(body)
        || is_gone_already(record, body)
        || record.ending.interrupted
        || is_probe(record, body)
        || is_stopped(history, record)
}

/// Whether a harness says that the answer stands above already.
fn is_known_already(body: &str) -> bool {
    body.trim_start().starts_with("Wasted call")
}

/// Whether somebody looked for a path that is not there.
fn is_probe(record: &CallRecord, body: &str) -> bool {
    const ABSENT: [&str; 6] =
        ["does not exist", "o such file or directory", "not found", "ENOENT", "annot access", "EISDIR"];
    let looks = |verb: Verb| matches!(verb, Verb::Read | Verb::List | Verb::Search);
    let is_look = !record.operations.is_empty() && record.verbs().all(looks);
    is_look && body.lines().take(5).any(|line| ABSENT.iter().any(|words| line.contains(words)))
}

/// Whether `rm` missed nothing but files that are gone.
fn is_gone_already(record: &CallRecord, body: &str) -> bool {
    let removes = !record.operations.is_empty() && record.verbs().all(|verb| verb == Verb::Delete);
    let is_gone = |line: &str| line.trim().is_empty() || line.trim().ends_with("No such file or directory");
    removes && record.line.is_some() && !record.ending.failed && body.lines().all(is_gone)
}

/// Whether a process ended by the key that the agent sent it.
fn is_stopped(history: &History, record: &CallRecord) -> bool {
    let is_killed = matches!(record.ending.exit, Some(130 | 143 | 137));
    let sends = |call| history.item(call).text().contains("\\u0003");
    is_killed && record.call.is_some_and(sends)
}

/// Whether nothing was printed but what harnesses put there.
fn is_silent(body: &str) -> bool {
    let says_nothing = |line: &str| {
        line.is_empty() || line.starts_with("Command exited with code ") || line.ends_with("no output)")
    };
    body.lines().all(|line| says_nothing(line.trim()))
}
