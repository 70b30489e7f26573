//! Headings as models write them: any number of `#`, bold, numbered, with a colon or a remark behind, in any case.

/// A heading line: which of the template's sections it opens, and what stands on the line behind the heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heading<'a> {
    pub(super) section: usize,
    pub(super) rest: &'a str,
}

/// A heading ends within so many bytes of its line, marks included.
const LONGEST: usize = 160;

/// The name of a heading, as it is compared with others.
pub(super) fn name(heading: &str) -> String {
    let heading = unnumbered(heading.trim_matches(is_mark));
    let words = heading.split_whitespace();
    let words = words.map(|word| if word == "&" { "and".into() } else { word.to_lowercase() });
    words.collect::<Vec<String>>().join(" ")
}

/// The heading that a line is, of sections with these names. Plain text is one only if it says nothing else.
pub(super) fn read<'a>(line: &'a str, names: &[String]) -> Option<Heading<'a>> {
    let text = line.trim();
    let section = |text: &str| {
        let name = name(text);
        names.iter().position(|known| *known == name)
    };
    if text.len() <= LONGEST
        && let Some(section) = section(text)
    {
        return Some(Heading { section, rest: "" });
    }
    let is_marked = text.starts_with('#') || text.starts_with("**") || text.starts_with("__");
    is_marked.then_some(())?;
    // `### User Preferences (critical)`, `**Current State:** working on it`
    let ends = text.char_indices().take_while(|(at, _)| *at <= LONGEST).filter(|(_, c)| ENDS.contains(c));
    let found = ends.filter_map(|(at, _)| Some((section(&text[..at])?, &text[at..])));
    let (section, rest) = found.max_by_key(|(section, _)| names[*section].len())?;
    Some(Heading { section, rest: rest.trim_start_matches([':', '*', '_', ' ']).trim_end() })
}

/// What may stand behind a heading on its line.
const ENDS: [char; 8] = [':', '*', '_', '(', '-', '–', '—', '|'];

fn is_mark(c: char) -> bool {
    c.is_whitespace() || matches!(c, '#' | '*' | '_' | '`' | ':' | '.' | ')')
}

/// Without `1.` or `2)` before it.
fn unnumbered(heading: &str) -> &str {
    let rest = heading.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.len() < heading.len() && rest.starts_with(['.', ')']) {
        true => rest.trim_start_matches(is_mark),
        false => heading,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["Current State", "Errors & Resolutions", "User Preferences", "User Preferences and Rejected Options"]
            .map(name)
            .to_vec()
    }

    #[test]
    fn a_heading_is_recognised_however_it_is_marked() {
        for (line, section, rest) in [
            ("### Current State", 0, ""),
            ("Current State", 0, ""),
            ("#current state:", 0, ""),
            ("  ###### **CURRENT  STATE**:", 0, ""),
            ("**Current State**", 0, ""),
            ("## 3. Current State", 0, ""),
            ("3) Current State", 0, ""),
            ("## Current State (round 2)", 0, "(round 2)"),
            ("## Current State — half done", 0, "— half done"),
            ("**Current State:** working on it", 0, "working on it"),
            ("**Current State**: working on it", 0, "working on it"),
            ("## Errors and Resolutions", 1, ""),
            ("## Errors & resolutions", 1, ""),
            ("## User Preferences", 2, ""),
            ("## User Preferences and rejected options", 3, ""),
        ] {
            assert_eq!(read(line, &names()), Some(Heading { section, rest }), "{line}");
        }
    }

    #[test]
    fn other_lines_are_no_headings() {
        for line in [
            "",
            "###",
            "- Current State",
            "The current state",
            "Current State: working",
            "## Current Statement",
            "## The Current State",
            "## Current State of things",
            "| Current State |",
            &format!("## {} Current State", "#".repeat(500)),
        ] {
            assert_eq!(read(line, &names()), None, "{line}");
        }
    }
}
