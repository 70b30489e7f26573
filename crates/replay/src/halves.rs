//! Which sessions choose, and which only check.

use std::collections::BTreeSet;
use std::path::Path;

/// A half of the projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Options are chosen on it.
    Fit,
    /// It only says whether the choice was good.
    Check,
}

/// The half of each session: projects by turns, in the order of their names. Sessions of one project are alike, so one project
/// never stands in both.
pub fn half_of(files: &[&str]) -> Vec<Half> {
    let folders: BTreeSet<&Path> = files.iter().filter_map(|file| Path::new(file).parent()).collect();
    let project = |file: &str| -> String {
        let path = Path::new(file);
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        match folders.len() {
            0 | 1 => name.split("__").next().unwrap_or(&name).to_string(),
            _ => path.parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default(),
        }
    };
    let projects: BTreeSet<String> = files.iter().map(|file| project(file)).collect();
    let projects: Vec<String> = projects.into_iter().collect();
    let half = |file: &&str| match projects.binary_search(&project(file)).unwrap_or_default() % 2 {
        0 => Half::Fit,
        _ => Half::Check,
    };
    files.iter().map(half).collect()
}

#[cfg(test)]
mod tests {
    use super::Half::{Check, Fit};
    use super::*;

    #[test]
    fn a_project_is_never_in_both_halves() {
        assert_eq!(half_of(&["a/1.jsonl", "b/1.jsonl", "a/2.jsonl", "c/1.jsonl"]), [Fit, Check, Fit, Fit]);
        assert_eq!(half_of(&["d/x__1.jsonl", "d/y__1.jsonl", "d/x__2.jsonl"]), [Fit, Check, Fit]);
        assert_eq!(
            half_of(&["d/1.jsonl", "d/2.jsonl"]),
            [Fit, Check],
            "each by itself where nothing says more"
        );
    }
}
