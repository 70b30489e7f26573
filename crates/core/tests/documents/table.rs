//! `docs/documents.md`: every row names tests that guard it, and they are there.

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

/// The rows of the page: which document, what it says, what shows it, which tests.
fn rows(page: &str) -> Vec<[String; 3]> {
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| what the document");
    let cells = |line: &str| {
        let cells: Vec<String> =
            line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_string()).collect();
        <[String; 3]>::try_from(cells).unwrap_or_else(|cells| panic!("{} cells: {line}", cells.len()))
    };
    page.lines().filter(is_row).map(cells).collect()
}

/// What stands between backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_row_of_the_documents_is_guarded_by_a_test_that_is_there() {
    let page = std::fs::read_to_string(root().join("docs/documents.md")).unwrap();
    let (tests, rows) = (tests(), rows(&page));
    assert!(rows.len() >= 106, "{} rows", rows.len());
    for [says, shown, guarded] in &rows {
        assert!(!says.is_empty() && !quoted(shown).is_empty(), "nothing shows it: {says}");
        let named = quoted(guarded);
        assert!(!named.is_empty(), "nothing guards it: {says}");
        for test in named {
            assert!(tests.contains(test), "there is no test `{test}`, which is to guard: {says}");
        }
    }
}

#[test]
fn a_test_that_is_gone_is_noticed() {
    let source =
        "#[test]\nfn stays() {}\n\n#[cfg(unix)]\n#[test]\n#[ignore]\nfn too() {}\n\nfn helper() {}\n";
    assert_eq!(tests_of(source), ["stays", "too"]);
}
