//! The opaque part of reasoning: what proves to a provider that its model thought this.
//!
//! Only the provider that sealed it takes it back. AI SDK messages carry the seals of others in `providerOptions`, so
//! reasoning survives the way through them.

use std::borrow::Cow;

use crate::history::History;
use crate::history::Item;
use crate::json::{ObjectWriter, Raw};

/// The opaque part of one block of reasoning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seal<'a> {
    /// Claude's signature of a text.
    ClaudeSigned(Cow<'a, str>),
    /// Claude's thinking, unreadable.
    ClaudeRedacted(Cow<'a, str>),
    /// OpenAI's encrypted reasoning.
    OpenAiEncrypted(Cow<'a, str>),
}

impl<'a> Seal<'a> {
    /// The seal on an item of reasoning, in whatever format it was read.
    pub(super) fn of(history: &'a History, item: &Item) -> Option<Seal<'a>> {
        Seal::on(Raw::trusted(history.raw_of(item)))
    }

    /// The seal on a part: a block, an item or an AI SDK part.
    pub(super) fn on(part: Raw<'a>) -> Option<Seal<'a>> {
        let native = match part.str_at("type").as_deref() {
            Some("thinking") => part.str_at("signature").map(Seal::ClaudeSigned),
            Some("redacted_thinking" | "redacted-reasoning") => part.str_at("data").map(Seal::ClaudeRedacted),
            Some("reasoning") => part.str_at("encrypted_content").map(Seal::OpenAiEncrypted),
            _ => None,
        };
        let foreign = || {
            let options = part.get("providerOptions").or(part.get("providerMetadata"))?;
            let at = |provider, key| options.at(&[provider, key]).and_then(Raw::str);
            at("anthropic", "signature")
                .map(Seal::ClaudeSigned)
                .or_else(|| at("anthropic", "redactedData").map(Seal::ClaudeRedacted))
                .or_else(|| at("openai", "reasoningEncryptedContent").map(Seal::OpenAiEncrypted))
        };
        native.or_else(foreign).filter(|seal| !seal.text().is_empty())
    }

    /// The opaque text.
    pub(super) fn text(&self) -> &str {
        match self {
            Seal::ClaudeSigned(text) | Seal::ClaudeRedacted(text) | Seal::OpenAiEncrypted(text) => text,
        }
    }

    /// As the AI SDK's `providerOptions`.
    pub(super) fn provider_options(&self) -> String {
        let (provider, key) = match self {
            Seal::ClaudeSigned(_) => ("anthropic", "signature"),
            Seal::ClaudeRedacted(_) => ("anthropic", "redactedData"),
            Seal::OpenAiEncrypted(_) => ("openai", "reasoningEncryptedContent"),
        };
        let options = ObjectWriter::new().string(key, self.text()).finish();
        ObjectWriter::new().json(provider, &options).finish()
    }
}
