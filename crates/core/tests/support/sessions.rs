//! The real sessions that `ENFOLD_SESSIONS` points to.

use std::path::{Path, PathBuf};

/// The files under the given folders of `ENFOLD_SESSIONS`, in order. Without the variable, says loudly that the test
/// is skipped and returns none.
pub fn files(test: &str, folders: &[&str]) -> Vec<PathBuf> {
    let mut files = all_files(test, folders);
    files.retain(|file| file.extension().is_some_and(|kind| kind == "json" || kind == "jsonl"));
    files
}

/// The same, whatever their names end in.
pub fn all_files(test: &str, folders: &[&str]) -> Vec<PathBuf> {
    let Some(root) = std::env::var_os("ENFOLD_SESSIONS") else {
        eprintln!("SKIPPED: {test}: set ENFOLD_SESSIONS to the folder of real sessions");
        return Vec::new();
    };
    let mut files = Vec::new();
    for folder in folders {
        collect(&Path::new(&root).join(folder), &mut files);
    }
    files.sort();
    assert!(!files.is_empty(), "no sessions under {folders:?}");
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}
