//! A running session: what a push, a request and a new epoch cost as it grows, and folding it from bytes to bytes.
//!
//! Each figure is the CPU time of a process that does nothing else. Where `ENFOLD_OTHER_BENCH` names the `bench` program of
//! another commit, that one is measured in the same run, by turns.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use enfold::count::{Encoding, Tally};
use enfold::file;
use enfold::folding::passes::Cx;
use enfold::folding::policy::Policy;
use enfold::folding::runner;
use enfold::understand::facts::Facts;
use enfold::view::fold::HandleKey;
use enfold::wire;
use enfold::{Cache, Session};
use serde_json::{Value, json};

use crate::clock::Cpu;
use crate::long_session::Material;
use crate::{Failure, flat, report};

/// Tokens of the session at its end, and from where on its epochs count.
const LENGTH: usize = 250_000;
const FROM: usize = 150_000;
/// The session whose folding from bytes to bytes is measured.
const WHOLE: usize = 200_000;
const LIMITS: [usize; 2] = [32_000, 100_000];
/// Times that each program is run.
const TURNS: usize = 3;
/// Times that a process folds from bytes to bytes.
const FOLDS: usize = 7;

/// Figures of a session, in milliseconds: its name in what a process prints, and in the table.
const FIGURES: [(&str, &str); 6] = [
    ("push", "push, median"),
    ("push_most", "push, 99 of 100 below"),
    ("prepare", "prepare within an epoch, median"),
    ("epoch", "prepare that opens an epoch, median"),
    ("epoch_most", "prepare that opens an epoch, most"),
    ("bytes", "fold from bytes to bytes, median"),
];

/// The whole measurement.
pub(crate) fn run() -> Result<(), Failure> {
    let other = std::env::var_os("ENFOLD_OTHER_BENCH").map(PathBuf::from);
    let mut body = format!(
        "CPU milliseconds of one thread, policy `balanced`, the vocabulary loaded before. A session grows to {LENGTH} tokens, a \
         request is prepared whenever the model has the word; epochs count from {FROM} tokens on. From bytes to bytes: \
         {WHOLE} tokens. Medians of {TURNS} processes.\n\n"
    );
    let this = std::env::current_exe()?;
    let scratch = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench");
    fs::create_dir_all(&scratch)?;
    for material in Material::all()? {
        let (growing, whole) = (scratch.join("growing.jsonl"), scratch.join("whole.jsonl"));
        fs::write(&growing, material.session(LENGTH)?)?;
        fs::write(&whole, material.session(WHOLE)?)?;
        let _ = writeln!(body, "Sessions are {}.\n", material.name);
        for limit in LIMITS {
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for _ in 0..TURNS {
                ours.push(once(&this, &growing, &whole, limit)?);
                if let Some(other) = &other {
                    theirs.push(once(other, &growing, &whole, limit)?);
                }
            }
            body += &table(limit, &ours, &theirs);
        }
    }
    body += &flat::table()?;
    report::write("Epochs", &body)
}

fn once(program: &Path, growing: &Path, whole: &Path, limit: usize) -> Result<Value, Failure> {
    let run =
        Command::new(program).arg("epochs-once").args([growing, whole]).arg(limit.to_string()).output()?;
    serde_json::from_slice(&run.stdout)
        .map_err(|_| format!("epochs: {}", String::from_utf8_lossy(&run.stderr)).into())
}

fn table(limit: usize, ours: &[Value], theirs: &[Value]) -> String {
    let mut text = format!(
        "Limit {limit} tokens, {} epochs.\n\n| | the other commit | this one | ÷ |\n|---|---|---|---|\n",
        ours.first().map_or(0, |first| first["epochs"].as_u64().unwrap_or_default())
    );
    for (key, name) in FIGURES {
        let of = |all: &[Value]| middle(all.iter().filter_map(|one| one[key].as_f64()).collect(), 50);
        let (ours, theirs) = (of(ours), of(theirs));
        // Where none opened there is nothing to compare.
        let written = |figure: f64, digits: usize| match figure.is_finite() {
            true => format!("{figure:.digits$}"),
            false => "–".to_string(),
        };
        let (theirs, ours, times) = (written(theirs, 3), written(ours, 3), written(theirs / ours, 1));
        let _ = writeln!(text, "| {name} | {theirs} | {ours} | {times} |");
    }
    text + "\n"
}

/// One process: prints its figures as JSON.
pub(crate) fn in_this_process(arguments: &[&str]) -> Result<(), Failure> {
    let [growing, whole, limit] = arguments else {
        return Err("usage: bench epochs-once GROWING WHOLE LIMIT".into());
    };
    let limit = limit.parse()?;
    Encoding::O200k.load();
    let mut figures = growing_session(&fs::read_to_string(growing)?, limit)?;
    let whole = fs::read(whole)?;
    let folds: Vec<f64> = (0..FOLDS).map(|_| from_bytes(&whole, limit)).collect::<Result<_, _>>()?;
    figures["bytes"] = middle(folds, 50).into();
    println!("{figures}");
    Ok(())
}

fn growing_session(text: &str, limit: usize) -> Result<Value, Failure> {
    let wire = wire::named("openai-chat").ok_or("chat is a wire format")?;
    let mut session = Session::new(wire, Policy::named("balanced")?, limit);
    let (mut pushes, mut prepares, mut epochs) = (Vec::new(), Vec::new(), Vec::new());
    for line in text.lines() {
        let message = line.to_string();
        let start = Cpu::now();
        session.push(message)?;
        pushes.push(start.seconds() * 1e3);
        if serde_json::from_str::<Value>(line)?["role"] == "assistant" {
            continue;
        }
        let start = Cpu::now();
        let opened = session.prepare(Cache::Warm)?.opened.is_some();
        let spent = start.seconds() * 1e3;
        match opened {
            false => prepares.push(spent),
            true if session.tally().total() >= FROM => epochs.push(spent),
            true => {}
        }
    }
    Ok(json!({
        "epochs": epochs.len(),
        "push": middle(pushes.clone(), 50),
        "push_most": middle(pushes, 99),
        "prepare": middle(prepares, 50),
        "epoch": middle(epochs.clone(), 50),
        "epoch_most": middle(epochs, 100),
    }))
}

fn from_bytes(bytes: &[u8], limit: usize) -> Result<f64, Failure> {
    let bytes = bytes.to_vec();
    let policy = Policy::named("balanced")?;
    let start = Cpu::now();
    let document = file::read_bytes(bytes)?;
    let tally = Tally::to_fit(&document.history, limit, Arc::new(Encoding::O200k), Default::default());
    let mut facts = Facts::new(policy.understanding.clone());
    facts.update(&document.history);
    let handles = HandleKey::new(b"secret", "bench");
    let cx = Cx::new(limit, &facts, &handles, document.wire);
    let run = runner::run(&policy, &document.history, &tally, &cx)?;
    document.render(run.view.changes()).ok_or("chat messages can be rendered")?;
    Ok(start.seconds() * 1e3)
}

/// The value that so many of a hundred stay below.
fn middle(mut values: Vec<f64>, percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) * percent / 100).copied().unwrap_or(f64::NAN)
}
