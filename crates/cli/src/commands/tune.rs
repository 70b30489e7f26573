//! `enfold tune`: options of the policy that suit your own sessions.

use crate::args::TuneArgs;
use crate::failure::Failure;
use crate::output;
use crate::report::clean_lines;
use crate::tuning::{self, tables};

/// Searches.
pub fn run(args: TuneArgs) -> Result<(), Failure> {
    let tuned = tuning::tune(&args)?;
    if let Some(path) = &args.output {
        output::write(Some(path), &tuned.policy())?;
        let what = match (tuned.chosen, tuned.confirmed) {
            (0, true) => "the options of `balanced` itself, since none is better",
            (0, false) => {
                "the options of `balanced` itself, since the other half does not confirm the choice"
            }
            _ => "the policy that was chosen",
        };
        let said = format!("{}: {what}; use it with --policy.\n", path.display());
        output::note(&clean_lines(&said));
    }
    if args.json {
        output::note((tables::verdict(&tuned) + &tables::few(&tuned)).trim_start());
        let json = serde_json::to_string_pretty(&tuned).expect("numbers and strings always become JSON");
        return output::print(&(json + "\n"));
    }
    output::print(&tables::tables(&tuned))
}
