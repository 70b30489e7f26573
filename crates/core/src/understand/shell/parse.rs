//! From the text of a command to its [tree](super::tree), in time linear in its length.
//!
//! One pass with one cursor, no backtracking over more than a bounded number of rereadings, and nesting up to a bound:
//! no text is expensive. No text is refused either. What does not close ends with the text, what closes nothing is
//! skipped, and the script says that it is not [whole](Script::whole).

mod commands;
mod redirects;
mod words;

use std::rc::Rc;

use self::commands::End;
use super::tree::{Document, Part, RawWord, Script};

/// Brackets, blocks and commands in words are followed this deep, the stack being finite; a deeper bracket is read as
/// if it were not there. Commands in real sessions nest up to 4 deep.
const MAX_NESTING: usize = 50;

/// Reads a text as commands.
pub(super) fn script(text: &str) -> Script<'_> {
    let mut parser = Parser::new(text);
    let list = parser.list(End::Text);
    Script { list, whole: parser.whole }
}

/// Reads the text of a here-document: variables and commands count, quotes do not.
pub(super) fn document(text: &str) -> RawWord<'_> {
    let mut parser = Parser::new(text);
    parser.document_text()
}

/// The words of a line without regard to what else they mean to a shell; `None` where a quote stays open.
pub(in crate::understand) fn words(line: &str) -> Option<Vec<String>> {
    let mut parser = Parser::new(line);
    let mut words = Vec::new();
    parser.skip_lines();
    while parser.peek().is_some() {
        let mut word = String::new();
        while parser.peek().is_some_and(|byte| !byte.is_ascii_whitespace()) {
            match parser.word() {
                Some(raw) => word.extend(raw.parts.iter().map(Part::written)),
                None => word.push_str(parser.take_char()),
            }
        }
        words.push(word);
        parser.skip_lines();
    }
    parser.whole.then_some(words)
}

/// A place in a text, and what is open there.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// How deep the brackets and blocks around the cursor are nested.
    depth: usize,
    /// How many of them a `)` ends.
    parentheses: usize,
    /// Here-documents whose text begins after the end of the line, with their marks.
    awaited: Vec<(Rc<Document<'a>>, String)>,
    whole: bool,
    /// Whether an open quote has sent the cursor back, which is allowed once.
    has_reread: bool,
    /// Whether a backquote was found that never closes.
    has_open_backquote: bool,
    /// Up to where `((` was looked into, and whether it is arithmetic there.
    arithmetic: (usize, bool),
    /// Bytes passed, for the tests that hold it to linear time.
    steps: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parser<'a> {
        Parser {
            text,
            at: 0,
            depth: 0,
            parentheses: 0,
            awaited: Vec::new(),
            whole: true,
            has_reread: false,
            has_open_backquote: false,
            arithmetic: (0, false),
            steps: 0,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn starts_with(&self, wanted: &str) -> bool {
        self.text.as_bytes()[self.at..].starts_with(wanted.as_bytes())
    }

    /// Passes `bytes` bytes, which must end between characters.
    fn take(&mut self, bytes: usize) -> &'a str {
        let start = self.at;
        self.at += bytes;
        self.steps += bytes;
        &self.text[start..self.at]
    }

    fn take_if(&mut self, wanted: &str) -> bool {
        let found = self.starts_with(wanted);
        if found {
            self.take(wanted.len());
        }
        found
    }

    /// Passes everything up to a byte that stops; all bytes that are looked for are ASCII.
    fn take_until(&mut self, stops: impl Fn(u8) -> bool) -> &'a str {
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest.iter().position(|byte| stops(*byte)).unwrap_or(rest.len());
        self.take(length)
    }

    /// Passes one character, whatever it is.
    fn take_char(&mut self) -> &'a str {
        let length = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        self.take(length)
    }

    /// What was passed since `start`.
    fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    /// Notes that the text here is not what a shell would take.
    fn stumble(&mut self) {
        self.whole = false;
    }

    /// Reads something that may hold its own kind again; `None` where that goes too deep.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_NESTING {
            self.stumble();
            return None;
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        Some(read)
    }

    /// Passes blanks, escaped line ends and comments.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.take(1),
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.take(2),
                Some(b'#') => self.take_until(|byte| byte == b'\n'),
                _ => return,
            };
        }
    }

    /// Passes blanks and line ends.
    fn skip_lines(&mut self) {
        self.skip_blanks();
        while self.take_if("\n") {
            self.read_documents();
            self.skip_blanks();
        }
    }
}

/// Whether a byte ends a word that is not quoted.
fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests;
