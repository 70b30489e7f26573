//! A text read once: its lines, what they cost, what they name and how they hang together.
//!
//! A sheet depends on the text and the counter alone, so it is kept with the counts for as long as the text is.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::{Counter, LineCounts};
use crate::history::{Item, ItemKind};
use crate::json::{Raw, quote};
use crate::text::names::{self, NameKind};
use crate::text::shape::{self, Mark, Noise};
use crate::text::{arguments, lines};

/// A text, line by line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sheet {
    /// Tokens of the whole text.
    pub(crate) tokens: usize,
    pub(crate) lines: Vec<SheetLine>,
    /// The names of the lines, back to back; each line knows its range.
    pub(crate) names: Vec<Name>,
}

/// One line of a text.
#[derive(Clone, Debug)]
pub(crate) struct SheetLine {
    pub(crate) span: Range<usize>,
    /// Tokens with its line end.
    pub(crate) cost: u32,
    pub(crate) names: Range<u32>,
    /// Hash of the line without number and white space around it; `None` for what repeats nothing: blank lines, blobs.
    pub(crate) key: Option<u64>,
    /// Characters of what the key is made of.
    pub(crate) length: u32,
    pub(crate) mark: Mark,
}

/// A name, by its hash: two of a million share one with a chance of about 10⁻⁷, and then one of them is misjudged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name {
    pub(crate) hash: u64,
    pub(crate) kind: NameKind,
}

/// The sheets of an item's texts.
#[derive(Clone, Debug)]
pub(crate) enum Sheets {
    /// Of each text.
    Texts(Vec<Sheet>),
    /// Of a call: its name, and the strings among its arguments.
    Call {
        /// The name of the tool.
        name: Sheet,
        /// The strings.
        strings: Vec<StringSheet>,
    },
    /// Nothing that has lines: pictures, reasoning.
    None,
}

/// A string among the arguments of a call.
#[derive(Clone, Debug)]
pub(crate) struct StringSheet {
    /// Where its literal stands in the arguments.
    pub(crate) span: Range<usize>,
    /// What it says. The tokens are those of the literal, the lines' those that they have in it. Of a single line only
    /// the former are known: such a string is not cut.
    pub(crate) sheet: Sheet,
}

impl Sheets {
    /// Reads the texts of an item.
    pub(crate) fn read(item: &Item, counter: &dyn Counter) -> Sheets {
        match &item.kind {
            ItemKind::Text | ItemKind::Summary | ItemKind::Result(_) => {
                Sheets::Texts(item.texts.iter().map(|text| Sheet::read(&text.value, counter)).collect())
            }
            ItemKind::Call(call) => Sheets::Call {
                name: Sheet::uncounted(&call.name),
                strings: item.texts.first().map_or(Vec::new(), |text| strings(&text.value, counter)),
            },
            ItemKind::Reasoning(_) | ItemKind::Media(_) | ItemKind::Other(_) => Sheets::None,
        }
    }
}

/// The strings among a call's arguments.
pub(crate) fn strings(text: &str, counter: &dyn Counter) -> Vec<StringSheet> {
    let read = |span: Range<usize>| {
        let literal = &text[span.clone()];
        let value = Raw::trusted(literal).str().unwrap_or_default();
        StringSheet { sheet: Sheet::quoted(literal, &value, counter), span }
    };
    arguments::strings(text).into_iter().map(read).collect()
}

impl Sheet {
    /// Reads a text.
    pub(crate) fn read(text: &str, counter: &dyn Counter) -> Sheet {
        let units = lines::units(text);
        let counts = counter.count_lines(text, &units);
        Sheet::of(text, units, counts)
    }

    /// Reads a text whose cost is known otherwise.
    fn uncounted(text: &str) -> Sheet {
        Sheet::of(text, lines::units(text), LineCounts::default())
    }

    /// Reads a string that stands as a JSON literal in a call's arguments.
    fn quoted(literal: &str, value: &str, counter: &dyn Counter) -> Sheet {
        let units = lines::units(value);
        let count = |line: &Range<usize>| {
            let mut quoted = quote(&value[line.clone()]);
            quoted.pop();
            quoted.push_str("\\n");
            u32::try_from(counter.count(&quoted[1..])).unwrap_or(u32::MAX)
        };
        let counted = if units.len() > 1 { units.iter().map(count).collect() } else { Vec::new() };
        let counts = LineCounts { text: counter.count(literal), lines: counted };
        Sheet::of(value, units, counts)
    }

    fn of(text: &str, units: Vec<Range<usize>>, counts: LineCounts) -> Sheet {
        let marks = shape::marks(text, &units);
        let mut sheet =
            Sheet { tokens: counts.text, lines: Vec::with_capacity(units.len()), names: Vec::new() };
        for (nth, (span, mark)) in units.into_iter().zip(marks).enumerate() {
            let line = &text[span.clone()];
            let first = sheet.names.len() as u32;
            let is_blob = mark.noise == Noise::Blob;
            if !is_blob {
                sheet.find_names(line);
            }
            let key = if is_blob { "" } else { lines::key(line) };
            sheet.lines.push(SheetLine {
                cost: counts.lines.get(nth).copied().unwrap_or(0),
                names: first..sheet.names.len() as u32,
                key: (!key.is_empty()).then(|| xxh3_64(key.as_bytes())),
                length: key.chars().count() as u32,
                span,
                mark,
            });
        }
        sheet
    }

    /// The names of a line.
    pub(crate) fn names_of(&self, line: &SheetLine) -> &[Name] {
        &self.names[line.names.start as usize..line.names.end as usize]
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
