//! Lines that say less than their words, or more.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Mark, Noise};

/// The failures and totals of test runners, compilers and shells.
static VERDICT: LazyLock<Regex> = LazyLock::new(|| {
    // A number in front of a path (`58 tests/report.c`) is no total.
    let words = r"(?m-u)\b(?:[Ee]rror|ERROR|FAIL(?:ED|URE)?|[Ff]ailed|[Ff]atal|panicked|Traceback|[A-Z]\w*(?:Error|Exception)|[Aa]ssertion|[Ww]arning|Exit code [1-9])\b|\b(?:\d+|test result:) (?:pass(?:ed)?|fail(?:ed)?|tests?|errors?|warnings?|issues|ok)(?u:[^\w/]|$)|✗|✕|✘";
    Regex::new(words).expect("a constant pattern compiles")
});

/// The same where lines of code stand beside them, as in what a test runner prints of a failure: only what no line of code
/// begins with.
static BARE_VERDICT: LazyLock<Regex> = LazyLock::new(|| {
    let lines = [
        r"(?:[Ee]rror|ERROR|fatal)(?:\[\w+\])?:",
        r"FAIL(?:ED|URE)?(?:[: \t]|$)",
        r"(?:\w+\.)*[A-Z]\w*(?:Error|Exception): ",
        r"E   +\S",
        r"--- FAIL: ",
        r"Traceback \(most recent",
        r"thread '.*panicked",
        r"make(?:\[\d+\])?: \*\*\* ",
        r"npm (?:ERR!|error) ",
        r"Exit code [1-9]",
        r"test result: ",
        r"Ran \d+ tests?(?-u:\b)",
        r"=+ .*(?-u:\b)\d+ (?:passed|failed|errors?)(?-u:\b).* =+$",
        r" *\d+ (?:pass(?:ed)?|fail(?:ed)?)(?-u:\b)",
        r" *Tests?:? +\d+ (?:passed|failed)(?-u:\b)",
        r".*\): error TS\d",
    ];
    Regex::new(&format!("^(?:{})", lines.join("|"))).expect("a constant pattern compiles")
});

/// Unbroken bytes longer than any word, id or hash.
const BLOB: usize = 100;

/// Shorter lines repeat each other by chance.
const REPEATABLE: usize = 12;

/// What a harness says beside a result begins and ends with these.
const ASIDE: &str = "<system-reminder>";
const ASIDE_END: &str = "</system-reminder>";

/// What agents write over the output of a program, within its first lines: it is new each time and says nothing.
const FRAME: [&str; 3] = ["Chunk ID: ", "Wall time: ", "Original token count: "];
const FRAMED: usize = 6;

/// Marks blobs, asides and repeated lines.
pub(super) fn mark(lines: &[&str], marks: &mut [Mark]) {
    let mut times = 0u16;
    let mut is_aside = false;
    for nth in 0..lines.len() {
        is_aside |= lines[nth].starts_with(ASIDE);
        times = if nth > 0 && is_repeat(lines[nth - 1], lines[nth]) { times.saturating_add(1) } else { 0 };
        marks[nth].noise = if is_blob(lines[nth]) {
            Noise::Blob
        } else if is_aside || (nth < FRAMED && FRAME.iter().any(|frame| lines[nth].starts_with(frame))) {
            Noise::Aside
        } else if times > 0 {
            Noise::Repeat(times)
        } else {
            Noise::None
        };
        is_aside &= !lines[nth].trim_end().ends_with(ASIDE_END);
    }
}

/// Marks failures and totals, which only a blob and an aside outweigh. The text is searched in one go: no verdict goes
/// over a line end. Only pieces of a long line are looked at one by one, since a verdict may begin where they were cut.
pub(super) fn mark_verdicts(text: &str, units: &[Range<usize>], lines: &[&str], marks: &mut [Mark]) {
    let ends_line = |at: usize| text.as_bytes().get(at).is_none_or(|byte| *byte == b'\n');
    let is_line = |unit: &Range<usize>| (unit.start == 0 || ends_line(unit.start - 1)) && ends_line(unit.end);
    let mut found = VERDICT.find_iter(text).map(|verdict| verdict.start()).peekable();
    for ((unit, line), mark) in units.iter().zip(lines).zip(marks) {
        while found.next_if(|at| *at < unit.start).is_some() {}
        let is_verdict = match is_line(unit) {
            true => found.peek().is_some_and(|at| *at < unit.end),
            false => VERDICT.is_match(line),
        };
        if is_verdict && !matches!(mark.noise, Noise::Blob | Noise::Aside) {
            mark.noise = Noise::Verdict;
        }
    }
}

/// Marks those that no line of code looks like.
pub(super) fn mark_bare_verdicts(lines: &[&str], marks: &mut [Mark]) {
    for (line, mark) in lines.iter().zip(marks) {
        if !matches!(mark.noise, Noise::Blob | Noise::Aside) && BARE_VERDICT.is_match(line) {
            mark.noise = Noise::Verdict;
        }
    }
}

/// Whether a long unbroken run of letters and digits makes up most of the line.
fn is_blob(line: &str) -> bool {
    if line.len() < BLOB {
        return false;
    }
    let in_blob = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let longest = line.as_bytes().split(|byte| !in_blob(*byte)).max_by_key(|run| run.len());
    let Some(run) = longest.filter(|run| run.len() >= BLOB && run.len() * 2 > line.len()) else {
        return false;
    };
    let share = |test: fn(&u8) -> bool| run.iter().filter(|byte| test(byte)).count() * 20 / run.len();
    let slashes = share(|byte| *byte == b'/');
    slashes == 0 && share(u8::is_ascii_digit) > 0
}

/// Whether two lines are the same but for their numbers.
fn is_repeat(before: &str, line: &str) -> bool {
    if line.len() < REPEATABLE || before.len().abs_diff(line.len()) > REPEATABLE {
        return false;
    }
    // Nearly all lines are told apart by how they end.
    let [ends, other] = [before, line].map(|line| line.bytes().next_back().filter(u8::is_ascii_graphic));
    let is_word = |end: Option<u8>| end.is_some_and(|end| !end.is_ascii_digit());
    if is_word(ends) && is_word(other) && ends != other {
        return false;
    }
    let words = |byte: &u8| !byte.is_ascii_digit();
    let [one, other] = [before, line].map(|line| line.trim().bytes().filter(words));
    one.clone().eq(other) && one.take(REPEATABLE / 2).count() == REPEATABLE / 2
}
