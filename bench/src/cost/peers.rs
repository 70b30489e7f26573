//! Other systems, priced from outside by `cost.py`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::sessions::folder;
use crate::{Failure, report};

/// Writes down what `cost.py` prints about other systems, where `ENFOLD_EVAL` names its folder and `ENFOLD_PYTHON` a Python that
/// has their packages (it says which are missing). `ENFOLD_PEER_SESSIONS` is how many sessions.
pub(super) fn run() -> Result<(), Failure> {
    let named = |name: &str| std::env::var(name).ok();
    let (Some(eval), Some(python)) = (named("ENFOLD_EVAL"), named("ENFOLD_PYTHON")) else {
        eprintln!(
            "SKIPPED: peers; set ENFOLD_EVAL (a folder with cost.py) and ENFOLD_PYTHON (one with their packages)"
        );
        return Ok(());
    };
    let sessions = named("ENFOLD_PEER_SESSIONS").unwrap_or_else(|| "8".into());
    let eval = PathBuf::from(eval);
    let enfold = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/enfold");
    let start = Instant::now();
    let mut cost = Command::new(python);
    cost.arg(eval.join("cost.py"))
        .arg("--data")
        .arg(folder()?.join("dev"))
        .arg("--peers")
        .arg(eval.join("peers.py"));
    cost.args(["--window", "32000", "--most", &sessions]);
    if enfold.exists() {
        let replay = "replay {file} --window {window} --emit {out}";
        cost.arg("--system").arg(format!("enfold={} {replay}", enfold.display()));
    }
    let answer = cost.stderr(Stdio::inherit()).output()?;
    if !answer.status.success() {
        return Err(format!("cost.py stopped: {}", answer.status).into());
    }
    let body = format!(
        "The first {sessions} sessions of *Cost* at 32k, priced from outside by `cost.py`, in {:.0} minutes; `enfold` is every request that \
         `enfold replay --emit` wrote. Peers whose package was not there are not in it. A view over the window scores 0 here, which is why \
         `no management` has no recall: in *Cost* it stands for all that could be kept, whether it fits or not. {}\n\n```text\n{}\n```\n",
        start.elapsed().as_secs_f64() / 60.0,
        report::machine(),
        String::from_utf8(answer.stdout)?.trim()
    );
    report::write("Cost of peers", &body)
}
