//! How long a command takes before it does anything: whole processes, in real time.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::{Failure, report};

const RUNS: usize = 40;

/// The whole measurement.
pub(crate) fn run() -> Result<(), Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let enfold = root.join("target/release/enfold");
    if !enfold.exists() {
        return Err("build it first: cargo build --release -p enfold-cli".into());
    }
    let session = root.join("examples/sessions/pi.jsonl").display().to_string();
    let commands: [(&str, PathBuf, Vec<&str>); 5] = [
        ("`true`, to know what a process costs", "true".into(), vec![]),
        ("`enfold --version`", enfold.clone(), vec!["--version"]),
        ("`enfold models gpt-4o`", enfold.clone(), vec!["models", "gpt-4o"]),
        (
            "`enfold convert --to anthropic` of a small session",
            enfold.clone(),
            vec!["convert", "--to", "anthropic", &session],
        ),
        ("`enfold count` of a small session: loads a vocabulary", enfold.clone(), vec!["count", &session]),
    ];
    let mut body = format!(
        "Whole processes, {RUNS} runs in turn, milliseconds of real time.\n\n| | median | fastest |\n|---|---|---|\n"
    );
    let mut times = vec![Vec::new(); commands.len()];
    for _ in 0..RUNS {
        for (nth, (_, program, arguments)) in commands.iter().enumerate() {
            let start = Instant::now();
            Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
            times[nth].push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    for ((name, _, _), mut times) in commands.iter().zip(times) {
        times.sort_by(f64::total_cmp);
        body += &format!("| {name} | {:.1} | {:.1} |\n", times[RUNS / 2], times[0]);
    }
    report::write("Start-up", &body)
}
