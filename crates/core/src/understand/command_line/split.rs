//! Where a command line can be cut: at `&&`, `||`, `;`, line ends and pipes that stand outside quotes and brackets.

/// What stands in front of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    /// `&&`: it runs where the one before went right.
    And,
    /// `||`: it runs where the one before went wrong.
    Or,
    /// `;`, `&` or a line end; also the start of the line.
    Then,
}

/// Commands that feed each other.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    pub(super) joint: Joint,
    /// Where it starts in the line.
    pub(super) start: usize,
    pub(super) stages: Vec<&'a str>,
}

/// The first `most` pieces of a line, the last of them with all that follows. What begins with `for`, `if`, `(` and their
/// like is one piece to the end. Linear.
pub(super) fn pieces(line: &str, most: usize) -> Vec<Piece<'_>> {
    let mut cutter = Cutter { line, at: 0, stage: 0, marks: Vec::new(), pieces: Vec::new() };
    cutter.open(Joint::Then);
    while cutter.pieces.len() < most && cutter.step() {}
    cutter.end_stage(line.len());
    cutter.pieces.retain(|piece| !piece.stages.is_empty());
    cutter.pieces
}

struct Cutter<'a> {
    line: &'a str,
    at: usize,
    /// Where the command that is being read starts.
    stage: usize,
    /// Ends of the here-documents that begin with the next line.
    marks: Vec<&'a str>,
    pieces: Vec<Piece<'a>>,
}

const COMPOUND: [&str; 9] = ["for", "while", "until", "if", "case", "select", "function", "{", "("];

impl<'a> Cutter<'a> {
    /// Reads on; false at the end.
    fn step(&mut self) -> bool {
        let bytes = self.line.as_bytes();
        let Some(byte) = bytes.get(self.at) else { return false };
        let next = bytes.get(self.at + 1);
        match (byte, next) {
            (b'\\', _) => self.at += 2,
            (b'\'', _) => self.skip_to(b'\''),
            (b'"' | b'`', _) => self.skip_quoted(*byte),
            (b'$', Some(b'(')) => self.skip_brackets(),
            (b'<', Some(b'<')) if bytes.get(self.at + 2) == Some(&b'<') => self.at += 3,
            (b'<', Some(b'<')) => self.read_mark(),
            (b'&', Some(b'&')) => self.cut(2, Joint::And),
            (b'|', Some(b'|')) => self.cut(2, Joint::Or),
            (b'&', _) if self.at > 0 && matches!(bytes[self.at - 1], b'>' | b'<') => self.at += 1,
            (b'&', Some(b'>')) => self.at += 2,
            (b';' | b'&', _) => self.cut(1, Joint::Then),
            (b'\n', _) => {
                self.cut(1, Joint::Then);
                self.skip_documents();
            }
            (b'|', _) => {
                self.end_stage(self.at);
                self.at += if next == Some(&b'&') { 2 } else { 1 };
                self.stage = self.at;
            }
            (b'#', _) if self.is_start() => self.at = self.line_end(self.at),
            _ if self.is_start() && self.is_compound() => return false,
            _ => self.at += 1,
        }
        true
    }

    fn open(&mut self, joint: Joint) {
        self.stage = self.at;
        self.pieces.push(Piece { joint, start: self.at, stages: Vec::new() });
    }

    fn cut(&mut self, width: usize, joint: Joint) {
        self.end_stage(self.at);
        self.at += width;
        self.open(joint);
    }

    fn end_stage(&mut self, end: usize) {
        let text = self.line.get(self.stage..end).unwrap_or_default();
        let is_comment = text.trim_start().starts_with('#');
        if let Some(piece) = self.pieces.last_mut().filter(|_| !text.trim().is_empty() && !is_comment) {
            piece.stages.push(text);
        }
        self.stage = self.line.len();
    }

    /// Whether nothing of the command has been read.
    fn is_start(&self) -> bool {
        self.line.get(self.stage..self.at).is_some_and(|text| text.trim().is_empty())
    }

    fn is_compound(&self) -> bool {
        let rest = &self.line[self.at..];
        COMPOUND.iter().any(|word| {
            rest.strip_prefix(word).is_some_and(|rest| *word == "(" || rest.starts_with(char::is_whitespace))
        })
    }

    fn skip_to(&mut self, close: u8) {
        let rest = &self.line.as_bytes()[self.at + 1..];
        self.at += memchr::memchr(close, rest).map_or(rest.len(), |at| at + 1) + 1;
    }

    fn skip_quoted(&mut self, quote: u8) {
        let bytes = self.line.as_bytes();
        self.at += 1;
        while let Some(byte) = bytes.get(self.at) {
            self.at += if *byte == b'\\' { 2 } else { 1 };
            if *byte == quote {
                return;
            }
        }
    }

    /// `$( … )` with its brackets, however deep; quotes in it are skipped.
    fn skip_brackets(&mut self) {
        let bytes = self.line.as_bytes();
        let mut depth = 0usize;
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'\\' => self.at += 1,
                b'\'' => {
                    self.skip_to(b'\'');
                    continue;
                }
                b'"' => {
                    self.skip_quoted(b'"');
                    continue;
                }
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 && *byte == b')' {
                return;
            }
        }
    }

    fn read_mark(&mut self) {
        self.at += 2;
        let rest = &self.line[self.at..];
        let mark = rest.trim_start_matches(['-', ' ', '\'', '"', '\\']);
        let end =
            mark.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).unwrap_or(mark.len());
        self.at += rest.len() - mark.len() + end;
        if mark[end..].starts_with(['\'', '"']) {
            self.at += 1;
        }
        if end > 0 {
            self.marks.push(&mark[..end]);
        }
    }

    fn skip_documents(&mut self) {
        for mark in std::mem::take(&mut self.marks) {
            while self.at < self.line.len() {
                let end = self.line_end(self.at);
                let is_end = self.line[self.at..end].trim() == mark;
                self.at = (end + 1).min(self.line.len());
                if is_end {
                    break;
                }
            }
        }
        self.stage = self.at;
        if let Some(piece) = self.pieces.last_mut() {
            piece.start = self.at;
        }
    }

    fn line_end(&self, from: usize) -> usize {
        let rest = &self.line.as_bytes()[from..];
        memchr::memchr(b'\n', rest).map_or(self.line.len(), |at| from + at)
    }
}
