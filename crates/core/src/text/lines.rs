//! Texts as lines: the units in which content is kept or left out.

use std::ops::Range;

/// A line longer than this is cut: behind line feeds that are written as `\n`, else at its punctuation. JSON on one line is
/// many facts, and a program's output inside it many lines.
const LONG: usize = 400;

/// So many written line feeds make lines; one or two may be part of a path or a pattern.
const FEWEST_WRITTEN: usize = 3;

/// The units of a text: its lines, and pieces of very long ones. Together they cover the text but for line ends.
pub fn units(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
        let span = start..end;
        start = end + 1;
        if !is_long(&text[span.clone()]) {
            out.push(span);
            continue;
        }
        let mut at = span.start;
        for feed in written_feeds(&text[span.clone()]) {
            let piece = at..span.start + feed;
            at = piece.end;
            match is_long(&text[piece.clone()]) {
                true => cut_long(text, piece, &mut out),
                false => out.push(piece),
            }
        }
        cut_long(text, at..span.end, &mut out);
    }
    out
}

fn is_long(line: &str) -> bool {
    line.len() > LONG && line.chars().nth(LONG).is_some()
}

/// The places behind the line feeds that a long line has in writing, as in JSON within a string: `\n`, `\\n`.
fn written_feeds(line: &str) -> Vec<usize> {
    let feeds: Vec<usize> = memchr::memmem::find_iter(line.as_bytes(), "\\n").map(|at| at + 2).collect();
    if feeds.len() < FEWEST_WRITTEN { Vec::new() } else { feeds }
}

/// A piece of a long line without the written line feed at its end; `None` where it has none.
pub fn without_feed(piece: &str) -> Option<&str> {
    piece.strip_suffix("\\n").map(|line| line.trim_end_matches('\\'))
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

/// A line as it is compared with others: without a line number before it, white space around it and a written line feed.
pub fn key(line: &str) -> &str {
    let line = without_number(line).trim();
    without_feed(line).map_or(line, str::trim_end)
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

    /// A program's output inside a JSON string was cut at its commas, in the middle of its lines.
    #[test]
    fn lines_in_writing_are_lines() {
        let code: String = (0..40).map(|n| format!("    let part_{n} = f(a, b, [{n}]);\\n")).collect();
        let json = format!("{{\"returncode\":0,\"output\":\"{code}\"}}");
        let cut = units(&json);
        assert_eq!(&json[cut[1].clone()], "    let part_1 = f(a, b, [1]);\\n");
        assert_eq!(key(&json[cut[1].clone()]), "let part_1 = f(a, b, [1]);");
        assert_eq!(cut.iter().map(|span| &json[span.clone()]).collect::<String>(), json);
        assert_eq!(cut.len(), 41);
        assert_eq!(units("print('a\\nb\\nc\\nd')").len(), 1, "short lines stay whole");
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
