//! The text of an input file, split into the JSON values it is made of.

use std::ops::Range;

use bytestring::ByteString;

use crate::finding::{Finding, Findings, Place, Severity};
use crate::json::{Kind, NotJson, Raw};

/// A file's text and the JSON values in it.
#[derive(Clone, Debug)]
pub struct Source {
    /// The whole text, byte for byte.
    pub text: ByteString,
    /// How the values stand in it.
    pub body: Body,
    /// Lines that hold no value worth looking at, runs of them as one: where they stand.
    pub rubble: Vec<Range<usize>>,
    /// What could not be read.
    pub findings: Vec<Finding>,
}

/// What is done about a line that holds no value.
pub(crate) const PASSED_OVER: &str = "it was passed over";

/// How JSON values stand in a text.
#[derive(Clone, Debug)]
pub enum Body {
    /// The text is one value.
    Value(Range<usize>),
    /// One value per line.
    Lines(Vec<Line>),
}

/// One line that holds a JSON value.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its number, from 1.
    pub number: usize,
    /// Where the value stands in the text.
    pub span: Range<usize>,
}

/// Why an input could not be read at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There is nothing but white space.
    #[error("the input is empty; expected a session as JSON or JSON lines")]
    Empty,
    /// The bytes are not UTF-8.
    #[error("the input is not text: byte {byte} (line {line}) is not UTF-8; {remedy}")]
    NotText {
        /// Offset of the first bad byte.
        byte: usize,
        /// Its line, from 1.
        line: usize,
        /// What would help.
        remedy: &'static str,
    },
    /// The text is neither one JSON value nor JSON lines.
    #[error("line {line}, byte {byte}: not JSON: {why}; {remedy}")]
    NotJson {
        /// Line of the fault, from 1.
        line: usize,
        /// Offset of the fault in the input.
        byte: usize,
        /// The parser's reason.
        why: String,
        /// What would help.
        remedy: &'static str,
    },
    /// The text does not even begin as JSON. [`crate::file`] adds which formats there are.
    #[error("not a format I know: {seen}")]
    NoJson {
        /// What was seen.
        seen: String,
    },
    /// The JSON is of no known format.
    #[error("not a format I know: {seen}; known formats: {known}; if it is one of them, name it with --from")]
    UnknownFormat {
        /// What was seen.
        seen: String,
        /// The names of the known formats.
        known: String,
    },
    /// The format is known, but this input breaks its shape.
    #[error("not in the format \"{format}\": {why}")]
    WrongShape {
        /// The format it was read as.
        format: &'static str,
        /// What is wrong, where.
        why: String,
    },
}

impl Source {
    /// Reads bytes as text and splits it. A byte order mark is passed over, CRLF line ends are fine, and a line that
    /// is not JSON becomes a finding as long as others are.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Source, ReadError> {
        Source::from_text(text_of(bytes)?)
    }

    /// Splits a text.
    pub fn from_text(text: ByteString) -> Result<Source, ReadError> {
        let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let content = &text[start..];
        if content.trim().is_empty() {
            return Err(ReadError::Empty);
        }
        let whole = match Raw::parse(content) {
            Ok(value) => {
                let body = Body::Value(value.span_in(&text));
                return Ok(Source { body, rubble: Vec::new(), findings: Vec::new(), text });
            }
            Err(error) => error,
        };
        let Split { lines, rubble, findings, broken } = split_lines(&text, start);
        // One good line among bad ones is more likely a value printed over many lines, with a fault in it.
        if lines.is_empty() && !content.trim_start().starts_with(['{', '[']) {
            return Err(no_json(content));
        }
        if lines.is_empty() || (broken > 1 && broken > lines.len()) {
            return Err(not_json(&text, start, whole));
        }
        Ok(Source { body: Body::Lines(lines), rubble, findings: findings.finish(), text })
    }

    /// The values, one after the other.
    pub fn values(&self) -> impl Iterator<Item = Raw<'_>> {
        let spans: Box<dyn Iterator<Item = Range<usize>>> = match &self.body {
            Body::Value(span) => Box::new(std::iter::once(span.clone())),
            Body::Lines(lines) => Box::new(lines.iter().map(|line| line.span.clone())),
        };
        spans.map(|span| self.raw(span))
    }

    /// The value at a span that this source handed out.
    pub fn raw(&self, span: Range<usize>) -> Raw<'_> {
        Raw::trusted(&self.text[span])
    }

    /// A piece of the text that shares its memory.
    pub fn cut(&self, piece: &str) -> ByteString {
        self.text.slice_ref(piece)
    }
}

/// Bytes as text.
pub(crate) fn text_of(bytes: Vec<u8>) -> Result<ByteString, ReadError> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(error) => Err(not_text(error.as_bytes(), error.utf8_error().valid_up_to())),
    }
}

/// A text by its lines: those that hold a value, where the others stand, what is to be said about these, and how many
/// are not JSON.
#[derive(Default)]
struct Split {
    lines: Vec<Line>,
    rubble: Vec<Range<usize>>,
    findings: Findings,
    broken: usize,
}

impl Split {
    /// A line that holds no value. Neighbours are one: a file full of them must not cost many times its size.
    fn pass_over(&mut self, span: Range<usize>) {
        let last_value = self.lines.last().map_or(0, |line| line.span.end);
        match self.rubble.last_mut() {
            Some(last) if last.start >= last_value => last.end = span.end,
            _ => self.rubble.push(span),
        }
    }
}

