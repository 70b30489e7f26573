//! `enfold ledger`: what a session is about and how far it has come.

use enfold::count::Encoding;
use enfold::file::document::Document;
use enfold::understand::facts::Facts;
use enfold::understand::ledger::Ledger;

use crate::args::LedgerArgs;
use crate::failure::Failure;
use crate::report::clean;
use crate::{input, output};

/// Prints it.
pub fn run(args: LedgerArgs) -> Result<(), Failure> {
    let document = input::read_session(&args.session.file, &args.session.from)?;
    let ledger = of(&document);
    if args.json {
        let json = serde_json::to_string_pretty(&ledger).expect("numbers and strings always become JSON");
        return output::print(&(json + "\n"));
    }
    let text = ledger.render(&Encoding::O200k, args.tokens);
    if text.is_empty() {
        return output::print("Nothing was asked and nothing was done.\n");
    }
    let lines = text.lines().map(|line| format!("{}\n", clean(line)));
    output::print(&lines.collect::<String>())
}

/// The ledger of a session, as far as the tools that everybody knows tell it.
pub fn of(document: &Document) -> Ledger {
    Ledger::of(&document.history, &Facts::of(&document.history))
}
