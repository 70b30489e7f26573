//! Whether an answer may be used, and what is used of it.

use super::question::Question;
use super::{defuse, degenerate, headings, mentions};
use crate::tokens::Counter;

/// A narrative is used if it takes at most this share of the tokens it replaces.
const SHARE: (usize, usize) = (1, 2);

/// How much over its cap an answer may be, in percent, to be shortened rather than refused.
const OVER: usize = 25;

/// How many of the files, in percent, may go unmentioned: the ledger names all of them.
const UNMENTIONED: usize = 20;

/// How an answer ended, as the provider says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The model had said everything.
    Stop,
    /// At the limit of tokens.
    Length,
    /// With a call of a tool.
    ToolCall,
    /// The model or its provider refused.
    Refusal,
    /// Anything else, in the provider's words.
    Other(String),
}

/// Why an answer is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// It ended at the limit of tokens.
    #[error("the summary was cut off at the limit of tokens")]
    CutOff,
    /// It was a call of a tool.
    #[error("the summarizer called a tool instead of answering")]
    ToolCall,
    /// It was a refusal.
    #[error("the summarizer refused")]
    Refusal,
    /// It ended in a way nobody knows.
    #[error("the summary ended with `{0}`")]
    Other(String),
    /// It says nothing.
    #[error("the summary is blank")]
    Blank,
    /// It is rubbish of a kind models write.
    #[error("the summary is {0}")]
    Degenerate(&'static str),
    /// Sections are missing that the template requires.
    #[error("the summary has no section {}", quoted(missing))]
    Sections {
        /// Their headings.
        missing: Vec<String>,
    },
    /// It is longer than what could be shortened.
    #[error("the summary takes {tokens} tokens; at most {most} were asked for")]
    TooLong {
        /// What it takes.
        tokens: usize,
        /// What was asked for.
        most: usize,
    },
    /// It would save too little.
    #[error("the summary takes {tokens} tokens in place of {of}; it is used from half of them down")]
    NotSmaller {
        /// What it takes.
        tokens: usize,
        /// What it would replace.
        of: usize,
    },
    /// It leaves out what was worked on.
    #[error("the summary does not mention {}", quoted(missing))]
    Files {
        /// The paths.
        missing: Vec<String>,
    },
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Checks an answer on arrival and gives the narrative to be used: without what stands before its first section and a
/// fence around the whole, with marker tags of ours defused, within the question's cap. An answer up to a quarter over
/// the cap loses lines at the end of its longest sections. `replaced_tokens` is what the narrative would stand for.
pub fn check(
    question: &Question,
    replaced_tokens: usize,
    answer: &str,
    ending: &Ending,
    counter: &dyn Counter,
) -> Result<String, Rejected> {
    match ending {
        Ending::Stop => {}
        Ending::Length => return Err(Rejected::CutOff),
        Ending::ToolCall => return Err(Rejected::ToolCall),
        Ending::Refusal => return Err(Rejected::Refusal),
        Ending::Other(word) => return Err(Rejected::Other(word.clone())),
    }
    if answer.trim().is_empty() {
        return Err(Rejected::Blank);
    }
    let most = question.tokens;
    let refused_from = most.saturating_add(most.saturating_mul(OVER) / 100);
    let names: Vec<String> =
        question.template.sections.iter().map(|section| headings::name(&section.heading)).collect();
    let text = defuse::tags(answer.trim()).replace("\r\n", "\n");
    let sections = Sections::of(&text, &names);
    if let Some(fault) = degenerate::fault(&sections.text()) {
        return Err(Rejected::Degenerate(fault));
    }
    sections.complete(question, &names)?;
    let tokens = counter.count(&sections.text());
    if tokens > refused_from {
        return Err(Rejected::TooLong { tokens, most });
    }
    let narrative = sections.shortened(counter, most).ok_or(Rejected::TooLong { tokens, most })?;
    let tokens = counter.count(&narrative);
    if tokens.saturating_mul(SHARE.1) > replaced_tokens.saturating_mul(SHARE.0) {
        return Err(Rejected::NotSmaller { tokens, of: replaced_tokens });
    }
    let missing = mentions::missing(&question.files, &narrative);
    match missing.len() * 100 > question.files.len() * UNMENTIONED {
        true => Err(Rejected::Files { missing }),
        false => Ok(narrative),
    }
}

/// An answer taken apart at its headings.
struct Sections<'a> {
    parts: Vec<Part<'a>>,
}

