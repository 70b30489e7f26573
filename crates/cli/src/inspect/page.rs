//! An inspection as one self-contained page.

use enfold::understand::paths;
use enfold_page::{self as frame, card, file_name, text};
use serde_json::{Value, json};

use super::picture::{self, Column};
use super::{Inspection, files::FileShare};
use crate::parts::Part;
use crate::report::{about, dollars, number, share};

/// Files and tools on the page.
const ROWS: usize = 24;

/// The page.
pub fn page(seen: &Inspection) -> String {
    let columns = picture::columns(seen);
    let body = [
        header(seen),
        cards(seen),
        money(seen),
        growth(seen, &columns),
        files(seen),
        format!("<div class='pair'>{}{}</div>", parts(seen), tools(seen)),
        largest(seen),
        findings(seen),
        frame::footer(&seen.file),
    ];
    frame::page(file_name(&seen.file), &body.join("\n"), &data(seen, &columns), &[include_str!("page.js")])
}

fn header(seen: &Inspection) -> String {
    let model = seen.model.as_deref().map_or("no model named".to_string(), text);
    format!(
        "<header><h1>{}</h1><p>{} · {model} · counted with {}</p></header>",
        text(file_name(&seen.file)),
        text(seen.format),
        text(&seen.counter.label),
    )
}

fn cards(seen: &Inspection) -> String {
    let totals = &seen.totals;
    let mut cards = vec![
        card(number(totals.tokens as u64), "tokens"),
        card(number(totals.messages as u64), "messages"),
        card(number(totals.turns.into()), "turns"),
        card(number(totals.steps.into()), "steps"),
        card(number(totals.calls as u64), "calls"),
    ];
    if let Some(money) = &seen.money {
        cards.push(card(dollars(money.total), "at list prices"));
    }
    if let Some(usage) = &seen.usage {
        cards.push(card(share(usage.cache_read, usage.input), "read from cache"));
    }
    format!("<section class='cards'>{}</section>{}", cards.join(""), gauge(seen))
}

/// How full the window is, with the marks of the budget.
fn gauge(seen: &Inspection) -> String {
    let Some(budget) = &seen.window.budget else { return String::new() };
    let percent = |tokens: usize| 100.0 * tokens as f64 / budget.context.max(1) as f64;
    let mark = |tokens: usize, name: &str| {
        format!("<i style='left:{:.2}%' title='{name}: {}'></i>", percent(tokens), number(tokens as u64))
    };
    let said = match budget.state {
        "overflows" => "does not fit",
        "approaching" => "nearly full",
        "over" => "compaction is due",
        _ => "fits",
    };
    format!(
        "<section><h2>The window <small>{} of {} tokens, {}; {said}</small></h2>\
         <div class='gauge {}'><div style='width:{:.2}%'></div>{}{}{}</div>\
         <p class='axis'><span>0</span><span>target {} · compaction from {} · usable {}</span><span>{}</span></p></section>",
        number(seen.window.tokens as u64),
        number(budget.context as u64),
        seen.window.label,
        budget.state,
        percent(seen.window.tokens).min(100.0),
        mark(budget.target, "target"),
        mark(budget.threshold, "compaction"),
        mark(budget.usable, "usable"),
        about(budget.target as u64),
        about(budget.threshold as u64),
        about(budget.usable as u64),
        about(budget.context as u64),
    )
}

fn growth(seen: &Inspection, columns: &[Column]) -> String {
    let total: usize = columns.iter().map(|column| column.tokens).sum();
    let most = columns.iter().map(|column| column.tokens).max().unwrap_or(0);
    let lines = [1.0, 0.75, 0.5, 0.25].map(|part| {
        let tokens = about((total as f64 * part) as u64);
        format!("<u style='bottom:{:.0}%'><span>{tokens}</span></u>", part * 100.0)
    });
    let per = if columns.len() < seen.messages.len() { "a column" } else { "a message" };
    format!(
        "<section><h2>How it grew <small>tokens so far, by kind</small></h2>{}\
         <div class='plot tall' data-chart>{}{}<em></em></div>\
         <div class='plot short' data-chart>{}<u style='bottom:100%'><span>{} in {per}</span></u><em></em></div>\
         <p class='axis'><span>message 1</span><span></span><span>{}</span></p></section>",
        legend(seen),
        picture::growth(columns),
        lines.join(""),
        picture::bars(columns),
        about(most as u64),
        number(seen.totals.messages as u64),
    )
}

