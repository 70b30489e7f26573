//! What a call was to reach: by it a later success is seen to be the end of an earlier error.
//!
//! A success ends an error where it reaches the same thing: the same command in the same place, alone or in a longer
//! line; a wider run of the same tests; an edit that brings the same text. Another edit of the same file, the same words
//! in another directory and a filtered output end nothing.

use std::collections::{BTreeSet, HashSet};

use super::test_run;
use crate::history::History;
use crate::json::Raw;
use crate::understand::calls::CallRecord;
use crate::understand::command_line::first_word;
use crate::understand::ending::{says_not_entered, says_pass};
use crate::understand::operation::{Change, Operation, Verb};
use crate::understand::patch::PatchLine;

/// What a failed call was to reach.
#[derive(Clone, Debug)]
pub(super) enum Aim {
    /// A command, in a directory where that is known.
    Command { goal: String, directory: Option<String>, trouble: Trouble },
    /// A change that brings these words.
    Change { words: BTreeSet<String> },
    /// Whatever the key says.
    Key,
}

/// What was in the way of a command, where that says what may end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It was called wrongly.
    Misuse,
    /// It left conflicts that somebody has to resolve.
    Conflict,
    /// Anything else.
    Other,
}

/// So many words of a change are compared.
const MOST_WORDS: usize = 200;

/// What a failed call was to reach, and under which key it is kept. `body` is what it printed.
pub(super) fn missed(history: &History, record: &CallRecord, body: &str) -> (String, Aim) {
    if let Some(line) = &record.line {
        let goal = line.goal().to_string();
        let trouble = match () {
            () if says_misuse(body) => Trouble::Misuse,
            () if says_conflict(body) => Trouble::Conflict,
            () => Trouble::Other,
        };
        // Where a shell could not go to, nothing ran.
        let directory = line.directory.clone().filter(|_| !says_not_entered(body));
        return (command_key(&goal), Aim::Command { goal, directory, trouble });
    }
    if let Some(operation) = record.operations.iter().find(|operation| operation.verb.writes())
        && let Some(path) = &operation.path
    {
        return (change_key(path), Aim::Change { words: words_of([operation]) });
    }
    (key(history, record), Aim::Key)
}

/// The keys under which errors are kept that a successful call may end.
pub(super) fn reached(history: &History, record: &CallRecord) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    if let Some(line) = &record.line {
        keys.extend(line.goals().map(command_key));
    }
    let writes = record.operations.iter().filter(|operation| operation.verb.writes());
    let changed = writes.filter_map(|operation| operation.path.as_deref());
    keys.extend(changed.map(change_key));
    if keys.is_empty() {
        keys.push(key(history, record));
    }
    keys.sort();
    keys.dedup();
    keys
}

impl Aim {
    /// Whether another failed call missed the same.
    pub(super) fn is(&self, other: &Aim) -> bool {
        match (self, other) {
            (
                Aim::Command { goal, directory, .. },
                Aim::Command { goal: other, directory: elsewhere, .. },
            ) => goal == other && is_same_place(directory.as_deref(), elsewhere.as_deref()),
            (Aim::Change { words }, Aim::Change { words: others }) => is_much_of(words, others),
            (Aim::Key, Aim::Key) => true,
            _ => false,
        }
    }

    /// Whether a call that went right has reached it; `body` is what it printed.
    pub(super) fn is_reached_by(&self, record: &CallRecord, body: &str) -> bool {
        match self {
            Aim::Command { goal, directory, trouble } => record.line.as_ref().is_some_and(|line| {
                is_same_place(directory.as_deref(), line.directory.as_deref())
                    && line.proven(says_pass(body)).any(|done| {
                        // Who used a program wrongly has learned it once the program does anything.
                        let is_learned =
                            *trouble == Trouble::Misuse && command_key(done) == command_key(goal);
                        done == goal
                            || is_learned
                            || is_committed(done, goal, *trouble)
                            || test_run::covers(done, goal)
                    })
            }),
            Aim::Change { words } => is_brought(words, record),
            Aim::Key => true,
        }
    }
}

/// Whether a change brings what an earlier one was to bring. A tool that writes the whole file has had its way; text that
/// is put in beside, or brought by other means, has to be the same.
fn is_brought(words: &BTreeSet<String>, record: &CallRecord) -> bool {
    let written = || record.operations.iter().filter(|operation| operation.verb.writes());
    let is_whole = |operation: &&Operation| matches!(operation.change, Change::Whole(_));
    let is_own = record.line.is_none();
    if is_own && written().any(|operation| is_whole(&operation)) {
        return true;
    }
    let takes = |operation: &&Operation| {
        matches!(operation.change, Change::Replace(_) | Change::Lines { .. } | Change::Patch(_))
    };
    match words.is_empty() {
        true => is_own && written().any(|operation| takes(&operation)),
        false => is_much_of(words, &words_of(written().filter(|one| takes(one) || is_whole(one)))),
    }
}

