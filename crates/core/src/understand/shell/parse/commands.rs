//! Lists, pipelines and commands.

use super::super::tree::{Assignment, Command, Kind, List, Pipeline, RawWord};
use super::{Parser, is_delimiter, is_name};

/// What a list of commands ends with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The end of the text.
    Text,
    /// `)`
    Parenthesis,
    /// `;;` or `esac`, which are left to the `case`.
    Arm,
    /// One of `}`, `fi`, `done`.
    Keyword(&'static str),
}

/// Words that mean something to the shell where a command may begin.
const KEYWORDS: [&str; 19] = [
    "{", "}", "!", "[[", "if", "then", "elif", "else", "fi", "for", "select", "while", "until", "do", "done",
    "case", "esac", "function", "time",
];

impl<'a> Parser<'a> {
    /// Reads commands up to and with their end.
    pub(super) fn list(&mut self, end: End) -> List<'a> {
        let mut list = Vec::new();
        while !self.at_end(end) {
            let start = self.at;
            match self.keyword() {
                // What they part is known without them.
                Some(word @ ("then" | "elif" | "else" | "do")) => {
                    self.take(word.len());
                }
                Some(word @ ("}" | "fi" | "done" | "esac")) => {
                    self.stumble();
                    self.take(word.len());
                }
                _ => list.extend(Some(self.pipeline()).filter(|pipeline| !pipeline.is_empty())),
            }
            if self.at == start {
                self.stumble();
                self.take_char();
            }
        }
        list
    }

    /// Passes what parts commands; says whether the list ends here, and passes its end.
    fn at_end(&mut self, end: End) -> bool {
        loop {
            self.skip_lines();
            match self.peek() {
                None => {
                    self.whole &= end == End::Text;
                    return true;
                }
                Some(b';') if end == End::Arm && matches!(self.peek_at(1), Some(b';' | b'&')) => return true,
                Some(b'&') if self.peek_at(1) == Some(b'>') => return false,
                Some(b';' | b'&') => {
                    self.take(1);
                }
                Some(b'|') if self.starts_with("||") => {
                    self.take(2);
                }
                Some(b')') if self.parentheses > 0 => {
                    // Also the end of the blocks inside that were left open.
                    self.whole &= end == End::Parenthesis;
                    self.take(usize::from(end == End::Parenthesis));
                    return true;
                }
                Some(b')' | b'|') => {
                    self.stumble();
                    self.take(1);
                }
                Some(_) => break,
            }
        }
        match (end, self.keyword()) {
            (End::Keyword(wanted), Some(word)) if word == wanted => {
                self.take(word.len());
                true
            }
            (End::Arm, Some("esac")) => true,
            _ => false,
        }
    }

    fn keyword(&self) -> Option<&'static str> {
        KEYWORDS.iter().copied().find(|word| self.is_at_word(word))
    }

    fn is_at_word(&self, word: &str) -> bool {
        self.starts_with(word) && self.peek_at(word.len()).is_none_or(is_delimiter)
    }

    fn take_word(&mut self, word: &str) -> bool {
        self.is_at_word(word) && self.take_if(word)
    }

    fn pipeline(&mut self) -> Pipeline<'a> {
        while let Some(word @ ("!" | "time")) = self.keyword() {
            self.take(word.len());
            self.skip_blanks();
            if word == "time" && self.take_word("-p") {
                self.skip_blanks();
            }
        }
        let mut pipeline = Vec::new();
        loop {
            pipeline.extend(self.command());
            self.skip_blanks();
            if self.starts_with("||") || !self.take_if("|") {
                return pipeline;
            }
            self.take_if("&");
            self.skip_lines();
        }
    }

    fn command(&mut self) -> Option<Command<'a>> {
        let kind = match self.keyword() {
            _ if self.peek() == Some(b'(') => self.parenthesis(),
            Some("{") => self.block("{", "}"),
            Some("if") => self.block("if", "fi"),
            Some(word @ ("while" | "until")) => self.block(word, "done"),
            Some(word @ ("for" | "select")) => {
                self.take(word.len());
                self.nested(Self::for_each)
            }
            Some("case") => {
                self.take("case".len());
                self.nested(Self::case)
            }
            Some("function") => {
                self.take("function".len());
                self.skip_blanks();
                self.take_until(is_delimiter);
                self.skip_blanks();
                self.take_empty_parentheses();
                Some(self.function_body())
            }
            Some("[[") => Some(self.test()),
            _ => return self.simple(),
        };
        let mut redirects = Vec::new();
        while self.redirect(&mut redirects) {}
        kind.map(|kind| Command { kind, redirects })
    }

    fn parenthesis(&mut self) -> Option<Kind<'a>> {
        if self.starts_with("((") && self.is_arithmetic(self.at) {
            return self.nested(Self::arithmetic);
        }
        self.take(1);
        self.nested(|parser| Kind::Subshell(parser.in_parentheses()))
    }

    /// The commands up to a `)`.
    pub(super) fn in_parentheses(&mut self) -> List<'a> {
        self.parentheses += 1;
        let list = self.list(End::Parenthesis);
        self.parentheses -= 1;
        list
    }

    fn arithmetic(&mut self) -> Kind<'a> {
        let parts = self.arithmetic_parts();
        Kind::Test(vec![RawWord { parts, quoted: false }])
    }

    fn block(&mut self, open: &str, close: &'static str) -> Option<Kind<'a>> {
        self.take(open.len());
        self.nested(|parser| Kind::Group(parser.list(End::Keyword(close))))
    }

    fn for_each(&mut self) -> Kind<'a> {
        self.skip_blanks();
        if self.starts_with("((") && self.is_arithmetic(self.at) {
            let mut list = vec![vec![Command { kind: self.arithmetic(), redirects: Vec::new() }]];
            list.extend(self.list(End::Keyword("done")));
            return Kind::Group(list);
        }
        let name = self.take_until(is_delimiter);
        self.skip_lines();
        let mut values = Vec::new();
        if self.take_word("in") {
            self.skip_blanks();
            while let Some(value) = self.word() {
                values.push(value);
                self.skip_blanks();
            }
        }
        Kind::For { name, values, body: self.list(End::Keyword("done")) }
    }

    fn case(&mut self) -> Kind<'a> {
        self.skip_blanks();
        let subject = Kind::Test(self.word().into_iter().collect());
        let mut list = vec![vec![Command { kind: subject, redirects: Vec::new() }]];
        self.skip_lines();
        self.whole &= self.take_word("in");
        loop {
            self.skip_lines();
            if self.take_word("esac") {
                break;
            }
            if self.peek().is_none() {
                self.stumble();
                break;
            }
            self.skip_patterns();
            list.extend(self.list(End::Arm));
            let _ = self.take_if(";;&") || self.take_if(";;") || self.take_if(";&");
        }
        Kind::Group(list)
    }

    /// Passes `(a | b)` in front of an arm.
    fn skip_patterns(&mut self) {
        self.take_if("(");
        loop {
            self.skip_blanks();
            if self.take_if(")") {
                return;
            }
            if !self.take_if("|") && self.word().is_none() {
                return self.stumble();
            }
        }
    }

    fn test(&mut self) -> Kind<'a> {
        self.take("[[".len());
        let mut words = Vec::new();
        loop {
            self.skip_lines();
            if self.take_word("]]") {
                break;
            }
            match self.peek() {
                None | Some(b';') => {
                    self.stumble();
                    break;
                }
                Some(b'&' | b'|' | b'(' | b')' | b'<' | b'>') => {
                    self.take(1);
                }
                Some(_) => words.extend(self.word()),
            }
        }
        Kind::Test(words)
    }

    fn simple(&mut self) -> Option<Command<'a>> {
        let (mut assignments, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.skip_blanks();
            if self.redirect(&mut redirects) {
                continue;
            }
            let assigned = if words.is_empty() { self.assigned_name() } else { 0 };
            if assigned > 0 {
                assignments.push(self.assignment(assigned));
                continue;
            }
            let Some(word) = self.word() else { break };
            words.push(word);
            if words.len() == 1 && self.take_empty_parentheses() {
                return Some(Command { kind: self.function_body(), redirects });
            }
        }
        if self.peek() == Some(b'(') {
            self.stumble();
        }
        let is_empty = assignments.is_empty() && words.is_empty() && redirects.is_empty();
        (!is_empty).then_some(Command { kind: Kind::Simple { assignments, words }, redirects })
    }

    fn take_empty_parentheses(&mut self) -> bool {
        let open = self.text[self.at..].trim_start_matches(' ').strip_prefix('(');
        let rest = open.and_then(|inside| inside.trim_start_matches(' ').strip_prefix(')'));
        let passed = rest.map_or(0, |rest| self.text.len() - self.at - rest.len());
        self.take(passed);
        passed > 0
    }

    fn function_body(&mut self) -> Kind<'a> {
        self.skip_lines();
        self.nested(Self::command);
        Kind::Function
    }

    /// How long the `name=`, `name+=` or `name[…]=` is that a word begins with; 0 for other words.
    fn assigned_name(&mut self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        let name = rest.iter().take_while(|byte| is_name(**byte)).count();
        let mut end = name;
        if rest.get(end) == Some(&b'[') {
            end += rest[end..].iter().take_while(|byte| !is_delimiter(**byte) && **byte != b']').count();
            end += usize::from(rest.get(end) == Some(&b']'));
        }
        self.steps += end;
        match &rest[end..] {
            _ if name == 0 || rest[0].is_ascii_digit() => 0,
            [b'+', b'=', ..] => end + 2,
            [b'=', ..] => end + 1,
            _ => 0,
        }
    }

    fn assignment(&mut self, assigned: usize) -> Assignment<'a> {
        let assigned = self.take(assigned);
        let name = &assigned[..assigned.bytes().take_while(|byte| is_name(*byte)).count()];
        let is_list = self.peek() == Some(b'(');
        let is_whole = assigned.len() == name.len() + 1 && !is_list;
        Assignment { name, value: self.word().unwrap_or_default(), is_whole }
    }
}
