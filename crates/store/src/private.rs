//! Folders that nobody else can look into.

use std::fs::DirBuilder;
use std::io;
use std::path::Path;

/// Makes a folder and those above it, for their owner alone, where they are missing.
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