/// What was paid for what, where the provider reported tokens and the model's prices are known.
fn money(seen: &Inspection) -> String {
    let Some((money, usage)) = seen.money.as_ref().zip(seen.usage.as_ref()) else { return String::new() };
    let plain = usage.input.saturating_sub(usage.cache_read).saturating_sub(usage.cache_write);
    let rows = [
        ("input", plain, money.input, "p-user"),
        ("written to the cache", usage.cache_write, money.cache_write, "p-calls"),
        ("read from the cache", usage.cache_read, money.cache_read, "p-assistant"),
        ("output", usage.output, money.output, "p-reasoning"),
    ];
    let most = rows.iter().map(|row| row.2).fold(0.0, f64::max).max(1e-9);
    let row = |(name, tokens, paid, class): &(&str, u64, f64, &str)| {
        format!(
            "<div class='meter'><div class='name'>{name} <small>{}</small></div>\
             <div class='meterbar'><i class='{class}' style='width:{:.2}%'></i></div>\
             <div class='num'><b>{}</b><small>{:.1} %</small></div></div>",
            about(*tokens),
            100.0 * paid / most,
            dollars(*paid),
            100.0 * paid / money.total.max(1e-9),
        )
    };
    format!(
        "<section id='money'><h2>Money <small>{} responses as reported, at the list prices of {}; without a cache {}</small></h2>{}</section>",
        number(usage.responses as u64),
        text(&money.model),
        dollars(money.without_cache),
        rows.iter().map(row).collect::<String>(),
    )
}

fn legend(seen: &Inspection) -> String {
    let entry = |part: &super::PartShare| {
        format!("<span><i class='dot {}'></i>{}</span>", picture::class(part.part), part.part)
    };
    let drawn = seen.parts.iter().filter(|part| part.part != Part::Tools.name());
    format!("<p class='legend'>{}</p>", drawn.map(entry).collect::<String>())
}

fn files(seen: &Inspection) -> String {
    if seen.files.is_empty() {
        return String::new();
    }
    let messages = seen.messages.len();
    let row = |file: &FileShare| {
        let (folder, name) = paths::split(&file.path);
        let counts = format!("{} reads, {} again, {} writes", file.reads, file.repeated_reads, file.writes);
        format!(
            "<div class='file' title='{}'><div class='name'><b>{}</b><small><bdi>{}</bdi></small></div>\
             <div class='lane' data-file>{}</div><div class='num'><b>{}</b><small>{}</small></div></div>",
            text(&format!("{} · {counts} · {} tokens", file.path, number(file.tokens as u64))),
            text(name),
            text(folder),
            picture::lane(file, messages),
            about(file.tokens as u64),
            counts_short(file),
        )
    };
    format!(
        "<section><h2>Files <small>when each was read and changed; tokens</small></h2>\
         <p class='legend'><span><i class='dot read'></i>read</span><span><i class='dot again'></i>read again, \
         unchanged</span><span><i class='dot write'></i>written</span></p><div class='files'>{}</div>{}</section>",
        seen.files.iter().take(ROWS).map(row).collect::<String>(),
        more(seen.files.len()),
    )
}

fn counts_short(file: &FileShare) -> String {
    let mut said = Vec::new();
    if file.reads > 0 {
        said.push(format!("{} r", file.reads));
    }
    if file.writes > 0 {
        said.push(format!("{} w", file.writes));
    }
    said.join(" · ")
}

fn parts(seen: &Inspection) -> String {
    let total = seen.totals.tokens;
    let most = seen.parts.iter().map(|part| part.tokens).max().unwrap_or(0);
    let row = |part: &super::PartShare| {
        let bar = bar(part.tokens, most, &picture::class(part.part));
        meter(
            &format!("{} <small>{}</small>", part.part, number(part.items as u64)),
            &bar,
            part.tokens,
            total,
        )
    };
    format!(
        "<section><h2>Kinds <small>and their items</small></h2>{}</section>",
        seen.parts.iter().map(row).collect::<String>()
    )
}

