//! Templates: which sections a narrative has, and how they are asked for. Files, so that users can add their own.
//!
//! ```text
//! +++
//! name = "short"
//! about = "Where things stand."
//! sections = [{ heading = "Current State", asks = "- What is in progress." }]
//! +++
//! You keep the record of a session.
//! ---
//! Write the summary in these sections, in at most {tokens} tokens:
//!
//! {sections}
//! ```
//!
//! TOML between the lines `+++`, then the system prompt, a line `---`, the instructions. Placeholders, in either text:
//! `{tokens}`, `{round}`, and `{sections}`, which the instructions must have.

use std::sync::Arc;

use serde::Deserialize;

use super::headings;
use crate::text::nearest;

/// Which sections a narrative has, and how they are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// The sections in order.
    pub sections: Vec<Section>,
    /// In hundredths: templates are compared and hashed.
    temperature: u8,
    system: String,
    instructions: String,
}

/// A section of a narrative.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// Its heading, without marks.
    pub heading: String,
    /// Whether a narrative without it is refused.
    #[serde(default = "yes")]
    pub required: bool,
    /// What belongs into it, as the summarizer reads it below the heading.
    #[serde(default)]
    pub asks: String,
}

/// A template that cannot be used. Whoever wrote the file can fix it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("template `{template}`{}: {why}", line.map_or(String::new(), |line| format!(", line {line}")))]
pub struct TemplateError {
    /// The template's name.
    pub template: String,
    /// The line of its text, counted from 1, where one is to blame.
    pub line: Option<usize>,
    /// What is wrong, and what to do.
    pub why: String,
}

/// The templates that ship, by name.
pub static TEMPLATES: &[(&str, &str)] =
    &[("coding", include_str!("../../templates/coding.md")), ("cms", include_str!("../../templates/cms.md"))];

const PLACEHOLDERS: [&str; 3] = ["tokens", "round", "sections"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    about: String,
    #[serde(default = "cool")]
    temperature: f64,
    #[serde(default)]
    sections: Vec<toml::Spanned<Section>>,
}

fn yes() -> bool {
    true
}

/// Facts rather than variety.
fn cool() -> f64 {
    0.3
}

impl Template {
    /// A template that ships with Enfold.
    pub fn named(name: &str) -> Result<Arc<Template>, TemplateError> {
        match TEMPLATES.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Template::parse(text).map(Arc::new),
            None => {
                let hint = nearest(name, TEMPLATES.iter().map(|(known, _)| *known));
                Err(fault(name, None, format!("there is no template of that name{hint}")))
            }
        }
    }

    /// Reads a template from its file's text.
    pub fn parse(text: &str) -> Result<Template, TemplateError> {
        let pieces = Pieces::of(text)?;
        let written: Written = toml::from_str(pieces.front.text).map_err(|error| {
            let line = error.span().map(|span| pieces.front.line_at(span.start));
            fault("?", line, error.message().trim_end().to_string())
        })?;
        let name = written.name;
        let sections = read_sections(&pieces.front, written.sections)
            .map_err(|(line, why)| fault(&name, Some(line), why))?;
        for part in [&pieces.system, &pieces.instructions] {
            check_placeholders(part).map_err(|(line, why)| fault(&name, Some(line), why))?;
        }
        if !pieces.instructions.text.contains("{sections}") {
            let why = "the instructions never list the sections; write `{sections}` where they belong";
            return Err(fault(&name, Some(pieces.instructions.first_line), why.into()));
        }
        let temperature = match written.temperature {
            0.0..=2.0 => (written.temperature * 100.0).round() as u8,
            other => {
                let why = format!("`temperature` is {other}; it is a number between 0 and 2");
                return Err(fault(&name, None, why));
            }
        };
        let [system, instructions] =
            [pieces.system, pieces.instructions].map(|part| part.text.trim().to_string());
        Ok(Template { name, about: written.about, sections, temperature, system, instructions })
    }

    /// How much the summarizer may vary its words.
    pub fn temperature(&self) -> f64 {
        f64::from(self.temperature) / 100.0
    }

    /// The system prompt.
    pub fn system(&self, tokens: usize, round: u32) -> String {
        self.filled(&self.system, tokens, round)
    }

    /// What the summarizer is asked to do.
    pub fn instructions(&self, tokens: usize, round: u32) -> String {
        self.filled(&self.instructions, tokens, round)
    }

    /// In one walk, so that nothing filled in is filled in again.
    fn filled(&self, text: &str, tokens: usize, round: u32) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, word, after)) = next_placeholder(rest) {
            out += before;
            match word {
                "tokens" => out += &tokens.to_string(),
                "round" => out += &round.to_string(),
                _ => out += &self.section_list(),
            }
            rest = after;
        }
        out + rest
    }

    fn section_list(&self) -> String {
        let sections = self.sections.iter().map(|section| {
            let optional = if section.required { "" } else { "\n(Only if there is something to say.)" };
            format!("### {}{optional}\n{}", section.heading, section.asks.trim()).trim_end().to_string()
        });
        sections.collect::<Vec<_>>().join("\n\n")
    }

    /// Everything that makes it what it is, for keys.
    pub(super) fn parts(&self) -> Vec<String> {
        let sections = self.sections.iter().flat_map(|section| {
            [section.heading.clone(), section.required.to_string(), section.asks.clone()]
        });
        let texts = [self.system.clone(), self.instructions.clone(), self.temperature.to_string()];
        texts.into_iter().chain(sections).collect()
    }
}

