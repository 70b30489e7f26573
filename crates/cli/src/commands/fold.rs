//! `enfold fold`: what the model should see of a session, within a budget.

use enfold::folding::runner::CannotFit;

use crate::args::{FoldArgs, ReportArg};
use crate::explain::{self, Explanation};
use crate::failure::Failure;
use crate::folding::{Folding, Refused, Room};
use crate::input::Input;
use crate::report::{self, Stream, number, times};
use crate::stored::{self, Recorded};
use crate::{asking, blobs, output};

/// Folds. Where originals cannot be written as files, the view names their handles alone, as it does without files.
pub fn run(args: FoldArgs) -> Result<(), Failure> {
    let folding = Folding::prepare(&args.folding)?;
    let Some(folder) = args.folding.blobs.blobs.as_deref() else {
        return Ok(fold(&folding, &args)?);
    };
    let done = match blobs::check(folder) {
        Ok(()) => fold(&folding, &args),
        Err(failure) => Err(Stop::NoOriginals(failure)),
    };
    match done {
        Err(Stop::NoOriginals(why)) => {
            let why = why.message().unwrap_or_default();
            output::note(&format!("note: originals are not in files: {}\n", report::clean(&why)));
            Ok(fold(&folding.without_blobs(), &args)?)
        }
        done => Ok(done?),
    }
}

/// Why there is no view.
enum Stop {
    Failed(Failure),
    /// What it hides could not be written to files: it can be had without them.
    NoOriginals(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failed(failure)
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        match stop {
            Stop::Failed(failure) | Stop::NoOriginals(failure) => failure,
        }
    }
}

/// Originals first, so that nothing is hidden that could not be opened; then the report, then the view.
fn fold(folding: &Folding, args: &FoldArgs) -> Result<(), Stop> {
    // In another format they are among what that format cannot express.
    if args.report == ReportArg::Table && folding.losses.is_empty() {
        output::note(&report::warnings(&folding.file, &folding.document.findings));
    }
    let run = asking::run(folding, args)?.map_err(|cannot| {
        let explained = Explanation::of_failure(folding, &cannot);
        tell(&explained, args.report);
        cannot_fit(folding, &cannot)
    })?;
    let written = folding.write(&run).map_err(|refused| {
        if let (Refused::Faults(faults), ReportArg::Table) = (&refused, args.report) {
            output::note(&report::findings(Stream::Stderr, faults));
        }
        not_written(folding, &refused)
    })?;
    if let Some(folder) = args.folding.blobs.blobs.as_deref().filter(|_| folding.names_files()) {
        let stored = blobs::store(folder, run.view.history(), &run.originals);
        stored.map_err(Stop::NoOriginals)?;
    }
    let recorded = match &folding.file {
        Input::Stored(id) => stored::record(&args.folding.session.from.store, id, folding, &run)?,
        Input::Stdin | Input::Path(_) => None,
    };
    if args.report != ReportArg::None {
        tell(&Explanation::of(folding, &run, &written.faults), args.report);
    }
    if args.report == ReportArg::Table {
        output::note(&beside(folding, &written.faults));
        output::note(&recorded.map_or(String::new(), |recorded| kept(&recorded)));
    }
    Ok(output::write(args.output.as_deref(), &written.text)?)
}

fn tell(explained: &Explanation, report: ReportArg) {
    match report {
        ReportArg::None => {}
        ReportArg::Json => {
            let json = serde_json::to_string(explained).expect("numbers and strings always become JSON");
            output::note(&(json + "\n"));
        }
        ReportArg::Table => match &explained.cannot_fit {
            Some(shortage) => output::note(&explain::must_stay(Stream::Stderr, shortage)),
            None => {
                output::note(&explain::passes(Stream::Stderr, explained));
                output::note(&format!("\n{}\n", report::clean(&explain::totals(explained))));
                output::note(&explain::shortened_in_a_line(explained));
            }
        },
    }
}

/// What is no fold and still worth knowing.
fn beside(folding: &Folding, faults: &[enfold::finding::Finding]) -> String {
    let mut text = String::new();
    if !folding.losses.is_empty() {
        text += &format!("\n{} → {}\n", folding.format, folding.to());
        text += &report::findings(Stream::Stderr, &folding.losses);
    }
    if !faults.is_empty() {
        text += &format!(
            "note: a provider would refuse the session itself for {}; `enfold validate` names them\n",
            times(faults.len() as u64, "reason")
        );
    }
    text
}

/// Where what is hidden can be had.
fn kept(recorded: &Recorded) -> String {
    match recorded {
        Recorded::As { session, epoch } => {
            let session = report::clean(session);
            format!(
                "recorded as epoch {epoch} of session:{session}; `enfold unfold HANDLE` opens what is hidden\n"
            )
        }
        Recorded::Nowhere => "not recorded: the store cannot be written; \
             `enfold unfold HANDLE session:ID` opens what is hidden\n"
            .into(),
    }
}

/// What must stay is too large.
pub fn cannot_fit(folding: &Folding, cannot: &CannotFit) -> Failure {
    let (needed, budget) = (cannot.needed + folding.counted.tools, folding.room.budget);
    let policy = match folding.policy.fits {
        true => "what must stay".to_string(),
        false => format!("what the policy `{}` leaves", folding.policy.name),
    };
    Failure::CannotFit(format!(
        "{}: {policy} takes {} tokens, {} more than the budget of {}; raise --budget to at least {}",
        folding.file,
        number(needed as u64),
        number(needed.saturating_sub(budget) as u64),
        number(budget as u64),
        number(least(folding, needed) as u64),
    ))
}

/// A budget that surely does. What must stay may be more where there is more room (instructions yield only where they would
/// fill the view), so each guess is tried.
fn least(folding: &Folding, needed: usize) -> usize {
    const TRIES: usize = 12;
    let mut budget = needed;
    for _ in 0..TRIES {
        let room = Room { budget, target: budget, window: budget, starts: None, source: String::new() };
        match folding.run_in(&room) {
            Ok(_) => break,
            Err(cannot) => budget = (cannot.needed + folding.counted.tools).max(budget + budget / 8 + 1),
        }
    }
    budget
}

/// A view that may not leave.
pub fn not_written(folding: &Folding, refused: &Refused) -> Failure {
    let cause = match refused {
        Refused::Unreadable(why) => format!("the view would be no session any more ({why})"),
        Refused::Faults(faults) => {
            let reasons = times(faults.len() as u64, "reason");
            format!("a provider would refuse the view for {reasons}, but not the session")
        }
    };
    Failure::Refused(format!(
        "{}: {cause}; nothing was written; try another --policy or a larger --budget, and please report it",
        folding.file
    ))
}
