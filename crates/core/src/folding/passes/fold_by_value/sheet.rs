//! A text read once: its lines, what they cost, what they name and how they hang together.
//!
//! A sheet depends on the text and the counter alone, so it could be kept for as long as the text is.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::count::Counter;
use crate::json::quote;
use crate::text::lines;
use crate::text::names::{self, NameKind};
use crate::text::shape::{self, Mark, Noise};

/// A text, line by line.
pub(super) struct Sheet {
    pub(super) lines: Vec<SheetLine>,
    /// The names of the lines, back to back; each line knows its range.
    pub(super) names: Vec<Name>,
}

/// One line of a text.
pub(super) struct SheetLine {
    pub(super) span: Range<usize>,
    /// Tokens with its line end.
    pub(super) cost: u32,
    pub(super) names: Range<usize>,
    /// Hash of the line without number and white space around it; `None` for what repeats nothing: blank lines, blobs.
    pub(super) key: Option<u64>,
    /// Characters of what the key is made of.
    pub(super) length: usize,
    pub(super) mark: Mark,
}

/// A name, by its hash: two of a million share one with a chance of about 10⁻⁷, and then one of them is misjudged.
#[derive(Clone, Copy)]
pub(super) struct Name {
    pub(super) hash: u64,
    pub(super) kind: NameKind,
}

/// How a text is written where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// As it is.
    Plainly,
    /// Inside a JSON string of a call's arguments.
    Quoted,
}

impl Sheet {
    /// Reads a text.
    pub(super) fn read(text: &str, written: Written, counter: &dyn Counter) -> Sheet {
        let units = lines::units(text);
        let marks = shape::marks(text, &units);
        let mut sheet = Sheet { lines: Vec::with_capacity(units.len()), names: Vec::new() };
        let mut ended = String::new();
        for (span, mark) in units.into_iter().zip(marks) {
            let line = &text[span.clone()];
            let first = sheet.names.len();
            let is_blob = mark.noise == Noise::Blob;
            if !is_blob {
                sheet.find_names(line);
            }
            let key = if is_blob { "" } else { lines::key(line) };
            ended.clear();
            match written {
                Written::Plainly => {
                    ended.push_str(line);
                    ended.push('\n');
                }
                Written::Quoted => {
                    let literal = quote(line);
                    ended.push_str(&literal[1..literal.len() - 1]);
                    ended.push_str("\\n");
                }
            }
            sheet.lines.push(SheetLine {
                cost: counter.count(&ended) as u32,
                names: first..sheet.names.len(),
                key: (!key.is_empty()).then(|| xxh3_64(key.as_bytes())),
                length: key.chars().count(),
                span,
                mark,
            });
        }
        sheet
    }

    /// Appends the names of a line, each once.
    fn find_names(&mut self, line: &str) {
        let first = self.names.len();
        names::names(line, |name| {
            let hash = xxh3_64(name.as_bytes());
            if !self.names[first..].iter().any(|known| known.hash == hash) {
                self.names.push(Name { hash, kind: names::kind(name) });
            }
        });
    }
}
