//! A replay as one self-contained page: curves of each request, and what each way costs and keeps.

use std::fmt::Write as _;

use enfold_page::{self as frame, card, file_name, text};
use enfold_replay::Point;
use serde_json::Value;

use super::tables::Basis;
use super::{One, Replayed, Row, folded, tables};
use crate::report::{self, about, dollars, number};

/// Size of a drawing, in its own units.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 220.0;

/// One colour per way, of the page's own.
const COLOURS: [&str; 6] = ["--soft", "--warn", "--kept", "--told", "--thinned", "--user"];

/// The page.
pub fn page(replayed: &Replayed) -> String {
    let title = match &replayed.sessions[..] {
        [one] => file_name(&one.file).to_string(),
        many => format!("{} sessions", many.len()),
    };
    let mut body = format!("<header><h1>Replay of {}</h1><p>{}</p></header>", text(&title), said(replayed));
    body += &cards(replayed);
    if let [one] = &replayed.sessions[..] {
        body += &curves(one);
    }
    body += &pareto(&replayed.total);
    body += &rows(replayed);
    body += &frame::footer(&title);
    frame::page(&title, &body, &Value::Null, &[])
}

fn said(replayed: &Replayed) -> String {
    let one = &replayed.sessions[0];
    let is_same = |is: fn(&One, &One) -> bool| replayed.sessions.iter().all(|other| is(one, other));
    let model = match is_same(|one, other| one.model == other.model) {
        true => one.model.as_deref().map_or("no model named".to_string(), text),
        false => "several models".to_string(),
    };
    let window = match is_same(|one, other| one.window == other.window) {
        true => number(one.window as u64),
        false => "of each model".to_string(),
    };
    let prices = match is_same(|one, other| (one.read, one.write) == (other.read, other.write)) {
        true => {
            format!("what the cache held costs {:.3}, what is new {:.2} of plain input", one.read, one.write)
        }
        false => "at the prices of each model".to_string(),
    };
    format!("{model} · window {window} · {prices}")
}

fn cards(replayed: &Replayed) -> String {
    let Some(folded) = folded(&replayed.total) else { return String::new() };
    let figures = &folded.figures;
    let basis = Basis::of(replayed);
    let mean = basis.mean().map_or(String::new(), |mean| format!("; {mean}"));
    let mut cards = vec![
        card(tables::cost(folded.relative_cost), &format!("of the cost, {}{mean}", text(&folded.way))),
        card(number(figures.requests as u64), "requests"),
        card(number(figures.epochs as u64), "epochs"),
    ];
    if let (Some(before), Some(after)) = (replayed.total[0].figures.dollars, figures.dollars) {
        let all = basis.mean().map(|_| basis.priced_part().unwrap_or_else(|| "in all".into()));
        let all = all.map_or(String::new(), |all| format!("; {all}"));
        cards.push(card(
            format!("{} → {}", dollars(before), dollars(after)),
            &format!("at list prices, answers included{all}"),
        ));
    }
    let with_lookups = tables::cost(folded.relative_cost_with_lookups);
    cards.push(card(with_lookups, &format!("of the cost with look-ups{mean}")));
    if replayed.sessions.iter().any(|one| one.has_clock) {
        cards.push(card(number(figures.cold as u64), "requests found the cache cold, by the clock"));
    }
    if let Some(recall) = figures.recall.mean() {
        let judged = report::times(figures.judged as u64, "request");
        let said = format!("of what was used next stood in the view; mean over {judged} that were judged");
        cards.push(card(format!("{recall:.3}"), &said));
    }
    format!("<section class='cards'>{}</section>", cards.join(""))
}

/// Ways whose curves are drawn: more of them nobody can tell apart.
const DRAWN: usize = 3;

/// Tokens of each request, what it cost so far, and how much of it the cache held.
fn curves(one: &One) -> String {
    let ways = &one.ways[..one.ways.len().min(DRAWN)];
    let sums = |row: &Row| row.figures.curve.iter().map(|point| point.cost).collect::<Vec<_>>();
    let tokens = |row: &Row| row.figures.curve.iter().map(|point| point.tokens as f64).collect::<Vec<_>>();
    let hits = |row: &Row| -> Vec<f64> {
        let share = |point: &Point| 100.0 * point.read as f64 / point.tokens.max(1) as f64;
        row.figures.curve.iter().map(share).collect()
    };
    let mut out =
        plot("Tokens of each request", ways, &tokens, |value| about(value as u64), Some(one.window as f64));
    out += &plot("Cost so far, in tokens of plain input", ways, &sums, |value| about(value as u64), None);
    out + &plot("Held by the cache, percent", ways, &hits, |value| format!("{value:.0} %"), None)
}

