//! Words of a shell command with their variables put in.

use super::Shell;
use super::tree::{Part, RawWord};

/// A word as the program would get it, as far as the command line shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// The text; what could not be resolved stands as it was written.
    pub(super) text: String,
    /// Whether everything was resolved.
    pub(super) exact: bool,
    /// Whether it begins with a quote: then a dash is no option, but the start of what is searched. `--glob='*.c'` is one.
    pub(super) quoted: bool,
    /// Whether it holds what a command prints.
    pub(super) runs: bool,
}

impl Shell {
    /// Puts variables in, and follows the commands inside.
    pub(super) fn word(&mut self, raw: &RawWord<'_>) -> Word {
        let mut word = Word { exact: true, quoted: raw.quoted, ..Word::default() };
        for part in &raw.parts {
            self.part(part, &mut word);
        }
        self.bring(word.text.len());
        word
    }

    /// The words a program gets: those that a variable without quotes holds are words of their own, or none.
    pub(super) fn words(&mut self, raw: &[RawWord<'_>]) -> Vec<Word> {
        let mut words = Vec::new();
        for raw in raw {
            let mut word = Word { exact: true, quoted: raw.quoted, ..Word::default() };
            for part in &raw.parts {
                let Some(value) = self.splitting_value(part) else {
                    self.part(part, &mut word);
                    continue;
                };
                for (nth, piece) in value.split_whitespace().enumerate() {
                    if nth > 0 {
                        let next = Word { exact: true, ..Word::default() };
                        words.push(std::mem::replace(&mut word, next));
                    }
                    word.text.push_str(piece);
                }
            }
            self.bring(word.text.len());
            if word.quoted || !word.text.is_empty() {
                words.push(word);
            }
        }
        words
    }

    /// The value of a variable that is split at its blanks. One that is itself unresolved has blanks of another kind.
    fn splitting_value(&mut self, part: &Part<'_>) -> Option<String> {
        let Part::Variable { name, quoted: false, .. } = part else { return None };
        let value = self.variables.get(*name)?;
        if value.contains('$') || !value.contains(char::is_whitespace) {
            return None;
        }
        let value = value.clone();
        self.bring(value.len()).then_some(value)
    }

    fn part(&mut self, part: &Part<'_>, word: &mut Word) {
        match part {
            Part::Text(text) => return word.text.push_str(text),
            Part::Escaped(text) => return word.text.push_str(text),
            Part::Variable { name, written, .. } => match self.variables.get(*name).cloned() {
                Some(value) if self.bring(value.len()) => return word.text.push_str(&value),
                _ => word.text.push_str(written),
            },
            Part::Open { inner, written } => {
                word.text.push_str(written);
                inner.iter().for_each(|part| self.part(part, &mut Word::default()));
            }
            Part::Process { list, .. } => {
                word.text.push_str("/dev/fd/63");
                self.inner_list(list);
            }
            Part::Command { list, written } => {
                word.text.push_str(written);
                word.runs = true;
                self.inner_list(list);
            }
            Part::Backquoted { command, written } => {
                word.text.push_str(written);
                word.runs = true;
                self.aside(|shell| shell.command(command));
            }
        }
        word.exact = false;
    }
}

/// What `printf` or `echo -e` make of backslashes; `None` for escapes that are not plain characters.
pub(super) fn unescape(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            c @ ('\\' | '\'' | '"') => c,
            _ => return None,
        });
    }
    Some(out)
}
