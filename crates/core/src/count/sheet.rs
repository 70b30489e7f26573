//! A text read once: its lines, what they cost, what they name and how they hang together.
//!
//! A sheet depends on the text and the counter alone, so it is kept with the counts for as long as the text is.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::{Counter, LineCounts};
use crate::history::{Item, ItemKind, Spelling, Text};
use crate::json::{Raw, quote};
use crate::text::names::{self, NameKind};
use crate::text::shape::{self, Mark, Noise};
use crate::text::{arguments, json_units, lines};

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
    /// Reads the texts of an item, of each at most so many bytes. `raw` is the message it stands in.
    pub(crate) fn read(item: &Item, raw: &str, counter: &dyn Counter, most: usize) -> Sheets {
        match &item.kind {
            ItemKind::Text | ItemKind::Summary | ItemKind::Result(_) => {
                // Inside an object or a list, the model reads a text as the literal that it stands in.
                let is_inside = item.result().is_some_and(|result| result.structure.is_some());
                let read = |text: &Text| match text.spelling {
                    Spelling::Json => Sheet::of_json(&text.value, counter, most),
                    Spelling::Quoted if is_inside => {
                        Sheet::quoted(&raw[text.span.range()], &text.value, counter, most)
                    }
                    Spelling::Quoted => Sheet::read_ends(&text.value, counter, most),
                };
                Sheets::Texts(item.texts.iter().map(read).collect())
            }
            ItemKind::Call(call) => Sheets::Call {
                name: Sheet::uncounted(&call.name),
                strings: item.texts.first().map_or(Vec::new(), |text| strings(&text.value, counter, most)),
            },
            ItemKind::Reasoning(_) | ItemKind::Media(_) | ItemKind::Other(_) => Sheets::None,
        }
    }
}

/// Where the two ends of a text stand that together take so many bytes, and what is between them; `None` where that is all of
/// it. Lines stay whole, if any line ends in the first half.
fn ends(text: &str, most: usize) -> Option<(Range<usize>, Range<usize>, Range<usize>)> {
    if text.len() <= most {
        return None;
    }
    let head = text.floor_char_boundary(most / 2);
    let tail = text.ceil_char_boundary(text.len() - most / 2);
    let line_end = memchr::memrchr(b'\n', &text.as_bytes()[..head]);
    let line_start = memchr::memchr(b'\n', &text.as_bytes()[tail..]).map(|feed| tail + feed);
    let (head, middle) = line_end.map_or((head, head), |feed| (feed, feed + 1));
    let (end, tail) = line_start.map_or((tail, tail), |feed| (feed, feed + 1));
    Some((0..head, middle..end.max(middle), tail.max(middle)..text.len()))
}

