//! The directory that the session's files stand in, said once instead of on every line.

use std::collections::BTreeMap;

use crate::understand::files::FileTracker;

/// Share of the files that have to stand below it, in percent.
const MOST: usize = 70;

/// The deepest directory that most of the files with a full path stand in, with its slash.
pub(super) fn of(tracker: &FileTracker) -> Option<String> {
    let paths: Vec<&str> =
        tracker.files().map(|(path, _)| path).filter(|path| path.starts_with('/')).collect();
    let mut below: BTreeMap<&str, usize> = BTreeMap::new();
    for path in &paths {
        for (end, _) in path.match_indices('/').skip(1) {
            *below.entry(&path[..=end]).or_default() += 1;
        }
    }
    let most = below.into_iter().filter(|(_, count)| *count > 1 && count * 100 >= paths.len() * MOST);
    most.map(|(directory, _)| directory).max_by_key(|directory| directory.len()).map(String::from)
}
