//! Runs of tests: whether one run holds all tests of another.

/// Which runner a command starts, whoever starts it for it: `python -m pytest`, `npx vitest`.
pub(super) fn runner(command: &str) -> Option<&'static str> {
    parsed(command).map(|run| run.runner)
}

/// Whether a run that passes proves that another one would: it runs the same tests or more.
pub(super) fn covers(wide: &str, narrow: &str) -> bool {
    let (Some(wide), Some(narrow)) = (parsed(wide), parsed(narrow)) else { return false };
    let chosen = match (wide.chosen, narrow.chosen) {
        (None, _) => true,
        (Some(_), None) => false,
        // `-run "A|B"` runs A.
        (Some(wide), Some(narrow)) => wide.split('|').any(|one| unquoted(one) == unquoted(narrow)),
    };
    let holds = |target: &&str| wide.targets.iter().any(|held| is_inside(target, held));
    let targets = wide.targets.is_empty() || (!narrow.targets.is_empty() && narrow.targets.iter().all(holds));
    wide.runner == narrow.runner && chosen && targets
}

struct Run<'a> {
    runner: &'static str,
    /// Files, directories or packages; all where there are none.
    targets: Vec<&'a str>,
    /// The tests that are chosen by name.
    chosen: Option<&'a str>,
}

/// Runners by the words that start them.
const RUNNERS: [(&[&str], &str); 13] = [
    (&["pytest"], "pytest"),
    (&["py.test"], "pytest"),
    (&["python", "-m", "pytest"], "pytest"),
    (&["python3", "-m", "pytest"], "pytest"),
    (&["go", "test"], "go test"),
    (&["cargo", "test"], "cargo test"),
    (&["cargo", "nextest", "run"], "cargo test"),
    (&["npx", "vitest", "run"], "vitest"),
    (&["vitest", "run"], "vitest"),
    (&["npx", "jest"], "jest"),
    (&["jest"], "jest"),
    (&["bun", "test"], "bun test"),
    (&["npm", "test"], "npm test"),
];

/// Options that choose tests, and others with a value.
const CHOOSING: [&str; 8] = ["-run", "-k", "-t", "--run", "--filter", "-m", "--test", "-p"];
const WITH_VALUE: [&str; 9] =
    ["-timeout", "-count", "--timeout", "--maxfail", "-n", "-c", "--rootdir", "--tb", "--reporter"];

fn parsed(command: &str) -> Option<Run<'_>> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let (start, runner) = RUNNERS.iter().find(|(start, _)| words.starts_with(start))?;
    let mut run = Run { runner, targets: Vec::new(), chosen: None };
    let mut rest = words[start.len()..].iter();
    while let Some(word) = rest.next() {
        match *word {
            option if CHOOSING.contains(&option) => run.chosen = rest.next().copied(),
            option if WITH_VALUE.contains(&option) => drop(rest.next()),
            option if option.starts_with('-') => {
                let value = option.split_once('=');
                run.chosen =
                    value.filter(|(name, _)| CHOOSING.contains(name)).map(|(_, value)| value).or(run.chosen);
            }
            target => run.targets.push(target),
        }
    }
    Some(run)
}

/// Whether a target is another one or stands in it: `a.py::x` in `a.py`, `./a/b` in `./a/...`, `tests/a.py` in `tests`.
fn is_inside(target: &str, held: &str) -> bool {
    let held = unquoted(held).trim_end_matches("...").trim_end_matches('/');
    let target = unquoted(target);
    matches!(held, "" | ".")
        || target
            .strip_prefix(held)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with("::") || rest.starts_with('/'))
}

fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '\'', '^', '$'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_run_holds_the_tests_of_a_narrower_one() {
        for (wide, narrow, holds) in [
            ("pytest tests/a.py", "pytest tests/a.py::x -q", true),
            ("python -m pytest", "pytest tests/a.py::x", true),
            ("pytest tests/b.py", "pytest tests/a.py::x", false),
            ("go test ./...", "go test ./a -run TestX -v", true),
            ("go test ./a -run \"TestX|TestY\"", "go test ./a -run TestX", true),
            ("go test ./a -run TestY", "go test ./a -run TestX", false),
            ("go test ./a", "go test ./...", false),
            ("cargo test", "cargo test parser", true),
            ("cargo test", "cargo build", false),
        ] {
            assert_eq!(covers(wide, narrow), holds, "{wide} / {narrow}");
        }
    }
}
