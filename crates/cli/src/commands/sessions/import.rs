//! `enfold sessions import`: whatever it is, into the store, once.

use enfold::finding::{Finding, Severity};
use enfold::history::MessageId;
use enfold_store::{
    At, Entry, Error, NewMessage, Portable, Records, Sessions, Sqlite, StoredSession, Transfer,
};
use serde_json::{Value, json};

use super::incoming::{self, Incoming};
use crate::args::ImportArgs;
use crate::failure::Failure;
use crate::input::Input;
use crate::report::{self, Stream, Table, number, times};
use crate::stored::{self, failed};
use crate::{moment, output};

/// Takes in file after file. One that cannot be taken in does not hold up the others.
pub fn run(args: &ImportArgs) -> Result<(), Failure> {
    if args.id.is_some() && args.files.len() > 1 {
        let remedy = "import them one by one, or leave --id out: each is named like its file";
        return Err(Failure::new("--id", format!("it names one session, not {}", args.files.len()), remedy));
    }
    let mut store = None;
    let mut taken = Vec::new();
    let mut failures = Vec::new();
    for file in &args.files {
        if let Err(failure) = take(file, args, &mut store, &mut taken) {
            failures.push(failure);
        }
    }
    tell(args, store.as_ref(), &taken)?;
    end(failures, args.files.len())
}

/// What became of a session.
struct Taken {
    file: String,
    id: String,
    incoming: Incoming,
    outcome: Outcome,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It is stored.
    Imported,
    /// It was there, and had so many messages fewer.
    Grown(usize),
    /// It was there.
    AlreadyThere,
}

/// The store is opened when there is something to put in: a file that cannot be read makes none.
fn take(
    file: &Input,
    args: &ImportArgs,
    store: &mut Option<Sqlite>,
    taken: &mut Vec<Taken>,
) -> Result<(), Failure> {
    for incoming in incoming::read(file, args)? {
        if store.is_none() {
            *store = Some(stored::open_or_create(&args.store)?);
        }
        let Some(store) = store.as_ref() else { continue };
        let id = incoming.session.session.session.id.clone();
        let outcome = put(store, &incoming, file)?;
        taken.push(Taken { file: file.to_string(), id, incoming, outcome });
    }
    Ok(())
}

fn put(store: &Sqlite, incoming: &Incoming, file: &Input) -> Result<Outcome, Failure> {
    let session = &incoming.session;
    match store.session(&session.session.session.id).map_err(failed)? {
        None => match store.put_in(session) {
            Ok(()) => Ok(Outcome::Imported),
            // Another process was quicker; it is compared with what that one stored.
            Err(Error::SessionExists(_)) => put(store, incoming, file),
            Err(error) => Err(Failure::BadInput(format!("{file}: {error}"))),
        },
        Some(there) if incoming.is_export => same_export(store, there, session, file),
        Some(there) => match grow(store, &there, session, file)? {
            Some(outcome) => Ok(outcome),
            None => put(store, incoming, file),
        },
    }
}

/// An export is all of a session: it is there as it is, or it is another.
fn same_export(
    store: &Sqlite,
    there: StoredSession,
    session: &Portable,
    file: &Input,
) -> Result<Outcome, Failure> {
    let mut stored = store.take_out(&there.session.id).map_err(failed)?;
    stored.session.lease = None;
    // Sizes are counted anew when a session is put in.
    stored.session.bytes = session.session.bytes;
    if stored == *session { Ok(Outcome::AlreadyThere) } else { Err(another(file, &there)) }
}

