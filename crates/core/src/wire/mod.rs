//! Wire formats: what a provider is sent. Read and written, message by message. One folder each.
//!
//! To add one: write its folder, add its line to [`WIRES`], and give it a validator in [`crate::validate`].

mod ai_sdk;
mod anthropic;
mod arguments;
mod fields;
mod fingerprint;
mod gemini;
mod ids;
mod losses;
mod media;
mod messages;
mod neutral;
mod openai_chat;
mod openai_responses;
mod pi_agent_core;
mod plan;
mod seal;
mod structured;
mod tools;
mod turns;

use bytestring::ByteString;

use crate::finding::Finding;
use crate::history::{History, Parsed, Slot, Span};
use crate::json::{ObjectWriter, Raw};

pub use ai_sdk::AiSdk;
pub use anthropic::Anthropic;
pub use fingerprint::{fingerprint, is_same};
pub use gemini::Gemini;
pub use messages::Messages;
pub use neutral::Neutral;
pub use openai_chat::OpenAiChat;
pub use openai_responses::OpenAiResponses;
pub use pi_agent_core::PiAgentCore;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::AiSdk {}
    impl Sealed for super::Anthropic {}
    impl Sealed for super::Gemini {}
    impl Sealed for super::Neutral {}
    impl Sealed for super::OpenAiChat {}
    impl Sealed for super::OpenAiResponses {}
    impl Sealed for super::PiAgentCore {}
}

/// Every wire format. Where a message would fit several, the first one is taken.
pub static WIRES: &[&dyn Wire] = &[&OpenAiChat, &Anthropic, &OpenAiResponses, &AiSdk, &Gemini, &PiAgentCore];

/// A format of requests to a model. Implementations hold no state, and stand in this crate: a validator, a reader and a writer
/// belong together.
pub trait Wire: sealed::Sealed + Sync {
    /// Its name on the command line: `openai-chat`.
    fn name(&self) -> &'static str;

    /// Its name for people, with the versions it covers.
    fn title(&self) -> &'static str;

    /// Where a request object keeps its parts.
    fn shape(&self) -> RequestKeys;

    /// Whether a message could be of this format. Used for detection only; must not be slow.
    fn likeness(&self, message: Raw) -> Likeness;

    /// Whether a message that this format reads is also spelt as it is today.
    fn is_current(&self, _message: Raw) -> bool {
        true
    }

    /// Takes a message apart. Tolerant: what it does not know becomes [`crate::history::ItemKind::Other`] or an extra;
    /// an error is for values that are no message at all.
    fn read_message(&self, raw: &ByteString) -> Result<Parsed, Misshapen>;

    /// The same for any JSON value: what is no message of this format becomes one of [`crate::history::Role::Unknown`], whole, and the
    /// second value says why.
    fn read_any(&self, raw: &ByteString) -> (Parsed, Option<Misshapen>) {
        match self.read_message(raw) {
            Ok(parsed) => (parsed, None),
            Err(error) => (Parsed::unknown(raw, Slot::List, "unknown"), Some(error)),
        }
    }

    /// Takes the value of the head field (system prompt) apart. Only called if [`RequestKeys::head`] names one.
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
#[non_exhaustive]
pub struct RequestKeys {
    /// Key of the list of messages.
    pub list: &'static str,
    /// Key of the system prompt, where it is not in the list.
    pub head: Option<&'static str>,
    /// Keys of a request that no other format has.
    pub marks: &'static [&'static str],
    /// Paths of fields beside messages, head and tools that the model reads: older spellings of tools, schemas of its
    /// answer.
    pub schemas: &'static [&'static [&'static str]],
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

/// Refuses a message that is too large for [`Span`]s to point into, by its bytes.
pub(crate) fn check_size(bytes: usize) -> Result<(), Misshapen> {
    match bytes <= Span::FURTHEST {
        true => Ok(()),
        false => Err(Misshapen("it is larger than 4 GiB".into())),
    }
}

/// A history written in a wire format.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Written {
    /// The value of the head field.
    pub head: Option<String>,
    /// The messages.
    pub messages: Messages,
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

/// The wire format of that name.
pub fn named(name: &str) -> Option<&'static dyn Wire> {
    WIRES.iter().copied().find(|wire| wire.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_beyond_four_gigabytes_is_refused() {
        assert_eq!(check_size(Span::FURTHEST), Ok(()));
        assert_eq!(check_size(Span::FURTHEST + 1).unwrap_err().to_string(), "it is larger than 4 GiB");
    }
}
