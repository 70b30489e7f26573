//! A state of a file as text: its content with its gaps, and how sure that is.

use super::{Certainty, Content, FileState, Run};
use crate::text::preview;

/// Characters of what may have changed a file unseen.
const BECAUSE: usize = 120;

impl FileState {
    /// How much is known and how sure it is, in a line.
    pub fn said(&self, step: u32) -> String {
        let what = match &self.content {
            Content::Unknown => "nothing is known of its content".to_string(),
            Content::Absent => "it is not there".to_string(),
            Content::Whole(text) => format!("whole, {} lines", text.lines().count()),
            Content::Partial { runs, total } => {
                let known: usize = runs.iter().map(|run| run.lines.len()).sum();
                let of = total.map_or(String::new(), |total| format!(" of {total}"));
                format!("{known}{of} lines are known")
            }
        };
        match &self.certainty {
            Certainty::Certain => format!("after step {step}: {what}; certain"),
            Certainty::Doubtful { since, because } => format!(
                "after step {step}: {what}; doubtful since step {since}, which may have changed it: {}",
                preview(because, BECAUSE)
            ),
        }
    }
}

impl Content {
    /// The content. Unknown lines between known ones are marked; the mark names their numbers.
    pub fn text(&self) -> String {
        match self {
            Content::Unknown | Content::Absent => String::new(),
            Content::Whole(text) => text.clone(),
            Content::Partial { runs, total } => partial(runs, *total),
        }
    }
}

fn partial(runs: &[Run], total: Option<usize>) -> String {
    let mut text = String::new();
    let mut next = 1;
    for run in runs {
        if run.first > next {
            text += &gap(next, Some(run.first - 1));
        }
        for line in &run.lines {
            text += line;
            text.push('\n');
        }
        next = run.first + run.lines.len();
    }
    if total.is_none_or(|total| next <= total) {
        text += &gap(next, total);
    }
    text
}

fn gap(first: usize, last: Option<usize>) -> String {
    match last {
        Some(last) if last == first => format!("⋯ line {first} is not known ⋯\n"),
        Some(last) => format!("⋯ lines {first} to {last} are not known ⋯\n"),
        None => format!("⋯ whether there is more from line {first} on is not known ⋯\n"),
    }
}
