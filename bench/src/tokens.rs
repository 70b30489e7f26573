//! Counting: Enfold, tiktoken, gpt-tokenizer on the same texts; loading a vocabulary; counting again after one more
//! message; inputs made to hurt.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use bytestring::ByteString;
use enfold::count::media::ImageRule;
use enfold::count::{Counter, Encoding, Tally};
use enfold::history::{History, Parsed, Span};
use enfold::history::{Item, ItemKind, Role, Slot, Spelling, Text};
use serde_json::{Value, json};

use crate::clock::Cpu;
use crate::peers::Peers;
use crate::{Failure, report};

/// Every program runs this often, in turn, each time in a fresh process; the fastest run counts.
const ROUNDS: usize = 3;
const SETS: [&str; 3] = ["talk", "tool calls", "tool results"];

/// The whole measurement.
pub(crate) fn run() -> Result<(), Failure> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench");
    let peers = Peers::install(&home)?;
    let texts = gather()?;
    let files = write_sets(&home, &texts)?;
    let this = std::env::current_exe()?;
    let ours = || {
        let mut command = Command::new(&this);
        command.arg("count").args(&files);
        command
    };
    let programs: [(&str, &dyn Fn() -> Command); 3] = [
        ("Enfold", &ours),
        ("Python tiktoken", &|| peers.tiktoken(&files)),
        ("npm gpt-tokenizer", &|| peers.gpt_tokenizer(&files)),
    ];
    let mut best: Vec<Run> = Vec::new();
    for round in 0..ROUNDS {
        for (at, (name, command)) in programs.iter().enumerate() {
            let run = Run::of(name, &mut command(), &files)?;
            match best.get_mut(at) {
                Some(best) => best.keep_faster(run),
                None => best.push(run),
            }
        }
        eprintln!("round {} of {ROUNDS}", round + 1);
    }
    let mut body = speeds(&best, &texts);
    body += &incremental(&texts)?;
    body += &hurtful();
    report::write("Tokens", &body)
}

/// Counts the texts of files of JSON strings, as the peers do.
pub(crate) fn count(files: &[&str]) -> Result<(), Failure> {
    let start = Cpu::now();
    Encoding::O200k.load();
    let load = start.seconds();
    let mut sets = serde_json::Map::new();
    for file in files {
        let lines = fs::read_to_string(file)?;
        let texts: Vec<String> = lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let start = Cpu::now();
        let tokens: usize = texts.iter().map(|text| Encoding::O200k.count(text)).sum();
        sets.insert(file.to_string(), json!({"seconds": start.seconds(), "tokens": tokens}));
    }
    println!("{}", json!({"load": load, "version": "", "sets": sets}));
    Ok(())
}

/// What one program needed.
pub(crate) struct Run {
    name: String,
    load: f64,
    /// Per set: seconds and tokens.
    sets: Vec<(f64, u64)>,
}

