//! Sessions of the store: opened, found by the beginning of their ids, read as if from a file.

mod document;
mod origin;
mod recording;
mod rounds;

use std::path::{Path, PathBuf};
use std::time::Duration;

use enfold::text::nearest;
use enfold_store::{Durability, Error, Options, Sessions, Sqlite, StoredSession};

use crate::args::StoreArg;
use crate::failure::Failure;

pub use document::document;
pub use origin::Origin;
pub use recording::{Recorded, record};
pub use rounds::rounds;

/// Opens the store, which must be there; one that cannot be written is read.
pub fn open(named: &StoreArg) -> Result<Sqlite, Failure> {
    let path = path(named)?;
    if !path.exists() {
        let remedy = "make one with `enfold sessions import FILE`, or name another with --store FILE";
        return Err(Failure::new(path.display(), "there is no store", remedy));
    }
    check_file(&path)?;
    Sqlite::open_to_read(path, options()).map_err(failed)
}

/// Opens the store, or makes it.
pub fn open_or_create(named: &StoreArg) -> Result<Sqlite, Failure> {
    let path = path(named)?;
    check_file(&path)?;
    Sqlite::open_with(path, options()).map_err(failed)
}

/// The same for a proxy, whose writes do not wait for the disk: they survive the process, and the client has the whole
/// history anyway. A loss of power costs what was last folded, which is then folded again.
pub fn open_to_serve(named: &StoreArg) -> Result<Sqlite, Failure> {
    let path = path(named)?;
    check_file(&path)?;
    let options = Options { durability: Durability::Relaxed, ..options() };
    Sqlite::open_with(path, options).map_err(failed)
}

fn check_file(path: &Path) -> Result<(), Failure> {
    match path.is_dir() {
        true => Err(Failure::new(path.display(), "it is a folder", "name the file of the store")),
        false => Ok(()),
    }
}

/// Somebody waits at a terminal.
fn options() -> Options {
    Options { patience: Duration::from_secs(5), ..Options::default() }
}

/// Whether there is a store to look into.
pub fn is_there(named: &StoreArg) -> bool {
    path(named).is_ok_and(|path| path.is_file())
}

/// The one named, or the one in the user's data folder.
pub fn path(named: &StoreArg) -> Result<PathBuf, Failure> {
    if let Some(path) = &named.store {
        return Ok(path.clone());
    }
    // The specification says that a relative path is to be ignored.
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let data = folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local/share")));
    let data = data.ok_or_else(|| {
        let remedy = "name the store with --store FILE, or set ENFOLD_STORE";
        Failure::new("the store", "there is no data folder: neither XDG_DATA_HOME nor HOME is set", remedy)
    })?;
    Ok(data.join("enfold/enfold.db"))
}

/// The session of an id, or of the beginning of one.
pub fn find(store: &Sqlite, typed: &str) -> Result<StoredSession, Failure> {
    let typed = typed.strip_prefix("session:").unwrap_or(typed);
    if let Some(session) = store.session(typed).map_err(failed)? {
        return Ok(session);
    }
    let mut sessions = store.sessions().map_err(failed)?;
    let is_meant = |session: &StoredSession| !typed.is_empty() && session.session.id.starts_with(typed);
    let meant: Vec<usize> = (0..sessions.len()).filter(|nth| is_meant(&sessions[*nth])).collect();
    match meant.as_slice() {
        [only] => Ok(sessions.swap_remove(*only)),
        [] => Err(unknown(store, typed, &sessions)),
        several => {
            let mut ids: Vec<&str> = several.iter().map(|nth| sessions[*nth].session.id.as_str()).collect();
            ids.sort_unstable();
            let remedy = format!("type more of one of {}", some(ids.into_iter()));
            Err(Failure::new(format!("session `{typed}`"), "several sessions begin like this", remedy))
        }
    }
}

fn unknown(store: &Sqlite, typed: &str, sessions: &[StoredSession]) -> Failure {
    let cause = format!("{} has none of this id", store.path().display());
    let ids = sessions.iter().map(|session| session.session.id.as_str());
    let remedy = match nearest(typed, ids).trim_start_matches("; ") {
        "" if sessions.is_empty() => {
            "it is empty: take one in with `enfold sessions import FILE`".to_string()
        }
        "" => "`enfold sessions list` lists them".to_string(),
        hint => hint.to_string(),
    };
    Failure::new(format!("session `{typed}`"), cause, remedy)
}

/// The first few of them.
pub fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 6;
    let names: Vec<&str> = names.collect();
    match names.len() {
        ..=MOST => names.join(", "),
        all => format!("{}, and {} more", names[..MOST].join(", "), all - MOST),
    }
}

/// What the store says about itself is said well already.
pub fn failed(error: Error) -> Failure {
    Failure::BadInput(error.to_string())
}
