//! Sessions that the agents of this machine have left on disk, newest first.
//!
//! A list costs a look at names, sizes and times of all of them, and at the content of those that are shown.

mod glance;
mod places;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::failure::Failure;

pub use glance::{Cost, Glance, Glances, folder};
pub use places::PLACES;
use places::{Kind, Place};

/// A session of an agent.
#[derive(Debug)]
pub struct Found {
    /// The agent whose session it is.
    pub agent: &'static str,
    /// The file, or the folder of one-event files.
    pub path: PathBuf,
    /// When it was last written to.
    pub changed: SystemTime,
}

/// All of them, newest first; of two that were written at once, in the order of their paths.
pub fn sessions() -> Vec<Found> {
    let mut found = Vec::new();
    for place in PLACES {
        if let Some(folder) = place.folder() {
            look(&folder, place.depth, place, &mut found);
        }
    }
    found.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.path.cmp(&b.path)));
    found
}

/// The one that `--last=NTH` names; 1 is the newest.
pub fn nth(number: usize) -> Result<PathBuf, Failure> {
    let mut found = sessions();
    let all = found.len();
    let thing = if number == 1 { "--last".to_string() } else { format!("--last={number}") };
    match (all, number) {
        (0, _) => Err(Failure::new(thing, "no agent has left a session on this machine", nowhere())),
        (_, 1..) if number <= all => Ok(found.swap_remove(number - 1).path),
        _ => Err(Failure::new(
            thing,
            format!("there are {all} sessions, the newest is 1"),
            "`enfold` lists them",
        )),
    }
}

/// Where they were looked for, as a remedy.
pub fn nowhere() -> String {
    let folders: Vec<String> = PLACES.iter().map(|place| place.home.to_string()).collect();
    format!("name a FILE; looked for in {} below your home folder", folders.join(", "))
}

/// Folders that cannot be read hold nothing for us.
fn look(folder: &Path, depth: usize, place: &Place, found: &mut Vec<Found>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        // Follows links, as agents' folders may be some.
        let Ok(about) = std::fs::metadata(&path) else { continue };
        if depth > 1 {
            if about.is_dir() {
                look(&path, depth - 1, place, found);
            }
            continue;
        }
        let name = entry.file_name();
        let is_one = match place.kind {
            Kind::File => about.is_file() && about.len() > 0,
            Kind::Folder => about.is_dir(),
        };
        if is_one && (place.is_session)(&name.to_string_lossy()) {
            let changed = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            found.push(Found { agent: place.agent, path, changed });
        }
    }
}
