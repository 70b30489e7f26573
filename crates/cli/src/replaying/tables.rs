//! A replay for people.

use enfold_page::file_name;
use enfold_replay::Share;

use super::{One, Replayed, Row};
use crate::report::{self, Stream, Table, dollars, number};

/// The tables.
pub fn tables(replayed: &Replayed) -> String {
    match &replayed.sessions[..] {
        [one] => format!("{}{}", about(one), ways(&one.ways)),
        many => {
            let mut text = report::heading(Stream::Stdout, &format!("{} sessions", many.len()));
            text += &each(many);
            text += &report::heading(Stream::Stdout, "Together");
            text + &ways(&replayed.total)
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
        "#breaks",
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
            format!("{:.2}", row.relative_cost),
            figures.dollars.map_or_else(|| "–".into(), dollars),
            format!("{:.1}", 100.0 * figures.breaks as f64 / figures.requests.max(1) as f64),
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
        ["session", "#requests", "#window", "#cost", "#$ as it was", "#$ folded", "#epochs", "#recall"];
    let mut table = Table::new(Stream::Stdout, &columns);
    for one in sessions {
        let (Some(everything), Some(folded)) = (one.ways.first(), folded(one)) else { continue };
        table.line([
            file_name(&one.file).to_string(),
            number(everything.figures.requests as u64),
            report::about(one.window as u64),
            format!("{:.2}", folded.relative_cost),
            everything.figures.dollars.map_or_else(|| "–".into(), dollars),
            folded.figures.dollars.map_or_else(|| "–".into(), dollars),
            number(folded.figures.epochs as u64),
            mean(&folded.figures.recall),
        ]);
    }
    table.render()
}

/// The first policy of a session.
fn folded(one: &One) -> Option<&Row> {
    one.ways.iter().skip(1).find(|row| !row.way.starts_with("compaction"))
}

pub(super) fn mean(share: &Share) -> String {
    share.mean().map_or_else(|| "–".into(), |mean| format!("{mean:.3}"))
}
