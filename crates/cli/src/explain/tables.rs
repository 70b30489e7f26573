//! An explanation as tables.

use std::collections::{BTreeMap, BTreeSet};

use comfy_table::Color;

use super::{Explanation, FoldRow, PassRow, Shortage};
use crate::report::{self, Stream, Table, number, share, times};

/// A row per pass.
pub fn passes(stream: Stream, explained: &Explanation) -> String {
    let mut table = Table::new(stream, &["!pass", "#before", "#after", "#folds", "why"]);
    table.colour(4, |why| why.starts_with(FAILED).then_some(Color::Red));
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

const FAILED: &str = "failed, and skipped: ";

fn why(pass: &PassRow) -> String {
    let failed = if pass.outcome == "failed" { FAILED } else { "" };
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
        source => format!(" ({source})"),
    };
    let Some(rung) = explained.rung else {
        return format!("{} fit into {budget}: nothing has to be folded{model}", times(before, "token"));
    };
    let yields = match explained.protection {
        "task" => "; instructions were folded too: they would take more than half of it",
        _ => "",
    };
    format!(
        "{} → {} of {budget} ({}), {}; {}{model}{yields}",
        number(before),
        times(after, "token"),
        share(after, before),
        times(explained.folds().count() as u64, "fold"),
        deepest(rung),
    )
}

/// What remains of folded items at the least, in a few words: the line stays within a terminal.
fn deepest(rung: &str) -> &'static str {
    match rung {
        "lossless" => "nothing hidden",
        "digest" => "parts of each remain",
        "placeholder" => "of some only a note remains",
        // `drop`
        _ => "some left out whole",
    }
}

/// Every fold, pass by pass. What many folds have in common is said once: a reason over the table, equal folds in one row.
pub fn folds(stream: Stream, explained: &Explanation) -> String {
    let mut text = String::new();
    for pass in explained.passes.iter().filter(|pass| !pass.folds.is_empty()) {
        let mut table =
            Table::new(stream, &["#step", "what, and why", "!kind", "#before", "#after", "!handle"]);
        table.colour(2, kind_colour);
        let usual = usual_reason(&pass.folds);
        for alike in alike(&pass.folds) {
            table.row(row(&alike, usual));
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

/// Folds that say the same of the same, together, in the order of the first of each.
fn alike(folds: &[FoldRow]) -> Vec<Vec<&FoldRow>> {
    let mut groups: Vec<Vec<&FoldRow>> = Vec::new();
    let mut known = BTreeMap::new();
    for fold in folds {
        let group = *known.entry((&fold.what, fold.kind, &fold.why)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(fold);
    }
    groups
}

/// Handles that are listed of a row; more would leave no room for what they open.
const HANDLES: usize = 12;

fn row(alike: &[&FoldRow], usual: Option<&str>) -> [String; 6] {
    let fold = alike[0];
    let is_usual = usual == Some(&fold.why);
    let why = if is_usual { String::new() } else { format!(" – {}", fold.why) };
    // What is equal has one handle.
    let mut known = BTreeSet::new();
    let handles = alike.iter().flat_map(|fold| &fold.handles).map(String::as_str);
    let mut handles = handles.filter(|handle| known.insert(*handle));
    let first = handles.next().unwrap_or_default();
    let others: Vec<&str> = handles.by_ref().take(HANDLES).collect();
    let others = match (others.is_empty(), handles.count() as u64) {
        (true, _) => String::new(),
        (false, 0) => format!("; also {}", others.join(" ")),
        (false, more) => {
            format!("; also {} and {} (--json has all)", others.join(" "), times(more, "handle"))
        }
    };
    let count = if alike.len() > 1 { format!("{} × ", number(alike.len() as u64)) } else { String::new() };
    let sum = |of: fn(&FoldRow) -> usize| number(alike.iter().map(|fold| of(fold)).sum::<usize>() as u64);
    [
        steps(alike),
        format!("{count}{}{why}{others}", fold.what),
        fold.kind.into(),
        sum(|fold| fold.before),
        sum(|fold| fold.after),
        first.into(),
    ]
}

fn steps(alike: &[&FoldRow]) -> String {
    let mut steps = alike.iter().filter_map(|fold| fold.step);
    match (steps.next(), steps.next_back()) {
        (None, _) => "–".into(),
        (Some(only), None) => only.to_string(),
        (Some(first), Some(last)) => format!("{first}–{last}"),
    }
}

/// What stands elsewhere is green, what is thinned blue, what left a marker yellow, what left red.
fn kind_colour(kind: &str) -> Option<Color> {
    Some(match kind {
        "pointer" | "delta" => Color::Green,
        "cap" | "bookend" | "digest" | "edits" => Color::Blue,
        "placeholder" | "clear" | "told" | "summary" => Color::Yellow,
        "drop" => Color::Red,
        _ => return None,
    })
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
