//! Tokens: how much of a model's window a text, an item, a history takes.
//!
//! | module | what it knows |
//! |---|---|
//! | [`Encoding`] | the exact vocabularies of OpenAI's models |
//! | [`Scaled`], [`Heuristic`] | estimates where no vocabulary is public |
//! | [`CachedCounter`] | counts remembered by content |
//! | [`weigh`] | items, messages, tool schemas: what is counted and which overhead is added |
//! | [`media`] | pictures, documents, sounds |
//! | [`Tally`] | the counts of a growing history |
//! | [`Calibration`] | estimates corrected by what the provider reported |
//!
//! Nothing is loaded before the first text is counted.

mod bpe;
pub mod budget;
mod cache;
mod calibration;
mod chunks;
pub mod excerpt;
pub mod media;
pub mod models;
mod scaled;
mod tally;
#[cfg(feature = "tokenizer-json")]
mod tokenizer_json;
mod usage;
pub mod weigh;

pub use bpe::Encoding;
pub use cache::CachedCounter;
pub use calibration::{Calibration, Estimate, Label};
pub use scaled::{Factor, FactorError, Heuristic, Scaled};
pub use tally::Tally;
#[cfg(feature = "tokenizer-json")]
pub use tokenizer_json::{TokenizerJson, TokenizerJsonError};
pub use usage::Usage;

/// Counts the tokens of a text.
///
/// To implement it well: the same text gives the same number; the empty text gives 0; time and memory stay linear
/// on any input; nothing in the text is special (`<|endoftext|>` is thirteen characters of text).
pub trait Counter: Send + Sync {
    /// The word for it in reports: `o200k`, `o200k x 1.6`, `heuristic`.
    fn name(&self) -> String;

    /// The number of tokens of `text`.
    fn count(&self, text: &str) -> usize;

    /// The number of tokens of `text` if it is at most `limit`. May stop early, so that asking about a text far
    /// over the limit costs work in proportion to the limit.
    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        Some(self.count(text)).filter(|count| *count <= limit)
    }

    /// Whether the numbers are those of the model's own tokenizer.
    fn is_exact(&self) -> bool;
}

impl<C: Counter + ?Sized> Counter for &C {
    fn name(&self) -> String {
        (**self).name()
    }

    fn count(&self, text: &str) -> usize {
        (**self).count(text)
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        (**self).count_up_to(text, limit)
    }

    fn is_exact(&self) -> bool {
        (**self).is_exact()
    }
}

impl<C: Counter + ?Sized> Counter for std::sync::Arc<C> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn count(&self, text: &str) -> usize {
        (**self).count(text)
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        (**self).count_up_to(text, limit)
    }

    fn is_exact(&self) -> bool {
        (**self).is_exact()
    }
}
