//! Understanding and the ledger: understanding must grow with the session, not faster; a ledger must cost only what it lists.

use std::fmt::Write;
use std::sync::Arc;

use enfold::count::{Encoding, Tally};
use enfold::file;
use enfold::understand::facts::Facts;
use enfold::understand::ledger::Ledger;

use crate::clock::Cpu;
use crate::long_session::Material;
use crate::{Failure, report};

const LENGTHS: [usize; 5] = [50_000, 100_000, 200_000, 400_000, 800_000];
/// The room a ledger has in a view.
const CAP: usize = 2_000;
const RUNS: usize = 9;
/// A run makes ledgers of so many tokens in all, so that each lasts long enough to be timed.
const TOKENS: usize = 4_000_000;

/// The whole measurement.
pub(crate) fn run() -> Result<(), Failure> {
    Encoding::O200k.load();
    let mut body = format!(
        "Histories that are read; CPU milliseconds on one core, medians of {RUNS} runs. Written into {CAP} tokens.\n\n"
    );
    for material in Material::all()? {
        let _ = writeln!(
            body,
            "| {} | understood ms | per 100,000 tokens | ÷ the first | ledger ms | written ms |\n|---|---|---|---|---|---|",
            material.name
        );
        let mut first = None;
        for length in LENGTHS {
            let times = Times::of(&material.session(length)?)?;
            let first = *first.get_or_insert(times.understood / times.hundreds);
            let _ = writeln!(
                body,
                "| {:.0} tokens | {:.1} | {:.1} | {:.2} × | {:.2} | {:.1} |",
                times.hundreds * 1e5,
                times.understood,
                times.understood / times.hundreds,
                times.understood / times.hundreds / first,
                times.ledger,
                times.written,
            );
        }
        body.push('\n');
    }
    report::write("Ledger", &body)
}

struct Times {
    /// Tokens of the session, in hundreds of thousands.
    hundreds: f64,
    understood: f64,
    ledger: f64,
    written: f64,
}

impl Times {
    fn of(session: &str) -> Result<Times, Failure> {
        let history = file::read_bytes(session.as_bytes().to_vec())?.history;
        let facts = Facts::of(&history);
        let tokens = Tally::of(&history, Arc::new(Encoding::O200k), Default::default()).total();
        let repeats = TOKENS.div_ceil(tokens.max(1));
        let median = |work: &dyn Fn()| {
            let mut times: Vec<f64> = (0..RUNS)
                .map(|_| {
                    let start = Cpu::now();
                    (0..repeats).for_each(|_| work());
                    start.seconds() * 1e3 / repeats as f64
                })
                .collect();
            times.sort_by(f64::total_cmp);
            times[RUNS / 2]
        };
        let ledger = Ledger::of(&history, &facts);
        Ok(Times {
            hundreds: tokens as f64 / 1e5,
            understood: median(&|| drop(std::hint::black_box(Facts::of(&history)))),
            ledger: median(&|| drop(std::hint::black_box(Ledger::of(&history, &facts)))),
            written: median(&|| drop(std::hint::black_box(ledger.render(&Encoding::O200k, CAP)))),
        })
    }
}
