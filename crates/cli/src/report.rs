//! How results look on a terminal: tables, numbers, and text that cannot play tricks on it.

use std::collections::BTreeMap;
use std::io::IsTerminal;

use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Row, presets,
};
use enfold::finding::{Finding, Severity};

pub use enfold_page::{clean, clean_lines};

/// Which stream something is printed to: colours and width follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// The result.
    Stdout,
    /// What is said beside it.
    Stderr,
}

/// Width where there is no terminal to ask.
const PLAIN_WIDTH: u16 = 80;

/// A table without a frame, never wider than the terminal. A column whose name starts with `#` holds numbers, one with
/// `!` is never cut; the others share the width that is left.
pub struct Table {
    table: comfy_table::Table,
    /// The columns whose words have colours, and which.
    colours: Vec<(usize, Colours)>,
}

/// The colour of a word.
type Colours = fn(&str) -> Option<Color>;

impl Table {
    /// A table with these columns.
    pub fn new(stream: Stream, columns: &[&str]) -> Table {
        let mut table = comfy_table::Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_truncation_indicator("…")
            .set_width(width(stream));
        if has_colours(stream) {
            table.enforce_styling()
        } else {
            table.force_no_tty()
        };
        let names = columns.iter().map(|name| name.trim_start_matches(['#', '!']));
        let mut header = Row::from(names.map(|name| Cell::new(name).add_attribute(Attribute::Bold)));
        // Beside long names the last column may have no room for its own.
        header.max_height(1);
        table.set_header(header);
        for (nth, name) in columns.iter().enumerate() {
            let Some(column) = table.column_mut(nth) else { continue };
            column.set_padding((u16::from(nth > 0), 1));
            if name.starts_with('#') {
                column.set_cell_alignment(CellAlignment::Right);
            }
            if name.starts_with(['#', '!']) {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        Table { table, colours: Vec::new() }
    }

    /// Gives the words of a column their colours, where there are any.
    pub fn colour(&mut self, column: usize, colours: Colours) {
        self.colours.push((column, colours));
    }

    fn cell(&self, column: usize, text: &str) -> Cell {
        let colours = self.colours.iter().find(|(nth, _)| *nth == column);
        let cell = Cell::new(clean(text));
        match colours.and_then(|(_, colours)| colours(text)) {
            Some(colour) => cell.fg(colour),
            None => cell,
        }
    }

    /// Names and values, without a head.
    pub fn facts(stream: Stream, facts: &[(&str, String)]) -> String {
        let mut table = Table::new(stream, &["!", ""]);
        for (name, value) in facts {
            table.row([name.to_string(), value.clone()]);
        }
        // The head is there to set the columns up; its names are empty.
        table.render().split_once('\n').map_or(String::new(), |(_, rows)| rows.to_string())
    }

    /// Adds a row that may wrap onto several lines.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        let cells: Vec<Cell> = cells.iter().enumerate().map(|(nth, cell)| self.cell(nth, cell)).collect();
        self.table.add_row(cells);
    }

    /// Adds a row that stays on one line; what is too long ends in `…`.
    pub fn line(&mut self, cells: impl AsRef<[String]>) {
        // Cut within words, not between: a delimiter that no clean text contains.
        let cells =
            cells.as_ref().iter().enumerate().map(|(nth, cell)| self.cell(nth, cell).set_delimiter('\u{1f}'));
        let mut row = Row::from(cells.collect::<Vec<_>>());
        row.max_height(1);
        self.table.add_row(row);
    }

    /// Adds a row that begins with a severity in its colour.
    fn finding<const N: usize>(&mut self, severity: Severity, cells: [String; N]) {
        let colour = match severity {
            Severity::Error => Color::Red,
            Severity::Warning => Color::Yellow,
            Severity::Note => Color::Blue,
        };
        let first = Cell::new(severity).fg(colour);
        self.table.add_row(std::iter::once(first).chain(cells.iter().map(|cell| Cell::new(clean(cell)))));
    }

    /// The table as text, each line ended.
    pub fn render(&self) -> String {
        self.table.lines().map(|line| line.trim_end().to_string() + "\n").collect()
    }
}

/// What the reader of a session warns of, a line each beside a result; equal ones in one.
pub fn warnings(of: impl std::fmt::Display, findings: &[Finding]) -> String {
    let serious: Vec<&Finding> =
        findings.iter().filter(|finding| finding.severity > Severity::Note).collect();
    let line = |(finding, times): &(&Finding, usize)| {
        let place = finding.place.to_string();
        let place = if place.is_empty() { place } else { format!("{place}: ") };
        let more = if *times > 1 { format!(" ({times} times)") } else { String::new() };
        let remedy = if finding.remedy.is_empty() { String::new() } else { format!("; {}", finding.remedy) };
        let said = format!("{}: {of}: {place}{}{remedy}{more}", finding.severity, finding.what);
        format!("{}\n", clean(&said))
    };
    grouped(serious).iter().map(line).collect()
}

/// Findings as a table, equal ones in one row; empty where there are none.
pub fn findings(stream: Stream, findings: &[Finding]) -> String {
    let groups = grouped(findings);
    if groups.is_empty() {
        return String::new();
    }
    let mut table = Table::new(stream, &["severity", "#times", "first at", "what"]);
    for (finding, times) in groups {
        let rule = finding.rule.map_or(String::new(), |rule| format!("{rule}: "));
        let remedy = if finding.remedy.is_empty() { String::new() } else { format!("; {}", finding.remedy) };
        let what = format!("{rule}{}{remedy}", finding.what);
        table.finding(finding.severity, [times.to_string(), finding.place.to_string(), what]);
    }
    table.render()
}

/// Equal findings together: the first of them, and how many there are.
fn grouped<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Vec<(&'f Finding, usize)> {
    let mut groups: Vec<(&Finding, usize)> = Vec::new();
    let mut known = BTreeMap::new();
    for finding in findings {
        let key = (finding.severity, finding.rule, &finding.what, &finding.remedy);
        let group = *known.entry(key).or_insert_with(|| {
            groups.push((finding, 0));
            groups.len() - 1
        });
        groups[group].1 += 1;
    }
    groups
}

/// A finding for programs; absent facts are `null`.
pub fn finding_json(finding: &Finding) -> serde_json::Value {
    serde_json::json!({
        "severity": finding.severity.to_string(),
        "rule": finding.rule,
        "line": finding.place.line,
        "byte": finding.place.byte,
        "message": finding.place.message,
        "field": finding.place.field,
        "what": finding.what,
        "remedy": Some(&finding.remedy).filter(|remedy| !remedy.is_empty()),
    })
}

/// A heading above a table.
pub fn heading(stream: Stream, text: &str) -> String {
    if has_colours(stream) {
        format!("\x1b[1;4m{}\x1b[0m\n", clean(text))
    } else {
        format!("{}\n", clean(text))
    }
}

/// How something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// What to look at first.
    Strong,
    /// What is there if it is needed.
    Quiet,
    /// What went wrong.
    Bad,
}

