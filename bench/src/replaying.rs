//! Whether replaying holds up: time per request of sessions of any length, and memory for any number of sessions.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use enfold::count::Encoding;
use enfold::file::read_bytes;
use enfold::folding::policy::Policy;
use enfold_replay::{Recorded, Setting, Way, replay};
use serde_json::json;

use crate::clock::Cpu;
use crate::plot::{Line, Plot};
use crate::{Failure, report};

/// Messages of the sessions whose requests are timed.
const LENGTHS: [usize; 4] = [100, 1_000, 10_000, 100_000];
const WINDOW: usize = 16_000;
/// Sessions in a folder.
const FOLDERS: [usize; 3] = [100, 1_000, 10_000];

pub(crate) fn run() -> Result<(), Failure> {
    let mut body = String::new();
    if cfg!(debug_assertions) {
        body += "**A development build**: slower than what ships.\n\n";
    }
    body += &lengths()?;
    body += &folders()?;
    report::write("Replay", &body)
}

fn lengths() -> Result<String, Failure> {
    let mut text = format!(
        "Sessions made for this: every step lists other names in twenty lines and comes back to an older one. Window {WINDOW}; everything \
         that `enfold replay` finds out about a request, judged, with look-ups. CPU milliseconds per request of the whole replay. With `balanced` \
         it grows until the history is as long as the horizon (eight windows, about a thousand of these messages) and little from there on.\n\n\
         | messages | no management | compaction at 95 % | `balanced` |\n|---|---|---|---|\n"
    );
    let ways = [Way::Everything, Way::compaction()?, Way::policy(Policy::named("balanced")?)];
    let mut lines: Vec<Line> =
        ways.iter().map(|way| Line { name: way.name().to_string(), points: Vec::new() }).collect();
    for length in LENGTHS {
        let recorded = Recorded::new(read_bytes(session(length, 0).into_bytes())?);
        let _ = write!(text, "| {length} |");
        for (way, line) in ways.iter().zip(&mut lines) {
            let start = Cpu::now();
            let figures = replay(&recorded, way, &setting(), |_| {});
            let each = start.seconds() * 1e3 / figures.requests as f64;
            line.points.push((length as f64, each));
            eprintln!("{length} messages, {}: {each:.3} ms", way.name());
            let _ = write!(text, " {each:.3} |");
        }
        text.push('\n');
    }
    let plot = Plot {
        title: "Replaying one request, by the length of its session",
        across: "messages of the session",
        up: "CPU milliseconds",
        lines,
        by_tens: true,
        highest: Some(f64::MAX),
        ..Plot::default()
    };
    plot.write("replay-time.svg")?;
    Ok(text + "\n![Time per request by length](replay-time.svg)\n\n")
}

fn folders() -> Result<String, Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let enfold = root.join("target/release/enfold");
    let mut text = String::from(
        "A folder of sessions of 60 messages, `enfold replay FOLDER --window 4k --json`.\n\n| sessions | seconds | peak memory |\n|---|---|---|\n",
    );
    for count in FOLDERS {
        let folder = root.join("target/bench").join(format!("sessions-{count}"));
        fs::create_dir_all(&folder)?;
        for nth in 0..count {
            fs::write(folder.join(format!("{nth}.jsonl")), session(60, nth))?;
        }
        let start = Instant::now();
        let mut child = Command::new(&enfold)
            .arg("replay")
            .arg(&folder)
            .args(["--window", "4k", "--json"])
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()?;
        let mut peak = 0;
        while child.try_wait()?.is_none() {
            peak = peak.max(peak_of(child.id()));
            thread::sleep(Duration::from_millis(20));
        }
        if !child.wait()?.success() {
            return Err("enfold replay stopped".into());
        }
        let _ = writeln!(text, "| {count} | {:.1} | {} MB |", start.elapsed().as_secs_f64(), peak >> 10);
        fs::remove_dir_all(&folder)?;
    }
    Ok(text)
}

/// The most memory a process has held so far, in KiB.
fn peak_of(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn setting() -> Setting {
    Setting::new(WINDOW, Arc::new(Encoding::O200k))
}

/// A session of so many messages; `seed` makes its names other ones.
fn session(messages: usize, seed: usize) -> String {
    let mut lines = vec![json!({"role": "user", "content": "Find out which unit is slow."}).to_string()];
    for step in 0..(messages / 2) {
        let id = format!("c{step}");
        let older = step * 7 / 8;
        let command = format!("compare unit_{seed}_{step} with unit_{seed}_{older}");
        let arguments = json!({ "command": command }).to_string();
        let call =
            json!({"id": id, "type": "function", "function": {"name": "bash", "arguments": arguments}});
        lines.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}).to_string());
        let result: String = (0..20)
            .map(|nth| format!("unit_{seed}_{} pass {nth} took {} ms\n", step + 1, step * nth))
            .collect();
        lines.push(json!({"role": "tool", "tool_call_id": id, "content": result}).to_string());
    }
    lines.push(json!({"role": "assistant", "content": "It is the last one."}).to_string());
    lines.join("\n")
}
