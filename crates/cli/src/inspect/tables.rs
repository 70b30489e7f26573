//! An inspection for people: tables that fit 80 columns.

use comfy_table::Color;
use serde_json::Value;

use super::{Inspection, files::FileShare};
use crate::parts::Part;
use crate::report::{Stream, Table, heading, number, share, times};

/// Rows of a table before the rest is summed up.
const ROWS: usize = 12;

/// The whole report.
pub fn tables(seen: &Inspection) -> String {
    let sections =
        [overview(seen), parts(seen), tools(seen), files(seen), steps(seen), largest(seen), findings(seen)];
    sections.into_iter().filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n")
}

fn overview(seen: &Inspection) -> String {
    let totals = &seen.totals;
    let open = if totals.open_calls > 0 {
        format!(" ({} without result)", totals.open_calls)
    } else {
        String::new()
    };
    let mut facts = vec![
        ("session", format!("{} ({})", seen.file, seen.format)),
        ("tokens", format!("{} in the whole session ({})", number(totals.tokens as u64), seen.counter.label)),
        (
            "made of",
            format!(
                "{}, {}, {}, {}{open}",
                times(totals.messages as u64, "message"),
                times(totals.turns.into(), "turn"),
                times(totals.steps.into(), "step"),
                times(totals.calls as u64, "call")
            ),
        ),
        ("model", seen.model.clone().unwrap_or_else(|| "none named; try --model".into())),
    ];
    facts.extend(window(seen).map(|window| ("window", window)));
    facts.extend(usage(seen).map(|usage| ("reported", usage)));
    facts.extend(seen.money.as_ref().map(|money| ("cost", money.in_a_line())));
    Table::facts(Stream::Stdout, &facts)
}

fn window(seen: &Inspection) -> Option<String> {
    let budget = seen.window.budget.as_ref()?;
    let tokens = seen.window.tokens as u64;
    let state = match budget.state {
        "overflows" => "does not fit",
        "approaching" => "nearly full",
        "over" => "compaction is due",
        _ => "fits",
    };
    let next = match seen.window.label {
        "measured" => "measured by the provider",
        _ => "estimated, by what the provider reported where it did",
    };
    Some(format!(
        "{} in the next request ({next}): {} of the {} that {} leaves for a history, {state}; compaction from {}",
        number(tokens),
        share(tokens, budget.usable as u64),
        number(budget.usable as u64),
        number(budget.context as u64),
        number(budget.threshold as u64)
    ))
}

fn usage(seen: &Inspection) -> Option<String> {
    let usage = seen.usage.as_ref()?;
    Some(format!(
        "{}: {} in ({} from cache), {} out; largest request {}",
        times(usage.responses as u64, "response"),
        number(usage.input),
        share(usage.cache_read, usage.input),
        number(usage.output),
        number(usage.largest_input)
    ))
}

fn parts(seen: &Inspection) -> String {
    let total = seen.totals.tokens as u64;
    let mut table = Table::new(Stream::Stdout, &["!part", "#items", "#tokens", "#share", "!"]);
    table.colour(0, part_colour);
    for part in &seen.parts {
        let tokens = part.tokens as u64;
        table.line([
            part.part.into(),
            number(part.items as u64),
            number(tokens),
            share(tokens, total),
            bar(tokens, total),
        ]);
    }
    heading(Stream::Stdout, "Where the tokens are") + &table.render()
}

/// As on the page.
fn part_colour(part: &str) -> Option<Color> {
    Some(match part {
        "user" => Color::Green,
        "assistant" => Color::Blue,
        "reasoning" | "media" => Color::Magenta,
        "calls" => Color::Yellow,
        "results" => Color::DarkYellow,
        "summaries" => Color::Cyan,
        _ => return None,
    })
}

