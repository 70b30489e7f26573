//! Which sessions are replayed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::input::{Input, is_one_session, is_session};
use crate::{found, output, report};

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
                    let cause = "no .jsonl, .json or .traj file is in it or below";
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

/// What is written must not take the place of what is read: a recorded session is not made twice.
pub fn refuse_to_overwrite(inputs: &[Input], option: &str, path: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = path.filter(|path| *path != Path::new("-")) else { return Ok(()) };
    let Ok(there) = fs::canonicalize(path) else { return output::check(path) };
    let is_it = |input: &Input| match input {
        Input::Path(session) => fs::canonicalize(session).is_ok_and(|session| session == there),
        Input::Stdin | Input::Stored(_) => false,
    };
    if inputs.iter().any(is_it) {
        let thing = format!("{option} {}", path.display());
        return Err(Failure::new(thing, "this is the recorded session itself", "name another file"));
    }
    output::check(path)
}

fn look(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // A link may lead back up.
        if fs::symlink_metadata(&path).is_ok_and(|about| about.is_dir()) {
            if is_one_session(&path) {
                files.push(path);
                continue;
            }
            if let Err(error) = look(&path, files) {
                let why = Failure::file(&path, &error).message().unwrap_or_default();
                output::note(&format!("{}; left out\n", report::clean(&why)));
            }
        } else if path.is_file() && is_session(&path) {
            files.push(path);
        }
    }
    Ok(())
}
