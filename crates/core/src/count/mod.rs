//! Tokens: how much of a model's window a text, an item, a history takes.
//!
//! | module | what it knows |
//! |---|---|
//! | [`Encoding`] | the exact vocabularies of OpenAI's models |
//! | [`Scaled`], [`Heuristic`] | estimates where no vocabulary is public |
//! | [`CachedCounter`] | counts remembered by content |
//! | `sheet` | texts read line by line: what each line costs and names |
//! | [`weigh`] | items, messages, tool schemas: what is counted and which overhead is added |
//! | [`media`] | pictures, documents, sounds |
//! | [`Tally`] | the counts of a growing history |
//! | [`Calibration`] | estimates corrected by what the provider reported |
//! | [`money`] | what responses cost at known prices |
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
pub mod money;
mod scaled;
pub(crate) mod sheet;
mod tally;
#[cfg(feature = "tokenizer-json")]
mod tokenizer_json;
mod usage;
pub mod weigh;

use std::ops::Range;

pub use bpe::Encoding;
pub use cache::CachedCounter;
pub use calibration::{Calibration, Estimate, Label};
pub use scaled::{Factor, FactorError, Heuristic, Scaled};
pub(crate) use tally::HORIZON;
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

    /// The number of tokens of `text`, and of each of its lines with a line end behind it. `lines` are such as
    /// [`crate::text::lines::units`] finds. The numbers are those of [`count`](Counter::count); a counter that knows
    /// where texts can be cut finds them all in one go.
    fn count_lines(&self, text: &str, lines: &[Range<usize>]) -> LineCounts {
        LineCounts {
            text: self.count(text),
            lines: lines.iter().map(|line| count_line(self, text, line)).collect(),
        }
    }

    /// The same as [`count`](Counter::count), for a text that will not be counted again: nothing is remembered of it.
    fn count_in_passing(&self, text: &str) -> usize {
        self.count(text)
    }

    /// Whether the numbers are those of the model's own tokenizer.
    fn is_exact(&self) -> bool;
}

/// The tokens of a text and of its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Of the whole text.
    pub text: usize,
    /// Of each line, with a line end.
    pub lines: Vec<u32>,
}

/// The tokens of a line with its line end, or with one where it has none.
fn count_line<C: Counter + ?Sized>(counter: &C, text: &str, line: &Range<usize>) -> u32 {
    let count = match text.as_bytes().get(line.end) {
        Some(b'\n') => counter.count(&text[line.start..=line.end]),
        _ => counter.count(&format!("{}\n", &text[line.clone()])),
    };
    u32::try_from(count).unwrap_or(u32::MAX)
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

    fn count_lines(&self, text: &str, lines: &[Range<usize>]) -> LineCounts {
        (**self).count_lines(text, lines)
    }

    fn count_in_passing(&self, text: &str) -> usize {
        (**self).count_in_passing(text)
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

    fn count_lines(&self, text: &str, lines: &[Range<usize>]) -> LineCounts {
        (**self).count_lines(text, lines)
    }

    fn count_in_passing(&self, text: &str) -> usize {
        (**self).count_in_passing(text)
    }

    fn is_exact(&self) -> bool {
        (**self).is_exact()
    }
}
