//! How a call ended, as its result tells it: did it work, what did it print, where does the session stand.

mod crash;

use std::ops::Range;

use memchr::memmem;

use self::crash::says_failed_run;
pub(super) use self::crash::{says_crash, says_not_entered, says_pass};
use super::command_line::CommandLine;
use super::operation::{Operation, Verb};

/// How a call ended. It holds no text: what the tool printed is a part of the result, see [`Ending::body`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// Where in the result the text stands that the tool printed, without the harness's own lines around it.
    pub span: Range<usize>,
    /// The exit status, where the result states it.
    pub exit: Option<i32>,
    /// Whether the call was refused or failed.
    pub failed: bool,
    /// Whether the harness left something out.
    pub truncated: bool,
    /// Whether a command printed a crash or a failed build and nothing states that it failed: the status of
    /// `make | tail` is that of `tail`.
    pub crashed: bool,
    /// Whether the log holds no result: nobody knows how the call ended.
    pub missing: bool,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// Whether the user did not allow it: nothing went wrong, nothing was done.
    pub declined: bool,
}

/// Where the session stands after a call, as its result states it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatedPlace<'a> {
    /// The working directory.
    pub directory: Option<&'a str>,
    /// The file that is open in SWE-agent's editor.
    pub open_file: Option<&'a str>,
}

/// Lines in which harnesses state an exit status; the number follows.
const EXIT_MARKS: [&str; 13] = [
    "Process exited with code ",
    "Exit code: ",
    "Exit code ",
    "Exit Code: ",
    "exit code: ",
    "[The command completed with exit code ",
    "completed with exit code ",
    "exited with code ",
    "Command exited with code ",
    "<returncode>",
    "[exit code: ",
    "\"exit_code\":",
    "\"returncode\":",
];

/// How results of refused and failed calls begin.
const FAILURES: [&str; 25] = [
    "<tool_use_error>",
    "Error",
    "ERROR",
    "error:",
    "The user doesn't want to proceed",
    "[Request interrupted",
    NO_RESULT[0],
    NO_RESULT[1],
    "File has not been read yet",
    "File has been modified since read",
    "File has been unexpectedly modified",
    "String to replace not found",
    "No replacement was performed",
    "Could not find",
    "Path does not exist",
    "File does not exist",
    "ENOENT",
    "EISDIR",
    "EACCES",
    "Your proposed edit has introduced",
    "Failed to",
    "Invalid",
    "Permission to use",
    "Wasted call",
    "Offset ",
];

/// Marks of text that was left out. All but the last three have one word in common, which is looked for first.
const TRUNCATED: &str = "truncated";
const TRUNCATIONS: [&str; 6] = [
    "Warning: truncated output",
    "tokens truncated",
    "chars truncated",
    "characters truncated",
    "[Output truncated",
    "[... Observation truncated",
];
const OTHER_TRUNCATIONS: [&str; 3] = ["<response clipped>", "Output too long", "<output_head>"];

impl Ending {
    /// Takes a result's text apart. `is_error` is what the wire format says.
    pub fn of(text: &str, is_error: bool) -> Ending {
        Ending::and_place(text, is_error).0
    }

    /// The same, with where the session stands afterwards.
    pub(crate) fn and_place(text: &str, is_error: bool) -> (Ending, StatedPlace<'_>) {
        let mut result = Stripped { body: text, exit: None, place: StatedPlace::default() };
        result.strip_swe_agent();
        result.strip_openhands();
        result.strip_codex();
        result.strip_tags();
        let exit = result.exit.or_else(|| exit_status(text));
        let declined = says_declined(text);
        let start = result.body.as_ptr() as usize - text.as_ptr() as usize;
        let ending = Ending {
            span: start..start + result.body.len(),
            exit,
            failed: is_error || declined || (says_failure(text) && exit != Some(0)),
            truncated: says_truncation(text),
            crashed: false,
            missing: NO_RESULT.iter().any(|mark| text.trim_start().starts_with(mark)),
            interrupted: says_interrupted(text),
            declined,
        };
        (ending, result.place)
    }

