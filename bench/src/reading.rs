//! Reading transcripts and counting them, against peers that only count the texts found in them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use enfold::count::{Encoding, Tally};
use enfold::file;
use serde_json::json;

use crate::clock::Cpu;
use crate::peers::Peers;
use crate::tokens::Run;
use crate::{Failure, report};

/// The agents whose transcripts are JSON lines.
const FOLDERS: [&str; 4] = ["claude-code", "codex", "copilot-cli", "pi"];
const BYTES: u64 = 100_000_000;

/// The whole measurement.
pub(crate) fn run() -> Result<(), Failure> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench");
    let peers = Peers::install(&home)?;
    let sessions = sessions()?;
    let rounds =
        BYTES.div_ceil(sessions.iter().map(|file| fs::metadata(file).map_or(0, |meta| meta.len())).sum());
    let texts = home.join("transcript-texts.jsonl");
    write_texts(&sessions, rounds, &texts)?;
    let this = std::env::current_exe()?;
    let answer = Command::new(this).arg("read-files").arg(rounds.to_string()).args(&sessions).output()?;
    let ours: serde_json::Value = serde_json::from_slice(&answer.stdout)
        .map_err(|_| format!("reading: {}", String::from_utf8_lossy(&answer.stderr)))?;
    let files = [texts];
    let tiktoken = Run::of("Python tiktoken", &mut peers.tiktoken(&files), &files)?;
    let gpt_tokenizer = Run::of("npm gpt-tokenizer", &mut peers.gpt_tokenizer(&files), &files)?;
    let number = |key: &str| ours[key].as_f64().unwrap_or(f64::NAN);
    let (bytes, reading, counting) = (number("bytes") / 1e6, number("reading"), number("counting"));
    let mut body = format!(
        "{} real transcripts of {}, {rounds} times over, {bytes:.0} MB of JSON lines; CPU seconds on one core. Enfold reads the \
         files (detect, validate, merge, pair) and counts exactly; the peers only count the texts that Enfold found.\n\n\
         | | reading | counting | MB of file per second | peak memory |\n|---|---|---|---|---|\n\
         | Enfold | {reading:.2} | {counting:.2} | {:.0} | {:.0} MB |\n",
        sessions.len(),
        FOLDERS.join(", "),
        bytes / (reading + counting),
        number("peak") / 1e6,
    );
    for peer in [&tiktoken, &gpt_tokenizer] {
        let seconds = peer.seconds();
        body += &format!("| {} | – | {seconds:.2} | {:.0} | |\n", peer.name(), bytes / seconds);
    }
    let fastest = tiktoken.seconds().min(gpt_tokenizer.seconds());
    body += &format!(
        "\nReading and counting takes {:.2} × less than the fastest peer's counting alone.\n",
        fastest / (reading + counting)
    );
    report::write("Reading", &body)
}

/// Reads and counts files so many times over; prints what it took.
pub(crate) fn read_files(arguments: &[&str]) -> Result<(), Failure> {
    let (rounds, files) = arguments.split_first().ok_or("usage: bench read-files ROUNDS FILE…")?;
    Encoding::O200k.load();
    let (mut reading, mut counting, mut bytes, mut tokens) = (0.0, 0.0, 0, 0);
    for file in (0..rounds.parse()?).flat_map(|_: u64| files) {
        let content = fs::read(file)?;
        bytes += content.len();
        let start = Cpu::now();
        let document = file::read_bytes(content)?;
        reading += start.seconds();
        let start = Cpu::now();
        tokens += Tally::of(&document.history, Arc::new(Encoding::O200k), Default::default()).total();
        counting += start.seconds();
    }
    let peak = crate::clock::peak_memory();
    println!(
        "{}",
        json!({"reading": reading, "counting": counting, "bytes": bytes, "tokens": tokens, "peak": peak})
    );
    Ok(())
}

fn sessions() -> Result<Vec<PathBuf>, Failure> {
    let root =
        std::env::var("ENFOLD_SESSIONS").map_err(|_| "set ENFOLD_SESSIONS to a folder of real sessions")?;
    let mut files = Vec::new();
    for folder in FOLDERS {
        for entry in fs::read_dir(Path::new(&root).join("native").join(folder))? {
            files.push(entry?.path());
        }
    }
    files.sort();
    Ok(files)
}

fn write_texts(sessions: &[PathBuf], rounds: u64, to: &Path) -> Result<(), Failure> {
    let mut lines = String::new();
    for file in sessions {
        let document = file::read_bytes(fs::read(file)?)?;
        for text in document.history.items().iter().flat_map(|item| &item.texts) {
            lines += &serde_json::to_string(&*text.value)?;
            lines.push('\n');
        }
    }
    Ok(fs::write(to, lines.repeat(rounds as usize))?)
}
