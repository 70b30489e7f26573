//! Commands with how they ended, errors with what resolved them.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use super::render::clip;
use crate::history::History;
use crate::history::ItemKind;
use crate::understand::files::FileTracker;
use crate::understand::outcome::Outcome;
use crate::understand::work::Work;

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
    let words = r"(?i)\b(error|exception|failed|failure|panicked|fatal|cannot|can't|not found|no such|denied|refused|unexpected|undefined)\b|\bE\d{3,}|[A-Za-z]+(Error|Exception)\b";
    Regex::new(words).expect("a constant pattern compiles")
});

/// Both, the latest first.
pub(super) fn commands_and_errors(
    history: &History,
    tracker: &FileTracker,
) -> (Vec<CommandEntry>, Vec<ErrorEntry>) {
    let mut commands: BTreeMap<String, CommandEntry> = BTreeMap::new();
    let mut errors: Vec<ErrorEntry> = Vec::new();
    let mut open: HashMap<String, usize> = HashMap::new();
    // Changed files with the number of errors known before, to tell what lay between an error and its resolution.
    let mut changed: Vec<(usize, String)> = Vec::new();
    for (id, item) in history.items().iter().enumerate() {
        let ItemKind::Result(result) = &item.kind else { continue };
        let Some(work) = tracker.work(id) else { continue };
        let text = item.text();
        let outcome = Outcome::of(&text, result.is_error);
        let what = describe(work, history.tool(id).unwrap_or("a tool"));
        if let Some(command) = &work.command {
            let command = clip(command, LONGEST);
            let entry = commands.entry(command.clone()).or_insert(CommandEntry {
                command,
                runs: 0,
                last_step: 0,
                exit: None,
                failed: false,
            });
            entry.runs += 1;
            entry.last_step = work.step;
            entry.exit = outcome.exit;
            entry.failed = !outcome.succeeded();
        }
        match (outcome.succeeded(), open.get(&what).copied()) {
            (true, Some(nth)) => {
                open.remove(&what);
                let since = &changed[changed.partition_point(|(known, _)| *known <= nth)..];
                let mut paths: Vec<String> =
                    since.iter().rev().take(MOST_CHANGES).map(|(_, path)| path.clone()).collect();
                paths.sort();
                paths.dedup();
                errors[nth].resolved = Some(Resolution { step: work.step, changed: paths });
            }
            (true, None) => {}
            (false, Some(nth)) => errors[nth].times += 1,
            (false, None) => {
                open.insert(what.clone(), errors.len());
                errors.push(ErrorEntry {
                    step: work.step,
                    what,
                    says: telling_line(outcome.body),
                    times: 1,
                    resolved: None,
                });
            }
        }
        if work.writes() && outcome.succeeded() {
            changed.extend(work.paths.iter().map(|path| (errors.len(), path.clone())));
        }
    }
    let mut commands: Vec<CommandEntry> = commands.into_values().collect();
    commands.sort_by(|a, b| b.last_step.cmp(&a.last_step).then_with(|| a.command.cmp(&b.command)));
    errors.reverse();
    (commands, errors)
}

/// What was tried: the same words for the same thing, so that a later success is seen to be one.
fn describe(work: &Work, tool: &str) -> String {
    match (&work.command, work.paths.first()) {
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