    /// Puts right what a result alone cannot tell, by what was run: `line` is the command line.
    pub(super) fn judge(
        &mut self,
        line: Option<&CommandLine>,
        operations: &[Operation],
        text: &str,
        is_error: bool,
    ) {
        let body = self.body(text);
        let is_refused = REFUSALS.iter().any(|mark| body.trim_start().starts_with(mark));
        // What the first of `a || b` printed is not how the line ended.
        if let Some(line) = line.filter(|line| line.has_way_out())
            && self.exit.is_none()
            && !is_error
            && !is_refused
        {
            self.failed &= !line.falls_back() && says_crash(body);
        }
        let runs = operations.iter().any(|operation| operation.verb == Verb::Run)
            && !line.is_some_and(CommandLine::shows_others);
        let is_unseen = match self.exit {
            _ if self.failed => false,
            None => !line.is_some_and(CommandLine::falls_back),
            Some(0) => line.is_some_and(CommandLine::hides_failures),
            Some(_) => false,
        };
        // Who writes `|| echo no` has reckoned with a program that is not there, but not with tests that fail.
        let says = if line.is_some_and(CommandLine::has_way_out) { says_failed_run } else { says_crash };
        let crashed = runs && is_unseen && says(body);
        let is_elsewhere = line.is_some() && self.exit != Some(0) && says_not_entered(body);
        self.crashed = crashed;
        self.failed |= is_elsewhere;
    }

    /// Whether something went wrong, stated or only printed.
    pub fn went_wrong(&self) -> bool {
        !self.missing && (!self.succeeded() || self.crashed)
    }

    /// What the tool printed. `text` is the result's.
    pub fn body<'a>(&self, text: &'a str) -> &'a str {
        &text[self.span.clone()]
    }

    /// Whether the call did what it was asked to, as far as the result shows.
    pub(crate) fn succeeded(&self) -> bool {
        !self.failed && self.exit.is_none_or(|status| status == 0)
    }
}

/// What converters write where a log holds no result, ours too.
const NO_RESULT: [&str; 2] = ["[no result recorded", "[No result of this call was recorded"];

/// How results of calls begin that were never made.
pub(super) const REFUSALS: [&str; 4] =
    ["The user doesn't want to proceed", "<tool_use_error>", "Permission to use", "[Request interrupted"];

/// How results of calls begin that the user did not allow.
const DECLINED: [&str; 5] = [
    "The user doesn't want to proceed",
    "The user doesn't want to take this action",
    "The user rejected permission",
    "The user denied this operation",
    "exec command rejected by user",
];

fn says_declined(text: &str) -> bool {
    let text = text.trim_start();
    DECLINED.iter().any(|mark| text.starts_with(mark))
}

/// Whether the user stopped a call: the result is that, or its last line.
fn says_interrupted(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("[Request interrupted")
        || text.ends_with("Command aborted")
        || text.ends_with("Operation aborted")
}

/// Whether a result begins as those of refused and failed calls do.
fn says_failure(text: &str) -> bool {
    // SWE-agent 1.x puts a word in front.
    let first = text.trim_start();
    let first = first.strip_prefix("OBSERVATION:").unwrap_or(first).trim_start();
    FAILURES.iter().any(|mark| first.starts_with(mark)) || says_ambiguity(first)
}

/// `Found 3 matches of the string to replace, but …`, `Found 3 occurrences of the text in …`: an edit that was refused.
/// `Found 3 files` is what a search found.
fn says_ambiguity(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    line.starts_with("Found ")
        && [" of the string to replace", " occurrences of the text"].iter().any(|mark| line.contains(mark))
}

fn says_truncation(text: &str) -> bool {
    (has(text, TRUNCATED) && TRUNCATIONS.iter().any(|mark| has(text, mark)))
        || OTHER_TRUNCATIONS.iter().any(|mark| has(text, mark))
}

/// `str::contains` and `str::rfind` go byte by byte through a long result; these look for its rare bytes first.
fn has(text: &str, mark: &str) -> bool {
    memmem::find(text.as_bytes(), mark.as_bytes()).is_some()
}