/// The file's three parts.
struct Pieces<'t> {
    front: Part<'t>,
    system: Part<'t>,
    instructions: Part<'t>,
}

struct Part<'t> {
    text: &'t str,
    /// Counted from 1.
    first_line: usize,
}

impl Part<'_> {
    fn line_at(&self, at: usize) -> usize {
        self.first_line + self.text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count()
    }
}

impl<'t> Pieces<'t> {
    fn of(text: &'t str) -> Result<Pieces<'t>, TemplateError> {
        let text = text.trim_start_matches('\u{feff}');
        if text.lines().next().map(str::trim_end) != Some("+++") {
            return Err(fault("?", Some(1), "a template starts with a line `+++`".into()));
        }
        let mut ends = Vec::new();
        let mut at = 0;
        for (nth, line) in text.split_inclusive('\n').enumerate() {
            let wanted = ["+++", "+++", "---"].get(ends.len());
            if wanted.is_some_and(|wanted| line.trim_end() == *wanted) {
                ends.push((at, at + line.len(), nth + 1));
            }
            at += line.len();
        }
        let part = |from: usize| {
            let (_, start, line) = ends[from];
            let end = ends.get(from + 1).map_or(text.len(), |(end, _, _)| *end);
            Part { text: &text[start..end], first_line: line + 1 }
        };
        let missing = |why: &str| Err(fault("?", Some(text.lines().count().max(1)), why.into()));
        match ends.len() {
            0 | 1 => missing("the front matter does not end; close it with a line `+++`"),
            2 => missing("there are no instructions; put them below a line `---` after the system prompt"),
            _ => Ok(Pieces { front: part(0), system: part(1), instructions: part(2) }),
        }
    }
}

fn read_sections(
    front: &Part,
    written: Vec<toml::Spanned<Section>>,
) -> Result<Vec<Section>, (usize, String)> {
    if written.is_empty() {
        let why = "it has no sections; list them as `sections = [{ heading = \"Current State\" }]`";
        return Err((front.first_line, why.into()));
    }
    let mut sections: Vec<Section> = Vec::new();
    for section in written {
        let line = front.line_at(section.span().start);
        let section = section.into_inner();
        let (heading, name) = (&section.heading, headings::name(&section.heading));
        if name.is_empty() || heading.contains('\n') {
            return Err((line, format!("`{heading}` is no heading; write words on one line")));
        }
        if sections.iter().any(|other| headings::name(&other.heading) == name) {
            return Err((line, format!("two sections are called `{heading}`; rename one")));
        }
        sections.push(section);
    }
    match sections.iter().any(|section| section.required) {
        true => Ok(sections),
        false => {
            let why = "no section is required, so that any text would do; require at least one";
            Err((front.first_line, why.into()))
        }
    }
}

fn check_placeholders(part: &Part) -> Result<(), (usize, String)> {
    let mut rest = part.text;
    while let Some((_, word, after)) = next_word(rest) {
        if !PLACEHOLDERS.contains(&word) {
            let line = part.line_at(part.text.len() - after.len());
            let known = PLACEHOLDERS.map(|known| format!("`{{{known}}}`")).join(", ");
            return Err((line, format!("there is no placeholder `{{{word}}}`; known are {known}")));
        }
        rest = after;
    }
    Ok(())
}

fn next_placeholder(text: &str) -> Option<(&str, &str, &str)> {
    next_word(text).filter(|(_, word, _)| PLACEHOLDERS.contains(word))
}

/// The next `{word}`: what stands before it, the word, what follows. Other braces are plain text.
fn next_word(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|at| from + at) {
        let word = &text[open + 1..];
        let length = word.bytes().take_while(|byte| byte.is_ascii_lowercase() || *byte == b'_').count();
        if length > 0 && word[length..].starts_with('}') {
            return Some((&text[..open], &word[..length], &word[length + 1..]));
        }
        from = open + 1;
    }
    None
}

