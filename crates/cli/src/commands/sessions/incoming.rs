//! What can be taken into the store: exports, sessions in any format, tables of other programs.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use enfold::file;
use enfold::file::convert::convert;
use enfold::file::document::Document;
use enfold::finding::Finding;
use enfold::history::MessageId;
use enfold::wire;
use enfold::wire::OpenAiChat;
use enfold_store::{Error, NewSession, Portable, StoredMessage, StoredSession, Timed, rows};

use crate::args::ImportArgs;
use crate::commands::convert::lost;
use crate::commands::ledger;
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::inspect::first_words;
use crate::moment;
use crate::progress::Progress;
use crate::stored::{Origin, failed};

/// A session on its way into the store.
pub struct Incoming {
    /// The session.
    pub session: Portable,
    /// Whether it comes out of a store, with all that belongs to it.
    pub is_export: bool,
    /// What was noticed while reading it.
    pub findings: Vec<Finding>,
}

/// The sessions of a file.
pub fn read(file: &Input, args: &ImportArgs) -> Result<Vec<Incoming>, Failure> {
    if let Input::Stored(_) = file {
        return Err(Failure::new(file, "it is in a store already", "name a FILE"));
    }
    let mut found = match file {
        // What comes through a pipe can be read only once.
        Input::Path(path) if path.is_file() && is_sqlite(path) => from_table(path, args.table.as_deref())?,
        _ if args.table.is_some() => {
            let remedy = "leave --table out, or name an SQLite file";
            return Err(Failure::new(file, "it is no SQLite file and has no tables", remedy));
        }
        _ => vec![from_bytes(file, args)?],
    };
    match (&args.id, found.as_mut_slice()) {
        (None, _) => {}
        (Some(id), [only]) => only.session.session.session.id = id.clone(),
        (Some(_), several) => {
            let cause = format!("it holds {} sessions", several.len());
            return Err(Failure::new(file, cause, "leave --id out: each has an id of its own"));
        }
    }
    if found.iter().any(|incoming| incoming.session.session.session.id.trim().is_empty()) {
        return Err(Failure::new(file, "the session has no id", "give it one with --id ID"));
    }
    Ok(found)
}

fn is_sqlite(path: &Path) -> bool {
    const MARK: &[u8] = b"SQLite format 3\0";
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MARK.len() as u64).read_to_end(&mut start));
    read.is_ok() && start == MARK
}

fn from_table(path: &Path, table: Option<&str>) -> Result<Vec<Incoming>, Failure> {
    let _progress = Progress::spinner("reading rows");
    let columns = rows::guess(path, table).map_err(failed)?;
    let found = rows::read(path, &columns).map_err(|error| match error {
        Error::Import { why, .. } => {
            Failure::BadInput(format!("{}: table `{}`: {why}", path.display(), columns.table))
        }
        other => failed(other),
    })?;
    if found.is_empty() {
        let cause = format!("table `{}` has no rows", columns.table);
        return Err(Failure::new(path.display(), cause, "name another with --table"));
    }
    let now = moment::now();
    let incoming = found.into_iter().map(|rows::Found { mut session, findings }| {
        for time in [&mut session.session.created, &mut session.session.updated] {
            // Rows without a time are as old as their import.
            *time = if *time == Duration::ZERO { now } else { *time };
        }
        session.session.session.name = name_of(&session);
        Incoming { session, is_export: false, findings }
    });
    Ok(incoming.collect())
}

fn from_bytes(file: &Input, args: &ImportArgs) -> Result<Incoming, Failure> {
    let bytes = input::read_bytes(file)?;
    if is_export(&bytes) {
        let _progress = Progress::spinner("parsing");
        let session = Portable::read(&*bytes).map_err(|error| match error {
            Error::Import { line, why } => {
                Failure::new(format!("{file}, line {line}"), why, "nothing of this export was taken in")
            }
            other => failed(other),
        })?;
        return Ok(Incoming { session, is_export: true, findings: Vec::new() });
    }
    let id = match &args.id {
        Some(id) => id.clone(),
        None => id_of(file)?,
    };
    from_session(input::parse(file, bytes, &args.from)?, id, file)
}

/// Exports begin with the version of their lines.
fn is_export(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    let line = line.filter(|line| line.len() < 100);
    let value: Option<serde_json::Value> = line.and_then(|line| serde_json::from_slice(line).ok());
    value.is_some_and(|value| {
        value.as_object().is_some_and(|object| object.len() == 1 && object.contains_key("enfold"))
    })
}

/// The name of the file, without what only says how it is packed.
fn id_of(file: &Input) -> Result<String, Failure> {
    const ENDINGS: &[&str] = &[".jsonl", ".json", ".traj", ".zst", ".gz", ".txt"];
    let Input::Path(path) = file else {
        return Err(Failure::new(file, "it has no name to call the session by", "add --id ID"));
    };
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let name = whole.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let mut id = name.as_str();
    while let Some(rest) =
        ENDINGS.iter().find_map(|ending| id.strip_suffix(ending)).filter(|rest| !rest.is_empty())
    {
        id = rest;
    }
    Ok(id.to_string())
}

fn from_session(mut document: Document, id: String, file: &Input) -> Result<Incoming, Failure> {
    let mut findings = document.findings.clone();
    let format = document.format;
    if wire::named(document.wire.name()).is_none() {
        // The notation is no provider's format; the store keeps what a provider would take.
        let converted = convert(&document, &OpenAiChat, None);
        findings.extend(lost(&document, &converted));
        document = file::read_bytes_as("openai-chat", converted.text.as_bytes().to_vec())
            .map_err(|error| Failure::new(file, error, "convert it with `enfold convert` first"))?;
    }
    if document.history.messages().is_empty() {
        return Err(Failure::new(file, "it holds no message yet", "import it when it does"));
    }
    let now = moment::now();
    // Lines that are no JSON are told in the findings: a session has no place for what is never sent.
    let sent = document.history.message_ids().filter(|id| !document.history.is_rubble(*id));
    let sent = sent.map(|id| document.history.message(id));
    let messages: Vec<StoredMessage> = sent.enumerate().map(stored).collect();
    let about = NewSession {
        id,
        name: title(&document),
        wire: document.wire.name().into(),
        policy: String::new(),
        model: document.model.as_ref().map(ToString::to_string),
    };
    let session = StoredSession {
        session: about,
        created: now,
        updated: now,
        messages: messages.len(),
        bytes: messages.iter().map(|message| message.raw.len() as u64).sum(),
        ..StoredSession::default()
    };
    let usage = document.usage.iter().map(|usage| Timed { at: now, what: *usage }).collect();
    let origin = Origin { format: format.into(), ..Origin::of(&document, file) };
    let events = vec![origin.event(now)];
    let session = Portable { session, messages, usage, events, ..Portable::default() };
    Ok(Incoming { session, is_export: false, findings })
}

fn stored((nth, message): (usize, &enfold::history::Message)) -> StoredMessage {
    StoredMessage { number: MessageId::new(nth), slot: message.slot, raw: message.raw.clone() }
}

/// The first words of the task: what people know a session by.
fn title(document: &Document) -> String {
    ledger::of(document).task.map_or(String::new(), |task| first_words(&task))
}

/// The same for a session that came without a document.
fn name_of(session: &Portable) -> String {
    let raws: Vec<&str> = session.messages.iter().map(|message| &*message.raw).collect();
    let wire = &session.session.session.wire;
    let document = file::read_bytes_as(wire, raws.join("\n").into_bytes());
    document.map_or(String::new(), |document| title(&document))
}