fn rfind(text: &str, mark: &str) -> Option<usize> {
    has(text, mark).then(|| text.rfind(mark)).flatten()
}

/// A result while the harness's lines are taken off.
struct Stripped<'a> {
    body: &'a str,
    exit: Option<i32>,
    place: StatedPlace<'a>,
}

impl Stripped<'_> {
    /// `(Open file: …)`, `(Current directory: …)`, `bash-$` at the end.
    fn strip_swe_agent(&mut self) {
        let Some(at) = rfind(self.body, "(Open file: ") else { return };
        let tail = &self.body[at..];
        let Some(directory) = between(tail, "(Current directory: ", ")\n") else { return };
        self.place.directory = Some(directory);
        self.place.open_file = between(tail, "(Open file: ", ")\n").filter(|file| *file != "n/a");
        self.body = self.body[..at].trim_end_matches('\n');
    }

    /// `[Current working directory: …]` and its neighbours at the end; words in front.
    fn strip_openhands(&mut self) {
        const DIRECTORY: &str = "\n[Current working directory: ";
        const MARKS: [&str; 4] =
            ["\n[The command completed", DIRECTORY, "\n[Python Interpreter: ", "\n[Command finished"];
        let mut brackets = memmem::find_iter(self.body.as_bytes(), "\n[");
        if brackets.any(|at| MARKS.iter().any(|mark| self.body[at..].starts_with(mark))) {
            if let Some(at) = self.body.rfind(DIRECTORY) {
                self.place.directory = between(&self.body[at..], "[Current working directory: ", "]");
            }
            for mark in MARKS {
                if let Some(at) = self.body.rfind(mark) {
                    self.body = &self.body[..at];
                }
            }
        }
        self.body = self.body.strip_prefix("OBSERVATION:\n").unwrap_or(self.body);
    }

    /// Codex heads: `Chunk ID …`, `Exit code: …`, `Script completed`, up to `Output:`.
    fn strip_codex(&mut self) {
        let heads = ["Chunk ID: ", "Exit code: ", "Script completed", "Wall time", "Command: "];
        if !heads.iter().any(|head| self.body.starts_with(head)) {
            return;
        }
        if let Some(at) = self.body.find("\nOutput:\n") {
            let scripted = self.body.starts_with("Script completed");
            self.exit = exit_status(&self.body[..at]);
            self.body = &self.body[at + "\nOutput:\n".len()..];
            if scripted {
                self.body = self.body.strip_prefix('\n').unwrap_or(self.body);
            }
        } else if let Some(at) = self.body.find("\nOutput: ") {
            // Gemini: Command, Directory, Output, Error, Exit Code.
            let rest = &self.body[at + "\nOutput: ".len()..];
            self.body = &rest[..rest.rfind("\nError: ").unwrap_or(rest.len())];
        }
    }

    /// Reminders, shell ids and the tags of mini-swe-agent.
    fn strip_tags(&mut self) {
        if self.body.trim_start().starts_with("<returncode>")
            && let Some(output) = self.body.find("<output>\n")
        {
            self.exit = exit_status(self.body);
            let end = self.body.rfind("</output>").filter(|end| *end > output).unwrap_or(self.body.len());
            self.body = &self.body[output + "<output>\n".len()..end];
        }
        if let Some(at) = rfind(self.body, "\n<shellId: ") {
            self.exit = exit_status(&self.body[at..]);
            self.body = &self.body[..at];
        }
        while self.body.trim_end().ends_with("</system-reminder>")
            && let Some(at) = self.body.rfind("<system-reminder>")
        {
            self.body = self.body[..at].trim_end_matches('\n');
        }
        if let Some(at) = rfind(self.body, "Shell cwd was reset to ") {
            self.place.directory = self.body[at + "Shell cwd was reset to ".len()..].lines().next();
            self.body = self.body[..at].trim_end_matches('\n');
        }
        if self.exit.is_none() && self.body.starts_with("Exit code ") {
            self.exit = exit_status(self.body);
            let end = self.body.find('\n').map_or(self.body.len(), |at| at + 1);
            self.body = &self.body[end..];
        }
    }
}

