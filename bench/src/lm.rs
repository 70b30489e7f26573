//! How surprised a small real language model is by what the agent did next, given a view: from outside, beside peers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::{Failure, eval, report};

const BUDGET: &str = "4000";
/// Strong ones of different kinds; a view takes most of a minute, so not all are asked about. (`uniform bookends` leaves next to nothing of
/// results in so small a budget, as `observation masking`: less than a tenth of its view in 25 of the first 40 cuts.)
const PEERS: [&str; 3] = ["observation masking", "opencode prune + window", "langchain clear + trim"];
/// Bounds: how much a view can help at all.
const BOUNDS: [&str; 2] = ["nothing", "task only"];
const RESAMPLES: usize = 10_000;
/// Fewer cuts say nothing about which system is better.
const ENOUGH: usize = 20;

/// Asks the model, or reads what it said in the run that `ENFOLD_LM_ROWS` names, and writes it down.
pub(crate) fn run() -> Result<(), Failure> {
    let rows = match std::env::var("ENFOLD_LM_ROWS") {
        Ok(rows) => PathBuf::from(rows),
        Err(_) => ask()?,
    };
    let about = fs::read_to_string(rows.with_extension("about"))?;
    let rows: Vec<Row> = fs::read_to_string(&rows)?.lines().map(Row::read).collect::<Result<_, _>>()?;
    report::write("Language model", &(about + &table(&rows)))
}

/// Runs the judge that asks the model; it writes a row for every cut as soon as it has one.
fn ask() -> Result<PathBuf, Failure> {
    let folder = eval::named("ENFOLD_EVAL", "a folder with lm_judge.py and peers.py")?;
    let python = eval::named("ENFOLD_PYTHON", "a Python with llama_cpp and the peers' packages")?;
    let model = eval::named("ENFOLD_GGUF", "a model file (*.gguf)")?;
    let cuts = std::env::var("ENFOLD_LM_CUTS").unwrap_or_else(|_| "24".into());
    let (data, enfold) = (eval::sessions()?, eval::enfold()?);
    let home = eval::root()?.join("target/bench");
    fs::create_dir_all(&home)?;
    let rows = home.join("lm.jsonl");
    let name = model.file_name().unwrap_or_default().to_string_lossy().into_owned();
    fs::write(rows.with_extension("about"), about(&name))?;
    let start = Instant::now();
    let mut judge = Command::new(python);
    judge.arg(folder.join("lm_judge.py")).arg("--model").arg(model).arg("--data").arg(data);
    judge.args(["--budget", BUDGET, "--cuts", &cuts, "--only", &PEERS.join(",")]);
    judge.arg("--peers").arg(folder.join("peers.py")).arg("--system").arg(enfold).arg("--json").arg(&rows);
    let status = judge.stdout(Stdio::inherit()).stderr(Stdio::inherit()).status()?;
    if !status.success() {
        let place = rows.display();
        return Err(
            format!("lm_judge.py stopped: {status}; ENFOLD_LM_ROWS={place} prints what it had").into()
        );
    }
    eprintln!("{:.0} minutes", start.elapsed().as_secs_f64() / 60.0);
    Ok(rows)
}

fn about(model: &str) -> String {
    format!(
        "Real sessions, cut where they are over {BUDGET} tokens, in an order that chance chose once. A small language model (`{model}`) reads \
         a view and then the message that the agent really wrote next (its first 256 tokens); how surprised it is, in bits per token, \
         lower is better. `nothing` and `task only` (system prompt and first message) bound what a view can bring. A model of this \
         size understands little and copies much: this says whether a view has at hand what comes next, not whether an agent would have \
         solved its task. {}\n\n",
        report::machine()
    )
}

/// One cut: bits per token of every system, and the tokens of its view as the model counts them.
struct Row {
    session: String,
    times: f64,
    is_shortened: bool,
    bits: BTreeMap<String, f64>,
    tokens: BTreeMap<String, f64>,
}