/// Curves of all ways over the requests; where one opened an epoch stands a tick.
fn plot(
    title: &str,
    ways: &[Row],
    values: &dyn Fn(&Row) -> Vec<f64>,
    label: impl Fn(f64) -> String,
    limit: Option<f64>,
) -> String {
    let curves: Vec<Vec<f64>> = ways.iter().map(values).collect();
    let most = curves.iter().flatten().copied().chain(limit).fold(1.0, f64::max);
    let requests = curves.iter().map(Vec::len).max().unwrap_or(1).max(2);
    let x = |nth: usize| WIDTH * nth as f64 / (requests - 1) as f64;
    let y = |value: f64| HEIGHT * (1.0 - value / most);
    let mut drawn = String::new();
    if let Some(limit) = limit {
        let at = y(limit);
        let _ = write!(
            drawn,
            "<line x1='0' x2='{WIDTH}' y1='{at:.1}' y2='{at:.1}' stroke='var(--bad)' stroke-dasharray='6 5'/>"
        );
    }
    for (nth, (curve, row)) in curves.iter().zip(ways).enumerate() {
        let points: Vec<String> =
            curve.iter().enumerate().map(|(at, value)| format!("{:.1},{:.1}", x(at), y(*value))).collect();
        let colour = colour(nth);
        let _ = write!(
            drawn,
            "<polyline points='{}' fill='none' stroke='{colour}' stroke-width='2'><title>{}</title></polyline>",
            points.join(" "),
            text(&row.way)
        );
        let opened = row.figures.curve.iter().enumerate().filter(|(_, point)| point.opened);
        for (at, _) in opened {
            let _ = write!(
                drawn,
                "<circle cx='{:.1}' cy='{:.1}' r='4' fill='{colour}'><title>{}: an epoch at request {}</title></circle>",
                x(at),
                y(curve[at]),
                text(&row.way),
                at + 1
            );
        }
    }
    format!(
        "<section><h2>{title} <small>up to {}; dots are epochs</small></h2>{}\
         <svg viewBox='-6 -6 {} {}' role='img' aria-label='{title}' style='width:100%;height:auto'>{drawn}</svg>\
         <p class='axis'><span>request 1</span><span>{requests}</span></p></section>",
        label(most),
        legend(ways),
        WIDTH + 12.0,
        HEIGHT + 12.0,
    )
}

/// Cost to the right, recall upwards: the best stand at the upper left.
fn pareto(rows: &[Row]) -> String {
    let most = rows.iter().map(|row| row.relative_cost).fold(1.0, f64::max) * 1.1;
    let known = rows.iter().filter_map(|row| row.figures.recall.mean());
    let least = (known.fold(1.0, f64::min) - 0.05).max(0.0);
    let mut drawn = String::new();
    for (nth, row) in rows.iter().enumerate() {
        let Some(recall) = row.figures.recall.mean() else { continue };
        let (x, y) =
            (WIDTH * row.relative_cost / most, HEIGHT * (1.0 - (recall - least) / (1.0 - least).max(1e-9)));
        let anchor = if x > WIDTH * 0.8 { "end" } else { "start" };
        let shift = if anchor == "end" { -10.0 } else { 10.0 };
        let _ = write!(
            drawn,
            "<circle cx='{x:.1}' cy='{y:.1}' r='7' fill='{}'/><text x='{:.1}' y='{:.1}' text-anchor='{anchor}' fill='currentColor' font-size='15'>{}</text>",
            colour(nth),
            x + shift,
            y + 5.0,
            text(&row.way)
        );
    }
    if drawn.is_empty() {
        return String::new();
    }
    format!(
        "<section><h2>Cost and recall <small>cheap is left, what was needed next is up</small></h2>\
         <svg viewBox='-10 -14 {} {}' role='img' aria-label='Cost and recall' style='width:100%;height:auto'>\
         <rect width='{WIDTH}' height='{HEIGHT}' fill='none' stroke='currentColor' opacity='.2'/>{drawn}</svg>\
         <p class='axis'><span>cost 0, recall from {least:.2}</span><span>cost {most:.2}, recall to 1</span></p></section>",
        WIDTH + 20.0,
        HEIGHT + 28.0,
    )
}

fn rows(replayed: &Replayed) -> String {
    let basis = Basis::of(replayed);
    let dollars = if basis.priced_part().is_some() { "$*" } else { "$" };
    let mut table = format!(
        "<section><h2>Figures</h2><div class='wide'><table class='num'><tr><th>way<th>cost<th>{dollars}<th>look-ups of 100<th>+rec<th>input<th>breaks of 100<th>cold<th>over<th>failed<th>recall<th>steps<th>lines<th>asked</tr>",
    );
    for row in &replayed.total {
        let figures = &row.figures;
        let _ = write!(
            table,
            "<tr><td>{}<td>{}<td>{}<td>{:.1}<td>{}<td>{}<td>{:.1}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}</tr>",
            text(&row.way),
            tables::cost(row.relative_cost),
            tables::known_dollars(figures.dollars),
            figures.of_hundred(figures.lookups + figures.repeats),
            tables::cost(row.relative_cost_with_lookups),
            number(figures.input),
            figures.of_hundred(figures.breaks),
            figures.cold,
            figures.over,
            figures.failed,
            figures.recall,
            figures.steps,
            figures.lines,
            figures.asked,
        );
    }
    let legend: String = basis.legend().iter().map(|line| format!("<p>{}</p>", text(line))).collect();
    let failed = "<p>+rec: the cost with look-ups. over: requests larger than the window; failed: requests without a view.</p>";
    format!("{table}</table></div>{legend}{failed}</section>")
}

fn legend(ways: &[Row]) -> String {
    let key = |(nth, row): (usize, &Row)| {
        format!("<span><i class='dot' style='--c:{}'></i>{}</span>", colour(nth), text(&row.way))
    };
    format!("<p class='legend'>{}</p>", ways.iter().enumerate().map(key).collect::<String>())
}

fn colour(nth: usize) -> String {
    format!("var({})", COLOURS[nth % COLOURS.len()])
}