/// The exit status that a result's text states: in its first lines or its last.
pub(crate) fn exit_status(text: &str) -> Option<i32> {
    let head = &text[..boundary(text, 400)];
    let tail_start = boundary(text, text.len().saturating_sub(400));
    for part in [head, &text[tail_start..]] {
        if !has(part, "xit") && !has(part, "returncode") {
            continue;
        }
        for mark in EXIT_MARKS {
            let Some(at) =
                part.find(mark).filter(|at| *at == 0 || !part[..*at].ends_with(char::is_alphabetic))
            else {
                continue;
            };
            let rest = part[at + mark.len()..].trim_start();
            let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(rest.len());
            if let Ok(status) = rest[..end].parse() {
                return Some(status);
            }
        }
    }
    None
}

/// The nearest character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let start = text.find(open)? + open.len();
    let end = text[start..].find(close)?;
    Some(&text[start..start + end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_statuses_of_all_harnesses_are_read() {
        for (text, status) in [
            ("Exit code: 1\nWall time: 0.3 seconds\nOutput:\nx", Some(1)),
            ("Exit code 2\nOn branch main", Some(2)),
            ("Chunk ID: 5\nProcess exited with code 0\nOutput:\nx", Some(0)),
            ("x\n[The command completed with exit code 127.]", Some(127)),
            ("x\n<shellId: 0 completed with exit code 0>", Some(0)),
            ("<returncode>1</returncode>\n<output>\nx</output>", Some(1)),
            ("Output: x\nError: (none)\nExit Code: 0\nSignal: 0", Some(0)),
            ("x\n\nCommand exited with code 1", Some(1)),
            ("x\n[exit code: -1]", Some(-1)),
            ("{\"returncode\": 1, \"output\": \"x\"}", Some(1)),
            ("{\"output\":\"x\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.0}}", Some(0)),
            ("all fine", None),
        ] {
            assert_eq!(exit_status(text), status, "{text}");
        }
    }

    #[test]
    fn the_body_is_what_the_tool_printed() {
        for (text, body) in [
            ("Chunk ID: 5\nWall time: 0 seconds\nProcess exited with code 0\nOutput:\na\nb\n", "a\nb\n"),
            ("Script completed\nWall time 0.1 seconds\nOutput:\n\na\n", "a\n"),
            ("<returncode>0</returncode>\n<output>\na\n</output>", "a\n"),
            ("a\n\n<system-reminder>\nbe good\n</system-reminder>\n", "a"),
            ("a\n[Current working directory: /w]\n[The command completed with exit code 0.]", "a"),
            ("a\n(Open file: n/a)\n(Current directory: /w)\nbash-$", "a"),
            ("a\n<shellId: 0 completed with exit code 0>", "a"),
            ("Exit code 1\nboom", "boom"),
        ] {
            assert_eq!(Ending::of(text, false).body(text), body, "{text}");
        }
    }

    #[test]
    fn swe_agent_says_where_it_stands() {
        let (_, place) = Ending::and_place("x\n(Open file: /r/a.py)\n(Current directory: /r)\nbash-$", false);
        assert_eq!((place.open_file, place.directory), (Some("/r/a.py"), Some("/r")));
    }

    /// A person's no once was told as an error.
    #[test]
    fn what_the_user_did_not_allow_was_declined() {
        let ending = Ending::of("The user doesn't want to proceed with this tool use.", true);
        assert!(ending.declined && ending.failed);
        assert!(!Ending::of("<tool_use_error>String to replace not found", true).declined);
    }

    #[test]
    fn refusals_are_failures() {
        assert!(Ending::of("The user doesn't want to proceed with this tool use.", false).failed);
        assert!(Ending::of("<tool_use_error>String to replace not found", false).failed);
        assert!(!Ending::of("The file a has been updated", false).failed);
        assert!(
            Ending::of("Found 2 matches of the string to replace, but replace_all is false.", false).failed
        );
        assert!(!Ending::of("Found 3 files\nsrc/a.rs\nsrc/b.rs\nsrc/c.rs", false).failed);
        assert!(Ending::of("x", true).failed);
    }
}
