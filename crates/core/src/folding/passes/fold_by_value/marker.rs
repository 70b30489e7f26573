//! What stands where lines are missing: `[12 lines #482913077]`.

use std::mem::take;
use std::ops::Range;

use super::analysis::Line;
use crate::history::{Spelling, Text};
use crate::text::json_units::{self, Missing};
use crate::text::lines;
use crate::text::shape::Noise;

/// What takes the place of a text that is spelt as `original` is. `says` is what a text of which nothing is kept says of itself.
pub(super) fn write(
    original: &Text,
    text: &str,
    lines: &[Line],
    keep: &[bool],
    opens: &str,
    says: Option<&str>,
) -> String {
    if original.spelling == Spelling::Json {
        return join_json(text, lines, keep, opens, says);
    }
    let mut joined = join(text, lines, keep, opens);
    if let Some(says) = says {
        joined.insert_str("[".len(), &format!("{says}; "));
    }
    joined
}

/// The kept lines, word for word, with a marker at each gap. The first marker says how the whole text can be opened, and
/// how many of the kept lines only look as if they held a marker.
fn join(text: &str, lines: &[Line], keep: &[bool], opens: &str) -> String {
    join_with(text, lines, keep, opens, |missing, opens| format!("[{missing}{opens}]"))
}

/// The same for a list or an object, which stays one. `says` is what the result says of itself where nothing of it is kept.
fn join_json(text: &str, lines: &[Line], keep: &[bool], opens: &str, says: Option<&str>) -> String {
    let is_kept = |unit: &Range<usize>| {
        let line = lines.partition_point(|line| line.span.end <= unit.start);
        keep.get(line).copied().unwrap_or(true)
    };
    let mut opens = look_alikes(text, lines, keep, opens);
    let mut says = says.map(|says| format!("{says}; ")).unwrap_or_default();
    let mut mark = |missing: Missing| format!("[{}{missing}{}]", take(&mut says), take(&mut opens));
    json_units::join(text, &is_kept, &mut mark)
}

/// The same inside an argument, in words that nobody would type into a file.
pub(super) fn join_argument(text: &str, lines: &[Line], keep: &[bool], opens: &str) -> String {
    join_with(text, lines, keep, opens, |missing, opens| {
        format!("<<< {missing} of this call were written and are not shown in this conversation{opens} >>>")
    })
}

fn join_with(
    text: &str,
    lines: &[Line],
    keep: &[bool],
    opens: &str,
    marker: impl Fn(&str, &str) -> String,
) -> String {
    let mut out = String::new();
    let mut opens = look_alikes(text, lines, keep, opens);
    let mut nth = 0;
    while nth < lines.len() {
        let end = nth + keep[nth..].iter().take_while(|kept| **kept == keep[nth]).count();
        if !out.is_empty() {
            out.push('\n');
        }
        if keep[nth] {
            out.push_str(&text[lines[nth].span.start..lines[end - 1].span.end]);
        } else {
            let missing = missing(text, &lines[nth..end], nth > 0);
            out.push_str(&marker(&missing, &take(&mut opens)));
        }
        nth = end;
    }
    out
}

/// What the first marker says behind its count: how the whole opens, and how many of the kept lines only look like a marker.
fn look_alikes(text: &str, lines: &[Line], keep: &[bool], opens: &str) -> String {
    let kept = lines.iter().zip(keep).filter(|(_, keep)| **keep).map(|(line, _)| &text[line.span.clone()]);
    match kept.filter(|line| looks_like_a_marker(line)).count() {
        0 => opens.to_string(),
        1 => format!("{opens}; 1 mark in this text is its own"),
        many => format!("{opens}; {many} marks in this text are its own"),
    }
}

/// What a gap holds: lines, or characters where it is part of a line.
fn missing(text: &str, gap: &[Line], has_line_before: bool) -> String {
    let (start, end) = (gap[0].span.start, gap[gap.len() - 1].span.end);
    let is_cut = |byte: Option<&u8>| byte.is_some_and(|byte| *byte != b'\n');
    let starts_inside = start > 0 && is_cut(text.as_bytes().get(start - 1));
    let ends_inside = is_cut(text.as_bytes().get(end));
    let hidden = &text[start..end];
    let feeds = hidden.bytes().filter(|byte| *byte == b'\n').count();
    let in_writing = |line: &&Line| {
        lines::without_feed(&text[line.span.clone()]).is_some() && is_cut(text.as_bytes().get(line.span.end))
    };
    let written = gap.iter().filter(in_writing).count();
    if (starts_inside || ends_inside) && feeds + written == 0 {
        return format!("{} chars", hidden.chars().count());
    }
    // What comes behind the last line feed is a line too, if there is something.
    let count = feeds + written + usize::from(!gap.last().is_some_and(|line| in_writing(&line)));
    let lines = if count == 1 { "line" } else { "lines" };
    let repeats = has_line_before && gap.iter().all(|line| matches!(line.noise, Noise::Repeat(_)));
    format!("{count} {lines}{}", if repeats { " like this" } else { "" })
}

/// Whether a line of the text itself could be taken for one of our markers.
fn looks_like_a_marker(line: &str) -> bool {
    line.match_indices('[').any(|(at, _)| {
        let rest = &line[at + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Some(word) = rest[digits..].strip_prefix(' ').filter(|_| digits > 0) else { return false };
        ["line", "row", "field", "chars", "step", "message"].iter().any(|ours| word.starts_with(ours))
            && word.contains(']')
    })
}
