//! Words: quotes, variables, and the commands inside.

use super::super::tree::{Part, RawWord};
use super::{Parser, is_delimiter, is_name};

/// Where a part of a word stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Outside of double quotes.
    Bare,
    /// Inside of them, or in a here-document: blanks and single quotes are text.
    Quoted,
}

impl<'a> Parser<'a> {
    /// The word at the cursor, if one is there.
    pub(super) fn word(&mut self) -> Option<RawWord<'a>> {
        let start = self.at;
        let mut word = RawWord::default();
        while let Some(byte) = self.peek() {
            match byte {
                b'\'' => self.single_quoted(&mut word),
                b'"' => self.double_quoted(&mut word),
                b'\\' => self.escape(&mut word),
                b'$' => self.dollar(&mut word, Place::Bare),
                b'`' => self.backquoted(&mut word),
                b'<' | b'>' if self.peek_at(1) == Some(b'(') => {
                    let from = self.at;
                    self.take(2);
                    let list = self.nested(Self::in_parentheses);
                    let written = self.since(from);
                    word.parts.push(list.map_or(Part::Text(written), |list| Part::Process { list, written }));
                }
                b'(' if self.continues_a_word(start) => {
                    let from = self.at;
                    self.take(1);
                    let inner = self.nested(|parser| parser.enclosed(Some(b'('), b')', Place::Bare));
                    let written = self.since(from);
                    word.parts.push(match inner {
                        Some(inner) if !inner.is_empty() => Part::Open { inner, written },
                        _ => Part::Text(written),
                    });
                }
                byte if is_delimiter(byte) => break,
                _ => {
                    let text = self.take_until(|byte| {
                        is_delimiter(byte) || matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`')
                    });
                    word.parts.push(Part::Text(text));
                }
            }
        }
        (self.at > start).then_some(word)
    }

    /// Whether the `(` at the cursor belongs to the word: `name=(a b)`, or a pattern like `!(a|b)`.
    fn continues_a_word(&self, start: usize) -> bool {
        match self.at.checked_sub(1).map(|before| self.text.as_bytes()[before]) {
            Some(b'=') => true,
            Some(b'?' | b'*' | b'+' | b'@' | b'!') => self.at > start,
            _ => false,
        }
    }

    /// All of the text as a here-document has it.
    pub(super) fn document_text(&mut self) -> RawWord<'a> {
        let mut word = RawWord::default();
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => self.escape_in_quotes(&mut word, |byte| matches!(byte, b'$' | b'`' | b'\\')),
                b'$' => self.dollar(&mut word, Place::Quoted),
                b'`' => self.backquoted(&mut word),
                _ => {
                    let text = self.take_until(|byte| matches!(byte, b'\\' | b'$' | b'`'));
                    word.parts.push(Part::Text(text));
                }
            }
        }
        word
    }

    fn single_quoted(&mut self, word: &mut RawWord<'a>) {
        self.take(1);
        word.quoted |= word.parts.is_empty();
        let start = self.at;
        let text = self.take_until(|byte| byte == b'\'');
        if self.take_if("'") {
            word.parts.push(Part::Text(text));
        } else {
            self.end_with_the_line(start, word);
        }
    }

    fn double_quoted(&mut self, word: &mut RawWord<'a>) {
        self.take(1);
        word.quoted |= word.parts.is_empty();
        let (start, before) = (self.at, word.parts.len());
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.take(1);
                    return;
                }
                b'\\' => self.escape_in_quotes(word, |byte| matches!(byte, b'$' | b'`' | b'"' | b'\\')),
                b'$' => self.dollar(word, Place::Quoted),
                b'`' => self.backquoted(word),
                _ => {
                    let text = self.take_until(|byte| matches!(byte, b'"' | b'\\' | b'$' | b'`'));
                    word.parts.push(Part::Text(text));
                }
            }
        }
        let runs = word.parts[before..].iter().any(|part| !matches!(part, Part::Text(_)));
        if runs || self.has_reread {
            return self.stumble();
        }
        self.has_reread = true;
        word.parts.truncate(before);
        self.end_with_the_line(start, word);
    }

    /// A quote that never closes is a slip of its own line: the lines after it are commands again.
    ///
    /// Only the last quote of a kind in a text can stay open, which keeps this linear; for double quotes, which may
    /// hide in commands in words, `has_reread` does.
    fn end_with_the_line(&mut self, start: usize, word: &mut RawWord<'a>) {
        self.stumble();
        self.at = start;
        let text = self.take_until(|byte| byte == b'\n');
        word.parts.push(Part::Text(text));
    }

    fn escape(&mut self, word: &mut RawWord<'a>) {
        self.take(1);
        let text = self.take_char();
        if text != "\n" {
            word.parts.push(Part::Text(text));
        }
    }

    /// A backslash where it only means something before certain characters.
    fn escape_in_quotes(&mut self, word: &mut RawWord<'a>, is_special: fn(u8) -> bool) {
        let start = self.at;
        self.take(1);
        let escaped = self.take_char();
        match escaped.bytes().next() {
            Some(b'\n') => {}
            Some(byte) if is_special(byte) => word.parts.push(Part::Text(escaped)),
            _ => word.parts.push(Part::Text(self.since(start))),
        }
    }

