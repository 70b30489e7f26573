//! A replay for people.

use enfold_page::file_name;
use enfold_replay::{Charged, Share};

use super::{One, Replayed, Row};
use crate::report::{self, Stream, Table, dollars, number};

/// The tables.
pub fn tables(replayed: &Replayed) -> String {
    match &replayed.sessions[..] {
        [one] => format!("{}{}{}", about(one), ways(&one.ways), beneath(&replayed.sessions, &one.ways)),
        many => {
            let mut text = report::heading(Stream::Stdout, &format!("{} sessions", many.len()));
            text += &each(many);
            text += "$ unfolded: with everything sent in every request (`no management`), whether it fits or not; $ folded: by the first policy.\n";
            text += &report::heading(Stream::Stdout, "Together");
            text += &ways(&replayed.total);
            text + &beneath(many, &replayed.total)
        }
    }
}

fn about(one: &One) -> String {
    let model = one.model.as_deref().map_or(String::new(), |model| format!(" · {model}"));
    let heading = format!(
        "{}{model} · window {} · read {:.3}, write {:.2} of plain input",
        file_name(&one.file),
        number(one.window as u64),
        one.read,
        one.write
    );
    report::heading(Stream::Stdout, &report::clean(&heading))
}

/// A way in each row.
fn ways(rows: &[Row]) -> String {
    let columns = [
        "!way",
        "#requests",
        "#input",
        "#cached",
        "#cost",
        "#$",
        "#look-ups",
        "#+rec",
        "#breaks",
        "#cold",
        "#over",
        "#recall",
        "#steps",
        "#lines",
        "#asked",
    ];
    let mut table = Table::new(Stream::Stdout, &columns);
    for row in rows {
        let figures = &row.figures;
        table.row([
            row.way.clone(),
            number(figures.requests as u64),
            number(figures.input),
            report::share(figures.cache_read, figures.input),
            cost(row.relative_cost),
            figures.dollars.filter(|_| row.relative_cost.is_some()).map_or_else(|| "–".into(), dollars),
            of_hundred(figures.lookups + figures.repeats, figures.requests),
            cost(row.relative_cost_with_lookups),
            of_hundred(figures.breaks, figures.requests),
            number(figures.cold as u64),
            number((figures.over + figures.failed) as u64),
            mean(&figures.recall),
            mean(&figures.steps),
            mean(&figures.lines),
            mean(&figures.asked),
        ]);
    }
    table.render()
}

/// A session in each row: what it cost, and what the first policy would have made of it.
fn each(sessions: &[One]) -> String {
    let columns =
        ["session", "#requests", "#window", "#cost", "#$ unfolded", "#$ folded", "#epochs", "#recall"];
    let mut table = Table::new(Stream::Stdout, &columns);
    for one in sessions {
        let (Some(everything), Some(folded)) = (one.ways.first(), folded(one)) else { continue };
        table.line([
            file_name(&one.file).to_string(),
            number(everything.figures.requests as u64),
            report::about(one.window as u64),
            cost(folded.relative_cost),
            everything.figures.dollars.map_or_else(|| "–".into(), dollars),
            folded.figures.dollars.map_or_else(|| "–".into(), dollars),
            number(folded.figures.epochs as u64),
            mean(&folded.figures.recall),
        ]);
    }
    table.render()
}

/// What the table cannot say: what the provider charged, and why a way has no cost.
fn beneath(sessions: &[One], rows: &[Row]) -> String {
    let mut text = String::new();
    let mut charged: Option<Charged> = None;
    for one in sessions.iter().filter_map(|one| one.charged.as_ref()) {
        charged.get_or_insert_default().merge(one);
    }
    if let Some(charged) = charged {
        let [error, counted, off] = charged.errors();
        text += &format!(
            "\ncharged: {} of {} input tokens were read from the cache; predicted: {}; error {:+.1} % of the input \
             ({:+.1} % by counting the messages; {:.1} % request by request; {} with a report)\n",
            number(charged.charged),
            number(charged.input),
            number(charged.predicted),
            100.0 * error,
            100.0 * counted,
            100.0 * off,
            number(charged.requests as u64),
        );
    }
    for row in rows.iter().filter(|row| row.relative_cost.is_none()) {
        text += &format!(
            "\n{}: no cost, because what must stay (system prompt, task, unanswered calls) is larger than the window in every request\n",
            report::clean(&row.way)
        );
    }
    text
}

pub(super) fn cost(cost: Option<f64>) -> String {
    cost.map_or_else(|| "–".into(), |cost| format!("{cost:.2}"))
}

pub(super) fn of_hundred(count: usize, requests: usize) -> String {
    format!("{:.1}", 100.0 * count as f64 / requests.max(1) as f64)
}

/// The first policy of a session.
fn folded(one: &One) -> Option<&Row> {
    one.ways.iter().skip(1).find(|row| !row.way.starts_with("compaction"))
}

pub(super) fn mean(share: &Share) -> String {
    share.mean().map_or_else(|| "–".into(), |mean| format!("{mean:.3}"))
}
