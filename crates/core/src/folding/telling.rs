//! A call told in one line: what was done and how it ended.
//!
//! `edited src/limits.c −10 +19 "print only what is over"`, `make test → exit 2: 3 of 41 failed`. A line states what the
//! history states and nothing else: who reads it goes on from there.

mod verdict;

pub(crate) use self::verdict::verdict;
use crate::history::{History, ItemId, Role};
use crate::json::Raw;
use crate::text::preview;
use crate::understand::calls::CallRecord;
use crate::understand::changelog::FileChange;
use crate::understand::operation::{Lines, Operation, Verb};
use crate::understand::paths;
use crate::view::View;

/// Characters of a command, of what it said, and of what a person answered.
const COMMAND: usize = 90;
const SAYS: usize = 140;
const ANSWER: usize = 400;

/// Characters by which a command is known: whole words from so many on, but no more than so many.
const BEGINNING: usize = 20;
const MOST_BEGINNING: usize = 40;

/// Characters by which a commit is known.
const COMMIT: usize = 60;

/// How much a telling matters, whatever names stand in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// Something was looked at.
    Look,
    /// Something was run, and nothing went wrong.
    Run,
    /// A file was changed, or something went wrong.
    Change,
    /// A person answered.
    Answer,
}

/// A call told in one line.
pub(crate) fn tell(view: &View, record: &CallRecord) -> (String, Weight) {
    let history = view.history();
    let ended = ended(view, record);
    if record.verbs().any(|verb| verb == Verb::Ask) || is_refused_with_words(history, record) {
        let answer = history.item(record.result).text();
        let said = preview(answer.split_once("the user said:").map_or(&*answer, |(_, said)| said), ANSWER);
        return (format!("{} → the user: \"{said}\"", what(history, record)), Weight::Answer);
    }
    let went_wrong = record.ending.went_wrong();
    let is_done = !went_wrong && !record.ending.missing;
    if !record.changes.is_empty() && is_done && record.command().is_none() {
        let intent =
            record.intent.as_deref().map(|why| format!(" \"{}\"", preview(why, SAYS))).unwrap_or_default();
        let changes: Vec<String> = record.changes.iter().map(change).collect();
        return (format!("{}{intent}", changes.join(", ")), Weight::Change);
    }
    let weight = match () {
        () if went_wrong || record.writes() => Weight::Change,
        () if record.is_command() => Weight::Run,
        () => Weight::Look,
    };
    (format!("{}{ended}", what(history, record)), weight)
}

/// What a call did, for counting; what matters most comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Instruction,
    Edit,
    Run,
    Question,
    Subagent,
    Fetch,
    Read,
    Search,
    Plan,
    Call,
    Message,
}

