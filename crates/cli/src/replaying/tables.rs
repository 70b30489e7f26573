//! A replay for people.

use enfold_page::file_name;
use enfold_replay::Charged;

use super::{One, Replayed, Row, folded};
use crate::report::{self, Stream, Table, dollars, number};

/// The tables.
pub fn tables(replayed: &Replayed) -> String {
    match &replayed.sessions[..] {
        [one] => format!("{}{}{}", about(one), ways(&one.ways), beneath(&replayed.sessions, &one.ways)),
        many => {
            let mut text = report::heading(Stream::Stdout, &format!("{} sessions", many.len()));
            text += &each(many);
            text += "$ unmanaged: with everything sent in every request (`no management`), whether it fits or not; $ folded: by the first policy.\n";
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
            known_dollars(figures.dollars),
            format!("{:.1}", figures.of_hundred(figures.lookups + figures.repeats)),
            cost(row.relative_cost_with_lookups),
            format!("{:.1}", figures.of_hundred(figures.breaks)),
            number(figures.cold as u64),
            number((figures.over + figures.failed) as u64),
            figures.recall.to_string(),
            figures.steps.to_string(),
            figures.lines.to_string(),
            figures.asked.to_string(),
        ]);
    }
    table.render()
}

/// A session in each row: what it would have cost with nothing and with the first policy, and what was charged for it, where
/// sessions say so. No more than that: in a narrow terminal sessions would lose their names.
fn each(sessions: &[One]) -> String {
    let has_charged = sessions.iter().any(|one| one.charged_dollars.is_some());
    let mut columns = vec!["session", "#requests", "#cost", "#$ unmanaged", "#$ folded"];
    columns.extend(has_charged.then_some("#$ charged"));
    columns.push("#recall");
    let mut table = Table::new(Stream::Stdout, &columns);
    for one in sessions {
        let (Some(everything), Some(folded)) = (one.ways.first(), folded(&one.ways)) else { continue };
        let mut cells = vec![
            file_name(&one.file).to_string(),
            number(everything.figures.requests as u64),
            cost(folded.relative_cost),
            known_dollars(everything.figures.dollars),
            known_dollars(folded.figures.dollars),
        ];
        cells.extend(has_charged.then(|| known_dollars(one.charged_dollars)));
        cells.push(folded.figures.recall.to_string());
        table.line(cells);
    }
    table.render()
}

/// What the table cannot say: what the provider charged, and which requests had no view.
fn beneath(sessions: &[One], rows: &[Row]) -> String {
    let mut text = String::new();
    let mut charged: Option<Charged> = None;
    for one in sessions.iter().filter_map(|one| one.charged.as_ref()) {
        charged.get_or_insert_default().merge(one);
    }
    let paid = charged_dollars(sessions).map(|sum| format!("{} at list prices", dollars(sum)));
    if let (None, Some(paid)) = (&charged, &paid) {
        text += &format!("\ncharged: {paid}\n");
    }
    if let Some(charged) = charged {
        let [error, counted, off] = charged.errors();
        text += &format!(
            "\ncharged: {} of {} input tokens were read from the cache; predicted: {}; error {:+.1} % of the input \
             ({:+.1} % by counting the messages; {:.1} % request by request; {} with a report){}\n",
            number(charged.charged),
            number(charged.input),
            number(charged.predicted),
            100.0 * error,
            100.0 * counted,
            100.0 * off,
            number(charged.requests as u64),
            paid.map_or_else(String::new, |paid| format!("; {paid}")),
        );
    }
    for row in rows.iter().filter(|row| row.figures.failed > 0) {
        text += &format!(
            "\n{}: {} of {} requests have no view, because what must stay (system prompt, task, unanswered calls) is larger than \
             the window; they are charged as sending everything\n",
            report::clean(&row.way),
            number(row.figures.failed as u64),
            number(row.figures.requests as u64),
        );
    }
    text
}

/// What the reports of all sessions that have some come to.
fn charged_dollars(sessions: &[One]) -> Option<f64> {
    let known: Vec<f64> = sessions.iter().filter_map(|one| one.charged_dollars).collect();
    (!known.is_empty()).then(|| known.iter().sum())
}

pub(super) fn cost(cost: f64) -> String {
    format!("{cost:.2}")
}

pub(super) fn known_dollars(sum: Option<f64>) -> String {
    sum.map_or_else(|| "–".into(), dollars)
}
