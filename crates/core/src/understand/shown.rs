//! The lines of a file as a tool's result shows them.

use super::ending::Ending;
use super::files::Access;
use super::operation::{Lines, Operation, Shown, line_number};

/// Lines of a file that a result shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShownLines<'a> {
    pub(super) first: usize,
    pub(super) lines: Vec<&'a str>,
    /// Whether the file ends with them.
    pub(super) at_end: bool,
}

/// Claude Code shows no more lines than this unless asked to.
const CLAUDE_LINES: usize = 2_000;
/// Claude Code cuts lines at this length.
pub(super) const CUT_LINE: usize = 2_000;

/// The lines that the result of a read shows; `None` where it shows none, or not as they are.
pub(super) fn lines_of<'a>(operation: &Operation, ending: &Ending, text: &'a str) -> Option<ShownLines<'a>> {
    if ending.truncated || !ending.succeeded() {
        return None;
    }
    let body = ending.body(text);
    match operation.shown {
        Shown::No => None,
        Shown::Plain => plain(operation.lines, body, true),
        Shown::Numbered => numbered(body).map(|(first, lines)| ShownLines { first, lines, at_end: false }),
        Shown::Either => either(operation.lines, body),
    }
}

/// The lines of a file that the result of a read shows: number of the first, and each as it stands in the text without
/// its number. `None` where it shows none, or not as they are.
pub(crate) fn lines_in<'a>(access: &Access, ending: &Ending, text: &'a str) -> Option<(usize, Vec<&'a str>)> {
    let read = Operation::new(access.verb).lines(access.lines).shown(access.shown);
    lines_of(&read, ending, text).map(|shown| (shown.first, shown.lines))
}

/// A line that begins with its number: the number and the text behind it.
pub(crate) fn numbered_text(line: &str) -> Option<(usize, &str)> {
    numbered_line(line).map(|(number, _, text)| (number, text))
}

/// What a tool shows that numbers lines, or one that does not.
fn either(asked: Option<Lines>, body: &str) -> Option<ShownLines<'_>> {
    let is_shown = |(first, lines): &(usize, Vec<&str>)| {
        starts_where_asked(*first, asked) || is_nearly_all_of(lines, body)
    };
    if let Some((first, lines)) = numbered(body).filter(is_shown) {
        let at_end = ends_before_limit(&lines, asked) && first + lines.len() <= CLAUDE_LINES;
        // Asked for line 0, Claude Code numbers from 0.
        return Some(ShownLines { first: first.max(1), lines, at_end });
    }
    if looks_like_a_message(body) {
        return None;
    }
    let (body, more) = without_continuation(body);
    let shown = plain(asked, body, false)?;
    Some(ShownLines { at_end: !more, ..shown })
}

fn starts_where_asked(first: usize, lines: Option<Lines>) -> bool {
    match lines {
        Some(Lines::Span { first: asked, .. }) => first.max(1) == asked,
        None | Some(Lines::Last(_)) => first == 1,
    }
}

/// Tools count offsets from 0 or from 1 as they like; where nearly every line has its number, the numbers are right.
fn is_nearly_all_of(lines: &[&str], body: &str) -> bool {
    const FRAME: usize = 3;
    lines.len() > FRAME && lines.len() + FRAME >= body.split('\n').count()
}

fn ends_before_limit(lines: &[&str], asked: Option<Lines>) -> bool {
    match asked {
        Some(Lines::Span { first, last: Some(last) }) => lines.len() < (last + 1).saturating_sub(first),
        _ => true,
    }
}

/// Text without numbers. A shell's output counts as complete where it ends with a line feed: some harnesses take
/// white space off the end, and with it empty lines.
fn plain(asked: Option<Lines>, body: &str, from_shell: bool) -> Option<ShownLines<'_>> {
    let first = match asked {
        None => 1,
        Some(Lines::Span { first, .. }) => first,
        Some(Lines::Last(_)) => return None,
    };
    let trimmed = from_shell && !body.ends_with('\n');
    let lines: Vec<&str> =
        if from_shell { super::lines::split(body).collect() } else { body.split('\n').collect() };
    if lines.is_empty() || body.contains('\r') {
        return None;
    }
    let short = ends_before_limit(&lines, asked);
    Some(ShownLines { first, at_end: from_shell && short && !trimmed, lines })
}