/// A text that is harmless, in its tone where there are colours.
pub fn toned(stream: Stream, tone: Tone, text: &str) -> String {
    let code = match tone {
        Tone::Strong => "1",
        Tone::Quiet => "2",
        Tone::Bad => "1;31",
    };
    match has_colours(stream) {
        true => format!("\x1b[{code}m{text}\x1b[0m"),
        false => text.to_string(),
    }
}

/// The beginning of a text that has to fit into so many letters; `…` says that there is more.
pub fn shortened(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        None => text.to_string(),
        Some(_) => text.chars().take(letters.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// `$0.42`, `$1,204`: as exact as anybody looks.
pub fn dollars(value: f64) -> String {
    match value {
        0.0 => "$0".to_string(),
        ..0.01 => format!("${value:.4}"),
        0.01..100.0 => format!("${value:.2}"),
        _ => format!("${}", number(value.round() as u64)),
    }
}

/// The number with its thousands apart: `1,234,567`.
pub fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut spaced = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            spaced.push(',');
        }
        spaced.push(digit);
    }
    spaced
}

/// `1 turn`, `1,234 turns`.
pub fn times(count: u64, what: &str) -> String {
    format!("{} {what}{}", number(count), if count == 1 { "" } else { "s" })
}

/// The number in three digits or so: `950`, `12k`, `1.2M`.
pub fn about(value: u64) -> String {
    match value {
        0..1_000 => value.to_string(),
        1_000..10_000 => format!("{:.1}k", value as f64 / 1e3),
        10_000..1_000_000 => format!("{}k", (value + 500) / 1_000),
        _ => format!("{:.1}M", value as f64 / 1e6).replace(".0M", "M"),
    }
}

/// Bytes in three digits or so: `812 B`, `227.8 kB`.
pub fn size(bytes: u64) -> String {
    bytesize::ByteSize(bytes).display().si().to_string()
}

/// A share of a whole: `12.3 %`.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 { "–".into() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

/// Whether to print in colour: on a terminal, unless `NO_COLOR` says otherwise.
pub fn has_colours(stream: Stream) -> bool {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    wanted
        && match stream {
            Stream::Stdout => std::io::stdout().is_terminal(),
            Stream::Stderr => std::io::stderr().is_terminal(),
        }
}

/// The columns there are.
pub fn width(stream: Stream) -> u16 {
    let size = match stream {
        Stream::Stdout => terminal_size::terminal_size_of(std::io::stdout()),
        Stream::Stderr => terminal_size::terminal_size_of(std::io::stderr()),
    };
    size.map_or(PLAIN_WIDTH, |(width, _)| width.0.max(40))
}

#[cfg(test)]
mod tests {
    use super::*;
    use enfold::finding::Place;

    #[test]
    fn thousands_are_apart() {
        assert_eq!([0, 999, 1000, 1234567].map(number), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn equal_findings_share_a_row() {
        let lost =
            |message| Finding::new(Severity::Warning, Place::message(message), "lost: the field `name`");
        let other = Finding::new(Severity::Note, Place::line(9), "a comment").remedy("it was passed over");
        insta::assert_snapshot!(findings(Stream::Stdout, &[lost(3), other, lost(7)]), @r"
        severity  times  first at   what
        warning       2  message 3  lost: the field `name`
        note          1  line 9     a comment; it was passed over
        ");
    }
}