fn fault(template: &str, line: Option<usize>, why: String) -> TemplateError {
    TemplateError { template: template.into(), line, why }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: &str = "+++\nname = \"short\"\nabout = \"\"\nsections = [\n  { heading = \"Current State\" },\n  \
                         { heading = \"Notes\", required = false, asks = \"- any\" },\n]\n+++\nRound {round}.\n---\n\
                         {\"a\": {}}\n{sections}\nin {tokens} tokens {not a word} {x\n";

    #[test]
    fn a_template_says_what_it_asks_for() {
        let template = Template::parse(SHORT).unwrap();
        assert_eq!(template.temperature(), 0.3);
        assert_eq!(template.system(800, 2), "Round 2.");
        insta::assert_snapshot!(template.instructions(800, 2), @r#"
        {"a": {}}
        ### Current State

        ### Notes
        (Only if there is something to say.)
        - any
        in 800 tokens {not a word} {x
        "#);
    }

    #[test]
    fn the_templates_that_ship_can_be_read_by_name() {
        for (name, _) in TEMPLATES {
            let template = Template::named(name).unwrap();
            assert_eq!(template.name, *name);
            let asked = template.instructions(800, 1);
            for section in &template.sections {
                assert!(asked.contains(&format!("### {}\n", section.heading)), "{name}: {}", section.heading);
            }
            assert!(asked.contains("At most 800 tokens"), "{name}");
        }
    }

    #[test]
    fn what_is_filled_in_is_not_filled_in_again() {
        let text = SHORT.replace("- any", "- {tokens} of {round}");
        assert!(Template::parse(&text).unwrap().instructions(800, 2).contains("- {tokens} of {round}"));
    }

    #[test]
    fn a_fault_names_its_line_and_the_remedy() {
        let fault = |from: &str, to: &str| {
            assert!(SHORT.contains(from), "{from}");
            Template::parse(&SHORT.replacen(from, to, 1)).unwrap_err().to_string()
        };
        let faults = [
            Template::named("codign").unwrap_err().to_string(),
            Template::parse("").unwrap_err().to_string(),
            fault("+++\n", "---\n"),
            fault("]\n+++", "]\n"),
            fault("\n---\n", "\n"),
            fault("about", "abuot"),
            fault("name = \"short\"", "name = short"),
            fault("about = \"\"", "about = \"\"\ntemperature = 3.0"),
            Template::parse("+++\nname = \"none\"\nabout = \"\"\n+++\n---\n{sections}")
                .unwrap_err()
                .to_string(),
            fault("Current State", "##"),
            fault("\"Notes\"", "\"current state:\""),
            fault("\"Current State\"", "\"Current State\", required = false"),
            fault("{round}", "{rounds}"),
            fault("{tokens}", "{cost}"),
            fault("{sections}", "sections"),
        ];
        insta::assert_snapshot!(faults.join("\n"), @r#"
        template `codign`: there is no template of that name; did you mean `coding`?
        template `?`, line 1: a template starts with a line `+++`
        template `?`, line 1: a template starts with a line `+++`
        template `?`, line 13: the front matter does not end; close it with a line `+++`
        template `?`, line 12: there are no instructions; put them below a line `---` after the system prompt
        template `?`, line 3: unknown field `abuot`, expected one of `name`, `about`, `temperature`, `sections`
        template `?`, line 2: string values must be quoted, expected literal string
        template `short`: `temperature` is 3; it is a number between 0 and 2
        template `none`, line 2: it has no sections; list them as `sections = [{ heading = "Current State" }]`
        template `short`, line 5: `##` is no heading; write words on one line
        template `short`, line 6: two sections are called `current state:`; rename one
        template `short`, line 2: no section is required, so that any text would do; require at least one
        template `short`, line 9: there is no placeholder `{rounds}`; known are `{tokens}`, `{round}`, `{sections}`
        template `short`, line 13: there is no placeholder `{cost}`; known are `{tokens}`, `{round}`, `{sections}`
        template `short`, line 11: the instructions never list the sections; write `{sections}` where they belong
        "#);
    }
}