/// The strings among a call's arguments, of each at most so many bytes.
pub(crate) fn strings(text: &str, counter: &dyn Counter, most: usize) -> Vec<StringSheet> {
    let read = |span: Range<usize>| {
        let literal = &text[span.clone()];
        let value = Raw::trusted(literal).str().unwrap_or_default();
        StringSheet { sheet: Sheet::quoted(literal, &value, counter, most), span }
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

    /// Reads a text that takes the place of another of this spelling.
    pub(crate) fn read_as(spelling: Spelling, text: &str, counter: &dyn Counter) -> Sheet {
        match spelling {
            Spelling::Quoted => Sheet::read(text, counter),
            Spelling::Json => Sheet::of_json(text, counter, usize::MAX),
        }
    }

    /// Reads a list or an object by its rows and fields. Of more than so many bytes those at either end; what stands between is
    /// one line.
    fn of_json(text: &str, counter: &dyn Counter, most: usize) -> Sheet {
        let mut units = json_units::units(text);
        let is_between = |unit: &Range<usize>| unit.start >= most / 2 && unit.end <= text.len() - most / 2;
        let Some(first) = units.iter().position(is_between).filter(|_| text.len() > most) else {
            let counts = counter.count_lines(text, &units);
            return Sheet::of(text, units, counts);
        };
        let last = units.iter().rposition(is_between).unwrap_or(first);
        let tail = units.split_off(last + 1);
        let middle = units[first].start..units[last].end;
        units.truncate(first);
        let [head, tail] = [units, tail].map(|units| {
            let lines: Vec<u32> =
                units.iter().map(|unit| counter.count(&text[unit.clone()]) as u32).collect();
            Sheet::of(text, units, LineCounts { text: lines.iter().map(|cost| *cost as usize).sum(), lines })
        });
        Sheet::joined(head, middle, (tail, 0), counter.count(text))
    }

    /// Reads a text whose cost is known otherwise.
    fn uncounted(text: &str) -> Sheet {
        Sheet::of(text, lines::units(text), LineCounts::default())
    }

    /// Reads a text of which at most so many bytes are looked at, half of them at either end. What stands between is one line,
    /// which names nothing and repeats nothing.
    fn read_ends(text: &str, counter: &dyn Counter, most: usize) -> Sheet {
        let Some((head, middle, tail)) = ends(text, most) else { return Sheet::read(text, counter) };
        let [head, tail] = [head, tail].map(|end| (Sheet::read(&text[end.clone()], counter), end.start));
        Sheet::joined(head.0, middle, tail, counter.count(text))
    }

    /// Reads a string that stands as a JSON literal in a call's arguments; where it is longer than so many bytes, its ends.
    fn quoted(literal: &str, value: &str, counter: &dyn Counter, most: usize) -> Sheet {
        let mut quoted = String::new();
        let mut count = |value: &str, line: &Range<usize>| {
            let line = &value[line.clone()];
            quoted.clear();
            if line.bytes().any(|byte| matches!(byte, b'"' | b'\\' | ..b' ')) {
                let literal = quote(line);
                quoted.push_str(&literal[1..literal.len() - 1]);
            } else {
                // Most lines stand in the literal as they are.
                quoted.push_str(line);
            }
            quoted.push_str("\\n");
            u32::try_from(counter.count_in_passing(&quoted)).unwrap_or(u32::MAX)
        };
        let mut read = |value: &str, is_all: bool| {
            let units = lines::units(value);
            let is_one = is_all && units.len() == 1;
            let lines: Vec<u32> =
                if is_one { Vec::new() } else { units.iter().map(|unit| count(value, unit)).collect() };
            let text =
                if is_all { counter.count(literal) } else { lines.iter().map(|it| *it as usize).sum() };
            Sheet::of(value, units, LineCounts { text, lines })
        };
        let Some((head, middle, tail)) = ends(value, most) else { return read(value, true) };
        let [head, tail] = [head, tail].map(|end| (read(&value[end.clone()], false), end.start));
        Sheet::joined(head.0, middle, tail, counter.count(literal))
    }

    /// The two ends of a text and what stands between them as one.
    fn joined(mut head: Sheet, middle: Range<usize>, (tail, start): (Sheet, usize), tokens: usize) -> Sheet {
        let between = tokens.saturating_sub(head.tokens + tail.tokens).max(1);
        let names = head.names.len() as u32;
        head.lines.push(SheetLine {
            span: middle,
            cost: u32::try_from(between).unwrap_or(u32::MAX),
            names: names..names,
            key: None,
            length: 0,
            mark: Mark { noise: Noise::Blob, ..Mark::default() },
        });
        let before = head.lines.len() as u32;
        head.lines.extend(tail.lines.into_iter().map(|line| SheetLine {
            span: start + line.span.start..start + line.span.end,
            names: names + line.names.start..names + line.names.end,
            mark: Mark { head: line.mark.head.map(|head| before + head), ..line.mark },
            ..line
        }));
        head.names.extend(tail.names);
        Sheet { tokens, ..head }
    }

    fn of(text: &str, units: Vec<Range<usize>>, counts: LineCounts) -> Sheet {
        let marks = shape::marks(text, &units);
        let mut sheet =
            Sheet { tokens: counts.text, lines: Vec::with_capacity(units.len()), names: Vec::new() };
        let mut words = names::Words::default();
        for (nth, (span, mark)) in units.into_iter().zip(marks).enumerate() {
            let line = &text[span.clone()];
            let first = sheet.names.len() as u32;
            let is_blob = mark.noise == Noise::Blob;
            if !is_blob {
                sheet.find_names(line, &mut words);
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
    fn find_names(&mut self, line: &str, words: &mut names::Words) {
        let first = self.names.len();
        names::names_with(line, words, |name| {
            let hash = xxh3_64(name.as_bytes());
            if !self.names[first..].iter().any(|known| known.hash == hash) {
                self.names.push(Name { hash, kind: names::kind(name) });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Heuristic;

    fn covered(text: &str, most: usize) -> Vec<&str> {
        Sheet::read_ends(text, &Heuristic, most).lines.iter().map(|line| &text[line.span.clone()]).collect()
    }

    #[test]
    fn of_a_text_that_is_too_long_the_ends_are_read_and_the_middle_is_one_line() {
        let text = "alpha\nbeta\ngamma\ndelta\nepsilon\nzeta\n";
        assert_eq!(covered(text, 100), ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", ""]);
        assert_eq!(covered(text, 24), ["alpha", "beta", "gamma\ndelta\nepsilon", "zeta", ""]);
        let sheet = Sheet::read_ends(text, &Heuristic, 24);
        assert_eq!(sheet.tokens, Heuristic.count(text));
        assert!(sheet.lines[2].key.is_none() && sheet.names_of(&sheet.lines[2]).is_empty());
        let names: Vec<usize> = sheet.lines.iter().map(|line| sheet.names_of(line).len()).collect();
        let alone = |line: &str| Sheet::read(line, &Heuristic).names.len();
        assert_eq!(names, [alone("alpha"), alone("beta"), 0, alone("zeta"), 0]);
    }

    #[test]
    fn a_text_without_lines_is_cut_between_characters() {
        assert_eq!(covered("ééééééééé", 7), ["é", "ééééééé", "é"]);
        assert_eq!(covered("éé", 1), ["", "éé", ""]);
    }

    #[test]
    fn so_is_a_string_among_arguments() {
        let value = (0..50).map(|nth| format!("line {nth}\n")).collect::<String>();
        let literal = quote(&value);
        let sheet = Sheet::quoted(&literal, &value, &Heuristic, 60);
        let lines: Vec<&str> = sheet.lines.iter().map(|line| &value[line.span.clone()]).collect();
        assert_eq!((lines[0], lines[lines.len() - 2]), ("line 0", "line 49"));
        assert!(lines.len() < 10 && lines.iter().any(|line| line.contains("line 20\nline 21")));
        assert_eq!(sheet.tokens, Heuristic.count(&literal));
    }
}
