//! `enfold inspect`: where a session's tokens are.

use crate::args::InspectArgs;
use crate::commands::newest;
use crate::counting::Counting;
use crate::failure::Failure;
use crate::inspect::{inspect, page, tables};
use crate::report::clean_lines;
use crate::{input, output};

/// Inspects.
pub fn run(args: InspectArgs) -> Result<(), Failure> {
    if args.session.file.is_terminal() {
        return newest::run();
    }
    let counting = Counting::new(&args.counting)?;
    let document = input::read_session(&args.session.file, &args.session.from)?;
    let seen = inspect(args.session.file.to_string(), &document, &counting.count(&document));
    if let Some(path) = &args.html {
        output::write(Some(path), &page(&seen))?;
        let said = format!("{}: the page of {}. Open it in a browser.", path.display(), seen.in_a_line());
        output::note(&clean_lines(&said));
    }
    match (args.json, &args.html) {
        (true, _) => {
            let json = serde_json::to_string_pretty(&seen).expect("numbers and strings always become JSON");
            output::print(&(json + "\n"))
        }
        (false, None) => output::print(&tables(&seen)),
        (false, Some(_)) => Ok(()),
    }
}
