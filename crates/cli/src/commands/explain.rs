//! `enfold explain`: what each pass folds of a session and why, fold by fold.

use std::path::Path;

use crate::args::ExplainArgs;
use crate::commands::fold::{cannot_fit, not_written};
use crate::explain::{self, Explanation, Look};
use crate::failure::Failure;
use crate::folding::Folding;
use crate::output;
use crate::report::{self, Stream, Tone, times};

/// Explains.
pub fn run(args: ExplainArgs) -> Result<(), Failure> {
    let folding = Folding::prepare(&args.folding)?;
    match folding.run() {
        Err(cannot) => {
            print(&Explanation::of_failure(&folding, &cannot), args.json)?;
            Err(cannot_fit(&folding, &cannot))
        }
        Ok(run) => {
            let written = folding.write(&run);
            let faults = written.as_ref().map_or(&[][..], |written| &written.faults);
            let explained = Explanation::of(&folding, &run, faults);
            if args.html.is_none() || args.json {
                print(&explained, args.json)?;
            }
            if let Some(path) = &args.html {
                show(path, &folding, Look { explained, run }, args.folding.budget.is_some())?;
            }
            written.map(|_| ()).map_err(|refused| not_written(&folding, &refused))
        }
    }
}

/// Writes the page and says what it shows. Where nothing has to be folded and nobody named a budget, it begins at one that
/// folds: a picture of nothing helps nobody.
fn show(path: &Path, folding: &Folding, asked: Look, is_named: bool) -> Result<(), Failure> {
    let fits = asked.explained.rung.is_none();
    let totals = explain::totals(&asked.explained);
    let (looks, start) = explain::climb(folding, asked, is_named);
    output::write(Some(path), &explain::page(folding, &looks, start))?;
    let begins = match fits && !is_named {
        true => {
            let shown = explain::totals(&looks[start].explained);
            format!("\nTo show how it would fold, the page begins with a smaller budget: {shown}")
        }
        false => String::new(),
    };
    let others = times(looks.len() as u64 - 1, "other budget");
    let said = format!(
        "{totals}{begins}\n{}: the page; {others} on its slider. Open it in a browser.",
        path.display()
    );
    output::note(&report::clean_lines(&said));
    Ok(())
}

fn print(explained: &Explanation, as_json: bool) -> Result<(), Failure> {
    if as_json {
        let json = serde_json::to_string_pretty(explained).expect("numbers and strings always become JSON");
        return output::print(&(json + "\n"));
    }
    let passes = explain::passes(Stream::Stdout, explained);
    if let Some(shortage) = &explained.cannot_fit {
        let must_stay = explain::must_stay(Stream::Stdout, shortage);
        let folds = explain::folds(Stream::Stdout, explained);
        return output::print(&format!("{passes}\n{must_stay}{folds}"));
    }
    // What matters first: how much is left, what of the user's words is not whole, then how it came about.
    let totals = report::toned(Stream::Stdout, Tone::Strong, &report::clean(&explain::totals(explained)));
    let parts = [
        format!("{totals}\n"),
        explain::shortened(Stream::Stdout, explained),
        format!("\n{passes}"),
        explain::folds(Stream::Stdout, explained),
        explain::summary(Stream::Stdout, explained),
    ];
    output::print(&parts.concat())
}
