//! What stands where lines are missing: `[12 lines #482913077]`.

use super::analysis::Line;
use crate::text::lines;
use crate::text::shape::Noise;

/// The kept lines, word for word, with a marker at each gap. The first marker says how the whole text can be opened, and
/// how many of the kept lines only look as if they held a marker.
pub(super) fn join(text: &str, lines: &[Line], keep: &[bool], opens: &str) -> String {
    join_with(text, lines, keep, opens, |missing, opens| format!("[{missing}{opens}]"))
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
    let kept = lines.iter().zip(keep).filter(|(_, keep)| **keep).map(|(line, _)| &text[line.span.clone()]);
    let look_alikes = kept.filter(|line| looks_like_a_marker(line)).count();
    let mut opens = match look_alikes {
        0 => opens.to_string(),
        1 => format!("{opens}; 1 mark in this text is its own"),
        many => format!("{opens}; {many} marks in this text are its own"),
    };
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
            out.push_str(&marker(&missing, &std::mem::take(&mut opens)));
        }
        nth = end;
    }
    out
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
        ["line", "chars", "step", "message"].iter().any(|ours| word.starts_with(ours)) && word.contains(']')
    })
}
