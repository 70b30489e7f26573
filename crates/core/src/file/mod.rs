//! Files: which format they are in, what they hold, how to write them back.

pub mod convert;
pub mod document;
pub mod notation;
mod request;

use bytestring::ByteString;

use crate::source::{self, Source};
use crate::transcript::{Sample, TRANSCRIPTS, Transcript};
use crate::wire::{self, Neutral, WIRES};
use document::{Document, Layout};

pub use request::detect_messages;
pub(crate) use request::read_any;

pub use crate::source::ReadError;

/// The name of Enfold's text notation, which is neither JSON nor lines of it.
pub const NOTATION: &str = "notation";

/// The names of all formats, wire formats first.
pub fn names() -> Vec<&'static str> {
    let wires = WIRES.iter().map(|wire| wire.name());
    wires.chain(TRANSCRIPTS.iter().map(|format| format.name())).chain([NOTATION]).collect()
}

/// Reads a file in the format it is in, by content: JSON, JSON lines, or the text notation.
pub fn read_bytes(bytes: Vec<u8>) -> Result<Document, ReadError> {
    match std::str::from_utf8(&bytes) {
        Ok(text) if notation::looks_like(text) => read_bytes_as(NOTATION, bytes),
        _ => read(source_of(bytes)?),
    }
}

/// Reads a file as the format named.
pub fn read_bytes_as(name: &str, bytes: Vec<u8>) -> Result<Document, ReadError> {
    match name {
        NOTATION => notation_document(source::text_of(bytes)?),
        _ => read_as(name, source_of(bytes)?),
    }
}

/// Reads a file as the format that somebody says it is in, and refuses it where its content says otherwise: half a session
/// looks like one.
pub fn read_bytes_claimed(name: &str, bytes: Vec<u8>) -> Result<Document, ReadError> {
    if name == NOTATION {
        return read_bytes_as(name, bytes);
    }
    let source = source_of(bytes)?;
    let (transcript, wire) = (transcript_of(&source), request::detect(&source));
    let seen = match (transcript, wire) {
        (Some(transcript), _) => looks_like(transcript.name(), transcript.title()),
        (None, Some(wire)) => looks_like(wire.name(), wire.title()),
        (None, None) => {
            format!("it is {}; known formats: {}", request::describe(&source), names().join(", "))
        }
    };
    if let Some(wire) = wire::named(name) {
        if transcript.is_some() || !request::may_be(&source, wire) {
            return Err(ReadError::WrongShape { format: wire.title(), why: seen });
        }
        return request::read(wire, source);
    }
    let claimed = TRANSCRIPTS.iter().find(|format| format.name() == name);
    let is_another = |document: &Document| match (transcript, wire) {
        (Some(transcript), _) => transcript.name() != name,
        // A log may hold messages as they were sent; in another wire format they are none of this log.
        (None, Some(wire)) => wire.name() != document.wire.name(),
        (None, None) => false,
    };
    let document = read_as(name, source)?;
    let is_empty = document.history.messages().is_empty() && !document.source.trim().is_empty();
    match claimed {
        Some(claimed) if is_empty || is_another(&document) => {
            Err(ReadError::WrongShape { format: claimed.title(), why: seen })
        }
        _ => Ok(document),
    }
}

fn looks_like(name: &str, title: &str) -> String {
    format!("it looks like \"{title}\"; leave --from out, or write --from {name}")
}

/// The transcript format a source is in, by content; `None` for requests and lists of messages.
pub(crate) fn transcript_of(source: &Source) -> Option<&'static dyn Transcript> {
    let sample = Sample::of(source);
    TRANSCRIPTS.iter().copied().find(|format| format.detect(&sample))
}

/// Reads a source in the format it is in, by content.
pub fn read(source: Source) -> Result<Document, ReadError> {
    if let Some(transcript) = transcript_of(&source) {
        return request::read_transcript(transcript, source);
    }
    match request::detect(&source) {
        Some(wire) => request::read(wire, source),
        None => Err(unknown(&source)),
    }
}

/// Reads a source as the format named.
pub fn read_as(name: &str, source: Source) -> Result<Document, ReadError> {
    if let Some(wire) = wire::named(name) {
        return request::read(wire, source);
    }
    match TRANSCRIPTS.iter().find(|format| format.name() == name) {
        Some(transcript) => request::read_transcript(*transcript, source),
        None => {
            Err(ReadError::UnknownFormat { seen: format!("the name `{name}`"), known: names().join(", ") })
        }
    }
}

fn notation_document(text: ByteString) -> Result<Document, ReadError> {
    let history = notation::parse(&text)
        .map_err(|error| ReadError::WrongShape { format: "Enfold's notation", why: error.to_string() })?;
    Ok(Document {
        format: NOTATION,
        wire: &Neutral,
        source: text,
        layout: Layout::Extracted,
        history,
        tools: None,
        model: None,
        usage: Vec::new(),
        times: Vec::new(),
        is_kept_long: false,
        findings: Vec::new(),
    })
}

/// What cannot be read at all is answered with the formats there are.
fn source_of(bytes: Vec<u8>) -> Result<Source, ReadError> {
    Source::from_bytes(bytes).map_err(|error| match error {
        ReadError::NoJson { seen } => ReadError::UnknownFormat { seen, known: names().join(", ") },
        other => other,
    })
}

fn unknown(source: &Source) -> ReadError {
    ReadError::UnknownFormat { seen: request::describe(source), known: names().join(", ") }
}