fn split_lines(text: &str, start: usize) -> Split {
    let mut split = Split::default();
    let mut at = start;
    for (nth, line) in text[start..].split_inclusive('\n').enumerate() {
        let (number, line_start) = (nth + 1, at);
        at += line.len();
        if line.trim().is_empty() {
            continue;
        }
        let content = line.trim();
        let span = line_start..line_start + line.trim_end_matches(['\n', '\r']).len();
        match Raw::parse(content) {
            Ok(value) if split.lines.len() >= Findings::MOST && says_nothing(value) => {
                split.pass_over(span);
                split.findings.add(|| {
                    let what = "the line holds no object, or an empty one";
                    Finding::new(Severity::Warning, Place::line(number), what).remedy(PASSED_OVER)
                });
            }
            Ok(value) => split.lines.push(Line { number, span: value.span_in(text) }),
            Err(error) => {
                split.broken += 1;
                split.pass_over(span);
                split.findings.add(|| bad_line(number, line_start, line, &error));
            }
        }
    }
    split
}

/// Values that are no message in any format. A few are kept, so that an unknown file can be described; a file full of
/// them must not cost many times its size.
fn says_nothing(value: Raw) -> bool {
    value.kind() != Kind::Object || value.members().next().is_none()
}

fn bad_line(number: usize, start: usize, line: &str, error: &NotJson) -> Finding {
    let indent = line.len() - line.trim_start().len();
    let place = Place { line: Some(number), byte: Some(start + indent + error.at), ..Place::default() };
    if line.trim_start().starts_with("//") {
        return Finding::new(Severity::Note, place, "a comment line was passed over");
    }
    let cut = error.why.starts_with("EOF");
    let what =
        if cut { "the line is cut off".to_string() } else { format!("the line is not JSON ({})", error.why) };
    Finding::new(Severity::Warning, place, what).remedy(PASSED_OVER)
}

/// The error for a text that does not even begin as JSON: markdown, a log, a letter.
fn no_json(content: &str) -> ReadError {
    let first = content.trim_start().lines().next().unwrap_or_default();
    let shown: String = first.chars().take(40).collect();
    let more = if shown.len() < first.len() { "…" } else { "" };
    let seen = format!("text that is not JSON, beginning `{shown}{more}`");
    ReadError::NoJson { seen }
}

fn not_json(text: &str, start: usize, error: NotJson) -> ReadError {
    let byte = start + error.at;
    let line = 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..byte.min(text.len())]).count();
    let remedy = if error.why.starts_with("EOF") {
        "the file ends too early: was it cut off or is it still being written?"
    } else {
        "expected one JSON value or one JSON value per line"
    };
    ReadError::NotJson { line, byte, why: error.why, remedy }
}

fn not_text(bytes: &[u8], byte: usize) -> ReadError {
    let line = 1 + memchr::memchr_iter(b'\n', &bytes[..byte]).count();
    let remedy = match bytes {
        [0x28, 0xB5, 0x2F, 0xFD, ..] => "it is zstd-compressed: unpack it first",
        [0x1F, 0x8B, ..] => "it is gzip-compressed: unpack it first",
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "it looks like UTF-16: convert it to UTF-8 first",
        _ if bytes.contains(&0) => "it looks like a binary file",
        _ if bytes.len() - byte < 4 => "the last character is cut off: was the file cut?",
        _ => "convert it to UTF-8 first",
    };
    ReadError::NotText { byte, line, remedy }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Source, ReadError> {
        Source::from_bytes(text.as_bytes().to_vec())
    }

    #[test]
    fn one_value_or_one_per_line() {
        assert!(matches!(read("[1,\n2]").unwrap().body, Body::Value(_)));
        assert!(matches!(read("{}\n{}\n").unwrap().body, Body::Lines(lines) if lines.len() == 2));
    }

    #[test]
    fn a_byte_order_mark_blank_lines_and_crlf_are_fine() {
        let source = read("\u{feff}{\"a\":1}\r\n\r\n{\"a\":2}\r\n").unwrap();
        assert_eq!(source.values().map(Raw::text).collect::<Vec<_>>(), ["{\"a\":1}", "{\"a\":2}"]);
        assert_eq!(source.findings, []);
    }

    #[test]
    fn a_cut_last_line_is_a_finding_that_names_the_byte() {
        let source = read("{\"a\":1}\n{\"a\":2}\n{\"a\":").unwrap();
        assert_eq!(source.values().count(), 2);
        assert_eq!(
            source.findings[0].to_string(),
            "warning (line 3, byte 21): the line is cut off; it was passed over"
        );
    }

    #[test]
    fn a_cut_value_is_an_error_that_names_line_and_byte() {
        let error = read("{\n \"a\": [1,\n").unwrap_err();
        assert!(matches!(error, ReadError::NotJson { line: 3, byte: 12, .. }), "{error:?}");
    }

    #[test]
    fn text_that_is_not_json_is_no_format_and_is_shown() {
        let error = read("\n# aider chat started at 2024-05-06\n\n#### hi\n").unwrap_err().to_string();
        assert_eq!(
            error,
            "not a format I know: text that is not JSON, beginning `# aider chat started at 2024-05-06`"
        );
    }

    #[test]
    fn bytes_that_are_not_text_are_named() {
        let error = Source::from_bytes(b"{\"a\":\"\xe2\x82".to_vec()).unwrap_err();
        assert!(error.to_string().contains("byte 6"), "{error}");
        let zstd = Source::from_bytes(vec![0x28, 0xB5, 0x2F, 0xFD, 0xFF]).unwrap_err();
        assert!(zstd.to_string().contains("zstd"), "{zstd}");
        assert_eq!(read(" \n").unwrap_err(), ReadError::Empty);
    }
}
