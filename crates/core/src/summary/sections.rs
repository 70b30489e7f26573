//! An answer as its sections: read leniently, written as the template spells them, shortened without losing one.

use super::headings;
use super::template::{Section, Template};
use crate::count::Counter;

/// An answer taken apart at its headings.
pub(super) struct Sections<'a> {
    parts: Vec<Part<'a>>,
}

struct Part<'a> {
    /// Which of the template's sections it is; `None` for an answer without any.
    section: Option<&'a Section>,
    lines: Vec<&'a str>,
    is_cut: bool,
}

impl<'a> Sections<'a> {
    /// From the first heading on; everything, if there is none.
    pub(super) fn of(answer: &'a str, template: &'a Template) -> Sections<'a> {
        let names: Vec<String> =
            template.sections.iter().map(|section| headings::name(&section.heading)).collect();
        let mut lines: Vec<&str> = without_thinking(answer).lines().map(str::trim_end).collect();
        let first = lines.iter().position(|line| headings::read(line, &names).is_some()).unwrap_or(0);
        let is_fence = |line: &str| line.trim_start().starts_with("```");
        let goes_around_all = lines[..first].iter().filter(|line| is_fence(line)).count() % 2 == 1;
        if let Some(last) = lines.iter().rposition(|line| is_fence(line))
            && goes_around_all
            && last > first
        {
            lines.truncate(last);
        }
        let mut parts: Vec<Part> = Vec::new();
        for line in lines.split_off(first) {
            match (headings::read(line, &names), parts.last_mut()) {
                (Some(heading), _) => {
                    let lines = if heading.rest.is_empty() { vec![] } else { vec![heading.rest] };
                    let section = Some(&template.sections[heading.section]);
                    parts.push(Part { section, lines, is_cut: false });
                }
                (None, Some(part)) => part.lines.push(line),
                (None, None) => parts.push(Part { section: None, lines: vec![line], is_cut: false }),
            }
        }
        Sections { parts }
    }

    /// The headings of required sections that are not there.
    pub(super) fn missing(&self, template: &Template) -> Vec<String> {
        let has = |section: &Section| self.parts.iter().any(|part| part.section == Some(section));
        let missing = template.sections.iter().filter(|section| section.required && !has(section));
        missing.map(|section| section.heading.clone()).collect()
    }

    /// Whether nothing is said in any of them.
    pub(super) fn are_empty(&self) -> bool {
        let says = |line: &&str| line.contains(char::is_alphanumeric);
        !self.parts.iter().any(|part| part.lines.iter().any(says))
    }

    /// Headings are spelled as the template spells them: the next round reads them again.
    pub(super) fn text(&self) -> String {
        let mut parts = Vec::new();
        for part in &self.parts {
            let mut lines: Vec<&str> = part.lines.clone();
            if part.is_cut {
                lines.push("- …");
            }
            let body = lines.join("\n");
            let body = body.trim_matches('\n').trim_end();
            parts.push(match part.section {
                Some(section) => format!("### {}\n{body}", section.heading).trim_end().to_string(),
                None => body.to_string(),
            });
        }
        parts.join("\n\n")
    }

    /// The text in at most `most` tokens: lines go at the end of the longest section, one after the other, and each
    /// section keeps one. `None` if that is not enough.
    pub(super) fn shortened(mut self, counter: &dyn Counter, most: usize) -> Option<String> {
        loop {
            let text = self.text();
            let over = counter.count(&text).saturating_sub(most);
            if over == 0 {
                return Some(text);
            }
            let mut saved = 0;
            while saved < over {
                saved += self.cut_a_line(counter)?;
            }
        }
    }

    /// Takes the last line of the section with the most text; `None` if each has only one left.
    fn cut_a_line(&mut self, counter: &dyn Counter) -> Option<usize> {
        let says = |line: &&&str| !line.trim().is_empty();
        let can_lose = |part: &&mut Part| part.lines.iter().filter(says).count() > 1;
        let size = |part: &&mut Part| part.lines.iter().map(|line| line.len()).sum::<usize>();
        let part = self.parts.iter_mut().filter(can_lose).max_by_key(size)?;
        let last = part.lines.iter().rposition(|line| says(&line))?;
        let line = part.lines[last];
        part.lines.truncate(last);
        part.is_cut = true;
        Some(counter.count(line))
    }
}

/// Some models think aloud before they answer.
fn without_thinking(answer: &str) -> &str {
    let answer = answer.trim();
    let thinks = answer.starts_with("<think>");
    match answer.split_once("</think>") {
        Some((_, after)) if thinks => after.trim_start(),
        _ => answer,
    }
}
