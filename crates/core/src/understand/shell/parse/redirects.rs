//! Redirections, and the here-documents that follow them.

use std::cell::Cell;
use std::rc::Rc;

use super::super::tree::{Document, Redirect};
use super::{Parser, is_delimiter, is_name};

impl<'a> Parser<'a> {
    /// Reads a redirection, if one is at the cursor. Those between descriptors (`2>&1`) are passed over.
    pub(super) fn redirect(&mut self, redirects: &mut Vec<Redirect<'a>>) -> bool {
        self.skip_blanks();
        let rest = &self.text.as_bytes()[self.at..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.steps += digits;
        match (rest.get(digits), rest.get(digits + 1)) {
            (Some(b'<' | b'>'), Some(b'(')) if digits == 0 => return false,
            (Some(b'<' | b'>'), _) => {}
            (Some(b'&'), Some(b'>')) if digits == 0 => {}
            _ => return false,
        }
        let descriptor = self.take(digits);
        let errors_only = !matches!(descriptor, "" | "1");
        if self.take_if("<<<") {
            redirects.extend(self.target().map(Redirect::Text));
        } else if self.take_if("<<") {
            redirects.push(self.document());
        } else if self.take_if("<&") {
            self.target();
        } else if self.take_if("<>") || self.take_if(">|") {
            let path = self.target();
            redirects.extend(path.map(|path| Redirect::Output { path, append: false, errors_only }));
        } else if self.take_if("<") {
            redirects.extend(self.target().map(Redirect::Input));
        } else {
            self.output(errors_only, redirects);
        }
        true
    }

    /// `>`, `>>`, `>&`, `&>`, `&>>`.
    fn output(&mut self, errors_only: bool, redirects: &mut Vec<Redirect<'a>>) {
        self.take_if("&");
        self.take(1);
        let append = self.take_if(">");
        if self.take_if("&") {
            self.skip_blanks();
            // `>&2` and `>&-` lead to no file, `>& log` does.
            if self.peek().is_none_or(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'$')) {
                self.target();
                return;
            }
        }
        let path = self.target();
        redirects.extend(path.map(|path| Redirect::Output { path, append, errors_only }));
    }

    fn target(&mut self) -> Option<super::RawWord<'a>> {
        self.skip_blanks();
        let target = self.word();
        self.whole &= target.is_some();
        target
    }

    /// What follows `<<`.
    fn document(&mut self) -> Redirect<'a> {
        let indented = self.take_if("-");
        self.skip_blanks();
        let (mark, quoted) = self.mark();
        let document = Rc::new(Document { text: Cell::new(""), expands: !quoted, indented });
        self.awaited.push((Rc::clone(&document), mark));
        Redirect::Document(document)
    }

    /// The mark that ends a here-document, and whether any of it was quoted.
    fn mark(&mut self) -> (String, bool) {
        let (mut mark, mut quote, mut quoted) = (String::new(), None, false);
        loop {
            let text = self.take_until(|byte| {
                matches!(byte, b'\'' | b'"' | b'\\' | b'\n') || quote.is_none() && is_delimiter(byte)
            });
            mark.push_str(text);
            match (self.peek(), quote) {
                (Some(byte @ (b'\'' | b'"')), None) => quote = Some(byte),
                (Some(byte), Some(open)) if byte == open => quote = None,
                (Some(byte @ (b'\'' | b'"')), Some(_)) => mark.push(char::from(byte)),
                (Some(b'\\'), None) if self.peek_at(1) != Some(b'\n') => {
                    self.take(1);
                    mark.push_str(self.take_char());
                    quoted = true;
                    continue;
                }
                (Some(b'\\'), Some(_)) => mark.push('\\'),
                _ => {
                    self.whole &= quote.is_none();
                    return (mark, quoted);
                }
            }
            quoted = true;
            self.take(1);
        }
    }

    /// Reads the here-documents that wait for the line that begins at the cursor. One whose mark never comes has all
    /// of the text, as in a shell.
    pub(super) fn read_documents(&mut self) {
        for (document, mark) in std::mem::take(&mut self.awaited) {
            let start = self.at;
            let mut end = start;
            while self.peek().is_some() {
                end = self.at;
                let line = self.take_until(|byte| byte == b'\n');
                let text = if document.indented { line.trim_start_matches('\t') } else { line };
                if text == mark {
                    self.take_if("\n");
                    break;
                }
                // `$(cat <<E … E)`: shells complain, and take it.
                if self.parentheses > 0 && is_mark_of_a_command(text, &mark) {
                    self.at = end + (line.len() - text.len()) + mark.len();
                    break;
                }
                self.take_if("\n");
                end = self.at;
            }
            document.text.set(&self.text[start..end]);
        }
    }
}

/// Whether a line has a mark and, behind it, the end of the command in parentheses that has the here-document. Only
/// marks of plain letters: others could stand on one line many times, and the line would be read as often.
fn is_mark_of_a_command(line: &str, mark: &str) -> bool {
    mark.bytes().next().is_some_and(is_name)
        && line.strip_prefix(mark).is_some_and(|rest| rest.starts_with(')'))
}
