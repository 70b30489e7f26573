//! Texts as lines: the units in which content is kept or left out.

use std::ops::Range;

/// A line longer than this is cut at its punctuation: JSON on one line is many facts.
const LONG: usize = 400;

/// The units of a text: its lines, and pieces of very long ones. Together they cover the text but for line ends.
pub fn units(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
        let span = start..end;
        start = end + 1;
        if span.len() <= LONG || text[span.clone()].chars().nth(LONG).is_none() {
            out.push(span);
        } else {
            cut_long(text, span, &mut out);
        }
    }
    out
}

/// Cuts a long line behind runs of `, { } [ ]`, and what is still too long at a space.
fn cut_long(text: &str, line: Range<usize>, out: &mut Vec<Range<usize>>) {
    let mut start = line.start;
    let mut in_marks = false;
    for (at, c) in text[line.clone()].char_indices() {
        let mark = matches!(c, ',' | '{' | '}' | '[' | ']');
        if in_marks && !mark {
            cut_at_spaces(text, start..line.start + at, out);
            start = line.start + at;
        }
        in_marks = mark;
    }
    cut_at_spaces(text, start..line.end, out);
}

fn cut_at_spaces(text: &str, mut piece: Range<usize>, out: &mut Vec<Range<usize>>) {
    while let Some((limit, _)) = text[piece.clone()].char_indices().nth(LONG) {
        let window = &text[piece.start..piece.start + limit];
        let cut = window.rfind(' ').filter(|at| *at > LONG / 10).unwrap_or(limit);
        out.push(piece.start..piece.start + cut);
        piece.start += cut;
    }
    if !text[piece.clone()].trim().is_empty() {
        out.push(piece);
    }
}

/// A line as it is compared with others: without a line number before it and white space around it.
pub fn key(line: &str) -> &str {
    without_number(line).trim()
}

/// `  12→text`, `12: text`, `12 | text`, `12<tab>text`.
pub(crate) fn without_number(line: &str) -> &str {
    let rest = line.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return line;
    }
    let after = rest[digits..].trim_start_matches([' ', '\r']);
    match after.chars().next() {
        Some(mark @ ('\t' | ':' | '|' | '→')) => {
            let rest = &after[mark.len_utf8()..];
            rest.strip_prefix(' ').unwrap_or(rest)
        }
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_units_and_long_ones_are_cut_at_their_punctuation() {
        assert_eq!(units("a\nb\n").len(), 3);
        let long = format!("[{}]", vec!["\"some value of a list\""; 40].join(","));
        let cut = units(&long);
        assert_eq!(cut.len(), 41, "one piece per value and the opening bracket");
        assert_eq!(cut.iter().map(|span| &long[span.clone()]).collect::<String>(), long);
    }

    #[test]
    fn a_megabyte_without_a_place_to_cut_is_cut_all_the_same() {
        assert!(units(&"é".repeat(1_000_000)).len() > 2000);
    }

    #[test]
    fn keys_ignore_line_numbers() {
        assert_eq!(key("   12→\tlet x = 1;"), "let x = 1;");
        assert_eq!(key("12: let x"), "let x");
        assert_eq!(key("12 monkeys"), "12 monkeys");
    }
}
