//! Where a session comes from: a file, a folder of one-event files or stdin, plain or packed; or the store.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use enfold::file;
use enfold::file::document::Document;
use enfold::source::ReadError;

use crate::args::FromArg;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{stored, unpack};

/// What to read. Parsed from `FILE`, where `-` is stdin and `session:ID` a session of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// `-`, or nothing named at all.
    Stdin,
    /// A file or a folder.
    Path(PathBuf),
    /// A session of the store, by its id or the beginning of it.
    Stored(String),
}

impl Input {
    /// Whether it is what somebody would type now.
    pub fn is_terminal(&self) -> bool {
        *self == Input::Stdin && io::stdin().is_terminal()
    }
}

/// What stands before the id of a stored session. A file whose name begins like this is written `./session:…`.
const STORED: &str = "session:";

/// Why a session could not be had.
pub enum Unread {
    /// The bytes could not be had.
    Failed(Failure),
    /// The bytes are no session.
    NoSession(ReadError),
}

/// Reads a session in the format named, or in the one it turns out to be in.
pub fn read_session(input: &Input, from: &FromArg) -> Result<Document, Failure> {
    read(input, from).map_err(|error| match error {
        Unread::Failed(failure) => failure,
        Unread::NoSession(error) => Failure::BadInput(format!("{input}: {error}")),
    })
}

/// The same, for those who can still use what is no session.
pub fn read(input: &Input, from: &FromArg) -> Result<Document, Unread> {
    if let Input::Stored(id) = input {
        return read_stored(id, from).map_err(Unread::Failed);
    }
    let bytes = read_bytes(input).map_err(Unread::Failed)?;
    in_format(&from.from, bytes).map_err(|error| match several(input) {
        Some(failure) => Unread::Failed(failure),
        None => Unread::NoSession(error),
    })
}

/// What to say of a folder that holds sessions and is none itself.
fn several(input: &Input) -> Option<Failure> {
    let Input::Path(folder) = input else { return None };
    let is_of_many = folder.is_dir() && !is_one_session(folder);
    let files = if is_of_many { sessions_in(folder) } else { Vec::new() };
    let first = files.first()?;
    let cause = match files.len() {
        1 => "it is a folder with a session file in it, not a session",
        _ => "it is a folder of several session files, not a session",
    };
    Some(Failure::new(folder.display(), cause, format!("name one file, such as {}", first.display())))
}

/// A folder of one-event files is a session, not a folder of them: OpenHands numbers its events, `0.json` or
/// `event-00000-….json`.
pub fn is_one_session(folder: &Path) -> bool {
    let is_first = |name: &str| name == "0.json" || (name.starts_with("event-0") && name.ends_with(".json"));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| is_first(&entry.file_name().to_string_lossy()))
}

/// The files of a folder that sessions are kept in, by their names.
fn sessions_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file() && is_session(path)).collect();
    files.sort();
    files
}

/// Whether a file is called as sessions are.
pub fn is_session(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let plain = name.trim_end_matches(".gz").trim_end_matches(".zst");
    [".jsonl", ".json", ".traj"].iter().any(|end| plain.ends_with(end))
}

/// The session that bytes of an input are.
pub fn parse(input: &Input, bytes: Vec<u8>, format: &str) -> Result<Document, Failure> {
    in_format(format, bytes).map_err(|error| Failure::BadInput(format!("{input}: {error}")))
}

fn in_format(format: &str, bytes: Vec<u8>) -> Result<Document, ReadError> {
    let _progress = Progress::spinner("parsing");
    match format {
        "auto" => file::read_bytes(bytes),
        name => file::read_bytes_claimed(name, bytes),
    }
}

fn read_stored(id: &str, from: &FromArg) -> Result<Document, Failure> {
    if from.from != "auto" {
        let cause = format!("the store knows the format of session:{id}");
        return Err(Failure::new(format!("--from {}", from.from), cause, "leave it out"));
    }
    let store = stored::open(&from.store)?;
    let session = stored::find(&store, id)?;
    stored::document(&store, &session)
}

/// Everything the input holds, unpacked.
pub fn read_bytes(input: &Input) -> Result<Vec<u8>, Failure> {
    match input {
        Input::Stdin if io::stdin().is_terminal() => {
            let remedy = "name a FILE, take the newest session with --last, or pipe one in";
            Err(Failure::new(input, "it is a terminal", remedy))
        }
        Input::Stdin => read_stream(io::stdin().lock(), None).map_err(|error| cannot_read(input, &error)),
        Input::Stored(_) => {
            Err(Failure::new(input, "a stored session is no plain text", "name a FILE, or leave --text out"))
        }
        Input::Path(path) if path.is_dir() => read_folder(path),
        Input::Path(path) => read_file(path).map_err(|error| cannot_read(input, &error)),
    }
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    read_stream(file, about.is_file().then_some(about.len()))
}

fn read_stream(reader: impl Read, size: Option<u64>) -> io::Result<Vec<u8>> {
    let progress = Progress::bytes("reading", size);
    unpack::read_all(progress.watch(reader), size)
}

/// OpenHands keeps each event in a file of its own: read in the order of their names they are JSON lines.
fn read_folder(folder: &Path) -> Result<Vec<u8>, Failure> {
    let at = |error: io::Error| Failure::file(folder, &error);
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(at)? {
        let path = entry.map_err(at)?.path();
        if path.extension() == Some(OsStr::new("json")) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    if let (true, Some(failure)) = (files.is_empty(), several(&Input::Path(folder.into()))) {
        return Err(failure);
    }
    if files.is_empty() {
        let remedy = "name a session file, or a folder of one-event .json files";
        return Err(Failure::new(folder.display(), "it is a folder without .json files", remedy));
    }
    let mut lines = Vec::new();
    for path in files {
        let text = read_file(&path).map_err(|error| Failure::file(&path, &error))?;
        // JSON has no line break inside a string, so every one of them may become a space.
        lines.extend(text.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }));
        lines.push(b'\n');
    }
    Ok(lines)
}

fn cannot_read(input: &Input, error: &io::Error) -> Failure {
    match (error.kind(), input) {
        (io::ErrorKind::InvalidData, _) => Failure::new(input, error, "get a whole and honest copy of it"),
        (_, Input::Path(path)) => Failure::file(path, error),
        (_, Input::Stdin | Input::Stored(_)) => Failure::new(input, error, "check what is piped in"),
    }
}

impl From<&OsStr> for Input {
    fn from(name: &OsStr) -> Input {
        match name.to_str() {
            Some("-") => Input::Stdin,
            Some(text) if text.starts_with(STORED) => Input::Stored(text[STORED.len()..].into()),
            _ => Input::Path(name.into()),
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Stdin => f.write_str("standard input"),
            Input::Path(path) => path.display().fmt(f),
            Input::Stored(id) => write!(f, "{STORED}{id}"),
        }
    }
}
