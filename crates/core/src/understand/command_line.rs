//! A command line as it was sent: where it ran, which commands it joins, and which of them its end tells about.
//!
//! A shell reports one status for a whole line. Who wants to know what failed, and whether the same thing went right
//! later, has to know what the line consists of.

mod split;

use self::split::{Joint, Piece};
use super::paths;

/// A command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// What was sent, without a `cd … &&` in front; the start of it, where it is very long.
    pub text: String,
    /// Where it ran, where known.
    pub directory: Option<String>,
    /// The commands it joins, in order.
    parts: Vec<Part>,
    /// Whether it ends with a search: the status says whether something was found.
    ends_in_search: bool,
}

/// One of the commands that a line joins.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    /// The command without what only cuts its output or shapes its run.
    goal: String,
    joint: Joint,
    output: Output,
}

/// Where the output of a command goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    /// To the caller, whole.
    Whole,
    /// To the caller, its start or its end.
    Cut,
    /// Through a filter: neither what is shown nor the status tells how the command went.
    Filtered,
}

/// So much of a line and of a command is kept, in bytes.
const LONGEST: usize = 1_000;

/// So many commands of a line are told apart.
const MOST_PARTS: usize = 40;

/// Commands that prepare and show; nobody runs a line for their sake.
const ASIDE: [&str; 26] = [
    "cd", "echo", "printf", "export", "set", "source", ".", "sleep", "true", ":", "pwd", "ls", "cat", "head",
    "tail", "wc", "mkdir", "date", "which", "exit", "wait", "unset", "test", "[", "clear", "grep",
];

/// Programs whose status 1 is an answer.
const SEARCHES: [&str; 11] =
    ["grep", "rg", "egrep", "fgrep", "ag", "diff", "cmp", "test", "[", "which", "pgrep"];

impl CommandLine {
    /// Takes a line apart that starts in `directory`. Linear in its length.
    pub(super) fn of(line: &str, directory: Option<&str>) -> CommandLine {
        let mut pieces = split::pieces(line, MOST_PARTS);
        let mut directory = directory.map(String::from);
        let mut text = line.trim();
        while pieces.len() > 1 && !matches!(pieces[1].joint, Joint::Or) {
            let Some(target) = entered(&pieces[0]) else { break };
            directory = Some(paths::join(directory.as_deref(), target));
            text = line[pieces[1].start..].trim();
            pieces.remove(0);
        }
        let parts = pieces.iter().filter_map(part).collect();
        let last = pieces.last().and_then(|piece| piece.stages.last());
        let ends_in_search = last.is_some_and(|stage| SEARCHES.contains(&first_word(stage)));
        CommandLine { text: cut(text, LONGEST).to_string(), directory, parts, ends_in_search }
    }

    /// Several lines that one call ran, one after the other.
    pub(super) fn joined(lines: impl IntoIterator<Item = CommandLine>) -> Option<CommandLine> {
        let mut lines = lines.into_iter();
        let mut all = lines.next()?;
        for line in lines {
            let text = format!("{} ; {}", all.text, line.text);
            all.text = cut(&text, LONGEST).to_string();
            all.parts.extend(line.parts);
            all.ends_in_search = line.ends_in_search;
            all.parts.truncate(MOST_PARTS);
        }
        Some(all)
    }

    /// What the line is run for: the last of its commands that does something.
    pub(super) fn goal(&self) -> &str {
        let does = |part: &&Part| !ASIDE.contains(&first_word(&part.goal));
        let goal = self.parts.iter().rev().find(does).or(self.parts.last());
        goal.map_or(&*self.text, |part| &part.goal)
    }

    /// All its commands.
    pub(super) fn goals(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|part| part.goal.as_str())
    }

    /// The commands that went right where the line did: not those whose output was filtered, nor those that another
    /// one would have stood in for.
    /// Filters do not matter where what is shown `says_pass`.
    pub(super) fn proven(&self, says_pass: bool) -> impl Iterator<Item = &str> {
        let stands_in = |part: Option<&Part>| {
            part.is_some_and(|next| next.joint == Joint::Or && !ASIDE.contains(&first_word(&next.goal)))
        };
        let proven = self.parts.iter().enumerate().filter(move |(nth, part)| {
            (says_pass || part.output != Output::Filtered)
                && part.joint != Joint::Or
                && !stands_in(self.parts.get(nth + 1))
        });
        proven.map(|(_, part)| part.goal.as_str())
    }

    /// Whether a command of the line may have failed although the line ended well.
    pub(super) fn hides_failures(&self) -> bool {
        !self.falls_back()
            && (self.parts.iter().any(|part| part.output != Output::Whole)
                || self.parts.iter().skip(1).any(|part| part.joint != Joint::And))
    }

    /// Whether the line has a way out of its own: `a || b`.
    pub(super) fn falls_back(&self) -> bool {
        self.parts.iter().any(|part| part.joint == Joint::Or && !ASIDE.contains(&first_word(&part.goal)))
    }

    /// Whether it has a way out at all, be it `|| true`.
    pub(super) fn has_way_out(&self) -> bool {
        self.parts.iter().any(|part| part.joint == Joint::Or)
    }

    /// Whether its status 1 says that nothing was found.
    pub(super) fn ends_in_search(&self) -> bool {
        self.ends_in_search
    }

    /// The line without what cuts its output at the end.
    pub(super) fn without_cut(&self) -> String {
        match &self.parts[..] {
            [only] if only.output != Output::Filtered => only.goal.clone(),
            _ => self.text.clone(),
        }
    }

    /// Whether it shows what happened elsewhere: logs and histories hold failures that are none here.
    pub(super) fn shows_others(&self) -> bool {
        const LOGS: [&str; 9] = [
            "gh ",
            "git log",
            "git show",
            "git diff",
            "git blame",
            "journalctl",
            "docker logs",
            "kubectl logs",
            "rg ",
        ];
        LOGS.iter().any(|log| self.goal().starts_with(log))
    }
}

