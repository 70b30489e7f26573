//! Folding: each pass, each policy from bytes to bytes, sessions of up to two million tokens, and peers on the same
//! history.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use enfold::count::{Encoding, Tally};
use enfold::file;
use enfold::file::document::Document;
use enfold::folding::passes::{Cx, PASSES};
use enfold::folding::policy::{POLICIES, Policy};
use enfold::folding::runner;
use enfold::understand::facts::Facts;
use enfold::view::View;
use enfold::view::fold::HandleKey;
use enfold::wire;
use enfold::{Cache, Session};
use serde_json::Value;

use crate::clock::Cpu;
use crate::long_session::Material;
use crate::peers::FoldPeers;
use crate::{Failure, report};

const BUDGET: usize = 32_000;
/// Medians of so many runs.
const RUNS: usize = 5;
/// The CPU clock moves in steps of milliseconds, so a pass is timed so many times over.
const REPEATS: u32 = 20;
const LENGTHS: [usize; 4] = [200_000, 500_000, 1_000_000, 2_000_000];

/// The whole measurement.
pub(crate) fn run() -> Result<(), Failure> {
    Encoding::O200k.load();
    let material = Material::find()?;
    let session = material.session(LENGTHS[0])?;
    let mut body = format!(
        "Sessions are {}. Budget {BUDGET} tokens; CPU milliseconds on one core, medians of {RUNS} runs. The vocabulary is \
         loaded before (see *Tokens*).\n\n",
        material.name
    );
    body += &passes(&session)?;
    body += &policies(&session)?;
    body += &one_more(&material, &session)?;
    body += &lengths(&material)?;
    body += &beside_peers(&session)?;
    report::write("Folding", &body)
}

/// A session after reading, counting and understanding.
struct Prepared {
    document: Document,
    tally: Tally,
    facts: Facts,
    handles: HandleKey,
}

/// CPU seconds of the stages from bytes to bytes.
#[derive(Clone, Copy, Default)]
struct Stages {
    read: f64,
    count: f64,
    understand: f64,
    fold: f64,
    render: f64,
}

impl Stages {
    fn total(&self) -> f64 {
        self.read + self.count + self.understand + self.fold + self.render
    }
}

fn prepare(session: &str, policy: &Policy) -> Result<(Prepared, Stages), Failure> {
    let bytes = session.as_bytes().to_vec();
    let mut stages = Stages::default();
    let (document, read) = timed(|| file::read_bytes(bytes));
    let document = document?;
    stages.read = read;
    let (tally, count) =
        timed(|| Tally::to_fit(&document.history, BUDGET, Arc::new(Encoding::O200k), Default::default()));
    stages.count = count;
    let (facts, understand) = timed(|| {
        let mut facts = Facts::new(policy.understanding.clone());
        facts.update(&document.history);
        facts
    });
    stages.understand = understand;
    Ok((Prepared { document, tally, facts, handles: HandleKey::new(b"secret", "bench") }, stages))
}

impl Prepared {
    fn cx(&self) -> Cx<'_> {
        Cx::new(BUDGET, &self.facts, &self.handles, self.document.wire)
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Cpu::now();
    let done = work();
    (done, start.seconds())
}

/// From bytes to bytes: tokens after, or `None` where what must stay does not fit.
fn cold(session: &str, policy: &Policy) -> Result<(Option<usize>, Stages), Failure> {
    let (prepared, mut stages) = prepare(session, policy)?;
    let cx = prepared.cx();
    let (run, fold) = timed(|| runner::run(policy, &prepared.document.history, &prepared.tally, &cx));
    stages.fold = fold;
    let Ok(run) = run else { return Ok((None, stages)) };
    let (rendered, render) = timed(|| prepared.document.render(run.view.changes()));
    stages.render = render;
    rendered.ok_or("chat messages can be rendered")?;
    Ok((Some(run.trace.after), stages))
}

/// The run with the median of the totals.
fn median_cold(session: &str, policy: &Policy) -> Result<(Option<usize>, Stages), Failure> {
    let mut runs: Vec<_> = (0..RUNS).map(|_| cold(session, policy)).collect::<Result<_, _>>()?;
    runs.sort_by(|one, two| one.1.total().total_cmp(&two.1.total()));
    Ok(runs.swap_remove(RUNS / 2))
}

/// Each pass alone on the whole history, with its default options.
fn passes(session: &str) -> Result<String, Failure> {
    let mut out = String::from("### Passes\n\n| pass | ms | tokens before | after |\n|---|---|---|---|\n");
    for entry in PASSES {
        let policy = one_pass(entry.name)?;
        let (prepared, _) = prepare(session, &policy)?;
        let mut times = Vec::new();
        let (mut before, mut after) = (0, 0);
        for _ in 0..RUNS {
            let ((), seconds) = timed(|| {
                for _ in 0..REPEATS {
                    let view = View::new(&prepared.document.history, &prepared.tally);
                    let run = runner::arrive(&policy, view, &prepared.cx());
                    (before, after) = (run.trace.before, run.trace.after);
                }
            });
            times.push(seconds / f64::from(REPEATS));
        }
        times.sort_by(f64::total_cmp);
        let _ = writeln!(out, "| `{}` | {:.1} | {before} | {after} |", entry.name, times[RUNS / 2] * 1e3);
    }
    Ok(out + "\n")
}

/// A policy of nothing but this pass.
fn one_pass(name: &str) -> Result<Policy, Failure> {
    let pass = format!("[[pass]]\nuse = \"{name}\"\nwhen = \"arrival\"\nwhy = \"\"\n");
    Ok(Policy::parse(&format!("name = \"{name}\"\nabout = \"\"\n{pass}"))?)
}