fn tools(seen: &Inspection) -> String {
    if seen.tools.is_empty() {
        return String::new();
    }
    let most = seen.tools.iter().map(super::tools::ToolShare::tokens).max().unwrap_or(0);
    let row = |tool: &super::tools::ToolShare| {
        let errors = if tool.errors > 0 { format!(", {} failed", tool.errors) } else { String::new() };
        let name = format!("{} <small>{}{errors}</small>", text(&tool.tool), number(tool.calls as u64));
        let bars = bar(tool.call_tokens, most, "p-calls") + &bar(tool.result_tokens, most, "p-results");
        meter(&name, &bars, tool.tokens(), seen.totals.tokens)
    };
    format!(
        "<section><h2>Tools <small>calls and results</small></h2>{}{}</section>",
        seen.tools.iter().take(ROWS / 2).map(row).collect::<String>(),
        if seen.tools.len() > ROWS / 2 {
            format!("<p class='more'>and {} more</p>", seen.tools.len() - ROWS / 2)
        } else {
            String::new()
        },
    )
}

fn largest(seen: &Inspection) -> String {
    let most = seen.largest.first().map_or(0, |item| item.tokens);
    let row = |item: &super::Large| {
        let tool = item.tool.as_deref().map_or(String::new(), |tool| format!(" {}", text(tool)));
        let step = item.step.map_or(String::new(), |step| format!(" · step {step}"));
        format!(
            "<div class='item'><div><b><i class='dot {class}'></i>{}{tool}</b> <small>message {}{step}</small></div>\
             <div class='meterbar'>{}</div><div class='num'><b>{}</b></div><code>{}</code></div>",
            Part::one(item.part),
            item.message,
            bar(item.tokens, most, &picture::class(item.part)),
            number(item.tokens as u64),
            text(&item.first_words),
            class = picture::class(item.part),
        )
    };
    format!("<section><h2>Largest items</h2>{}</section>", seen.largest.iter().map(row).collect::<String>())
}

fn findings(seen: &Inspection) -> String {
    if seen.findings.is_empty() {
        return String::new();
    }
    let row = |finding: &Value| {
        let said = |key: &str| finding[key].as_str().map_or(String::new(), text);
        let place =
            finding["line"].as_u64().map_or(String::new(), |line| format!(" <small>line {line}</small>"));
        let remedy = Some(said("remedy")).filter(|remedy| !remedy.is_empty());
        let remedy = remedy.map_or(String::new(), |remedy| format!("; {remedy}"));
        format!(
            "<p class='finding'><b class='{0}'>{0}</b> {1}{remedy}{place}</p>",
            said("severity"),
            said("what")
        )
    };
    let rows: String = seen.findings.iter().take(ROWS).map(row).collect();
    format!("<section><h2>Findings</h2>{rows}{}</section>", more(seen.findings.len()))
}

fn more(rows: usize) -> String {
    match rows.saturating_sub(ROWS) {
        0 => String::new(),
        more => format!("<p class='more'>and {} more</p>", number(more as u64)),
    }
}

fn meter(name: &str, bars: &str, tokens: usize, total: usize) -> String {
    format!(
        "<div class='meter'><div class='name'>{name}</div><div class='meterbar'>{bars}</div>\
         <div class='num'><b>{}</b><small>{}</small></div></div>",
        number(tokens as u64),
        share(tokens as u64, total as u64)
    )
}

fn bar(tokens: usize, most: usize, class: &str) -> String {
    format!("<i class='{class}' style='width:{:.2}%'></i>", 100.0 * tokens as f64 / most.max(1) as f64)
}

fn data(seen: &Inspection, columns: &[Column]) -> Value {
    let order: Vec<&str> = Part::ALL.iter().map(|part| part.name()).collect();
    json!({ "columns": columns, "order": order, "messages": seen.totals.messages })
}
