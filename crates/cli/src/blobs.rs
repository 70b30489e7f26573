//! The folder of originals: what folds hide, a file each, named by hashes only.

use std::fs;
use std::io;
use std::path::Path;

use enfold::history::History;
use enfold::text::nearest;
use enfold::view::fold::Handle;
use enfold::view::original::Originals;
use enfold_store::files::{self, Unwritten};

use crate::failure::Failure;
use crate::progress::Progress;

/// Whether files can be written to a folder that is there, before anybody does the work of folding.
pub fn check(folder: &Path) -> Result<(), Failure> {
    files::check(folder).map_err(|unwritten| refused(&unwritten))
}

/// Writes originals. See [`files::write`].
pub fn store(folder: &Path, history: &History, originals: &Originals) -> Result<(), Failure> {
    let _progress = Progress::spinner("writing originals");
    files::write(folder, history, originals).map_err(|unwritten| refused(&unwritten))
}

/// The original of a handle, or of a file's name.
pub fn open(folder: &Path, named: &str) -> Result<Vec<u8>, Failure> {
    let handle = handle(named)?;
    let names = names(folder).map_err(|error| Failure::file(folder, &error))?;
    let digits = named.trim().trim_start_matches('#');
    let found: Vec<&String> = names.iter().filter(|name| name.starts_with(digits)).collect();
    match found.as_slice() {
        [] => Err(unknown(folder, handle, &names)),
        [name] => {
            let path = folder.join(name);
            fs::read(&path).map_err(|error| Failure::file(&path, &error))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|name| name.as_str()).collect();
            let remedy = format!("type the whole name of one of {}", names.join(", "));
            Err(Failure::new(handle, "several sessions have an original with this handle", remedy))
        }
    }
}

/// A handle as people type it.
pub fn handle(named: &str) -> Result<Handle, Failure> {
    Handle::parse(named).ok_or_else(|| {
        let remedy = "type its nine digits, as they stand behind the # in the view";
        Failure::new(format!("`{named}`"), "it is no handle", remedy)
    })
}

fn refused(Unwritten { path, source }: &Unwritten) -> Failure {
    match source.kind() {
        io::ErrorKind::AlreadyExists => {
            let remedy = "nothing was overwritten; use another folder";
            Failure::new(path.display(), "the file is there and holds something else", remedy)
        }
        _ => Failure::file(path, source),
    }
}

/// The names of the originals in a folder, in order.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().into_string().ok();
        names.extend(name.filter(|name| Handle::parse(name).is_some()));
    }
    names.sort();
    Ok(names)
}

fn unknown(folder: &Path, handle: Handle, names: &[String]) -> Failure {
    let cause = format!("{} holds no original of this handle", folder.display());
    let handles = names.iter().filter_map(|name| name.get(..9));
    let remedy = match nearest(&handle.digits(), handles).trim_start_matches("; ") {
        "" if names.is_empty() => "fold with --blobs and this folder first".to_string(),
        "" => "was its view folded with --blobs and this folder?".to_string(),
        hint => hint.to_string(),
    };
    Failure::new(handle, cause, remedy)
}