/// Whether the one has at least half of the words of the other.
fn is_much_of(words: &BTreeSet<String>, others: &BTreeSet<String>) -> bool {
    words.intersection(others).count() * 2 >= words.len()
}

fn words_of<'a>(operations: impl IntoIterator<Item = &'a Operation>) -> BTreeSet<String> {
    let lines = operations.into_iter().flat_map(brought);
    let words = lines.flat_map(|line| line.split(|c: char| !c.is_alphanumeric()));
    words.filter(|word| !word.is_empty()).take(MOST_WORDS).map(String::from).collect()
}

/// The lines that a change brings, without blanks around them.
fn brought(operation: &Operation) -> Vec<&str> {
    match &operation.change {
        Change::Whole(text) | Change::Append(text) | Change::Insert { text, .. } => told(text.lines()),
        Change::Lines { text, .. } => told(text.iter().flat_map(|text| text.lines())),
        Change::Replace(replacements) => {
            let mut lines = Vec::new();
            for replacement in replacements {
                // Some copy the numbers along that a reader put in front.
                let old: HashSet<&str> =
                    replacement.old.lines().map(|line| without_number(line).trim()).collect();
                lines.extend(told(replacement.new.lines()).into_iter().filter(|line| !old.contains(line)));
            }
            lines
        }
        Change::Patch(hunks) => {
            told(hunks.iter().flat_map(|hunk| &hunk.lines).filter_map(|line| match line {
                PatchLine::Add(text) => Some(text.as_str()),
                _ => None,
            }))
        }
        Change::None | Change::Undo | Change::Unknown => Vec::new(),
    }
}

/// A line without the number in front of it: `   12→text`.
fn without_number(line: &str) -> &str {
    let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    rest.strip_prefix(['→', '\t']).filter(|_| rest.len() < line.trim_start().len()).unwrap_or(line)
}

fn told<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    lines.map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// Nobody knows that two places differ where one of them is not known.
fn is_same_place(one: Option<&str>, other: Option<&str>) -> bool {
    one.is_none() || other.is_none() || one == other
}

/// Commands of one program are kept together.
fn command_key(goal: &str) -> String {
    format!("$ {}", test_run::runner(goal).unwrap_or_else(|| first_word(goal)))
}

fn change_key(path: &str) -> String {
    format!("change {path}")
}

/// For all other calls: the file that is read, or the tool and the process it speaks to.
fn key(history: &History, record: &CallRecord) -> String {
    if let (Some(path), Some(operation)) = (record.paths().next(), record.operations.first()) {
        return format!("{} {path}", operation.verb.name());
    }
    let speaks = record.verbs().any(|verb| verb == Verb::Run);
    match record.call.filter(|_| speaks).and_then(|call| process(&history.item(call).text())) {
        Some(process) => format!("{} {process}", record.tool),
        None => record.tool.to_string(),
    }
}

/// The process that a call speaks to.
fn process(arguments: &str) -> Option<String> {
    const KEYS: [&str; 5] = ["session_id", "sessionId", "shellId", "shell_id", "bash_id"];
    let arguments = Raw::parse(arguments).ok()?;
    KEYS.iter().find_map(|key| arguments.get(key)).map(|id| id.text().to_string())
}

/// Whether a commit was made that was to be made, whatever its message; or one that joins what another command left in
/// conflict.
fn is_committed(done: &str, goal: &str, trouble: Trouble) -> bool {
    let is_continued = || done.split_whitespace().any(|word| word == "--continue");
    match (git_verb(goal), git_verb(done)) {
        (Some("commit"), Some("commit")) => true,
        (Some(_), Some("commit")) => trouble == Trouble::Conflict,
        (Some(goal), Some(done)) => trouble == Trouble::Conflict && goal == done && is_continued(),
        _ => false,
    }
}

/// What git is asked to do.
fn git_verb(command: &str) -> Option<&str> {
    let mut words = command.split_whitespace();
    words.next().filter(|program| *program == "git")?;
    let mut verb = words.next()?;
    while matches!(verb, "-C" | "-c") {
        words.next()?;
        verb = words.next()?;
    }
    Some(verb)
}

fn says_conflict(body: &str) -> bool {
    body.lines().any(|line| line.starts_with("CONFLICT (") || line.contains("fix conflicts and then"))
}

/// Whether a program said that it was called wrongly.
fn says_misuse(body: &str) -> bool {
    const MISUSES: [&str; 8] = [
        "unrecognized subcommand",
        "unknown flag",
        "unknown option",
        "unrecognized option",
        "unrecognized argument",
        "unknown shorthand flag",
        "invalid option",
        "unexpected argument",
    ];
    let head = body.lines().take(5);
    head.map(str::to_ascii_lowercase).any(|line| MISUSES.iter().any(|misuse| line.contains(misuse)))
}
