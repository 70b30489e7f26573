//! The ledger of small sessions, each of which once had a fact in it that was wrong or missing.
//!
//! `data/ledger/NAME.jsonl` holds the session, the entry of the same name says what its ledger must tell.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::PathBuf;

use enfold::count::Encoding;
use enfold::file;
use enfold::understand::facts::Facts;
use enfold::understand::ledger::{Ledger, TodoState};

/// What a case must tell.
type Check = fn(&Told);

/// All cases, by what they are about.
#[rustfmt::skip]
const CASES: &[(&str, Check)] = &[
    // What harnesses write is not what the user asks for.
    ("local-command-record", |told| told.asks("Add a cup.", &["answered: Add a cup."])),
    ("prompt-command-and-its-text", |told| told.asks("/tea:brew two cups", &["answered: /tea:brew two cups"])),
    ("skill-called-by-the-agent", |told| told.asks("brew some", &["answered: brew some"])),
    ("codex-injections", |told| told.asks("Review the cups.", &["interrupted: Review the cups.", "open: Just one cup."])),
    ("messages-of-other-agents", |told| told.asks("Review the cups.", &["answered: Review the cups."])),
    ("copilot-wrapping", |told| told.asks("Polish the cups.", &["answered: Polish the cups."])),
    ("format-complaint", |told| told.asks("Mend the cup.", &["open: Mend the cup."])),
    ("shell-mode-record", |told| told.asks("Add a cup.", &["answered: Add a cup."])),
    ("hook-stopped", |told| told.asks("Add a cup.", &["answered: Add a cup."])),
    ("thanks-is-no-request", |told| told.asks("Book the cup.", &["answered: Book the cup."])),
    // Work ends with an answer, with a call that says so, or by the user's hand.
    ("demonstration", |told| {
        told.asks("Mend the cup.", &["answered: Mend the cup."]);
        told.pending(&[]);
    }),
    ("finish-is-an-answer", |told| {
        told.asks("Mend the cup.", &["answered: Mend the cup."]);
        told.pending(&[]);
        told.errors(&[]);
    }),
    ("interrupted-is-not-answered", |told| {
        told.asks("Find unused cups.", &["interrupted: Find unused cups.", "answered: New thing: paint the jug."]);
    }),
    ("no-result-is-pending", |told| {
        told.errors(&[]);
        told.pending(&["Bash"]);
    }),
    ("old-call-without-result", |told| told.pending(&[])),
    // Failed runs that only their output tells of.
    ("piped-build-exit-0", |told| told.errors(&["open: cargo build 2>&1 | tail -3: error[E0425]: cannot find value `glow` in this scope"])),
    ("go-test-fail-piped", |told| told.errors(&["open: go test ./... 2>&1 | tail -4: --- FAIL: TestTotal (0.00s)"])),
    ("task-runner-fail-piped", |told| told.errors(&["open: mise run test 2>&1 | tail -3: FAIL shop/price 0.3s"])),
    ("pytest-failed-piped", |told| told.errors(&["open: pytest -q 2>&1 | tail -3: FAILED tests/test_cup.py::test_full - AssertionError: assert 1 == 2"])),
    ("command-not-found", |told| {
        told.errors(&[
            "open: ./build/bin/brewc tea.brew -o .: bash: ./build/bin/brewc: No such file or directory",
            "open: brewc tea.brew -o .: bash: brewc: command not found",
        ]);
        assert!(told.0.commands.iter().all(|command| command.failed), "{:?}", told.0.commands);
    }),
    ("python-syntax-error", |told| told.errors(&["open: python kettle.py: SyntaxError: unexpected character after line continuation character"])),
    // The line that failed is the line that was sent.
    ("chain-blames-first", |told| told.errors(&["step 2: stylecheck --all ; typecheck --all: src/cup.ts(3,1): error TS2322: Type 'number' is not assignable to type 'string'."])),
    ("listing-blamed-as-bash-file", |told| told.errors(&[])),
    ("refused-command-what", |told| {
        let [error] = &told.0.errors[..] else { panic!("{:?}", told.0.errors) };
        assert_eq!(error.what, "grep -n func spoon.go | while read l; do echo \"$l\"; done");
        assert!(error.says.starts_with("The user doesn't want to proceed"), "{}", error.says);
    }),
    // What ends an error, and what does not.
    ("resolved-in-longer-command", |told| told.errors(&["step 2: git commit -m \"Cups\": error: cup.ts is not formatted"])),
    ("numbers-copied-into-an-edit", |told| told.errors(&["step 2: Edit /w/list.md: <tool_use_error>String to replace not found in file.</tool_use_error>"])),
    ("commit-in-other-words", |told| told.errors(&["step 2: git add cup.md && git commit -m 'Cups': error: cup.md is not formatted"])),
    ("conflicts-end-with-a-commit", |told| told.errors(&[
        "open: git merge nowhere: merge: nowhere - not something we can merge",
        "step 3: git merge origin/main: Automatic merge failed; fix conflicts and then commit the result.",
    ])),
    ("same-words-other-directory", |told| told.errors(&["open: npm run build: src/a.ts(1,1): error TS2305: no exported member"])),
    ("filtered-count-is-no-success", |told| told.errors(&["open: npm run check: src/a.ts(1,1): error TS2345: no"])),
    ("another-edit-is-no-success", |told| told.errors(&["open: str_replace_editor /w/a.c: No replacement was performed, old_str `foo(1)` did not appear verbatim in /w/a.c."])),
    ("key-sent-to-another-process", |told| told.errors(&[])),
    // The line that says most.
    ("says-informational-line", |told| told.says("pour_test.go:50: pour() returned error: tap")),
    ("says-bare-word", |told| told.says("No replacement was performed, old_str `x` did not appear verbatim in /w/a.c.")),
    ("says-option-of-echoed-command", |told| told.says("✖ Formatter would have printed the following content")),
    ("says-middle-of-traceback", |told| told.says("shop.faults.ImproperlyConfigured: CUP refers to a model that has not been installed")),
    ("says-json-envelope", |told| told.says("fatal: Unable to create '/w/.git/index.lock': Operation not permitted")),
    // What is no error.
    ("probe-for-a-path", |told| {
        told.errors(&[]);
        told.read(&["/w/.lint.yaml"]);
    }),
    ("failed-read-is-no-read", |told| told.read(&[])),
    ("wasted-call-is-no-error", |told| told.errors(&[])),
    ("failed-with-fallback-in-line", |told| told.errors(&[])),
    // Lines are counted as a diff counts them.
    ("edit-counts-equal-middle", |told| told.changed(&["/w/m.go (+2 −2)"])),
    ("rewrite-counts", |told| told.changed(&["/w/p.json (+6 −1)"])),
    ("unknown-counts-are-not-zero", |told| told.changed(&["tea.py (+? −?)", "tea2.py (+? −?)"])),
    ("sed-g-counts-lines", |told| told.changed(&["p.txt (+3 −3)"])),
    // Files are files, and were changed.
    ("removed-never-there", |told| told.changed(&["tea.py (+? −?, removed)"])),
    ("touched-and-gone-with-its-directory", |told| told.changed(&["try/in/cup.png (+? −?, removed)", "try/note.txt (+2 −2, removed)"])),
    ("variable-as-file", |told| told.changed(&[])),
    ("glob-as-file", |told| told.changed(&[])),
    ("directory-as-file", |told| told.changed(&[])),
    ("cd-failed-chain", |told| told.changed(&[])),
    ("flags-as-files", |told| told.changed(&["/w/out/e.ts (+? −?)", "c.txt (+0 −0)", "src/a.ts (+? −?)", "src/b.ts (+? −?)", "src/d.ts (+? −?)"])),
    ("recreated-in-one-command", |told| told.changed(&["/w/a.txt (+1 −0 or more)"])),
    ("moved-away-and-back", |told| told.changed(&["/w/a.bak (+? −?, removed)", "/w/a.txt (+? −?)"])),
    ("script-run-later", |told| told.changed(&["app/models.py (+? −?)", "mk.py (+2 −0)"])),
    ("windows-raw-string", |told| told.changed(&["D:/tools/new/tea.txt (+? −?)"])),
    ("windows-one-file-three-spellings", |told| {
        told.changed(&["D:/shop/cup.py (+1 −0)"]);
        told.read(&[]);
    }),
    ("windows-cwd-doubled", |told| {
        told.changed(&["C:/shop/tea/cup.py (+1 −0)"]);
        told.read(&[]);
    }),
    // The plan.
    ("tasks-one-by-one", |told| {
        let plan: Vec<_> = told.0.todo.iter().map(|entry| (entry.text.as_str(), entry.state)).collect();
        assert_eq!(plan, [("Warm the pot", TodoState::Done), ("Pour", TodoState::Open)]);
    }),
    // Conditions are what the user sets.
    ("not-a-condition", |told| told.conditions(&[])),
    ("condition-in-a-question", |told| told.conditions(&["Can you, without using the network, mend the cup?"])),
];

