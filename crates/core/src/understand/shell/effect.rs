//! Whether a program may change files that its command line does not name.

use super::super::operation::Effect;
use super::word::Word;

/// Programs that look, compute or talk, but leave files alone (as far as a project's own files are concerned).
const HARMLESS: [&str; 58] = [
    "pwd",
    "which",
    "type",
    "whereis",
    "whoami",
    "id",
    "uname",
    "hostname",
    "date",
    "cal",
    "env",
    "printenv",
    "ps",
    "top",
    "df",
    "du",
    "free",
    "uptime",
    "lsof",
    "netstat",
    "ss",
    "ping",
    "dig",
    "nslookup",
    "wc",
    "diff",
    "cmp",
    "comm",
    "stat",
    "file",
    "readlink",
    "realpath",
    "basename",
    "dirname",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "shasum",
    "seq",
    "expr",
    "bc",
    "tty",
    "history",
    "jobs",
    "pgrep",
    "pkill",
    "killall",
    "man",
    "help",
    "source",
    ".",
    "gh",
    "golangci-lint",
    "pytest",
    "shellcheck",
    "mypy",
    "pyright",
    "tput",
];

/// What a program that nothing else is known about may do.
pub(super) fn of(program: &str, arguments: &[Word]) -> Effect {
    let first = arguments.iter().map(|word| word.text.as_str()).find(|word| !word.starts_with('-'));
    let has = |wanted: &str| arguments.iter().any(|word| word.text == wanted);
    let harmless = match program {
        "gh" => !(first == Some("pr") && has("checkout")),
        "golangci-lint" => !has("--fix"),
        _ if HARMLESS.contains(&program) => true,
        "go" => matches!(
            first,
            Some("test" | "vet" | "build" | "version" | "env" | "list" | "doc" | "tool" | "install")
        ),
        "cargo" => {
            matches!(
                first,
                Some(
                    "test" | "check" | "build" | "clippy" | "tree" | "bench" | "doc" | "metadata" | "nextest"
                )
            ) && !has("--fix")
        }
        "npm" | "pnpm" | "yarn" | "bun" => matches!(
            first,
            Some("test" | "t" | "ls" | "list" | "view" | "info" | "why" | "outdated" | "pack")
        ),
        "tsc" => has("--noEmit"),
        "docker" | "kubectl" | "systemctl" | "brew" | "apt" | "apt-get" | "pip" | "pip3" | "conda" => true,
        "make" => matches!(first, Some("test" | "check")),
        "mise" | "just" | "task" => arguments.iter().any(|word| word.text.starts_with("test")),
        "xcodebuild" | "dotnet" | "mvn" | "gradle" => matches!(first, Some("test")),
        "python" | "python3" => {
            has("--version") || has("pytest") || has("unittest") || has("pip") || has("--help")
        }
        "node" | "ruby" | "perl" => has("--version") || has("-v") || has("--check"),
        _ => false,
    };
    if harmless { Effect::Stated } else { Effect::Anything }
}

/// Whether `xargs` or `find` hand files to something that changes them.
pub(super) fn is_destructive(arguments: &[Word]) -> bool {
    let has = |wanted: &[&str]| arguments.iter().any(|word| wanted.contains(&word.text.as_str()));
    let runs = arguments.iter().any(|word| {
        matches!(
            word.text.as_str(),
            "rm" | "mv"
                | "cp"
                | "sh"
                | "bash"
                | "perl"
                | "python"
                | "python3"
                | "touch"
                | "gofmt"
                | "prettier"
        )
    });
    let in_place = has(&["sed"]) && arguments.iter().any(|word| word.text.starts_with("-i"));
    has(&["-delete"]) || runs || in_place
}
