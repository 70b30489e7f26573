//! The formats Enfold reads and writes. One file each.
//!
//! A **wire format** ([`Wire`]) is what a provider is sent: read and written, message by message. A **transcript**
//! ([`Transcript`]) is what an agent keeps on disk: read only. A transcript's reader puts together the messages its
//! agent would send, in the wire format it speaks, so that there is one understanding of messages and not fifteen.
//!
//! To add a format: write its file, add its line to [`WIRES`] or [`TRANSCRIPTS`].

mod ai_sdk;
mod anthropic;
mod arguments;
mod fields;
mod gemini;
mod ids;
mod losses;
mod media;
mod neutral;
mod openai_chat;
mod openai_responses;
mod plan;
mod request;
mod seal;
mod tools;
mod turns;

// Transcripts, and what their readers share.
mod chat_text;
mod claude_code;
mod codex;
mod copilot_cli;
mod flat_rows;
mod gemini_cli;
mod mini_swe_agent;
mod openhands;
mod openhands_sdk;
mod pi;
mod sample;
mod session;
mod swe_agent;
mod tau_bench;

use bytestring::ByteString;

use crate::document::{Document, Layout, Usage};
use crate::finding::Finding;
use crate::history::{History, Parsed};
use crate::json::{ObjectWriter, Raw};
use crate::notation;
use crate::source::{self, ReadError, Source};

pub(crate) use request::read_message;

pub use ai_sdk::AiSdk;
pub use anthropic::Anthropic;
pub use gemini::Gemini;
pub use neutral::Neutral;
pub use openai_chat::OpenAiChat;
pub use openai_responses::OpenAiResponses;

pub use claude_code::ClaudeCode;
pub use codex::Codex;
pub use copilot_cli::CopilotCli;
pub use flat_rows::FlatRows;
pub use gemini_cli::GeminiCli;
pub use mini_swe_agent::MiniSweAgent;
pub use openhands::OpenHands;
pub use openhands_sdk::OpenHandsSdk;
pub use pi::Pi;
pub use sample::{Object, Sample};
pub use swe_agent::SweAgent;
pub use tau_bench::TauBench;

/// Every wire format. Where a message would fit several, the first one is taken.
pub static WIRES: &[&dyn Wire] = &[&OpenAiChat, &Anthropic, &OpenAiResponses, &AiSdk, &Gemini];

/// Every transcript format.
pub static TRANSCRIPTS: &[&dyn Transcript] = &[
    &ClaudeCode,
    &Codex,
    &CopilotCli,
    &GeminiCli,
    &Pi,
    &SweAgent,
    &MiniSweAgent,
    &OpenHands,
    &OpenHandsSdk,
    &TauBench,
    &FlatRows,
];

/// A format of requests to a model. Implementations hold no state.
pub trait Wire: Sync {
    /// Its name on the command line: `openai-chat`.
    fn name(&self) -> &'static str;

    /// Its name for people, with the versions it covers.
    fn title(&self) -> &'static str;

    /// Where a request object keeps its parts.
    fn shape(&self) -> Shape;

    /// Whether a message could be of this format. Used for detection only; must not be slow.
    fn likeness(&self, message: Raw) -> Likeness;

    /// Takes a message apart. Tolerant: what it does not know becomes [`crate::item::ItemKind::Other`] or an extra;
    /// an error is for values that are no message at all.
    fn read_message(&self, raw: &ByteString) -> Result<Parsed, Misshapen>;

    /// Takes the value of the head field (system prompt) apart. Only called if [`Shape::head`] names one.
    fn read_head(&self, raw: &ByteString) -> Result<Parsed, Misshapen>;

    /// Writes a history that was read in another format, and says what it could not express.
    fn write(&self, history: &History) -> Written;

    /// A message in which the user says this.
    fn user_message(&self, text: &str) -> String {
        ObjectWriter::new().string("role", "user").string("content", text).finish()
    }

    /// Converts tool definitions from the neutral list.
    fn write_tools(&self, tools: &[ToolDefinition]) -> String;

    /// Reads tool definitions.
    fn read_tools(&self, raw: Raw) -> Vec<ToolDefinition>;
}

/// Where a request object keeps its parts.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Key of the list of messages.
    pub list: &'static str,
    /// Key of the system prompt, where it is not in the list.
    pub head: Option<&'static str>,
    /// Keys of a request that no other format has.
    pub marks: &'static [&'static str],
    /// Whether a request with calls in its history must define tools.
    pub needs_tools: bool,
    /// Whether calls may only follow the user or results, never the model's own words.
    pub strict_turns: bool,
}

/// How well a message fits a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// It has a shape this format does not allow.
    No,
    /// It would be a message of this format, and of others.
    Possible,
    /// It has something only this format has.
    Sure,
}

/// A value that is no message of the format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Misshapen(pub String);

/// A history written in a wire format.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The value of the head field.
    pub head: Option<String>,
    /// The messages.
    pub messages: Vec<String>,
    /// What the format could not express, each with its message in the history that was written.
    pub losses: Vec<Finding>,
}

/// A tool as every format defines it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// What the model is told about it.
    pub description: Option<String>,
    /// JSON schema of its input, byte for byte.
    pub schema: Option<String>,
}

/// A format agents keep their sessions in. Implementations hold no state.
pub trait Transcript: Sync {
    /// Its name on the command line: `claude-code`.
    fn name(&self) -> &'static str;

    /// Its name for people.
    fn title(&self) -> &'static str;

    /// Whether a source is of this format, judged by its first entries only. At most one format says yes to a source.
    fn detect(&self, sample: &Sample) -> bool;

    /// Puts together the messages of the session.
    fn read(&self, source: &Source) -> Result<Extract, ReadError>;
}

/// What a transcript's reader found.
#[derive(Clone)]
pub struct Extract {
    /// The wire format the messages are in.
    pub wire: &'static dyn Wire,
    /// The system prompt, where the transcript has it and the wire format keeps it beside the list.
    pub head: Option<ByteString>,
    /// The messages, in order.
    pub messages: Vec<ByteString>,
    /// Indices of messages that are summaries of what stands before them.
    pub summaries: Vec<usize>,
    /// Tool definitions.
    pub tools: Option<ByteString>,
    /// The model's id.
    pub model: Option<ByteString>,
    /// What the provider reported. `messages` counts the elements of `messages` above.
    pub usage: Vec<Usage>,
    /// What was noticed.
    pub findings: Vec<Finding>,
}

/// The wire format of that name.
pub fn wire(name: &str) -> Option<&'static dyn Wire> {
    WIRES.iter().copied().find(|wire| wire.name() == name)
}

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
        _ => read(Source::from_bytes(bytes)?),
    }
}

/// Reads a file as the format named.
pub fn read_bytes_as(name: &str, bytes: Vec<u8>) -> Result<Document, ReadError> {
    match name {
        NOTATION => notation_document(source::text_of(bytes)?),
        _ => read_as(name, Source::from_bytes(bytes)?),
    }
}

/// The transcript format a source is in, by content; `None` for requests and lists of messages.
pub fn transcript_of(source: &Source) -> Option<&'static dyn Transcript> {
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
    if let Some(wire) = wire(name) {
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
        findings: Vec::new(),
    })
}

fn unknown(source: &Source) -> ReadError {
    ReadError::UnknownFormat { seen: request::describe(source), known: names().join(", ") }
}
