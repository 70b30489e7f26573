//! `enfold replay`: what a recorded session would have cost and lost.

use std::path::Path;

use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::output;
use crate::replaying::{self, page, tables};
use crate::report::clean_lines;

/// Replays.
pub fn run(args: ReplayArgs) -> Result<(), Failure> {
    let replayed = replaying::replay_all(&args)?;
    if let Some(path) = &args.html {
        output::write(Some(path), &page::page(&replayed))?;
        let said = format!("{}: the page of this replay. Open it in a browser.\n", path.display());
        output::note(&clean_lines(&said));
    }
    if args.json {
        let json = serde_json::to_string_pretty(&replayed).expect("numbers and strings always become JSON");
        return output::print(&(json + "\n"));
    }
    let tables = tables::tables(&replayed);
    match args.emit.as_deref() == Some(Path::new("-")) {
        // Standard output has the requests.
        true => output::note(&tables),
        false => output::print(&tables)?,
    }
    Ok(())
}
