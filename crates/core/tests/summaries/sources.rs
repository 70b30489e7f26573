//! Sessions long enough to be summarized several times.

use std::path::{Path, PathBuf};

use enfold::file;

use crate::support::folding::Prepared;
use crate::support::sessions::files;

/// Those of the repository.
pub fn committed() -> Vec<(String, Prepared)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sessions");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    files.sort();
    files.iter().map(|path| read(path)).collect()
}

/// All of the real ones take a quarter of an hour: every eighth, unless `ENFOLD_HEAVY` is set.
fn some(every: usize) -> usize {
    if std::env::var_os("ENFOLD_HEAVY").is_some() { every } else { 8 * every }
}

/// Real ones, each `every`th of them.
pub fn real(test: &str, every: usize) -> impl Iterator<Item = (String, Prepared)> {
    let every = some(every);
    files(test, &["dev"]).into_iter().step_by(every).map(|path| read(&path))
}

/// Real ones in the formats of providers other than the one most are in.
pub fn transcripts(test: &str, every: usize) -> impl Iterator<Item = (String, Prepared)> {
    let files = files(test, &["native"]).into_iter().step_by(some(every));
    files.filter_map(|path| {
        let document = file::read_bytes(std::fs::read(&path).unwrap()).ok()?;
        Some((name(&path), Prepared::read(document)))
    })
}

fn read(path: &Path) -> (String, Prepared) {
    (name(path), Prepared::of(std::fs::read(path).unwrap()))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}
