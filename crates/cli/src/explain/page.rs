//! An explanation as one self-contained page.

use enfold::folding::runner::Run;

use super::sheet::Sheet;
use super::{Explanation, PassRow, shortened};
use crate::page::{self, card, file_name, text};
use crate::report::{number, share, times};

/// The page.
pub fn page(explained: &Explanation, run: &Run) -> String {
    let body = [
        header(explained),
        cards(explained),
        passes(explained),
        shortened::list(explained),
        Sheet::new(explained, &run.view).messages(),
        page::footer(&explained.file),
    ];
    let script = format!("<script>{}</script>", include_str!("page.js"));
    page::page(file_name(&explained.file), include_str!("page.css"), &body.join("\n"), &script)
}

fn header(explained: &Explanation) -> String {
    let converted = match explained.format == explained.to {
        true => text(explained.format),
        false => format!("{} → {}", text(explained.format), text(explained.to)),
    };
    format!(
        "<header><h1>{}</h1><p>{converted} · policy {} · counted with {}</p></header>",
        text(file_name(&explained.file)),
        text(&explained.policy),
        text(&explained.counter.label),
    )
}

fn cards(explained: &Explanation) -> String {
    let (before, after) = (explained.before as u64, explained.after as u64);
    let cards = [
        card(number(before), "tokens before"),
        card(number(after), "tokens after"),
        card(number(explained.budget.tokens as u64), "budget"),
        card(share(after, before), "of the session"),
        card(number(explained.folds().count() as u64), "folds"),
        card(explained.rung.unwrap_or("none").to_string(), "deepest rung"),
    ];
    format!("<section class='cards'>{}</section>", cards.concat())
}

fn passes(explained: &Explanation) -> String {
    let percent = |tokens: usize| 100.0 * tokens as f64 / explained.before.max(1) as f64;
    let row = |pass: &PassRow| {
        let made = match pass.outcome {
            "folded" => times(pass.folds.len() as u64, "fold"),
            outcome => outcome.to_string(),
        };
        format!(
            "<div class='pass {}'><div><b>{}</b> <small>{made}</small></div>\
             <div class='bar'><i style='width:{:.2}%'></i><u style='width:{:.2}%'></u></div>\
             <div class='num'>{} → {}</div><p>{}</p></div>",
            pass.outcome,
            text(&pass.pass),
            percent(pass.after),
            percent(pass.before.saturating_sub(pass.after)),
            number(pass.before as u64),
            number(pass.after as u64),
            text(&pass.why),
        )
    };
    let rows: String = explained.passes.iter().map(row).collect();
    format!(
        "<section><h2>Passes <small>in order; the pale part is what each one saved</small></h2>{rows}</section>"
    )
}