/// A ledger, and what is asked of it.
struct Told(Ledger);

impl Told {
    /// The task and all requests with their states. Where these are told, nobody has set a condition.
    fn asks(&self, task: &str, requests: &[&str]) {
        assert_eq!(self.0.task.as_deref(), Some(task));
        let state = |answered, interrupted| match (answered, interrupted) {
            (true, _) => "answered",
            (false, true) => "interrupted",
            (false, false) => "open",
        };
        let told: Vec<String> = self
            .0
            .requests
            .iter()
            .map(|request| format!("{}: {}", state(request.answered, request.interrupted), request.text))
            .collect();
        assert_eq!(told, requests);
        self.conditions(&[]);
    }

    /// The errors, the latest first: `open` or the step of the resolution, what was tried, what it says.
    fn errors(&self, errors: &[&str]) {
        let end = |error: &enfold::understand::ledger::ErrorEntry| match &error.resolved {
            Some(resolved) => format!("step {}", resolved.step),
            None => "open".to_string(),
        };
        let told: Vec<String> = self
            .0
            .errors
            .iter()
            .map(|error| format!("{}: {}: {}", end(error), error.what, error.says))
            .collect();
        assert_eq!(told, errors);
    }

    /// What the only error says.
    fn says(&self, line: &str) {
        let told: Vec<&str> = self.0.errors.iter().map(|error| error.says.as_str()).collect();
        assert_eq!(told, [line]);
    }

