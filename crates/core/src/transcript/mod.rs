//! Transcripts: what agents keep on disk. Read only. One file each.
//!
//! A transcript's reader puts together the messages its agent would send, in the wire format it speaks, so that there is
//! one understanding of messages and not fifteen.
//!
//! To add one: write its file, add its line to [`TRANSCRIPTS`].

mod builder;
mod chat_text;
mod claude_code;
mod clock;
mod codex;
mod copilot_cli;
mod flat_rows;
mod gemini_cli;
mod mini_swe_agent;
mod openhands;
mod openhands_sdk;
mod pi;
mod sample;
mod swe_agent;
mod tau_bench;

use bytestring::ByteString;

use crate::count::Usage;
use crate::finding::Finding;
use crate::source::{ReadError, Source};
use crate::wire::Wire;

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

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::ClaudeCode {}
    impl Sealed for super::Codex {}
    impl Sealed for super::CopilotCli {}
    impl Sealed for super::FlatRows {}
    impl Sealed for super::GeminiCli {}
    impl Sealed for super::MiniSweAgent {}
    impl Sealed for super::OpenHands {}
    impl Sealed for super::OpenHandsSdk {}
    impl Sealed for super::Pi {}
    impl Sealed for super::SweAgent {}
    impl Sealed for super::TauBench {}
}

/// A format agents keep their sessions in. Implementations hold no state, and stand in this crate.
pub trait Transcript: sealed::Sealed + Sync {
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
#[non_exhaustive]
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
    /// When messages came, in seconds since 1970: the place of each in `messages`, where the log says when.
    pub times: Vec<(usize, u64)>,
    /// Whether the provider was asked to keep prompts for the longer of two lifetimes.
    pub is_kept_long: bool,
    /// What was noticed.
    pub findings: Vec<Finding>,
}
