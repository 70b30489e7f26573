//! `enfold unfold`: what a fold hides, byte for byte.

use bytestring::ByteString;
use enfold::text::nearest;
use enfold::view::fold::Handle;
use enfold_store::{Records, Sessions, Sqlite, StoredSession};

use crate::args::UnfoldArgs;
use crate::failure::Failure;
use crate::input::Input;
use crate::stored::{self, failed};
use crate::{blobs, input, output, reopening};

/// Prints it.
pub fn run(args: UnfoldArgs) -> Result<(), Failure> {
    match (args.file()?, &args.session, &args.blobs.blobs) {
        (Some(file), ..) => output::print(&from_file(&args, &file)?),
        (None, None, Some(folder)) => {
            let original = blobs::open(folder, &args.handle);
            // A folder named by the environment should not hide the store.
            let original =
                original.or_else(|failure| from_store(&args, None).map(Vec::from).map_err(|_| failure));
            output::print_bytes(&original?)
        }
        _ => output::print(&from_store(&args, args.session.as_deref())?),
    }
}

/// From the session itself. A stored one may have been folded by an agent, whose handles only the store can open.
fn from_file(args: &UnfoldArgs, file: &Input) -> Result<String, Failure> {
    let handle = blobs::handle(&args.handle)?;
    let read = input::read_session(file, &args.from)?;
    let original = reopening::reopen(&read, handle, file).map(String::from);
    match file {
        Input::Stored(id) => original.or_else(|_| from_store(args, Some(id))),
        Input::Stdin | Input::Path(_) => original,
    }
}

fn from_store(args: &UnfoldArgs, session: Option<&str>) -> Result<String, Failure> {
    let handle = blobs::handle(&args.handle)?;
    if session.is_none() && !stored::is_there(&args.from.store) {
        let remedy = "name the session file that was folded behind the handle, or add --blobs DIR with the folder that \
                      `enfold fold --blobs` wrote to (or set ENFOLD_BLOBS), or --store FILE with a store of sessions";
        return Err(Failure::new("unfold", "there is neither a folder of originals nor a store", remedy));
    }
    let store = stored::open(&args.from.store)?;
    let sessions = match session {
        Some(id) => vec![stored::find(&store, id)?],
        None => store.sessions().map_err(failed)?,
    };
    let mut found: Vec<(&str, ByteString)> = Vec::new();
    for session in &sessions {
        let id = session.session.id.as_str();
        if let Some(original) = store.original(id, handle).map_err(failed)? {
            found.push((id, original));
        }
    }
    let is_one = found.windows(2).all(|pair| pair[0].1 == pair[1].1);
    match found.first() {
        None => Err(unknown(&store, handle, session, &sessions)),
        Some((_, original)) if is_one => Ok(original.to_string()),
        Some(_) => {
            let ids = stored::some(found.iter().map(|(id, _)| *id));
            let remedy = format!("add --session with one of {ids}");
            Err(Failure::new(handle, "several sessions have an original with this handle", remedy))
        }
    }
}

fn unknown(store: &Sqlite, handle: Handle, named: Option<&str>, sessions: &[StoredSession]) -> Failure {
    let path = store.path().display();
    let cause = match named {
        Some(_) => format!("session `{}` of {path} has no original of this handle", sessions[0].session.id),
        None => format!("no session of {path} has an original of this handle"),
    };
    let mut known: Vec<String> = Vec::new();
    for session in sessions {
        let epochs = store.epochs(&session.session.id).unwrap_or_default();
        let handles = epochs.iter().flat_map(|epoch| &epoch.folds).flat_map(|fold| &fold.handles);
        known.extend(handles.map(|digits| format!("{digits:09}")));
    }
    let remedy = match nearest(&handle.digits(), known.iter().map(String::as_str)).trim_start_matches("; ") {
        "" if known.is_empty() && named.is_some() => {
            "nothing was folded there yet: `enfold fold session:ID` records what it hides".into()
        }
        "" if known.is_empty() => {
            format!(
                "nothing was folded there yet; if its view was made of a file, name that too: `enfold unfold {} FILE`",
                handle.digits()
            )
        }
        "" if named.is_none() => {
            format!("if its view was made of a file, name that too: `enfold unfold {} FILE`", handle.digits())
        }
        "" => "was its view made by `enfold fold session:ID`, or by an agent with this store?".to_string(),
        hint => hint.to_string(),
    };
    Failure::new(handle, cause, remedy)
}