impl Row {
    fn read(line: &str) -> Result<Row, Failure> {
        let value: Value = serde_json::from_str(line)?;
        let number = |key: &str| value[key].as_f64();
        let of = |suffix: &str| {
            let names = BOUNDS.into_iter().chain(PEERS).chain(["enfold"]);
            names.filter_map(|name| Some((name.to_string(), number(&format!("{name}{suffix}"))?))).collect()
        };
        Ok(Row {
            session: value["session"].as_str().ok_or("a row without a session")?.into(),
            times: number("times").unwrap_or(0.0),
            is_shortened: number("cut prompt").unwrap_or(0.0) > 0.0,
            bits: of(""),
            tokens: of(" tokens"),
        })
    }
}

fn table(rows: &[Row]) -> String {
    let (whole, failed): (Vec<&Row>, Vec<&Row>) =
        rows.iter().partition(|row| row.bits.len() == BOUNDS.len() + PEERS.len() + 1);
    let mut sessions: Vec<&str> = whole.iter().map(|row| &*row.session).collect();
    sessions.sort_unstable();
    sessions.dedup();
    let mut times: Vec<f64> = whole.iter().map(|row| row.times).collect();
    times.sort_by(f64::total_cmp);
    let mut out = String::new();
    if whole.len() < ENOUGH {
        out += "**Too few cuts to decide anything: a run that was stopped early.** ";
    }
    write!(
        out,
        "{} cuts of {} sessions, whose histories are {:.1} to {:.1} times the budget (half below {:.1}); {} further cuts left out because a \
         system failed there; in {} cuts some view was over the model's window of 8192 tokens and lost its middle. In brackets 95 % of \
         {RESAMPLES} resamplings of whole sessions; `better`: the cuts in which `enfold` has fewer bits.\n\n\
         | | bits per token | tokens of the view | `enfold` less this | `enfold` better |\n|---|---|---|---|---|\n",
        whole.len(),
        sessions.len(),
        times.first().unwrap_or(&0.0),
        times.last().unwrap_or(&0.0),
        times.get(times.len() / 2).unwrap_or(&0.0),
        failed.len(),
        whole.iter().filter(|row| row.is_shortened).count(),
    )
    .ok();
    for name in BOUNDS.into_iter().chain(PEERS).chain(["enfold"]) {
        let bits = mean(whole.iter().map(|row| row.bits[name]));
        let tokens = mean(whole.iter().map(|row| row.tokens[name]));
        write!(out, "| {name} | {bits:.3} | {tokens:.0} |").ok();
        if name == "enfold" {
            out += " | |\n";
            continue;
        }
        let less = |row: &Row| row.bits["enfold"] - row.bits[name];
        let by_session: Vec<Vec<f64>> = sessions
            .iter()
            .map(|id| whole.iter().filter(|row| row.session == *id).map(|row| less(row)).collect())
            .collect();
        let (low, high) = interval(&by_session);
        let better = whole.iter().filter(|row| less(row) < 0.0).count();
        let less = mean(whole.iter().map(|row| less(row)));
        writeln!(out, " {less:+.3} [{low:+.3}, {high:+.3}] | {better} of {} |", whole.len()).ok();
    }
    out
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count.max(1))
}

/// Where 95 % of the means lie when sessions are drawn anew. Cuts of one session are alike, so they are drawn together.
fn interval(by_session: &[Vec<f64>]) -> (f64, f64) {
    if by_session.is_empty() {
        return (f64::NAN, f64::NAN);
    }
    // The same draws in every run: a table printed twice is the same.
    let mut state = 1_u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        &by_session[(state >> 33) as usize % by_session.len()]
    };
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn: Vec<&Vec<f64>> = by_session.iter().map(|_| draw()).collect();
            mean(drawn.into_iter().flatten().copied())
        })
        .collect();
    means.sort_by(f64::total_cmp);
    (means[RESAMPLES / 40], means[RESAMPLES - RESAMPLES / 40 - 1])
}