impl Run {
    pub(crate) fn of(name: &str, command: &mut Command, files: &[PathBuf]) -> Result<Run, Failure> {
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        if !output.status.success() {
            return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        let answer: Value = serde_json::from_slice(&output.stdout)?;
        let number = |value: &Value| value.as_f64().ok_or("a peer printed no number");
        let set = |file: &PathBuf| -> Result<(f64, u64), Failure> {
            let set = &answer["sets"][file.display().to_string()];
            Ok((number(&set["seconds"])?, number(&set["tokens"])? as u64))
        };
        Ok(Run {
            name: format!("{name} {}", answer["version"].as_str().unwrap_or_default()).trim().to_string(),
            load: number(&answer["load"])?,
            sets: files.iter().map(set).collect::<Result<_, _>>()?,
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Seconds of counting over all sets.
    pub(crate) fn seconds(&self) -> f64 {
        self.sets.iter().map(|(seconds, _)| seconds).sum()
    }

    fn keep_faster(&mut self, other: Run) {
        self.load = self.load.min(other.load);
        for (mine, theirs) in self.sets.iter_mut().zip(other.sets) {
            mine.0 = mine.0.min(theirs.0);
        }
    }
}

fn speeds(runs: &[Run], texts: &[Vec<String>]) -> String {
    let megabytes = |set: &[String]| set.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    let count: usize = texts.iter().map(Vec::len).sum();
    let total: f64 = texts.iter().map(|set| megabytes(set)).sum();
    let mut out = format!(
        "{count} texts of real sessions, {total:.1} MB, o200k, fastest of {ROUNDS} runs in turn, each in a \
         fresh process. MB per CPU second; in brackets tokens.\n\n| | {} | vocabulary CPU ms |\n|---|---|---|---|---|\n",
        SETS.join(" | ")
    );
    for run in runs {
        let _ = write!(out, "| {} |", run.name);
        for ((seconds, tokens), set) in run.sets.iter().zip(texts) {
            let _ = write!(out, " {:.1} ({tokens}) |", megabytes(set) / seconds);
        }
        let _ = writeln!(out, " {:.0} |", run.load * 1e3);
    }
    let _ = write!(out, "| Enfold ÷ fastest peer |");
    for set in 0..texts.len() {
        let fastest = runs[1..].iter().map(|run| run.sets[set].0).fold(f64::INFINITY, f64::min);
        let _ = write!(out, " {:.1} × |", fastest / runs[0].sets[set].0);
    }
    out + " |\n\n"
}

/// A history of 200,000 tokens, counted whole and then once more after one more message. In real time: CPU clocks
/// are too coarse for the second.
fn incremental(texts: &[Vec<String>]) -> Result<String, Failure> {
    let counter: Arc<dyn Counter> = Arc::new(Encoding::O200k);
    let results = texts.last().ok_or("no texts")?;
    let mut history = History::new();
    let mut tokens = 0;
    let mut next = results.iter().filter(|text| !text.is_empty()).cycle();
    while tokens < 200_000 {
        let text = next.next().ok_or("no tool results")?;
        tokens += counter.count(text);
        push(&mut history, text);
    }
    let mut shares = Vec::new();
    let (mut whole_ms, mut again_ms) = (f64::INFINITY, f64::INFINITY);
    for text in next.take(200) {
        let start = Instant::now();
        let mut tally = Tally::of(&history, counter.clone(), ImageRule::default());
        let whole = start.elapsed().as_secs_f64() * 1e3;
        let mut longer = history.clone();
        push(&mut longer, text);
        let start = Instant::now();
        tally.update(&longer);
        let again = start.elapsed().as_secs_f64() * 1e3;
        shares.push(again / whole);
        whole_ms = whole_ms.min(whole);
        again_ms = again_ms.min(again);
    }
    shares.sort_by(f64::total_cmp);
    let percent = |part: usize| shares[(shares.len() - 1) * part / 100] * 100.0;
    Ok(format!(
        "Counting again after one more message (200 real tool results in turn) on a history of {tokens} tokens, as a \
         share of counting all of it ({whole_ms:.1} ms): median {:.3} %, 90th percentile {:.3} %.\n\n",
        percent(50),
        percent(90)
    ))
}

fn push(history: &mut History, text: &str) {
    let text = Text { value: ByteString::from(text), span: Span::new(0..0), spelling: Spelling::Quoted };
    let item = Item { texts: text.into(), ..Item::new(ItemKind::Text, 0..0) };
    history.push(
        ByteString::new(),
        Parsed { role: Role::User, slot: Slot::List, items: vec![item], extras: vec![] },
    );
}

fn hurtful() -> String {
    let kinds = [
        ("one letter", "a"),
        ("spaces", " "),
        ("line feeds", "\n"),
        ("dashes", "-"),
        ("punctuation", "!?#$%&()*+,-./:;<=>@[]^_`{|}~"),
        ("Chinese", "中文字符沒有空格"),
        ("emoji", "👨‍👩‍👧‍👦"),
    ];
    let speed = |unit: &str, megabytes: usize| {
        let text = unit.repeat(megabytes * 1_000_000 / unit.len());
        let start = Cpu::now();
        Encoding::O200k.count(&text);
        text.len() as f64 / 1e6 / start.seconds()
    };
    let mut out = String::from(
        "Enfold on one kind of text only, MB per CPU second at 1 MB and at 16 MB (linear: not slower; runs of one character repeat whole chunks, which are counted once).\n\n",
    );
    let _ = writeln!(
        out,
        "| | {} |\n|---|{}",
        kinds.map(|(name, _)| name).join(" | "),
        "---|".repeat(kinds.len())
    );
    for megabytes in [1, 16] {
        let speeds = kinds.map(|(_, unit)| format!("{:.1}", speed(unit, megabytes)));
        let _ = writeln!(out, "| {megabytes} MB | {} |", speeds.join(" | "));
    }
    out
}

/// The texts of the sessions, by who wrote them.
fn gather() -> Result<Vec<Vec<String>>, Failure> {
    let folder =
        std::env::var("ENFOLD_SESSIONS").map_err(|_| "set ENFOLD_SESSIONS to a folder of real sessions")?;
    let mut files: Vec<PathBuf> = fs::read_dir(Path::new(&folder).join("dev"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, std::io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let mut sets: BTreeMap<usize, Vec<String>> = (0..SETS.len()).map(|set| (set, Vec::new())).collect();
    for file in files {
        for line in fs::read_to_string(&file)?.lines() {
            let message: Value = serde_json::from_str(line)?;
            let set = if message["role"] == "tool" { 2 } else { 0 };
            let texts = message["content"].as_str().into_iter().map(|text| (set, text));
            let calls = message["tool_calls"].as_array().into_iter().flatten();
            let calls = calls.filter_map(|call| call["function"]["arguments"].as_str()).map(|text| (1, text));
            for (set, text) in texts.chain(calls) {
                sets.entry(set).or_default().push(text.to_string());
            }
        }
    }
    Ok(sets.into_values().collect())
}

fn write_sets(home: &Path, texts: &[Vec<String>]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for (name, set) in SETS.iter().zip(texts) {
        let file = home.join(format!("{}.jsonl", name.replace(' ', "-")));
        let lines: Vec<String> = set.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        fs::write(&file, lines.join("\n") + "\n")?;
        files.push(file);
    }
    Ok(files)
}
