//! `docs/documents.md`: every row names its call in each language and tests that guard it, and all of these are there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The names of all test functions of the workspace.
fn tests() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut open = vec![root().join("crates"), root().join("examples"), root().join("xtask")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let is_built = path.ends_with("target") || path.ends_with("node_modules");
            if path.is_dir() && !is_built {
                open.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                names.extend(tests_of(&std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    names
}

/// The functions that follow `#[test]`, perhaps behind other attributes.
fn tests_of(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_test = false;
    for line in source.lines().map(str::trim) {
        let function = line.trim_start_matches("async ").strip_prefix("fn ");
        match function {
            Some(rest) if is_test => {
                found.extend(rest.split(['(', '<']).next().map(String::from));
                is_test = false;
            }
            _ => {
                is_test = line.starts_with("#[test]")
                    || (is_test && (line.starts_with("#[") || line.starts_with("//")))
            }
        }
    }
    found
}

/// A row of the page: what a document says, where it is in each language and in the command, and which tests guard it.
struct Row {
    says: String,
    rust: String,
    python: String,
    typescript: String,
    command: String,
    guarded: String,
}

fn rows(page: &str) -> Vec<Row> {
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| what the document");
    let row = |line: &str| {
        let cells: Vec<String> =
            line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_string()).collect();
        let [says, rust, python, typescript, command, guarded] =
            <[String; 6]>::try_from(cells).unwrap_or_else(|cells| panic!("{} cells: {line}", cells.len()));
        Row { says, rust, python, typescript, command, guarded }
    };
    page.lines().filter(is_row).map(row).collect()
}

/// What stands between backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The names in a call as the page writes it: of functions, methods and arguments; what stands in quotes is a value.
fn named(call: &str) -> Vec<&str> {
    let plain = call.split(['"', '\'']).step_by(2);
    let words = plain.flat_map(|part| part.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    let is_name = |word: &&str| {
        let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic());
        is_word && !["with", "new", "true", "True", "False"].contains(word)
    };
    words.filter(is_name).collect()
}

/// All files under some folders whose names end so, as one text.
fn sources(folders: &[&str], ends: &[&str]) -> String {
    let mut all = String::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false if ends.iter().any(|end| path.to_string_lossy().ends_with(end)) => {
                    all += &std::fs::read_to_string(&path).unwrap();
                }
                false => {}
            }
        }
    }
    all
}

/// The words of a text that may be names.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect()
}

/// What follows a mark, up to one of these ends, wherever the mark stands.
fn after<'t>(text: &'t str, mark: &str, end: &'t [char]) -> BTreeSet<String> {
    text.split(mark).skip(1).filter_map(|rest| rest.split(end).next()).map(String::from).collect()
}

/// The tests by who runs them: the rows of the contract are run by all.
struct Tests {
    rust: BTreeSet<String>,
    shared: BTreeSet<String>,
    python: BTreeSet<String>,
    typescript: BTreeSet<String>,
}

impl Tests {
    fn all() -> Tests {
        Tests {
            rust: tests(),
            shared: after(&sources(&["packages/contract/rows"], &[".json"]), "{\"name\": \"", &['"']),
            python: after(&sources(&["packages/python/tests"], &[".py"]), "\ndef ", &['(']),
            typescript: after(&sources(&["packages/node/tests"], &[".test.js"]), "\ntest('", &['\'']),
        }
    }

    /// What is wrong with the tests that a row names.
    fn fault(&self, row: &Row) -> Option<String> {
        let named = quoted(&row.guarded);
        let has = |tests: &BTreeSet<String>| named.iter().any(|test| tests.contains(*test));
        let sets = [&self.rust, &self.shared, &self.python, &self.typescript];
        let gone = named.iter().find(|test| !sets.iter().any(|tests| tests.contains(**test)));
        match gone {
            Some(test) => Some(format!("there is no test `{test}`")),
            None if !has(&self.rust) => Some("no test guards it in Rust".into()),
            None if row.python.contains('`') && !has(&self.shared) && !has(&self.python) => {
                Some("no test guards it in Python".into())
            }
            None if row.typescript.contains('`') && !has(&self.shared) && !has(&self.typescript) => {
                Some("no test guards it in TypeScript".into())
            }
            None => None,
        }
    }
}

