//! The packages for other languages beside Rust: what a list of the host's objects costs over bytes.

use std::path::Path;
use std::process::Command;

use enfold::count::Encoding;
use enfold::{HandleKey, Options, fold_once};
use serde_json::Value;

use crate::clock::Cpu;
use crate::long_session::Material;
use crate::{Failure, report};

const TOKENS: usize = 200_000;
const BUDGET: usize = 60_000;
const RUNS: usize = 7;

/// The whole measurement. Needs the environment that `cargo xtask packages` makes.
pub(crate) fn run() -> Result<(), Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let python = root.join("target/packages/python/bin/python");
    if !python.exists() {
        return Err("the Python package is not there: cargo xtask packages".into());
    }
    let material = Material::find()?;
    let session = material.session(TOKENS)?;
    let path = root.join("target/packages/session.jsonl");
    std::fs::write(&path, &session)?;
    let rust = rust(&session)?;
    let (budget, runs) = (BUDGET.to_string(), RUNS.to_string());
    let script = root.join("bench/python/fold.py");
    let told = Command::new(python).arg(script).arg(&path).args([&budget, &runs]).output()?;
    if !told.status.success() {
        return Err(String::from_utf8_lossy(&told.stderr).into());
    }
    let told: Value = serde_json::from_slice(&told.stdout)?;
    let number = |name: &str| told[name].as_f64().unwrap_or(f64::NAN);
    let body = format!(
        "{}: {} messages, {} tokens, folded to {BUDGET}. CPU milliseconds of one thread, medians of {RUNS} runs.\n\n\
         | what | ms | ÷ Rust |\n|---|---|---|\n\
         | Rust, bytes to bytes | {rust:.1} | 1 |\n\
         | Python, list of dicts to list of dicts | {:.1} | {:.2} |\n\
         | Python, a list that fits: converted, counted, handed back | {:.1} | |\n\
         | Python, a warm `prepare` of a session, of {} requests | {:.2} median, {:.2} at worst | |\n\
         | Python, a `prepare` that opens an epoch, at worst | {:.1} | |\n",
        material.name,
        told["messages"],
        told["tokens"],
        number("fold"),
        number("fold") / rust,
        number("fits"),
        told["warm_requests"],
        number("warm"),
        number("warm_worst"),
        number("epoch_worst"),
    );
    report::write("Packages", &body)
}

fn rust(session: &str) -> Result<f64, Failure> {
    Encoding::O200k.load();
    let options = Options::budget(BUDGET, HandleKey::new(b"enfold", "bench"));
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Cpu::now();
        fold_once(session.as_bytes(), &options)?;
        times.push(start.seconds() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[RUNS / 2])
}