fn tools(seen: &Inspection) -> String {
    if seen.tools.is_empty() {
        return String::new();
    }
    let total = seen.totals.tokens as u64;
    let mut table =
        Table::new(Stream::Stdout, &["tool", "#calls", "#errors", "#sent", "#answered", "#share"]);
    table.colour(2, |errors| (errors != "0").then_some(Color::Red));
    for tool in seen.tools.iter().take(ROWS) {
        table.line([
            tool.tool.clone(),
            number(tool.calls as u64),
            number(tool.errors as u64),
            number(tool.call_tokens as u64),
            number(tool.result_tokens as u64),
            share(tool.tokens() as u64, total),
        ]);
    }
    section("Tools", &table, seen.tools.len())
}

fn files(seen: &Inspection) -> String {
    if seen.files.is_empty() {
        return String::new();
    }
    let total = seen.totals.tokens as u64;
    let mut table = Table::new(Stream::Stdout, &["file", "#reads", "#again", "#writes", "#tokens", "#share"]);
    let root = common_folder(&seen.files);
    for file in seen.files.iter().take(ROWS) {
        table.line([
            keep_end(&file.path[root.len()..], 40),
            number(file.reads as u64),
            number(file.repeated_reads as u64),
            number(file.writes as u64),
            number(file.tokens as u64),
            share(file.tokens as u64, total),
        ]);
    }
    let title = if root.is_empty() { "Files".to_string() } else { format!("Files in {root}") };
    section(&title, &table, seen.files.len())
}

fn steps(seen: &Inspection) -> String {
    let mut steps: Vec<_> = seen.steps.iter().collect();
    steps.sort_by_key(|step| (std::cmp::Reverse(step.tokens), step.step));
    if steps.is_empty() {
        return String::new();
    }
    let mut table = Table::new(Stream::Stdout, &["#step", "#message", "#tokens", "tools"]);
    for step in steps.iter().take(5) {
        table.line([
            step.step.to_string(),
            step.message.to_string(),
            number(step.tokens as u64),
            step.tools.join(", "),
        ]);
    }
    heading(Stream::Stdout, "Largest steps") + &table.render()
}

fn largest(seen: &Inspection) -> String {
    let mut table = Table::new(Stream::Stdout, &["#message", "!what", "#tokens", "first words"]);
    for item in &seen.largest {
        let what = match &item.tool {
            Some(tool) => format!("{} of {}", Part::one(item.part), keep_start(tool, 16)),
            None => Part::one(item.part).to_string(),
        };
        table.line([item.message.to_string(), what, number(item.tokens as u64), item.first_words.clone()]);
    }
    heading(Stream::Stdout, "Largest items") + &table.render()
}

fn findings(seen: &Inspection) -> String {
    if seen.findings.is_empty() {
        return String::new();
    }
    let mut table = Table::new(Stream::Stdout, &["!severity", "what"]);
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_string();
    for finding in seen.findings.iter().take(ROWS) {
        table.row([
            text(finding, "severity"),
            format!("{}; {}", text(finding, "what"), text(finding, "remedy")),
        ]);
    }
    section("Findings", &table, seen.findings.len())
}

fn section(title: &str, table: &Table, rows: usize) -> String {
    let more = rows.saturating_sub(ROWS);
    let rest = if more > 0 {
        format!("… and {} more (--json has all)\n", number(more as u64))
    } else {
        String::new()
    };
    heading(Stream::Stdout, title) + &table.render() + &rest
}

/// A bar of up to 20 cells.
fn bar(part: u64, whole: u64) -> String {
    let eighths = (part * 160).checked_div(whole).unwrap_or(0) as usize;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + rest
}

/// The folder that all absolute paths share, with its slash.
fn common_folder(files: &[FileShare]) -> &str {
    let mut paths = files.iter().map(|file| file.path.as_str());
    let Some(first) = paths.next() else { return "" };
    let shared = paths.fold(first.len(), |most, path| {
        let same = first.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
        most.min(same)
    });
    let folder = first.get(..shared).and_then(|shared| shared.rfind(['/', '\\']));
    folder.filter(|_| files.len() > 1).map_or("", |slash| &first[..=slash])
}

fn keep_end(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        text.into()
    } else {
        "…".to_string() + &text.chars().skip(length - most + 1).collect::<String>()
    }
}

fn keep_start(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        text.into()
    } else {
        text.chars().take(most - 1).collect::<String>() + "…"
    }
}