/// pi's `[123 more lines in file. Use offset=…]`, once `... (123 more lines not shown. …)`.
fn without_continuation(body: &str) -> (&str, bool) {
    let last = body.rfind("\n\n[").max(body.rfind("\n\n... (")).unwrap_or(body.len());
    let note = &body[last..];
    let continues = ["more lines in file", "more lines not shown", "Showing lines"]
        .iter()
        .any(|mark| note.contains(mark));
    if continues { (&body[..last], true) } else { (body, false) }
}

fn looks_like_a_message(body: &str) -> bool {
    body.is_empty()
        || body.starts_with("[image omitted")
        || body.starts_with("<system-reminder>")
        || body.starts_with("[File:")
}

/// The longest run of numbered lines: number of the first, and texts without their numbers.
pub(super) fn numbered(body: &str) -> Option<(usize, Vec<&str>)> {
    let mut best: Option<(usize, Vec<&str>)> = None;
    let mut run: Option<(usize, Mark, Vec<&str>)> = None;
    for line in body.split('\n') {
        let parsed = numbered_line(line);
        match (&mut run, parsed) {
            (Some((first, mark, lines)), Some((number, this, text)))
                if this == *mark && number == *first + lines.len() =>
            {
                lines.push(text);
            }
            (_, parsed) => {
                keep_longer(&mut best, run.take());
                run = parsed.map(|(number, mark, text)| (number, mark, vec![text]));
            }
        }
    }
    keep_longer(&mut best, run);
    best
}

/// What stands between a number and its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Arrow,
    Tab,
    Dot,
    Colon,
}

fn keep_longer<'a>(best: &mut Option<(usize, Vec<&'a str>)>, run: Option<(usize, Mark, Vec<&'a str>)>) {
    if let Some((first, _, lines)) = run
        && best.as_ref().is_none_or(|(_, best)| best.len() < lines.len())
    {
        *best = Some((first, lines));
    }
}

fn numbered_line(line: &str) -> Option<(usize, Mark, &str)> {
    let rest = line.trim_start_matches(' ');
    let end = rest.find(|c: char| !c.is_ascii_digit()).filter(|end| *end > 0)?;
    let number = line_number(&rest[..end])?;
    let after = &rest[end..];
    let marks = [("→", Mark::Arrow), ("\t", Mark::Tab), (". ", Mark::Dot), (":", Mark::Colon)];
    // Through a terminal lines end with CR LF.
    let text = |mark| Some(after.strip_prefix(mark)?.trim_end_matches('\r'));
    marks.iter().find_map(|(spelled, mark)| Some((number, *mark, text(*spelled)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_of_all_tools_come_off() {
        for body in [
            "     9→a\n    10→\tb",
            "9\ta\n10\t\tb",
            "Here's the result of running `cat -n` on x:\n     9\ta\n    10\t\tb\n",
            "[File: /x (20 lines total)]\n(8 more lines above)\n9:a\n10:\tb\n(10 more lines below)",
            "9. a\n10. \tb",
        ] {
            assert_eq!(numbered(body), Some((9, vec!["a", "\tb"])), "{body}");
        }
        assert_eq!(numbered("no numbers\nhere"), None);
    }

    /// A tool that counts its offset from 0 once had its line numbers taken for part of the file.
    #[test]
    fn numbers_are_believed_whatever_the_offset_was_meant_to_be() {
        use crate::understand::operation::Verb;
        let read = Operation::on(Verb::Read, "f").lines(Some(Lines::span(7, 10))).shown(Shown::Either);
        let text = "8\ta\n9\tb\n10\tc\n11\td\n(lines 8-11 of 40)";
        let shown = lines_of(&read, &Ending::of(text, false), text).unwrap();
        assert_eq!((shown.first, shown.lines), (8, vec!["a", "b", "c", "d"]));
    }

    #[test]
    fn the_end_of_a_file_shows_where_fewer_lines_come_than_were_asked_for() {
        use crate::understand::operation::Verb;
        let read = |lines| Operation::on(Verb::Read, "f").lines(Some(lines)).shown(Shown::Plain);
        let at_end = |lines, text| lines_of(&read(lines), &Ending::of(text, false), text).unwrap().at_end;
        assert!(at_end(Lines::span(1, 5), "a\nb\n"));
        assert!(!at_end(Lines::span(1, 2), "a\nb\n"));
        assert!(!at_end(Lines::span(1, 5), "a\nb"), "white space may have been taken off");
    }
}
