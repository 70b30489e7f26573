//! Where a session comes from: a file, a folder of one-event files, or stdin; plain or packed.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use enfold::document::Document;
use enfold::formats;
use enfold::source::ReadError;

use crate::failure::Failure;
use crate::progress::Progress;
use crate::unpack;

/// What to read. Parsed from `FILE`, where `-` is stdin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// `-`, or nothing named at all.
    Stdin,
    /// A file or a folder.
    Path(PathBuf),
}

/// Why a session could not be had.
pub enum Unread {
    /// The bytes could not be had.
    Failed(Failure),
    /// The bytes are no session.
    NoSession(ReadError),
}

/// Reads a session in the format named, or in the one it turns out to be in.
pub fn read_session(input: &Input, from: &str) -> Result<Document, Failure> {
    read(input, from).map_err(|error| match error {
        Unread::Failed(failure) => failure,
        Unread::NoSession(error) => Failure::BadInput(format!("{input}: {error}")),
    })
}

/// The same, for those who can still use what is no session.
pub fn read(input: &Input, from: &str) -> Result<Document, Unread> {
    let bytes = read_bytes(input).map_err(Unread::Failed)?;
    let _progress = Progress::spinner("parsing");
    let document = match from {
        "auto" => formats::read_bytes(bytes),
        name => formats::read_bytes_as(name, bytes),
    };
    document.map_err(Unread::NoSession)
}

/// Everything the input holds, unpacked.
pub fn read_bytes(input: &Input) -> Result<Vec<u8>, Failure> {
    match input {
        Input::Stdin if io::stdin().is_terminal() => {
            Err(Failure::new(input, "it is a terminal", "name a FILE or pipe a session in"))
        }
        Input::Stdin => read_stream(io::stdin().lock(), None).map_err(|error| cannot_read(input, &error)),
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
        (_, Input::Stdin) => Failure::new(input, error, "check what is piped in"),
    }
}

impl From<&OsStr> for Input {
    fn from(name: &OsStr) -> Input {
        if name == "-" { Input::Stdin } else { Input::Path(name.into()) }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Stdin => f.write_str("standard input"),
            Input::Path(path) => path.display().fmt(f),
        }
    }
}
