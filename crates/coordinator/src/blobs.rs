//! Originals as files that an agent can read.

use std::fs;
use std::io;
use std::path::Path;

use enfold::folding::runner::Originals;

/// Writes each original to a file named by its handle. What is there already is the same text.
pub(crate) fn write(folder: &str, originals: &Originals) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (handle, text) in originals {
        let path = Path::new(folder).join(handle.file_name());
        if !path.exists() {
            // Beside its place first: a reader never sees half of it.
            let beside = path.with_extension("part");
            fs::write(&beside, text.as_bytes())?;
            fs::rename(&beside, &path)?;
        }
    }
    Ok(())
}