fn policies(session: &str) -> Result<String, Failure> {
    let mut out = String::from(
        "### Policies, from bytes to bytes\n\n| policy | ms | read | count | understand | fold | render | tokens after |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for (name, _) in POLICIES {
        let (after, stages) = median_cold(session, &Policy::named(name)?)?;
        let share = |part: f64| format!("{:.0} %", 100.0 * part / stages.total());
        let after = after.map_or("does not fit".into(), |tokens| tokens.to_string());
        let _ = writeln!(
            out,
            "| `{name}` | {:.0} | {} | {} | {} | {} | {} | {after} |",
            stages.total() * 1e3,
            share(stages.read),
            share(stages.count),
            share(stages.understand),
            share(stages.fold),
            share(stages.render)
        );
    }
    Ok(out + "\n")
}

/// A session that goes on: one message is pushed, the next request prepared. In real time, CPU clocks are too coarse.
fn one_more(material: &Material, session: &str) -> Result<String, Failure> {
    let balanced = || Policy::named("balanced");
    let cold = median_cold(session, &balanced()?)?.1.total() * 1e3;
    let wire = wire::named("openai-chat").ok_or("chat is a wire format")?;
    let mut running = Session::new(wire, balanced()?, BUDGET);
    for line in session.lines() {
        running.push(line.to_string())?;
    }
    running.prepare(Cache::Warm)?;
    let (mut times, mut epochs) = (Vec::new(), Vec::new());
    let longer = material.session(LENGTHS[0] + LENGTHS[0] / 2)?;
    for line in longer.lines().skip(session.lines().count()) {
        let start = Instant::now();
        running.push(line.to_string())?;
        let opened = running.prepare(Cache::Warm)?.opened.is_some();
        let ms = start.elapsed().as_secs_f64() * 1e3;
        if opened { epochs.push(ms) } else { times.push(ms) }
    }
    times.sort_by(f64::total_cmp);
    epochs.sort_by(f64::total_cmp);
    let at = |times: &[f64], percent: usize| {
        times.get(times.len().saturating_sub(1) * percent / 100).copied().unwrap_or(f64::NAN)
    };
    Ok(format!(
        "### One more message\n\nA session of {} messages goes on for {} more, each pushed and the next request prepared: median \
         {:.3} ms, 90th percentile {:.3} ms, which is {:.2} % and {:.2} % of folding it from a cold start ({cold:.0} ms). {} of \
         them opened a new epoch instead (median {:.0} ms).\n\n",
        session.lines().count(),
        times.len() + epochs.len(),
        at(&times, 50),
        at(&times, 90),
        at(&times, 50) / cold * 100.0,
        at(&times, 90) / cold * 100.0,
        epochs.len(),
        at(&epochs, 50),
    ))
}

/// Time must grow with the length, not faster.
fn lengths(material: &Material) -> Result<String, Failure> {
    let mut out = String::from(
        "### Longer sessions, `balanced`\n\n| tokens | ms | ms per 100,000 tokens | fold alone, per 100,000 |\n|---|---|---|---|\n",
    );
    let policy = Policy::named("balanced")?;
    for length in LENGTHS {
        let session = material.session(length)?;
        let (_, stages) = median_cold(&session, &policy)?;
        let hundreds = prepare(&session, &policy)?.0.tally.total() as f64 / 1e5;
        let (all, fold) = (stages.total() * 1e3, stages.fold * 1e3);
        let _ = writeln!(
            out,
            "| {:.0} | {all:.0} | {:.1} | {:.1} |",
            hundreds * 1e5,
            all / hundreds,
            fold / hundreds
        );
    }
    Ok(out + "\n")
}

/// Peers fold the same history, each in its own process and with the counter it comes with.
fn beside_peers(session: &str) -> Result<String, Failure> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench");
    let peers = FoldPeers::install(&home)?;
    let file = home.join("long-session.jsonl");
    fs::write(&file, session)?;
    let answer = peers.fold(&file, BUDGET, RUNS).output()?;
    let rows: Value = serde_json::from_slice(&answer.stdout)
        .map_err(|_| format!("folding: {}", String::from_utf8_lossy(&answer.stderr)))?;
    let (after, stages) = median_cold(session, &Policy::named("balanced")?)?;
    let ours = stages.total() * 1e3;
    let (trimmed, trim) = median_cold(session, &one_pass("trim_age")?)?;
    let mut out = String::from(
        "### Beside peers\n\nThe same history to the same budget. Enfold's time is from bytes to bytes; the peers' begins with \
         their own message objects and ends with them. Tokens after are counted exactly (o200k), whatever the peer \
         counts with.\n\n| | what it does | ms | ÷ Enfold | tokens after |\n|---|---|---|---|---|\n",
    );
    let shown = |after: Option<usize>| after.map_or("does not fit".into(), |tokens| tokens.to_string());
    let (after, trimmed) = (shown(after), shown(trimmed));
    let _ = writeln!(
        out,
        "| Enfold `balanced` | reads, counts exactly, keeps the lines most likely to be needed | {ours:.0} | 1.0 | {after} |"
    );
    let trim = trim.total() * 1e3;
    let _ = writeln!(
        out,
        "| Enfold `trim_age` alone | reads, counts exactly, drops the oldest | {trim:.0} | {:.2} | {trimmed} |",
        trim / ours
    );
    for row in rows.as_array().into_iter().flatten() {
        let ms = row["seconds"].as_f64().unwrap_or(f64::NAN) * 1e3;
        let _ = writeln!(
            out,
            "| {} | {} | {ms:.0} | {:.2} | {} |",
            row["name"].as_str().unwrap_or_default(),
            row["does"].as_str().unwrap_or_default(),
            ms / ours,
            row["tokens"]
        );
    }
    Ok(out)
}
