//! Originals as files that an agent can read.

use std::fs;
use std::io;
use std::path::Path;

use enfold::history::History;
use enfold::view::original::Originals;

/// Writes each original to a file named by its handle. What is there already is the same text.
pub(crate) fn write(folder: &str, history: &History, originals: &Originals) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (handle, original) in originals {
        let path = Path::new(folder).join(handle.file_name());
        if !path.exists()
            && let Some(text) = original.read(history)
        {
            // Beside its place first: a reader never sees half of it.
            let beside = path.with_extension("part");
            fs::write(&beside, text.as_bytes())?;
            fs::rename(&beside, &path)?;
        }
    }
    Ok(())
}
