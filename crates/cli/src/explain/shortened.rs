//! What a person said that the view does not show whole.

use enfold::history::History;
use enfold::view::trace::Trace;
use serde::Serialize;

use super::Explanation;
use super::what::Labels;
use crate::report::{self, Stream, Table, number, times};

/// A text of a person that does not stand whole in the view.
#[derive(Debug, Serialize)]
pub struct ShortenedRow {
    pub message: usize,
    /// Its first words.
    pub what: String,
    pub tokens: usize,
    /// How many of them stand.
    pub stands: usize,
    /// `paste`, `share` or `room`; what that means is in `docs/json.md`.
    pub why: &'static str,
    #[serde(skip)]
    words: &'static str,
}

impl ShortenedRow {
    /// All of a view, oldest first.
    pub fn all(trace: &Trace, history: &History, labels: &Labels) -> Vec<ShortenedRow> {
        let row = |cut: &enfold::view::trace::Shortened| ShortenedRow {
            message: history.item(cut.item).message.number(),
            what: labels.beginning(cut.item),
            tokens: cut.tokens,
            stands: cut.stands,
            why: cut.why.name(),
            words: cut.why.words(),
        };
        trace.shortened.iter().map(row).collect()
    }
}

/// Rows of a table that somebody reads. A hundred thousand would take more memory than the session.
const MOST: usize = 500;

/// A row for each, up to [`MOST`], oldest first; empty where everything stands.
pub fn shortened(stream: Stream, explained: &Explanation) -> String {
    if explained.shortened.is_empty() {
        return String::new();
    }
    let mut table = Table::new(stream, &["#message", "the user, and why not whole", "#tokens", "#stand"]);
    let (listed, rest) = explained.shortened.split_at(MOST.min(explained.shortened.len()));
    for row in listed {
        table.row([
            row.message.to_string(),
            format!("{} – {}", row.what, row.words),
            number(row.tokens as u64),
            number(row.stands as u64),
        ]);
    }
    if !rest.is_empty() {
        let sum = |of: fn(&ShortenedRow) -> usize| number(rest.iter().map(of).sum::<usize>() as u64);
        let more = format!("{} more (--json has all)", number(rest.len() as u64));
        table.row([String::new(), more, sum(|row| row.tokens), sum(|row| row.stands)]);
    }
    format!("\n{}{}", report::heading(stream, "not whole"), table.render())
}

/// One line for all of them; empty where everything stands.
pub fn shortened_in_a_line(explained: &Explanation) -> String {
    let sum = |of: fn(&ShortenedRow) -> usize| explained.shortened.iter().map(of).sum::<usize>() as u64;
    match explained.shortened.len() as u64 {
        0 => String::new(),
        count => format!(
            "{} of the user {} not whole: {} of {} stand; `enfold explain` names {}\n",
            times(count, "text"),
            if count == 1 { "is" } else { "are" },
            number(sum(|row| row.stands)),
            times(sum(|row| row.tokens), "token"),
            if count == 1 { "it" } else { "them" },
        ),
    }
}

/// A sentence for each, for the page.
pub(super) fn sentences(explained: &Explanation) -> Vec<String> {
    let sentence = |row: &ShortenedRow| {
        format!(
            "message {}: “{}” – {} of {} tokens stand; {}",
            row.message,
            report::clean(&row.what),
            number(row.stands as u64),
            number(row.tokens as u64),
            row.words,
        )
    };
    explained.shortened.iter().map(sentence).collect()
}
