//! `enfold doctor`: what is wrong and how to mend it.

use crate::args::DoctorArgs;
use crate::failure::Failure;
use crate::output;
use crate::proxying::checks::{self, Verdict};

/// Looks at everything that serving needs.
pub fn run(args: DoctorArgs) -> Result<(), Failure> {
    let checks = checks::all(&args.serving());
    let lines = checks.iter().map(|check| match &check.verdict {
        Verdict::Well(what) => format!("ok     {}: {what}\n", check.thing),
        Verdict::Note(what) => format!("note   {}: {what}\n", check.thing),
        Verdict::Wrong(what, remedy) => format!("WRONG  {}: {what}; {remedy}\n", check.thing),
    });
    output::print(&lines.collect::<String>())?;
    match checks.iter().filter(|check| matches!(check.verdict, Verdict::Wrong(..))).count() {
        0 => Ok(()),
        wrong => Err(Failure::BadInput(format!("{wrong} of {} things must be mended", checks.len()))),
    }
}
