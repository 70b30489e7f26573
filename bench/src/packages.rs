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

/// The whole measurement. Needs the environments that `cargo xtask packages` makes.
pub(crate) fn run() -> Result<(), Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let packages = root.join("target/packages");
    let material = Material::find()?;
    let session = material.session(TOKENS)?;
    let path = packages.join("session.jsonl");
    std::fs::write(&path, &session)?;
    let rust = rust(&session)?;

    let python = packages.join("python/bin/python");
    let python = told(&python, &root.join("bench/python/fold.py"), &path)?;
    // Imports of a module are looked for beside it.
    let script = packages.join("node-ai-7/fold.mjs");
    std::fs::copy(root.join("bench/node/fold.mjs"), &script)
        .map_err(|error| format!("{}: {error}; cargo xtask packages", script.display()))?;
    let node = told(Path::new("node"), &script, &path)?;
    let trim = told(&packages.join("langchain/bin/python"), &root.join("bench/python/trim.py"), &path)?;

    let body = format!(
        "{}: {} messages, {} tokens, folded to {BUDGET}. CPU milliseconds, medians of {RUNS} runs, of the thread \
         that calls.\n\n\
         | what | ms | ÷ Rust |\n|---|---|---|\n\
         | Rust, bytes to bytes | {rust:.1} | 1 |\n{}{}\
         | beside them: LangChain's `trim_messages`, counting by characters | {:.1} | |\n\
         | beside them: the AI SDK's `pruneMessages`, which counts nothing | {:.1} | |\n\n\
         Node's event loop, the longest stretch without a turn for others, in CPU time of the main thread: {:.1} ms while `fold` \
         works ({:.1} at worst), {:.1} ms while a session's first `prepare` does ({:.1} at worst).\n",
        material.name,
        python["messages"],
        python["tokens"],
        rows("Python", "list of dicts", &python, rust),
        rows("Node", "array of objects", &node, rust),
        number(&trim, "trim"),
        number(&node, "prune"),
        number(&node, "held_fold"),
        number(&node, "held_fold_worst"),
        number(&node, "held_prepare"),
        number(&node, "held_prepare_worst"),
    );
    report::write("Packages", &body)
}

/// What both packages are asked.
fn rows(language: &str, list: &str, told: &Value, rust: f64) -> String {
    let fold = number(told, "fold");
    format!(
        "| {language}, {list} to {list} | {fold:.1} | {:.2} |\n\
         | {language}, a list that fits: converted, counted, handed back | {:.1} | |\n\
         | {language}, a warm `prepare` of a session, of {} requests | {:.2} median, {:.2} at worst, with {} new tokens | |\n\
         | {language}, the same where at most 2,000 tokens are new, of {} requests | {:.2} at worst | |\n\
         | {language}, a `prepare` that opens an epoch, at worst | {:.1} | |\n",
        fold / rust,
        number(told, "fits"),
        told["warm_requests"],
        number(told, "warm"),
        number(told, "warm_worst"),
        told["warm_worst_new"],
        told["warm_small_requests"],
        number(told, "warm_small_worst"),
        number(told, "epoch_worst"),
    )
}

fn number(told: &Value, name: &str) -> f64 {
    told[name].as_f64().unwrap_or(f64::NAN)
}

/// What a script tells about a session, as JSON.
fn told(program: &Path, script: &Path, session: &Path) -> Result<Value, Failure> {
    let (budget, runs) = (BUDGET.to_string(), RUNS.to_string());
    let told = Command::new(program).arg(script).arg(session).args([&budget, &runs]).output();
    let told = told.map_err(|error| format!("{}: {error}; cargo xtask packages", program.display()))?;
    if !told.status.success() {
        return Err(String::from_utf8_lossy(&told.stderr).into());
    }
    Ok(serde_json::from_slice(&told.stdout)?)
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