struct Part<'a> {
    /// Which of the template's sections it is; `None` for an answer without any.
    which: Option<usize>,
    heading: Option<&'a str>,
    lines: Vec<&'a str>,
    is_cut: bool,
}

impl<'a> Sections<'a> {
    /// From the first heading on; everything, if there is none.
    fn of(text: &'a str, names: &[String]) -> Sections<'a> {
        let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let first = lines.iter().position(|line| headings::position(line, names).is_some()).unwrap_or(0);
        let is_fence = |line: &str| line.trim_start().starts_with("```");
        // A fence that opens before the first heading goes around the whole.
        if lines[..first].iter().filter(|line| is_fence(line)).count() % 2 == 1
            && let Some(last) = lines.iter().rposition(|line| is_fence(line)).filter(|last| *last > first)
        {
            lines.truncate(last);
        }
        let mut parts: Vec<Part> = Vec::new();
        for line in lines.split_off(first) {
            let which = headings::position(line, names);
            match parts.last_mut() {
                Some(part) if which.is_none() => part.lines.push(line),
                _ if which.is_some() => {
                    parts.push(Part { which, heading: Some(line), lines: Vec::new(), is_cut: false });
                }
                _ => parts.push(Part { which, heading: None, lines: vec![line], is_cut: false }),
            }
        }
        Sections { parts }
    }

    /// Whether all required sections are there, and something in one of them.
    fn complete(&self, question: &Question, names: &[String]) -> Result<(), Rejected> {
        let sections = &question.template.sections;
        let has = |nth: usize| self.parts.iter().any(|part| part.which == Some(nth));
        let required = (0..names.len()).filter(|nth| sections[*nth].required);
        let missing: Vec<String> =
            required.filter(|nth| !has(*nth)).map(|nth| sections[nth].heading.clone()).collect();
        if !missing.is_empty() {
            return Err(Rejected::Sections { missing });
        }
        let says = |part: &Part| part.lines.iter().any(|line| line.contains(char::is_alphanumeric));
        match self.parts.iter().any(says) {
            true => Ok(()),
            false => Err(Rejected::Blank),
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for part in &self.parts {
            for line in part.heading.iter().chain(&part.lines) {
                out += line;
                out.push('\n');
            }
            if part.is_cut {
                out += "- …\n\n";
            }
        }
        out.truncate(out.trim_end().len());
        out
    }

    /// The text in at most `most` tokens: lines go at the end of the longest section, one after the other, and each
    /// section keeps one.
    fn shortened(mut self, counter: &dyn Counter, most: usize) -> Option<String> {
        loop {
            let text = self.text();
            let over = match counter.count(&text).checked_sub(most) {
                None | Some(0) => return Some(text),
                Some(over) => over,
            };
            let mut saved = 0;
            while saved < over {
                saved += self.cut_a_line(counter)?;
            }
        }
    }

    /// Takes the last line of the section with the most text; `None` if each has only one left.
    fn cut_a_line(&mut self, counter: &dyn Counter) -> Option<usize> {
        let size = |part: &Part| part.lines.iter().map(|line| line.len()).sum::<usize>();
        let says = |line: &&&str| !line.trim().is_empty();
        let can_lose = |part: &&mut Part| part.lines.iter().filter(says).count() > 1;
        let part = self.parts.iter_mut().filter(can_lose).max_by_key(|part| size(part))?;
        while part.lines.last().is_some_and(|line| line.trim().is_empty()) {
            part.lines.pop();
        }
        let line = part.lines.pop()?;
        part.is_cut = true;
        Some(counter.count(line))
    }
}