    /// The changed files as they are shown, without their steps.
    fn changed(&self, files: &[&str]) {
        let shown = self.0.render(&Encoding::O200k, 4_000);
        let section = shown.split("### Changed files\n").nth(1).unwrap_or_default();
        let lines = section.lines().take_while(|line| line.starts_with("- "));
        let plain = |line: &str| {
            let (before, after) = line.trim_start_matches("- ").split_once(", last at step ").unwrap();
            format!("{before}{}", after.trim_start_matches(|c: char| c.is_ascii_digit()))
        };
        let mut told: Vec<String> = lines.map(plain).collect();
        told.sort();
        assert_eq!(told, files);
    }

    /// The files that were read and not changed.
    fn read(&self, files: &[&str]) {
        let read = self.0.files.iter().filter(|file| !file.modified);
        let told: BTreeSet<&str> = read.map(|file| file.path.as_str()).collect();
        assert_eq!(told, files.iter().copied().collect());
    }

    /// The tools whose results are waited for.
    fn pending(&self, tools: &[&str]) {
        let told: Vec<&str> = self.0.pending.iter().map(|call| call.tool.as_str()).collect();
        assert_eq!(told, tools);
    }

    fn conditions(&self, conditions: &[&str]) {
        assert_eq!(self.0.stated.conditions, conditions);
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/ledger")
}

fn told(name: &str) -> Told {
    let bytes = std::fs::read(folder().join(format!("{name}.jsonl"))).unwrap();
    let history = file::read_bytes(bytes).unwrap().history;
    Told(Ledger::of(&history, &Facts::of(&history)))
}

#[test]
fn the_ledger_of_each_case_tells_what_happened() {
    let failed: Vec<&str> = CASES
        .iter()
        .filter(|(name, check)| {
            let told = told(name);
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&told)));
            result.inspect_err(|_| eprintln!("in case {name}")).is_err()
        })
        .map(|(name, _)| *name)
        .collect();
    assert!(failed.is_empty(), "{} of {} fail: {failed:?}", failed.len(), CASES.len());
}

#[test]
fn each_session_has_its_case() {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let files: BTreeSet<String> =
        files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(files, CASES.iter().map(|(name, _)| name.to_string()).collect());
}
