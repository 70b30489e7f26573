//! The line of a result that says most about what went wrong.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::json::Raw;

/// Lines that name the failure itself.
static NAMING: LazyLock<Regex> = LazyLock::new(|| {
    let shapes = [
        r"^--- FAIL: ",
        // What a test logs stands in the same form as what it misses.
        r"^\S+_test\.go:\d+: .*(?:(?i-u:error|fail|got|want|expect|should|must|mismatch|returned|missing|empty)|\b(?i-u:not|no)\b)",
        r"^FAILED \S+::",
        r"^error(\[E\d+\])?: ",
        r"^(fatal|Fatal|FATAL)( error)?: ",
        r"^(Uncaught )?[\w.]*(Error|Exception)( \[\w+\])?: ",
        r": (fatal )?error( TS\d+)?: ",
        r" panicked at ",
        r"^[✖✘×] ",
        r"^No replacement was performed",
    ];
    Regex::new(&shapes.join("|")).expect("a constant pattern compiles")
});

/// Lines with a word of failure.
static TELLING: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"(?i-u)\b(error|exception|failed|failure|panicked|fatal|cannot|can't|not found|no such|denied|refused|unexpected|undefined|rejected|aborted)\b|\bE\d{3,}|[A-Za-z]+(Error|Exception)\b|^FAIL\s+[!-~]";
    Regex::new(words).expect("a constant pattern compiles")
});

/// Lines that only say that something failed: the task, the script, the step.
static GENERAL: LazyLock<Regex> = LazyLock::new(|| {
    let lines = r#"ERROR task failed|^error: script "|^error Command failed|ELIFECYCLE|^npm (ERR!|error)|^make(\[\d+\])?: \*\*\*|^\W*(FAIL|FAILED|ERROR|Error|error|failed)\W*$|^During handling of|^The above exception"#;
    Regex::new(lines).expect("a constant pattern compiles")
});

const TRACEBACK: &str = "Traceback (most recent call last):";

/// The line that says most: what the user said when they refused, what a traceback ends with, else the first line that
/// names a failure, else the first with a word of failure in it, else the last.
pub(super) fn telling_line(text: &str) -> Cow<'_, str> {
    if let Some((_, said)) = text.split_once("the user said:\n") {
        return lines(said).next().unwrap_or(NOTHING).into();
    }
    match enveloped(text) {
        Some(inner) => telling(&inner).to_string().into(),
        None => telling(text).into(),
    }
}

const NOTHING: &str = "no output";

fn telling(text: &str) -> &str {
    let said = || lines(text).filter(|line| !is_noise(line));
    let specific = || said().filter(|line| !GENERAL.is_match(line));
    raised(text)
        .or_else(|| specific().find(|line| NAMING.is_match(line)))
        .or_else(|| specific().find(|line| TELLING.is_match(line)))
        .or_else(|| below_a_bare_word(said()))
        .or_else(|| said().find(|line| GENERAL.is_match(line)))
        .or_else(|| lines(text).next_back())
        .unwrap_or(NOTHING)
}

fn lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// What was raised: the first line after the last traceback that is not indented.
fn raised(text: &str) -> Option<&str> {
    let (_, after) = text.rsplit_once(TRACEBACK)?;
    after
        .lines()
        .skip(1)
        .find(|line| !line.is_empty() && !line.starts_with([' ', '\t', '|', '+']))
        .map(str::trim)
}

/// `ERROR:` on a line of its own, and the line below it.
fn below_a_bare_word<'a>(mut lines: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    lines.find(|line| line.ends_with(':') && GENERAL.is_match(line))?;
    lines.next().filter(|line| !GENERAL.is_match(line))
}

/// Echoed commands and the chatter of `-v`.
fn is_noise(line: &str) -> bool {
    ["$ ", "+ ", "> ", "debug1:", "debug2:", "=== RUN", "[debug]"].iter().any(|mark| line.starts_with(mark))
}

/// The output inside the object that Codex scripts print: `{"exit_code":1,"output":"…"}`.
fn enveloped(text: &str) -> Option<String> {
    let text = text.trim();
    let object = Raw::parse(text).ok().filter(|_| text.starts_with('{'))?;
    object.get("exit_code")?;
    object.str_at("output").map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_names_the_failure_is_told() {
        for (text, says) in [
            (
                "Failed to reach the tap\n    a_test.go:5: no tap\n--- FAIL: TestA\nFAIL",
                "a_test.go:5: no tap",
            ),
            ("ERROR:\nNo replacement was performed, old_str", "No replacement was performed, old_str"),
            ("ERROR:\nInvalid `view_range` parameter", "Invalid `view_range` parameter"),
            (
                "$ lint --error-on-warnings\n  ✖ Not formatted\nerror: script \"lint\" exited",
                "✖ Not formatted",
            ),
            ("debug1: known_hosts2: No such file\ngit@x: Permission denied", "git@x: Permission denied"),
            ("[lint] ERROR task failed", "[lint] ERROR task failed"),
            (
                "Traceback (most recent call last):\n  x\nE: 1\n\nDuring handling of\n\nTraceback (most recent call last):\n  y\na.B: no",
                "a.B: no",
            ),
            ("{\"exit_code\":1,\"output\":\"fatal: no\\n\"}", "fatal: no"),
            ("so it is", "so it is"),
            ("", "no output"),
        ] {
            assert_eq!(telling_line(text), says, "{text}");
        }
    }
}
