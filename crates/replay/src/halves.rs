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

/// Where a session comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Its file.
    pub file: String,
    /// The folder that the agent worked in, where the session says so: agents keep the sessions of all projects in one place.
    pub project: Option<String>,
}

/// The half of each session: projects by turns, in the order of their names. Sessions of one project are alike, so one project
/// never stands in both. Where a session does not say its project, it is the folder of its file, or, if all are in one, what
/// its name begins with.
pub fn half_of(sessions: &[Origin]) -> Vec<Half> {
    let unsaid = sessions.iter().filter(|session| session.project.is_none());
    let folders: BTreeSet<&Path> = unsaid.filter_map(|session| Path::new(&session.file).parent()).collect();
    let project = |session: &Origin| -> String {
        let path = Path::new(&session.file);
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        match (&session.project, folders.len()) {
            (Some(project), _) => project.clone(),
            (None, 0 | 1) => name.split("__").next().unwrap_or(&name).to_string(),
            (None, _) => {
                path.parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default()
            }
        }
    };
    let projects: BTreeSet<String> = sessions.iter().map(project).collect();
    let projects: Vec<String> = projects.into_iter().collect();
    let half = |session: &Origin| match projects.binary_search(&project(session)).unwrap_or_default() % 2 {
        0 => Half::Fit,
        _ => Half::Check,
    };
    sessions.iter().map(half).collect()
}

#[cfg(test)]
mod tests {
    use super::Half::{Check, Fit};
    use super::*;

    fn halves(sessions: &[(&str, Option<&str>)]) -> Vec<Half> {
        let origin = |(file, project): &(&str, Option<&str>)| Origin {
            file: file.to_string(),
            project: project.map(String::from),
        };
        half_of(&sessions.iter().map(origin).collect::<Vec<_>>())
    }

    #[test]
    fn a_project_is_never_in_both_halves() {
        let of = |files: &[&str]| halves(&files.iter().map(|file| (*file, None)).collect::<Vec<_>>());
        assert_eq!(of(&["a/1.jsonl", "b/1.jsonl", "a/2.jsonl", "c/1.jsonl"]), [Fit, Check, Fit, Fit]);
        assert_eq!(of(&["d/x__1.jsonl", "d/y__1.jsonl", "d/x__2.jsonl"]), [Fit, Check, Fit]);
        assert_eq!(of(&["d/1.jsonl", "d/2.jsonl"]), [Fit, Check], "each by itself where nothing says more");
    }

    /// Codex keeps sessions in a folder per day: those of one project stood in both halves.
    #[test]
    fn what_a_session_says_of_its_project_counts_more_than_where_it_lies() {
        let (one, other) = (Some("/home/me/one"), Some("/home/me/other"));
        assert_eq!(halves(&[("17/a", one), ("18/b", one), ("18/c", other)]), [Fit, Fit, Check]);
        assert_eq!(halves(&[("17/a", one), ("17/b", one)]), [Fit, Fit]);
    }
}
