//! Originals as files that an agent can read: a file each, named by hashes only, for their owner alone.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use enfold::history::History;
use enfold::view::original::Originals;

use crate::private;

/// An original that is not in its file. The operator can mend it, or take another folder.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct Unwritten {
    /// The file, or the folder.
    pub path: PathBuf,
    /// Why. [`io::ErrorKind::AlreadyExists`]: the file is there and holds something else; it was left as it is.
    pub source: io::Error,
}

/// Whether files can be written to a folder that is there, before anybody does the work of folding.
pub fn check(folder: &Path) -> Result<(), Unwritten> {
    if !folder.exists() {
        return Ok(());
    }
    temporary(folder).map(drop).map_err(|source| Unwritten { path: folder.into(), source })
}

/// Writes originals, each whole or not at all, readable by their owner alone. A file that is there already holds the
/// same, or the folder belongs to somebody else's originals and nothing is overwritten.
pub fn write(folder: &Path, history: &History, originals: &Originals) -> Result<(), Unwritten> {
    private::create_folder(folder).map_err(|source| Unwritten { path: folder.into(), source })?;
    let read = originals.iter().filter_map(|(handle, original)| Some((handle, original.read(history)?)));
    for (handle, original) in read {
        let path = folder.join(handle.file_name());
        put(folder, &path, original.as_bytes()).map_err(|source| Unwritten { path, source })?;
    }
    Ok(())
}

fn put(folder: &Path, path: &Path, original: &[u8]) -> io::Result<()> {
    if path.exists() {
        return same(path, original);
    }
    // A temporary file is its owner's alone; renamed, it still is.
    let mut file = temporary(folder)?;
    file.write_all(original)?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => same(path, original),
        Err(error) => Err(error.error),
    }
}

fn temporary(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().prefix(".enfold-").tempfile_in(folder)
}

fn same(path: &Path, original: &[u8]) -> io::Result<()> {
    let is_same = fs::metadata(path)?.len() == original.len() as u64 && fs::read(path)? == original;
    if is_same { Ok(()) } else { Err(io::ErrorKind::AlreadyExists.into()) }
}
