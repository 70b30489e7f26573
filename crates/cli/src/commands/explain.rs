//! `enfold explain`: what each pass folds of a session and why, fold by fold.

use crate::args::ExplainArgs;
use crate::commands::fold::{cannot_fit, not_written};
use crate::explain::{self, Explanation};
use crate::failure::Failure;
use crate::folding::Folding;
use crate::output;
use crate::report::{self, Stream};

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
            if let Some(path) = &args.html {
                output::write(Some(path), &explain::page(&explained, &run))?;
            }
            if args.html.is_none() || args.json {
                print(&explained, args.json)?;
            }
            written.map(|_| ()).map_err(|refused| not_written(&folding, &refused))
        }
    }
}

fn print(explained: &Explanation, as_json: bool) -> Result<(), Failure> {
    if as_json {
        let json = serde_json::to_string_pretty(explained).expect("numbers and strings always become JSON");
        return output::print(&(json + "\n"));
    }
    let mut text = explain::passes(Stream::Stdout, explained);
    text += &match &explained.cannot_fit {
        Some(shortage) => format!("\n{}", explain::must_stay(Stream::Stdout, shortage)),
        None => format!("\n{}\n", report::clean(&explain::totals(explained))),
    };
    text += &explain::shortened(Stream::Stdout, explained);
    text += &explain::folds(Stream::Stdout, explained);
    output::print(&(text + &explain::summary(Stream::Stdout, explained)))
}