impl Kind {
    /// `5 reads`, `1 search`.
    pub(crate) fn count(self, count: usize) -> String {
        let (one, many) = match self {
            Kind::Instruction => ("instruction", "instructions"),
            Kind::Edit => ("edit", "edits"),
            Kind::Run => ("run", "runs"),
            Kind::Question => ("question", "questions"),
            Kind::Subagent => ("subagent", "subagents"),
            Kind::Fetch => ("fetch", "fetches"),
            Kind::Read => ("read", "reads"),
            Kind::Search => ("search", "searches"),
            Kind::Plan => ("change of the plan", "changes of the plan"),
            Kind::Call => ("call", "calls"),
            Kind::Message => ("message", "messages"),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}

/// What a call did: the first of these that it did at all.
pub(crate) fn kind(record: &CallRecord) -> Kind {
    let of_verb = |verb: Verb| match verb {
        _ if verb.writes() => Kind::Edit,
        Verb::Run => Kind::Run,
        Verb::Ask => Kind::Question,
        Verb::Subagent => Kind::Subagent,
        Verb::Fetch => Kind::Fetch,
        Verb::Read => Kind::Read,
        Verb::Search | Verb::List => Kind::Search,
        Verb::Todo => Kind::Plan,
        _ => Kind::Call,
    };
    record.operations.iter().map(|operation| of_verb(operation.verb)).min().unwrap_or(Kind::Call)
}

/// What a message outside steps is, for counting.
pub(crate) fn kind_of_message(role: Role) -> Kind {
    match role {
        Role::System | Role::Developer => Kind::Instruction,
        Role::User | Role::Assistant | Role::Tool | Role::Unknown => Kind::Message,
    }
}

fn change(change: &FileChange) -> String {
    let verb = match change.verb {
        Verb::Create => "wrote",
        Verb::Delete => "removed",
        Verb::Move => "moved",
        Verb::Copy => "copied",
        _ => "edited",
    };
    let to = change.to.as_deref().map(|to| format!(" to {to}")).unwrap_or_default();
    let lines = match (change.removed, change.added) {
        (Some(0), Some(0)) | (None, None) => String::new(),
        (removed, added) => {
            let removed =
                removed.filter(|lines| *lines > 0).map(|lines| format!(" −{lines}")).unwrap_or_default();
            let added =
                added.filter(|lines| *lines > 0).map(|lines| format!(" +{lines}")).unwrap_or_default();
            format!("{removed}{added}")
        }
    };
    format!("{verb} {}{to}{lines}", change.path)
}

/// What was done: the command, or the tool with what it was asked.
fn what(history: &History, record: &CallRecord) -> String {
    if let Some(line) = &record.line {
        return match commit_message(&line.text) {
            Some(message) => format!("committed \"{}\"", preview(message, SAYS)),
            None => format!("`{}`", preview(&line.text, COMMAND)),
        };
    }
    match &record.operations[..] {
        [operation @ Operation { path: Some(path), .. }] if operation.verb == Verb::Read => {
            format!("read {path}{}", range(operation.lines))
        }
        [operation @ Operation { path: Some(path), .. }] if operation.verb.writes() => {
            format!("{} {path}", operation.verb.name())
        }
        _ => {
            let arguments = record.call.map(|call| asked(history, call)).unwrap_or_default();
            let tool = if record.tool.is_empty() { "a tool" } else { &*record.tool };
            format!("{tool} {}", preview(&arguments, COMMAND)).trim_end().to_string()
        }
    }
}

/// The first line of the message that a command line commits with: it says what was done better than anything else.
fn commit_message(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("git commit")?;
    let (_, rest) = rest.split_once(" -m ").or_else(|| rest.split_once(" -am "))?;
    let rest = rest.trim_start();
    let (quote, rest) = match rest.chars().next()? {
        quote @ ('"' | '\'') => (quote, &rest[1..]),
        _ => return None,
    };
    // "$(cat <<'EOF'
    let (rest, end) = match rest.split_once('\n').filter(|(first, _)| first.starts_with("$(cat <<")) {
        Some((_, rest)) => (rest, '\n'),
        None => (rest, quote),
    };
    let message = rest.split([end, '\n']).next()?.trim();
    Some(message).filter(|message| !message.is_empty())
}

/// What a tool was asked: the pattern or question, where it has one, else the short strings among its arguments.
fn asked(history: &History, call: ItemId) -> String {
    let arguments = history.item(call).text();
    let Ok(value) = Raw::parse(&arguments) else { return arguments.into_owned() };
    let subject =
        ["pattern", "query", "regex", "description", "url"].into_iter().find_map(|key| value.get(key));
    if let Some(subject) = subject.and_then(|subject| subject.str()).filter(|subject| !subject.is_empty()) {
        return subject.into_owned();
    }
    let texts = value.members().filter_map(|(_, value)| value.str().map(|text| preview(&text, SAYS)));
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

fn range(lines: Option<Lines>) -> String {
    match lines {
        None => String::new(),
        Some(Lines::Span { first, last: Some(last) }) => format!(":{first}-{last}"),
        Some(Lines::Span { first, last: None }) => format!(":{first}-"),
        Some(Lines::Last(count)) => format!(", last {count} lines"),
    }
}

fn is_refused_with_words(history: &History, record: &CallRecord) -> bool {
    record.ending.failed && history.item(record.result).text().contains("the user said:")
}

fn found_nothing(history: &History, record: &CallRecord) -> bool {
    record.ending.exit == Some(1)
        && record.found_nothing(record.ending.body(&history.item(record.result).text()))
}

/// Whether a command line undoes what was changed in files, and does nothing else.
fn brings_back(line: &str) -> bool {
    let mut parts = line.split("&&").map(str::trim).filter(|part| !part.starts_with("cd ")).peekable();
    let undoes = |part: &str| part.starts_with("git checkout ") || part.starts_with("git restore ");
    parts.peek().is_some() && parts.all(undoes) && !line.contains([';', '|', '>', '\n'])
}

/// How it ended: an arrow and what the result says of it; nothing where there is nothing to say.
fn ended(view: &View, record: &CallRecord) -> String {
    match &record.ending {
        ending if ending.missing => return " → no result recorded".into(),
        ending if ending.interrupted => return " → stopped".into(),
        _ if found_nothing(view.history(), record) => return " → nothing found".into(),
        _ => {}
    }
    let status = match record.ending.exit {
        Some(0) => String::new(),
        Some(status) => format!("exit {status}"),
        None if record.ending.declined => return " → the user said no".into(),
        None if record.ending.failed => "failed".into(),
        None => String::new(),
    };
    let says = verdict(view, record).unwrap_or_default();
    match (status.is_empty(), says.is_empty()) {
        (true, true) if record.is_command() && record.ending.exit == Some(0) => " → ok".into(),
        (true, true) => String::new(),
        (true, false) => format!(" → {says}"),
        (false, true) => format!(" → {status}"),
        (false, false) => format!(" → {status}: {says}"),
    }
}

/// How a call went, as far as its result says: `exit 2: 3 of 41 failed`.
pub(crate) fn outcome(view: &View, record: &CallRecord) -> Option<String> {
    let ended = ended(view, record);
    let done = || (!record.changes.is_empty() && !record.ending.went_wrong()).then(|| "done".to_string());
    ended.strip_prefix(" → ").map(|says| says.replace(['[', ']'], "|")).or_else(done)
}

/// What a call was about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    /// The name of a file, how a command begins, or what was searched for.
    pub(crate) name: String,
    /// What became of it, where it went wrong.
    pub(crate) ended: &'static str,
}

/// What a call was about: what it committed, the names of its files, or how its command begins. A search is known by what
/// it looked for.
pub(crate) fn subjects(history: &History, record: &CallRecord) -> Vec<Subject> {
    // What is left of a plan is told as it stands.
    if record.verbs().any(|verb| verb == Verb::Todo) {
        return Vec::new();
    }
    let line = record.line.as_ref().map(|line| &*line.text);
    let ended = match &record.ending {
        ending if ending.missing => ": no result recorded",
        ending if ending.interrupted => " stopped",
        ending if ending.declined => ": the user said no",
        _ if found_nothing(history, record) => "",
        ending if ending.went_wrong() => " failed",
        _ if record.writes() && line.is_some_and(brings_back) => " brought back",
        _ => "",
    };
    // Where something was searched for in a directory, that says less than what it was.
    let searches = kind(record) == Kind::Search;
    let is_file = |name: &&str| name.len() > 3 && (!searches || name.contains('.'));
    let files: Vec<&str> = record.paths().map(paths::name).filter(is_file).collect();
    let begins = || {
        let asked = || record.call.map(|call| asked(history, call)).unwrap_or_default();
        format!("`{}`", line.map_or_else(|| beginning(&asked()), beginning))
    };
    let of = |name: String| vec![Subject { name, ended }];
    match (line.and_then(commit_message), files.split_last()) {
        (Some(message), _) => of(format!("\"{}\"", preview(message, COMMIT))),
        (None, Some((last, others))) => {
            let others = others.iter().map(|name| Subject { name: name.to_string(), ended: "" });
            others.chain(of(last.to_string())).collect()
        }
        (None, None) => Some(begins()).filter(|begins| begins.len() > 5).map(of).unwrap_or_default(),
    }
}

/// How a command begins, in whole words.
pub(crate) fn beginning(line: &str) -> String {
    let mut begins = String::new();
    for word in line.split_whitespace() {
        if begins.len() + word.len() > MOST_BEGINNING && !begins.is_empty() {
            break;
        }
        begins.push_str(if begins.is_empty() { "" } else { " " });
        begins.push_str(word);
        if begins.len() >= BEGINNING {
            break;
        }
    }
    preview(&begins, MOST_BEGINNING)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `python3 reproduce_issue.` once was all that a line said.
    #[test]
    fn a_command_is_known_by_whole_words() {
        assert_eq!(beginning("python3 reproduce_issue.py --verbose"), "python3 reproduce_issue.py");
        assert_eq!(beginning("make"), "make");
        assert_eq!(beginning(&"x".repeat(100)), "x".repeat(40));
        assert_eq!(beginning("ls"), "ls");
    }

    /// A change of branches before an edit brings nothing back.
    #[test]
    fn only_what_undoes_changes_brings_files_back() {
        assert!(brings_back("git checkout src/a.py") && brings_back("cd /w && git restore src/a.py"));
        assert!(!brings_back("git checkout main && sed -i s/a/b/ src/a.py"));
        assert!(!brings_back("git checkout main; echo x > a.txt") && !brings_back("cd /w"));
    }

    /// Standing instructions that had to leave were counted as messages.
    #[test]
    fn instructions_that_left_are_called_so() {
        assert_eq!(kind_of_message(Role::Developer).count(2), "2 instructions");
        assert_eq!(kind_of_message(Role::Assistant).count(1), "1 message");
    }

    #[test]
    fn a_commit_is_known_by_its_message() {
        assert_eq!(
            commit_message(r#"git add -A && git commit -m "Fix the limit" && git push"#),
            Some("Fix the limit")
        );
        assert_eq!(commit_message("git commit -am 'Fix it'"), Some("Fix it"));
        let here = "git commit -m \"$(cat <<'EOF'\nFix the limit\n\nAnd more.\nEOF\n)\"";
        assert_eq!(commit_message(here), Some("Fix the limit"));
        assert_eq!(commit_message("git commit --amend --no-edit"), None);
        assert_eq!(commit_message("git log"), None);
    }
}
