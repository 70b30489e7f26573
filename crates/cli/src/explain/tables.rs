//! An explanation as tables.

use std::collections::BTreeMap;

use super::{Explanation, FoldRow, PassRow, Shortage};
use crate::report::{self, Stream, Table, number, share, times};

/// A row per pass.
pub fn passes(stream: Stream, explained: &Explanation) -> String {
    let mut table = Table::new(stream, &["!pass", "#before", "#after", "#folds", "why"]);
    for pass in &explained.passes {
        table.row([
            pass.pass.clone(),
            number(pass.before as u64),
            number(pass.after as u64),
            number(pass.folds.len() as u64),
            why(pass),
        ]);
    }
    table.render()
}

fn why(pass: &PassRow) -> String {
    let failed = if pass.outcome == "failed" { "failed, and skipped: " } else { "" };
    let refused = match pass.refused {
        0 => String::new(),
        refused => format!(" ({} more would have saved nothing)", number(refused as u64)),
    };
    format!("{failed}{}{refused}", pass.why)
}

/// Everything in one line.
pub fn totals(explained: &Explanation) -> String {
    let (before, after) = (explained.before as u64, explained.after as u64);
    let budget = number(explained.budget.tokens as u64);
    let model = match explained.budget.source.as_str() {
        "--budget" => String::new(),
        source => format!("; {source}"),
    };
    let Some(rung) = explained.rung else {
        return format!("{} of {budget}: nothing to fold{model}", times(before, "token"));
    };
    let yields = match explained.protection {
        "task" => "; instructions were folded too: they would take more than half of it",
        _ => "",
    };
    format!(
        "{} → {} of {budget} ({}), {}, deepest rung: {rung}{model}{yields}",
        number(before),
        times(after, "token"),
        share(after, before),
        times(explained.folds().count() as u64, "fold"),
    )
}

/// Every fold, pass by pass. The reason that most folds of a pass share is said once.
pub fn folds(stream: Stream, explained: &Explanation) -> String {
    let mut text = String::new();
    for pass in explained.passes.iter().filter(|pass| !pass.folds.is_empty()) {
        let mut table =
            Table::new(stream, &["#step", "what, and why", "!kind", "#before", "#after", "!handle"]);
        let usual = usual_reason(&pass.folds);
        for fold in &pass.folds {
            table.row(row(fold, usual));
        }
        let usual = usual
            .map_or(String::new(), |why| format!("Where nothing else is said: {}.\n\n", report::clean(why)));
        text += &format!("\n{}{usual}{}", report::heading(stream, &pass.pass), table.render());
    }
    text
}

fn usual_reason(folds: &[FoldRow]) -> Option<&str> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for fold in folds {
        *times.entry(&fold.why).or_default() += 1;
    }
    times.into_iter().find(|(_, times)| *times > 1 && times * 2 > folds.len()).map(|(why, _)| why)
}

fn row(fold: &FoldRow, usual: Option<&str>) -> [String; 6] {
    let is_usual = usual == Some(&fold.why);
    let why = if is_usual { String::new() } else { format!(" – {}", fold.why) };
    [
        fold.step.map_or("–".into(), |step| step.to_string()),
        format!("{}{why}", fold.what),
        fold.kind.into(),
        number(fold.before as u64),
        number(fold.after as u64),
        fold.handles.join(" "),
    ]
}

/// The summary as the model reads it; empty where there is none.
pub fn summary(stream: Stream, explained: &Explanation) -> String {
    let Some(summary) = &explained.summary else { return String::new() };
    let messages = times(summary.messages as u64, "message");
    let tokens = times(summary.tokens as u64, "token");
    format!(
        "\n{}{}: {tokens} in place of {messages}; it stands before message {}.\n\n{}",
        report::heading(stream, "summary"),
        summary.title(),
        summary.before,
        report::clean_lines(&summary.text),
    )
}

/// What must stay, largest first.
pub fn must_stay(stream: Stream, shortage: &Shortage) -> String {
    let mut table = Table::new(stream, &["#tokens", "#message", "!role", "what must stay"]);
    for staying in shortage.must_stay.iter().take(MOST) {
        table.line([
            number(staying.tokens as u64),
            staying.message.map_or(String::new(), |message| message.to_string()),
            staying.role.unwrap_or("").into(),
            staying.what.clone(),
        ]);
    }
    let rest = &shortage.must_stay[MOST.min(shortage.must_stay.len())..];
    if !rest.is_empty() {
        let tokens: usize = rest.iter().map(|staying| staying.tokens).sum();
        let more = format!("{} more", number(rest.len() as u64));
        table.line([number(tokens as u64), String::new(), String::new(), more]);
    }
    table.render()
}

/// Messages listed by themselves.
const MOST: usize = 20;
