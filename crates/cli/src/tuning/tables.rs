//! A search for people.

use super::{Score, Tried, Tuned};
use crate::report::{self, Stream, Table, number};

/// The tables.
pub fn tables(tuned: &Tuned) -> String {
    let heading = format!(
        "{} policies on {} sessions; checked on {} sessions of other projects",
        tuned.tried.len(),
        tuned.fit_sessions,
        tuned.check_sessions
    );
    let mut text = report::heading(Stream::Stdout, &heading);
    let columns = [
        "!",
        "#fold to",
        "#lasts",
        "#result",
        "#file",
        "#range",
        "#above",
        "#cost",
        "#recall",
        "#lines",
        "#asked",
        "#cost ✓",
        "#recall ✓",
        "#lines ✓",
        "#asked ✓",
    ];
    let mut table = Table::new(Stream::Stdout, &columns);
    let mut shown: Vec<usize> =
        (0..tuned.tried.len()).filter(|nth| tuned.tried[*nth].on_front || *nth == 0).collect();
    if !shown.contains(&tuned.chosen) {
        shown.push(tuned.chosen);
    }
    shown.sort_by(|a, b| tuned.tried[*a].fit.cost.total_cmp(&tuned.tried[*b].fit.cost));
    for nth in shown {
        let Tried { options, fit, check, .. } = &tuned.tried[nth];
        let name = match nth {
            nth if nth == tuned.chosen => "chosen",
            0 => "balanced",
            _ => "",
        };
        let [cost, recall, lines, asked] = figures(fit);
        let [check_cost, check_recall, check_lines, check_asked] = figures(check);
        table.row([
            name.to_string(),
            format!("{} %", options.target),
            options.lasts.to_string(),
            number(options.max_tokens as u64),
            number(options.max_file as u64),
            number(options.max_range as u64),
            format!("{} %", options.above),
            cost,
            recall,
            lines,
            asked,
            check_cost,
            check_recall,
            check_lines,
            check_asked,
        ]);
    }
    text += &table.render();
    text + "\ncost: with look-ups, against sending everything. ✓: in the half that did not choose.\n"
}

fn figures(score: &Score) -> [String; 4] {
    let known = |value: f64| format!("{value:.3}");
    [Some(score.cost), score.recall, score.lines, score.asked]
        .map(|value| value.map_or_else(|| "–".into(), known))
}
