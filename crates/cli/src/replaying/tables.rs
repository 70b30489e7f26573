//! A replay for people.

use enfold_page::file_name;
use enfold_replay::Charged;

use super::{One, Replayed, Row, folded};
use crate::report::{self, Stream, Table, dollars, number, times};

/// The tables.
pub fn tables(replayed: &Replayed) -> String {
    match &replayed.sessions[..] {
        [one] => {
            let table = ways(&one.ways, &Basis::of(replayed));
            format!("{}{table}{}", about(one), beneath(replayed, &one.ways))
        }
        many => {
            let mut text = report::heading(Stream::Stdout, &format!("{} sessions", many.len()));
            text += &each(many);
            text += "$ unmanaged: with everything sent in every request (`no management`), whether it fits or not; $ folded: by the first policy.\n";
            text += &report::heading(Stream::Stdout, "Together");
            text += &ways(&replayed.total, &Basis::of(replayed));
            text + &beneath(replayed, &replayed.total)
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

/// What figures stand on.
pub(super) struct Basis {
    sessions: usize,
    /// Those whose prices are known.
    priced: usize,
    /// Requests and sessions that were judged, way by way: where there is no view, there is nothing to judge.
    judged: Vec<(String, usize, usize)>,
}

impl Basis {
    pub(super) fn of(replayed: &Replayed) -> Basis {
        let judged = |row: &Row| (row.way.clone(), row.figures.judged, row.figures.judged_sessions);
        Basis {
            sessions: replayed.sessions.len(),
            priced: replayed.total.first().map_or(0, |row| row.figures.priced_sessions),
            judged: replayed.total.iter().map(judged).collect(),
        }
    }

    /// `of 1 of 2 sessions`, where dollars are a part of the sum only.
    pub(super) fn priced_part(&self) -> Option<String> {
        let is_part = self.priced > 0 && self.priced < self.sessions;
        is_part.then(|| format!("of {} of {}", self.priced, times(self.sessions as u64, "session")))
    }

    /// `mean over 2 sessions`, where it is one.
    pub(super) fn mean(&self) -> Option<String> {
        (self.sessions > 1).then(|| format!("mean over {}", times(self.sessions as u64, "session")))
    }

    /// What the columns are, a sentence each.
    pub(super) fn legend(&self) -> Vec<String> {
        let mut said = Vec::new();
        if let Some(mean) = self.mean() {
            said.push(format!("cost, +rec: {mean}. requests, input, $, cold, over: all of them in all."));
        }
        if let Some(part) = self.priced_part() {
            said.push(format!("$*: {part}, those whose model has prices."));
        }
        said.push(
            "look-ups, breaks: of 100 requests; a look-up opens a fold or does again what was done (`lookups` and `repeats` in JSON).".into(),
        );
        said.push(self.said_of_judged());
        said
    }

    fn said_of_judged(&self) -> String {
        let Some((_, requests, sessions)) = self.judged.first() else { return String::new() };
        if *requests == 0 {
            return "recall, steps, lines, asked: nothing was judged, since no history is over the window."
                .into();
        }
        let fewer = self.judged.iter().filter(|(_, judged, _)| judged != requests);
        let fewer: String = fewer.map(|(way, judged, _)| format!("; {way}: of {judged}")).collect();
        format!(
            "recall, steps, lines, asked: means over {} of {}, every fifth whose history is over the window{fewer}.",
            times(*requests as u64, "request"),
            times(*sessions as u64, "session"),
        )
    }
}

/// A way in each row. Requests without a view have a column where there are any.
fn ways(rows: &[Row], basis: &Basis) -> String {
    let dollars = if basis.priced_part().is_some() { "#$*" } else { "#$" };
    let has_failed = rows.iter().any(|row| row.figures.failed > 0);
    let mut columns = vec!["!way", "#requests", "#input", "#cached", "#cost", dollars, "#look-ups", "#+rec"];
    columns.extend(["#breaks", "#cold", "#over"]);
    columns.extend(has_failed.then_some("#failed"));
    columns.extend(["#recall", "#steps", "#lines", "#asked"]);
    let mut table = Table::new(Stream::Stdout, &columns);
    for row in rows {
        let figures = &row.figures;
        let mut cells = vec![
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
            number(figures.over as u64),
        ];
        cells.extend(has_failed.then(|| number(figures.failed as u64)));
        let shares = [&figures.recall, &figures.steps, &figures.lines, &figures.asked];
        cells.extend(shares.map(ToString::to_string));
        table.line(cells);
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

/// What the table cannot say: what its figures stand on, what the provider charged, and which requests had no view.
fn beneath(replayed: &Replayed, rows: &[Row]) -> String {
    let sessions = &replayed.sessions;
    let legend = Basis::of(replayed).legend().into_iter();
    let legend: String = legend.map(|line| format!("{}\n", report::clean(&line))).collect();
    let mut text = format!("\n{legend}");
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
