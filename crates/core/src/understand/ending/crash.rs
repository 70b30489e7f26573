//! Failures that only the output tells: crashes, failed builds and failed tests where no status speaks of them.

use std::sync::LazyLock;

use regex::Regex;

use super::boundary;

/// Lines of programs that crashed and of builds and tests that failed begin so. `error:` alone is none of them: tests that
/// pass print it too.
const CRASHES: [&str; 20] = [
    "error: could not compile",
    "error: aborting due to",
    "error: test failed",
    "error: script \"",
    "error Command failed with exit code",
    "ELIFECYCLE",
    "test result: FAILED",
    "thread '",
    "panic: ",
    "Segmentation fault",
    "npm ERR!",
    "npm error",
    "make: *** ",
    "--- FAIL: ",
    "FAIL\t",
    "FAILED (",
    "BUILD FAILED",
    "Build failed",
    "collect2: error",
    "ninja: build stopped",
];

const TRACEBACK: &str = "Traceback (most recent call last):";

/// Lines that need more than their beginning: failed tests of pytest, jest and vitest, failed tasks, errors of compilers.
static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    let lines = [
        r"FAIL$",
        r"FAILED \S+::\S",
        r"=+ .*\b[1-9]\d* (failed|errors?)\b.* =+$",
        r"[1-9]\d* failed, \d+ passed",
        r"Tests:?\s+[1-9]\d* failed",
        r"\[[^\]\s]+\] ERROR task failed",
        r".*\): error TS\d",
        r"✖ [1-9]\d* problems? \([1-9]",
        r"make\[\d+\]: \*\*\* ",
    ];
    Regex::new(&format!("^(?:{})", lines.join("|"))).expect("a constant pattern compiles")
});

/// Whether a line begins as one of them does, or holds what a compiler says anywhere. Nearly none does, and this sees every line.
fn may_have_failed(line: &str) -> bool {
    line.starts_with(|first| matches!(first, 'F' | '=' | '1'..='9' | 'T' | '[' | '✖' | 'm'))
        || line.contains("): error TS")
}

/// What a shell says that could not start a program.
static NOT_STARTED: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"^(?:(?:/\S+/)?(?:ba|z|da|a)?sh|\(eval\)|/\S+\.sh):(?:\d+:)?(?: (?:line )?\d+:)?.*(?:command not found|[Nn]o such file or directory|[Pp]ermission denied)";
    Regex::new(words).expect("a constant pattern compiles")
});

/// What a shell says that could not go to a directory.
static NOT_ENTERED: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"(?m)^\S*sh: (?:line \d+: )?cd: |^\(eval\):cd:\d+: |^cd: .*(?:[Nn]o such file|[Nn]ot a directory)|^\S*sh: \d+: cd: can't cd";
    Regex::new(words).expect("a constant pattern compiles")
});

/// So much of the end of an output is looked through for a crash.
const CRASH_BYTES: usize = 8_000;

/// Whether what a command printed ends with a crash, a failed build or failed tests.
pub(in crate::understand) fn says_crash(body: &str) -> bool {
    says_failed_run(body) || is_crash(body) || is_not_started(body)
}

/// What tests say that passed.
static PASSED: LazyLock<Regex> = LazyLock::new(|| {
    let lines = r"(?m)^\s*(?:ok\s+\t?\S+|PASS$|--- PASS: |test result: ok|=+ .*\d+ passed|.*Tests:?\s+\d+ passed|\d+ passed|\d+ pass$|0 issues)";
    Regex::new(lines).expect("a constant pattern compiles")
});

/// Whether what a command printed says that tests passed, and nothing says that some did not.
pub(in crate::understand) fn says_pass(body: &str) -> bool {
    PASSED.is_match(tail(body)) && !says_crash(body)
}

fn tail(body: &str) -> &str {
    &body[boundary(body, body.len().saturating_sub(CRASH_BYTES))..]
}

/// Whether tests or a build failed.
pub(super) fn says_failed_run(body: &str) -> bool {
    let is_one = |line: &str| {
        CRASHES.iter().any(|mark| match *mark {
            "thread '" => line.starts_with(mark) && line.contains(" panicked at "),
            mark => line.starts_with(mark),
        }) || line == "FAIL"
            || may_have_failed(line) && FAILED.is_match(line)
    };
    tail(body).lines().any(|line| is_one(line.trim()))
}

/// Whether Python raised something, or could not read a script: of that it tells without a traceback.
fn is_crash(body: &str) -> bool {
    let mut in_file = false;
    for line in tail(body).lines() {
        let words = line.trim();
        let cannot_read = ["SyntaxError: ", "IndentationError: ", "TabError: "];
        if words.starts_with(TRACEBACK) || (in_file && cannot_read.iter().any(|mark| line.starts_with(mark)))
        {
            return true;
        }
        in_file = (in_file && line.starts_with(' '))
            || (words.starts_with("File \"") && words.contains("\", line "));
    }
    false
}

/// Whether all that was said is that a program could not be started.
fn is_not_started(body: &str) -> bool {
    let body = body.trim();
    !body.contains('\n') && NOT_STARTED.is_match(body)
}

/// Whether a shell could not go where the line sent it, so that what stands behind it did not run.
pub(in crate::understand) fn says_not_entered(body: &str) -> bool {
    NOT_ENTERED.is_match(&body[..boundary(body, 400)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_tests_and_builds_are_seen() {
        for body in [
            "ok  \ta\t0.1s\n--- FAIL: TestX (0.00s)",
            "FAIL\tshop/price\t0.3s",
            "FAIL",
            "FAILED tests/a.py::b - AssertionError",
            "==== 2 failed, 3 passed in 0.1s ====",
            "[test] ERROR task failed",
            "  File \"/a.py\", line 7\n    x x\n      ^\nSyntaxError: invalid syntax",
            "bash: ponyc: command not found",
            "/bin/sh: 1: ponyc: not found\nbash: line 3: x: command not found\nFAIL",
            "bash: ./x/y: No such file or directory",
            " Tests  1 failed | 4 passed (5)",
        ] {
            assert!(says_crash(body), "{body}");
        }
    }

    #[test]
    fn what_passing_tests_print_is_no_failure() {
        for body in [
            "error: Item 3 failed\n 12 pass\n 0 fail",
            "Failed to fetch metadata\nPASS\nok  \ta\t0.2s",
            "==== 12 passed, 1 warning in 0.1s ====",
            "Tests: 0 failed, 3 passed",
            "looking\nbash: x: command not found\ndone",
            "SyntaxError: is a class of Python",
        ] {
            assert!(!says_crash(body), "{body}");
        }
    }

    #[test]
    fn a_directory_that_is_not_there_is_not_entered() {
        assert!(says_not_entered("(eval):cd:1: no such file or directory: cups"));
        assert!(says_not_entered("bash: line 1: cd: x: No such file or directory\n"));
        assert!(!says_not_entered("cat: x: No such file or directory"));
    }
}
