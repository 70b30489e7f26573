//! A search for people.

use super::{Score, Tried, Tuned};
use crate::report::{self, Stream, Table, number};

/// The tables.
pub fn tables(tuned: &Tuned) -> String {
    let heading = format!(
        "{} policies on {}; checked on {} of other projects",
        tuned.tried.len(),
        report::times(tuned.fit_sessions as u64, "session"),
        report::times(tuned.check_sessions as u64, "session"),
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
    for nth in [tuned.fitted, tuned.chosen] {
        if !shown.contains(&nth) {
            shown.push(nth);
        }
    }
    shown.sort_by(|a, b| tuned.tried[*a].fit.cost.total_cmp(&tuned.tried[*b].fit.cost));
    for nth in shown {
        let Tried { options, fit, check, .. } = &tuned.tried[nth];
        let name = match nth {
            0 if tuned.chosen == 0 => "balanced, chosen",
            0 => "balanced",
            nth if nth == tuned.chosen => "chosen",
            nth if nth == tuned.fitted => "not confirmed",
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
    text += "\ncost: with look-ups, against sending everything. ✓: in the half that did not choose.\n";
    text + &verdict(tuned) + &few(tuned)
}

/// What the other half says against the cheapest; empty where it confirms it.
pub fn verdict(tuned: &Tuned) -> String {
    if tuned.confirmed {
        return String::new();
    }
    let (ours, shipped) = (&tuned.tried[tuned.fitted], &tuned.tried[0]);
    let worse = ours.check.worse_than(&shipped.check).into_iter();
    let worse = worse.map(|(name, ours, theirs)| format!("{name} {} against {}", known(ours), known(theirs)));
    let done = match tuned.chosen {
        0 => "`balanced` is kept; --unconfirmed takes the other one",
        _ => "it is taken since --unconfirmed asks for it",
    };
    format!(
        "\nThe cheapest where policies are chosen (cost {:.3} against {:.3} of `balanced`) is worse where they are checked ({}): {done}.\n",
        ours.fit.cost,
        shipped.fit.cost,
        worse.collect::<Vec<_>>().join(", "),
    )
}

/// A warning where so few sessions speak that what they say may be chance.
pub fn few(tuned: &Tuned) -> String {
    if !tuned.is_of_few() {
        return String::new();
    }
    format!(
        "\nOnly {} chose and {} checked: what wins on so few may be chance; name more.\n",
        report::times(tuned.fit_sessions as u64, "session"),
        report::times(tuned.check_sessions as u64, "session"),
    )
}

fn figures(score: &Score) -> [String; 4] {
    [Some(score.cost), score.recall, score.lines, score.asked].map(known)
}

fn known(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), |value| format!("{value:.3}"))
}
