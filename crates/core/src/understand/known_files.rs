//! The files of a session by their paths, and their paths by the last part.

use std::collections::{BTreeMap, BTreeSet};

use super::files::FileRecord;
use super::paths;

/// Records by path. While nobody knows the directory that relative paths start from, each call asks which known path its
/// own is the end of: only those that end in the same name are looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownFiles {
    records: BTreeMap<String, FileRecord>,
    by_name: BTreeMap<String, BTreeSet<String>>,
}

impl KnownFiles {
    pub(super) fn records(&self) -> &BTreeMap<String, FileRecord> {
        &self.records
    }

    pub(super) fn get_mut(&mut self, path: &str) -> Option<&mut FileRecord> {
        self.records.get_mut(path)
    }

    /// The record of a path, which is known from then on.
    pub(super) fn know(&mut self, path: &str) -> &mut FileRecord {
        if !self.records.contains_key(path) {
            self.by_name.entry(name(path).into()).or_default().insert(path.into());
        }
        self.records.entry(path.into()).or_default()
    }

    pub(super) fn clear(&mut self) {
        *self = KnownFiles::default();
    }

    /// The directory that relative paths start from, if this path and a known one are the same file, once named in full
    /// and once from there.
    pub(super) fn directory_by(&self, path: &str) -> Option<String> {
        let root = |full: &str, relative: &str| {
            let is_long = relative.contains('/') && !relative.starts_with("..");
            full.strip_suffix(relative)
                .filter(|root| is_long && root.ends_with('/') && root.len() > 1)
                .map(String::from)
        };
        let alike = self.by_name.get(name(path)).into_iter().flatten();
        let mut others = alike.filter(|known| paths::is_anchored(known) != paths::is_anchored(path));
        match path.starts_with('/') {
            true => others.find_map(|relative| root(path, relative)),
            false if !paths::is_anchored(path) => others.find_map(|full| root(full, path)),
            false => None,
        }
    }
}

/// The last part of a path.
fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_named_in_full_and_from_a_directory_tells_the_directory() {
        let mut files = KnownFiles::default();
        for path in ["/home/me/app/src/lib.rs", "/elsewhere/lib.rs", "src/main.rs", "lib.rs"] {
            files.know(path);
        }
        let directory = |path: &str| files.directory_by(path);
        assert_eq!(directory("src/lib.rs").as_deref(), Some("/home/me/app/"));
        assert_eq!(directory("/home/me/app/src/main.rs").as_deref(), Some("/home/me/app/"));
        assert_eq!(directory("lib.rs"), None, "a bare name says too little");
        assert_eq!(directory("../src/lib.rs"), None);
        assert_eq!(directory("src/other.rs"), None);
    }
}