fn page() -> Vec<Row> {
    rows(&std::fs::read_to_string(root().join("docs/documents.md")).unwrap())
}

#[test]
fn every_row_of_the_documents_is_guarded_by_a_test_that_is_there() {
    let (tests, rows) = (Tests::all(), page());
    assert!(rows.len() >= 150, "{} rows", rows.len());
    assert!(tests.shared.len() >= 150, "{} rows of the contract", tests.shared.len());
    for row in &rows {
        assert_eq!(tests.fault(row), None, "{}", row.says);
        for (cell, whose) in
            [(&row.python, "Python"), (&row.typescript, "TypeScript"), (&row.command, "the command")]
        {
            let is_said = cell.contains('`') || cell.contains(' ');
            assert!(is_said, "neither a call of {whose} nor why there is none: {}", row.says);
        }
    }
}

#[test]
fn every_call_that_a_row_names_is_there() {
    let rust = sources(&["crates"], &[".rs"]);
    let python = sources(&["packages/python/python/enfold"], &[".py", ".pyi"]);
    let typescript = sources(&["packages/node/lib"], &[".d.ts", ".js"]);
    let (rust, python, typescript) = (words(&rust), words(&python), words(&typescript));
    for row in page() {
        for (cell, known) in [(&row.rust, &rust), (&row.python, &python), (&row.typescript, &typescript)] {
            for name in quoted(cell).into_iter().flat_map(named) {
                assert!(known.contains(name), "there is no `{name}`, which is to show: {}", row.says);
            }
        }
        assert!(row.rust.contains('`'), "nothing shows it in Rust: {}", row.says);
    }
}

#[test]
fn a_call_is_read_as_the_names_in_it() {
    assert_eq!(named("fold(policy=\"priority\", modified=[…])"), ["fold", "policy", "modified"]);
    assert_eq!(named("new Session({ policy: 'retention', asks: true })"), ["Session", "policy", "asks"]);
    assert_eq!(named("Session::prepare(Cache::Cold)"), ["Session", "prepare", "Cache", "Cold"]);
}

#[test]
fn a_row_without_a_test_in_each_language_is_noticed() {
    let tests = Tests {
        rust: BTreeSet::from(["in_rust".to_string()]),
        shared: BTreeSet::from(["in_all".to_string()]),
        python: BTreeSet::from(["test_it".to_string()]),
        typescript: BTreeSet::from(["it is so".to_string()]),
    };
    let fault =
        |cells: &str| tests.fault(&rows(&format!("| it is so | `a` | {cells} |"))[0]).unwrap_or_default();
    assert_eq!(fault("`b` | `c` | `d` | `in_rust`, `in_all`"), "");
    assert_eq!(fault("`b` | `c` | `d` | `in_rust`, `test_it`, `it is so`"), "");
    assert_eq!(fault("`b` | `c` | `d` | `in_rust`, `test_it`"), "no test guards it in TypeScript");
    assert_eq!(fault("`b` | `c` | `d` | `in_rust`, `it is so`"), "no test guards it in Python");
    assert_eq!(fault("`b` | `c` | `d` | `in_all`"), "no test guards it in Rust");
    assert_eq!(fault("no call | no call | `d` | `in_rust`"), "");
    assert_eq!(fault("`b` | `c` | `d` | `in_rust`, `gone`"), "there is no test `gone`");
}

#[test]
fn a_test_that_is_gone_is_noticed() {
    let source =
        "#[test]\nfn stays() {}\n\n#[cfg(unix)]\n#[test]\n#[ignore]\nfn too() {}\n\nfn helper() {}\n";
    assert_eq!(tests_of(source), ["stays", "too"]);
}
