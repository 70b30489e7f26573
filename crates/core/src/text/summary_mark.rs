//! How a summary message of ours is recognised, whoever sends it back to us.

pub(crate) const NAME: &str = "enfold-summary";
pub(crate) const LEDGER: (&str, &str) = ("<enfold-ledger>", "</enfold-ledger>");
pub(crate) const NARRATIVE: (&str, &str) = ("<enfold-narrative>", "</enfold-narrative>");
pub(crate) const END: &str = "</enfold-summary>";

/// A summary found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its round.
    pub round: u32,
    /// How many messages it stands for.
    pub messages: usize,
    /// Its narrative, if it has one.
    pub narrative: Option<String>,
}

/// Finds a summary in a text by its marker lines, wherever in the text it stands; the last, if there are several. A
/// marker inside a line is a quotation, and one that is not closed is no summary. Linear.
///
/// Anybody can write these lines: look only into messages that Enfold may have written.
pub fn find(text: &str) -> Option<Found> {
    let lines: Vec<&str> = text.split('\n').collect();
    let (mut open, mut found) = (None, None);
    for (nth, line) in lines.iter().enumerate() {
        if let Some((round, messages)) = opening(line) {
            open = Some((nth + 1, round, messages));
        } else if line.trim_end() == END {
            found = open.take().map(|open| (open, nth)).or(found);
        }
    }
    let ((start, round, messages), end) = found?;
    Some(Found { round, messages, narrative: inside(&lines[start..end], NARRATIVE) })
}

/// The numbers of an opening line.
fn opening(line: &str) -> Option<(u32, usize)> {
    let numbers = line.trim_end().strip_prefix('<')?.strip_prefix(NAME)?;
    let numbers = numbers.strip_prefix(" round=\"")?.strip_suffix("\">")?;
    let (round, messages) = numbers.split_once("\" messages=\"")?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(round) && is_number(messages)).then_some(())?;
    Some((round.parse().ok()?, messages.parse().ok()?))
}

/// The lines between two marker lines.
fn inside(lines: &[&str], (start, end): (&str, &str)) -> Option<String> {
    let start = lines.iter().position(|line| line.trim_end() == start)?;
    let length = lines[start + 1..].iter().position(|line| line.trim_end() == end)?;
    Some(lines[start + 1..][..length].join("\n"))
}