/// The directory that a piece goes to, if it does nothing else.
fn entered<'a>(piece: &Piece<'a>) -> Option<&'a str> {
    let [stage] = piece.stages[..] else { return None };
    let target = stage.trim().strip_prefix("cd ")?.trim();
    let target = target.trim_matches(['"', '\'']);
    (!target.is_empty() && !target.contains([' ', '$', '`']) && !target.starts_with('-')).then_some(target)
}

fn part(piece: &Piece<'_>) -> Option<Part> {
    let (first, filters) = piece.stages.split_first()?;
    let feeds = matches!(first_word(first.trim()), "echo" | "printf" | "cat" | "yes");
    // What is fed with a text is the program behind the pipe.
    let goal = if feeds && !filters.is_empty() { piece.stages.join("|") } else { (*first).to_string() };
    let goal = plain(&goal);
    if goal.is_empty() {
        return None;
    }
    let output = match filters {
        [] => Output::Whole,
        _ if feeds => Output::Whole,
        filters if filters.iter().all(|filter| is_cut(filter)) => Output::Cut,
        _ => Output::Filtered,
    };
    Some(Part { goal: cut(&goal, LONGEST).to_string(), joint: piece.joint, output })
}

fn is_cut(filter: &str) -> bool {
    matches!(first_word(filter.trim()), "tail" | "head" | "tee" | "cat" | "less")
}

/// A command without redirections of what it prints, time limits and variables in front; one blank between words.
fn plain(command: &str) -> String {
    let mut words: Vec<&str> = command.split_whitespace().collect();
    while let Some(last) = words.last() {
        if !matches!(*last, "2>&1" | "2>/dev/null" | ">/dev/null" | "&>/dev/null" | "&") {
            break;
        }
        words.pop();
    }
    let mut words = &words[..];
    loop {
        words = match words {
            ["timeout" | "gtimeout", _, rest @ ..] if !rest.is_empty() => rest,
            ["time" | "command" | "nohup" | "rtk", rest @ ..] if !rest.is_empty() => rest,
            [first, rest @ ..] if !rest.is_empty() && is_assignment(first) => rest,
            words => break words.join(" "),
        }
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, value)| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !value.contains(['"', '\'', '$', '`'])
    })
}

/// The start of a text, at most so many bytes.
fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

pub(super) fn first_word(command: &str) -> &str {
    command.split_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> CommandLine {
        CommandLine::of(text, Some("/w"))
    }

    #[test]
    fn the_directory_is_taken_off() {
        let line = line("cd app && npm run build 2>&1 | tail -5");
        assert_eq!(line.text, "npm run build 2>&1 | tail -5");
        assert_eq!((line.directory.as_deref(), line.goal()), (Some("/w/app"), "npm run build"));
    }

    #[test]
    fn the_goal_is_the_last_command_that_does_something() {
        for (text, goal) in [
            ("git add . && git commit -m \"a && b; c\"", "git commit -m \"a && b; c\""),
            ("make; echo \"exit $?\"", "make"),
            ("FOO=1 timeout 60 cargo test 2>&1 | head", "cargo test"),
            ("cat > t.py <<'EOF'\nx = 1; y = 2 && 3\nEOF\npython t.py", "python t.py"),
            ("for f in a b; do make $f; done", "for f in a b; do make $f; done"),
            ("ls x", "ls x"),
        ] {
            assert_eq!(line(text).goal(), goal, "{text}");
        }
    }

    #[test]
    fn a_line_that_ends_well_proves_what_was_neither_filtered_nor_stood_in_for() {
        for (text, proven) in [
            ("a && b", vec!["a", "b"]),
            ("a | grep x", vec![]),
            ("a 2>&1 | tail -3", vec!["a"]),
            ("a || b", vec![]),
            ("a || true", vec!["a"]),
        ] {
            assert_eq!(line(text).proven(false).collect::<Vec<_>>(), proven, "{text}");
        }
        assert_eq!(line("a | grep x").proven(true).collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn a_status_hides_what_stands_before_a_pipe_or_a_semicolon() {
        for (text, hides) in [
            ("a", false),
            ("a && b", false),
            ("a | tail", true),
            ("a; b", true),
            ("a || b", false),
            ("a || true", true),
        ] {
            assert_eq!(line(text).hides_failures(), hides, "{text}");
        }
    }
}
