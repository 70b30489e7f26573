//! Whether a request within an epoch costs the same however long the session is.

use std::fmt::Write as _;

use enfold::folding::policy::Policy;
use enfold::wire;
use enfold::{Cache, Session};

use crate::Failure;
use crate::clock::Cpu;

/// Messages that a session has when its requests are measured.
const LENGTHS: [usize; 4] = [100, 1_000, 10_000, 100_000];
/// Above all of them: a view at its limit opens epochs, and those are measured by themselves.
const LIMIT: usize = 100_000_000;
/// Requests that are measured, each with two messages more.
const REQUESTS: usize = 200;

/// The table.
pub(crate) fn table() -> Result<String, Failure> {
    let mut text = format!(
        "**However long a session is.** Short messages, never folded; medians of {REQUESTS} requests, CPU milliseconds.\n\n| messages | push | prepare |\n|---|---|---|\n"
    );
    for length in LENGTHS {
        let (push, prepare) = measure(length)?;
        let _ = writeln!(text, "| {length} | {push:.4} | {prepare:.4} |");
    }
    Ok(text + "\n")
}

fn measure(length: usize) -> Result<(f64, f64), Failure> {
    let wire = wire::named("openai-chat").ok_or("chat is a wire format")?;
    let mut session = Session::new(wire, Policy::named("balanced")?, LIMIT);
    for nth in 0..length {
        session.push(message(nth))?;
    }
    session.prepare(Cache::Warm)?;
    let (mut pushes, mut prepares) = (Vec::new(), Vec::new());
    for nth in (length..).step_by(2).take(REQUESTS) {
        for next in [message(nth), message(nth + 1)] {
            let start = Cpu::now();
            session.push(next)?;
            pushes.push(start.seconds() * 1e3);
        }
        let start = Cpu::now();
        session.prepare(Cache::Warm)?;
        prepares.push(start.seconds() * 1e3);
    }
    Ok((median(pushes), median(prepares)))
}

fn message(nth: usize) -> String {
    let (role, words) = match nth % 2 {
        0 => ("user", "is green; what about the next one?"),
        _ => ("assistant", "was looked at, and nothing is left to do there."),
    };
    format!(r#"{{"role":"{role}","content":"Build number {nth} {words}"}}"#)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
