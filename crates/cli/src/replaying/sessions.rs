//! Which sessions are replayed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::found;
use crate::input::Input;

/// Those that the command line names, in its order; those of a folder by their names.
pub fn inputs(files: &[Input], last: Option<usize>) -> Result<Vec<Input>, Failure> {
    if let Some(count) = last {
        let newest: Vec<Input> =
            found::sessions().into_iter().take(count).map(|found| Input::Path(found.path)).collect();
        return match newest.is_empty() {
            true => {
                Err(Failure::new("--last", "no agent has left a session on this machine", found::nowhere()))
            }
            false => Ok(newest),
        };
    }
    if files.is_empty() {
        return Ok(vec![Input::Stdin]);
    }
    let mut inputs = Vec::new();
    for file in files {
        match file {
            Input::Path(path) if path.is_dir() && !is_one_session(path) => {
                let mut files = Vec::new();
                look(path, &mut files).map_err(|error| Failure::file(path, &error))?;
                if files.is_empty() {
                    let cause = "no .jsonl or .json file is in it or below";
                    return Err(Failure::new(path.display(), cause, "name a folder with sessions"));
                }
                files.sort();
                inputs.extend(files.into_iter().map(Input::Path));
            }
            other => inputs.push(other.clone()),
        }
    }
    Ok(inputs)
}

/// A folder of one-event files is a session, not a folder of them: OpenHands numbers its events, `0.json` or
/// `event-00000-….json`.
fn is_one_session(folder: &Path) -> bool {
    let is_first = |name: &str| name == "0.json" || (name.starts_with("event-0") && name.ends_with(".json"));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| is_first(&entry.file_name().to_string_lossy()))
}

fn look(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // A link may lead back up.
        if fs::symlink_metadata(&path)?.is_dir() {
            if is_one_session(&path) {
                files.push(path);
                continue;
            }
            look(&path, files)?;
        } else if path.is_file() && is_session(&path) {
            files.push(path);
        }
    }
    Ok(())
}

fn is_session(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let plain = name.trim_end_matches(".gz").trim_end_matches(".zst");
    plain.ends_with(".jsonl") || plain.ends_with(".json")
}