/// A file is what a session was at some time: what is new in it is appended. `None` if another process appended meanwhile.
fn grow(
    store: &Sqlite,
    there: &StoredSession,
    session: &Portable,
    file: &Input,
) -> Result<Option<Outcome>, Failure> {
    let id = &there.session.id;
    let stored = store.messages(id, MessageId::ALL).map_err(failed)?;
    let shared = stored.len().min(session.messages.len());
    if there.session.wire != session.session.session.wire || stored[..shared] != session.messages[..shared] {
        return Err(another(file, there));
    }
    let new = &session.messages[shared..];
    if new.is_empty() {
        return Ok(Some(Outcome::AlreadyThere));
    }
    let known = store.usage(id).map_err(failed)?.len();
    let entry = Entry {
        at: At::Number(MessageId::new(shared)),
        messages: new.iter().map(|message| NewMessage { slot: message.slot, raw: &message.raw }).collect(),
        usage: session.usage.iter().skip(known).map(|usage| usage.what).collect(),
        events: session.events.clone(),
        ..Entry::default()
    };
    match store.append(id, &entry, moment::now()) {
        Ok(_) => Ok(Some(Outcome::Grown(new.len()))),
        Err(Error::Moved { .. }) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn another(file: &Input, there: &StoredSession) -> Failure {
    let id = &there.session.id;
    let cause =
        format!("session `{id}` is there and is another ({})", times(there.messages as u64, "message"));
    let remedy = format!("store it under another name with --id ID, or `enfold sessions rm {id}` first");
    Failure::new(file, cause, remedy)
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Outcome::Imported => "imported",
            Outcome::Grown(_) => "grown",
            Outcome::AlreadyThere => "already there",
        }
    }
}

impl Taken {
    fn messages(&self) -> usize {
        self.incoming.session.messages.len()
    }

    /// Messages that were not there before.
    fn added(&self) -> usize {
        match self.outcome {
            Outcome::Imported => self.messages(),
            Outcome::Grown(new) => new,
            Outcome::AlreadyThere => 0,
        }
    }

    fn as_json(&self) -> Value {
        json!({
            "file": self.file,
            "id": self.id,
            "outcome": self.outcome.name().replace(' ', "_"),
            "wire": self.incoming.session.session.session.wire,
            "messages": self.messages(),
            "added": self.added(),
            "findings": self.incoming.findings.iter().map(report::finding_json).collect::<Vec<_>>(),
        })
    }
}

fn tell(args: &ImportArgs, store: Option<&Sqlite>, taken: &[Taken]) -> Result<(), Failure> {
    let store = store.map(|store| store.path().display().to_string());
    if args.json {
        let sessions: Vec<Value> = taken.iter().map(Taken::as_json).collect();
        return output::print(&format!("{:#}\n", json!({ "store": store, "sessions": sessions })));
    }
    for taken in taken {
        let warns = |finding: &&Finding| finding.severity > Severity::Note;
        let findings: Vec<_> = taken.incoming.findings.iter().filter(warns).cloned().collect();
        if !findings.is_empty() {
            output::note(&format!("{}\n", report::clean(&taken.file)));
            output::note(&report::findings(Stream::Stderr, &findings));
        }
    }
    let Some(store) = store.filter(|_| !taken.is_empty()) else { return Ok(()) };
    let mut table = Table::new(Stream::Stdout, &["!session", "!outcome", "#messages", "#new", "!format"]);
    for taken in taken {
        table.line([
            taken.id.clone(),
            taken.outcome.name().into(),
            number(taken.messages() as u64),
            number(taken.added() as u64),
            taken.incoming.session.session.session.wire.clone(),
        ]);
    }
    output::print(&format!("{}\nThe store is {}\n", table.render(), report::clean(&store)))
}

/// The only failure is the command's own; of several, each is told.
fn end(mut failures: Vec<Failure>, files: usize) -> Result<(), Failure> {
    if failures.len() <= 1 {
        return failures.pop().map_or(Ok(()), Err);
    }
    for message in failures.iter().filter_map(Failure::message) {
        output::note(&format!("error: {}\n", report::clean(&message)));
    }
    Err(Failure::new(
        "import",
        format!("{} of {files} files could not be taken in", failures.len()),
        "see above",
    ))
}
