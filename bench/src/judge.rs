//! What a view keeps of what the agent needs next: a judge from outside, with `enfold fold` among its peers.

use std::path::Path;
use std::process::Stdio;

use crate::peers::FoldPeers;
use crate::{Failure, report};

const BUDGETS: [&str; 3] = ["8000", "16000", "32000"];

/// Runs the judge and writes down what it printed.
pub(crate) fn run() -> Result<(), Failure> {
    let folder = |name: &str, what: &str| {
        std::env::var(name).map_err(|_| format!("set {name} to {what}")).map(std::path::PathBuf::from)
    };
    let eval = folder("ENFOLD_EVAL", "a folder with judge.py and peers.py")?;
    let data = folder("ENFOLD_SESSIONS", "a folder of real sessions")?.join("dev");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let enfold = root.join("target/release/enfold");
    if !enfold.exists() {
        return Err("build it first: cargo build --release -p enfold-cli".into());
    }
    let peers = FoldPeers::install(&root.join("target/bench"))?;
    let mut judge = peers.python();
    judge.arg(eval.join("judge.py")).arg("--data").arg(data).arg("--peers").arg(eval.join("peers.py"));
    judge.args(BUDGETS.iter().flat_map(|budget| ["--budget", budget]));
    let command = format!("enfold={} fold - --budget {{budget}} --report none", enfold.display());
    let answer = judge.arg("--system").arg(command).stderr(Stdio::inherit()).output()?;
    if !answer.status.success() {
        return Err(format!("the judge stopped: {}", answer.status).into());
    }
    let table = String::from_utf8(answer.stdout)?;
    let body = format!(
        "Real sessions, cut where they are over the budget; what the agent used in its next steps says what it needed. \
         `enfold` is `enfold fold - --budget N`. \
         No column says whether a model works better from such a view: no model was asked. The ms column compares a \
         process start with calls in a running process.\n\n```text\n{}\n```\n",
        table.trim()
    );
    report::write("Judge", &body)
}
