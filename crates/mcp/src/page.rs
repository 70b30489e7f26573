//! A part of a long text, and how to go on.

use crate::tools::Part;

/// Characters of one answer at most, apart from the line that says which part it is: some 5,000 tokens.
pub const PAGE: usize = 16_000;

/// The part that is wanted, as far as it fits into a page, under a line that says what it is. Whole lines, unless one is
/// longer than a page.
pub(crate) fn page(what: &str, text: &str, part: Part) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let first = part.from_line.unwrap_or(1).max(1);
    let last = part.to_line.unwrap_or(lines.len()).min(lines.len());
    if first > last {
        let wanted = if first > lines.len() {
            format!("from line {first} on")
        } else {
            format!("lines {first}–{last}")
        };
        return format!("[{what}: {} lines, none {wanted}]", lines.len());
    }
    let mut shown = String::new();
    let mut room = PAGE;
    let mut next = (first, part.from_character.unwrap_or(1).max(1));
    for line in &lines[first - 1..last] {
        let rest = skip(line, next.1 - 1);
        let length = rest.chars().count();
        if length > room {
            // Half a line only where a whole one would not fit into any page.
            if shown.is_empty() {
                shown.extend(rest.chars().take(room));
                next.1 += room;
            }
            break;
        }
        shown += rest;
        room -= length;
        next = (next.0 + 1, 1);
    }
    let shown_to = if next.1 > 1 { next.0 } else { next.0 - 1 };
    let is_all = first == 1 && part.from_character.is_none() && shown_to == lines.len() && next.1 == 1;
    let go_on = match next {
        (line, _) if line > last => String::new(),
        (line, 1) => format!("; go on with from_line {line}"),
        (line, character) => format!("; go on with from_line {line}, from_character {character}"),
    };
    let which = match is_all {
        true => format!("{} lines", lines.len()),
        false => format!("lines {first}–{shown_to} of {}", lines.len()),
    };
    format!("[{what}: {which}{go_on}]\n{shown}")
}

fn skip(line: &str, characters: usize) -> &str {
    line.char_indices().nth(characters).map_or("", |(at, _)| &line[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(from_line: Option<usize>, to_line: Option<usize>, from_character: Option<usize>) -> Part {
        Part { from_line, to_line, from_character }
    }

    #[test]
    fn a_short_text_comes_whole() {
        assert_eq!(page("#1", "a\nb\n", Part::default()), "[#1: 2 lines]\na\nb\n");
        assert_eq!(page("#1", "", Part::default()), "[#1: 0 lines, none from line 1 on]");
    }

    #[test]
    fn the_lines_that_are_wanted_come() {
        assert_eq!(page("#1", "a\nb\nc\nd", part(Some(2), Some(3), None)), "[#1: lines 2–3 of 4]\nb\nc\n");
        assert_eq!(page("#1", "a\nb", part(Some(3), None, None)), "[#1: 2 lines, none from line 3 on]");
        assert_eq!(page("#1", "a\nb", part(Some(2), Some(1), None)), "[#1: 2 lines, none lines 2–1]");
    }

    #[test]
    fn pages_put_together_are_the_text() {
        let long: String = (0..9_000).map(|nth| format!("line {nth} of this text is here\n")).collect();
        let one_line = "é".repeat(3 * PAGE + 5);
        for text in [long, format!("before\n{one_line}\nafter"), one_line] {
            let (mut at, mut whole, mut pages) = (Part::default(), String::new(), 0);
            loop {
                let said = page("#1", &text, at);
                let (head, shown) = said.split_once('\n').unwrap();
                assert!(shown.chars().count() <= PAGE);
                whole += shown;
                pages += 1;
                let Some((_, next)) = head.trim_end_matches(']').split_once("from_line ") else { break };
                let (line, character) = next.split_once(", from_character ").unwrap_or((next, "1"));
                at = part(Some(line.parse().unwrap()), None, Some(character.parse().unwrap()));
            }
            assert_eq!(whole, text);
            assert!(pages > 2);
        }
    }
}