    /// A variable, a command, arithmetic, or a plain dollar.
    fn dollar(&mut self, word: &mut RawWord<'a>, place: Place) {
        let start = self.at;
        let part = match self.peek_at(1) {
            Some(b'(') if self.starts_with("$((") && self.is_arithmetic(self.at + 1) => {
                self.take(1);
                self.nested(Self::arithmetic_parts)
                    .map(|inner| Part::Open { inner, written: self.since(start) })
            }
            Some(b'(') => {
                self.take(2);
                self.nested(Self::in_parentheses)
                    .map(|list| Part::Command { list, written: self.since(start) })
            }
            Some(b'{') => {
                self.take(2);
                self.nested(|parser| parser.braced(start, place))
            }
            Some(b'\'') if place == Place::Bare => {
                word.quoted |= word.parts.is_empty();
                self.take(2);
                Some(Part::Escaped(self.ansi_c()))
            }
            Some(b'"') if place == Place::Bare => {
                self.take(1);
                return;
            }
            Some(first) => {
                self.take(1);
                let name = match first {
                    b'0'..=b'9' | b'?' | b'@' | b'*' | b'#' | b'!' | b'-' | b'$' => self.take(1),
                    _ => self.take_until(|byte| !is_name(byte)),
                };
                let quoted = place == Place::Quoted;
                (!name.is_empty()).then(|| Part::Variable { name, written: self.since(start), quoted })
            }
            None => {
                self.take(1);
                None
            }
        };
        word.parts.push(part.unwrap_or_else(|| Part::Text(self.since(start))));
    }

    /// What follows `${`.
    fn braced(&mut self, start: usize, place: Place) -> Part<'a> {
        let name = self.take_until(|byte| !is_name(byte));
        if self.take_if("}") {
            return Part::Variable { name, written: self.since(start), quoted: place == Place::Quoted };
        }
        let inner = self.enclosed(None, b'}', place);
        Part::Open { inner, written: self.since(start) }
    }

    /// What `((` at the cursor holds, its end included.
    pub(super) fn arithmetic_parts(&mut self) -> Vec<Part<'a>> {
        self.take(2);
        let inner = self.enclosed(Some(b'('), b')', Place::Bare);
        self.take_if(")");
        inner
    }

    /// Whether the `((` at `from` begins arithmetic: then the parentheses that close it stand together. Otherwise it is a
    /// subshell in a subshell. Every stretch of text is looked at once; what was found holds for all of it.
    pub(super) fn is_arithmetic(&mut self, from: usize) -> bool {
        if from >= self.arithmetic.0 {
            let bytes = self.text.as_bytes();
            let (mut at, mut open, mut quote) = (from, 0usize, None);
            let found = loop {
                match (bytes.get(at), quote) {
                    (None, _) => break false,
                    (Some(b'\\'), _) => at += 1,
                    (Some(byte), Some(closes)) if *byte == closes => quote = None,
                    (Some(_), Some(_)) => {}
                    (Some(b'\'' | b'"'), None) => quote = Some(bytes[at]),
                    (Some(b'('), None) => open += 1,
                    (Some(b')'), None) if open == 2 => break bytes.get(at + 1) == Some(&b')'),
                    (Some(b')'), None) => open -= 1,
                    _ => {}
                }
                at += 1;
            };
            self.steps += at - from;
            self.arithmetic = (at, found);
        }
        self.arithmetic.1
    }

    /// Passes everything up to and with the bracket that closes; of what is passed, the parts that run are kept.
    fn enclosed(&mut self, opens: Option<u8>, closes: u8, place: Place) -> Vec<Part<'a>> {
        let mut inner = RawWord::default();
        let mut open = 1usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'\'' if place == Place::Bare => self.single_quoted(&mut inner),
                b'"' => self.double_quoted(&mut inner),
                b'\\' => self.escape(&mut inner),
                b'$' => self.dollar(&mut inner, place),
                b'`' => self.backquoted(&mut inner),
                _ => {
                    self.take_char();
                    open += usize::from(Some(byte) == opens);
                    open -= usize::from(byte == closes);
                    if open == 0 {
                        break;
                    }
                }
            }
        }
        self.whole &= open == 0;
        inner.parts.retain(|part| {
            matches!(
                part,
                Part::Command { .. } | Part::Backquoted { .. } | Part::Process { .. } | Part::Open { .. }
            )
        });
        inner.parts
    }

    fn backquoted(&mut self, word: &mut RawWord<'a>) {
        let start = self.at;
        self.take(1);
        let mut command = String::new();
        while !self.has_open_backquote {
            command.push_str(self.take_until(|byte| matches!(byte, b'`' | b'\\')));
            if self.take_if("`") {
                return word.parts.push(Part::Backquoted { command, written: self.since(start) });
            }
            if !self.take_if("\\") {
                self.has_open_backquote = true;
                self.stumble();
            } else if !matches!(self.peek(), Some(b'`' | b'\\' | b'$')) {
                command.push('\\');
            }
            command.push_str(self.take_char());
        }
        // One that never closes is text; so are all that follow.
        self.at = start + 1;
        word.parts.push(Part::Text(self.since(start)));
    }

    /// The text of `$'…'` after its opening quote.
    fn ansi_c(&mut self) -> String {
        let mut text = String::new();
        loop {
            text.push_str(self.take_until(|byte| matches!(byte, b'\'' | b'\\')));
            if self.peek() != Some(b'\\') {
                self.whole &= self.take_if("'");
                return text;
            }
            self.take(1);
            match self.take_char() {
                "n" => text.push('\n'),
                "t" => text.push('\t'),
                "r" => text.push('\r'),
                other @ ("\\" | "'" | "\"") => text.push_str(other),
                other => {
                    text.push('\\');
                    text.push_str(other);
                }
            }
        }
    }
}
