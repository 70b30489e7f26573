//! The directory that the session's files stand in, said once instead of on every line.

use std::collections::BTreeMap;

use crate::understand::files::FileTracker;

/// Share of the files that have to stand below it, in percent.
const MOST: usize = 70;

/// The deepest directory that most of the files stand in, with its slash; none where they are mostly named from elsewhere.
pub(super) fn of(tracker: &FileTracker) -> Option<String> {
    let paths: Vec<&str> = tracker.files().map(|(path, _)| path).collect();
    let mut below: BTreeMap<&str, usize> = BTreeMap::new();
    for path in paths.iter().filter(|path| path.starts_with('/')) {
        for (end, _) in path.match_indices('/').skip(1) {
            *below.entry(&path[..=end]).or_default() += 1;
        }
    }
    let most = below.into_iter().filter(|(_, count)| *count > 1 && count * 100 >= paths.len() * MOST);
    most.map(|(directory, _)| directory).max_by_key(|directory| directory.len()).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::notation;
    use crate::understand::facts::Facts;

    #[track_caller]
    fn root(paths: &[&str]) -> Option<String> {
        let read = |(n, path): (usize, &&str)| {
            format!("assistant\n  call c{n} read {{\"path\":\"{path}\"}}\nresult c{n}: x\n")
        };
        let steps: String = paths.iter().enumerate().map(read).collect();
        of(Facts::of(&notation::parse(&format!("user: Go.\n{steps}")).unwrap()).tracker())
    }

    /// Three scripts in `/tmp` once were said to be where all paths begin, in a session that named its files from elsewhere.
    #[test]
    fn files_named_from_elsewhere_have_no_root() {
        assert_eq!(root(&["/w/src/a.rs", "/w/src/b.rs", "/w/c.rs"]).as_deref(), Some("/w/"));
        assert_eq!(root(&["/tmp/a.mjs", "/tmp/b.mjs", "src/a.rs", "src/b.rs", "src/c.rs"]), None);
    }
}
