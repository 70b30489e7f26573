//! Other systems, priced from outside by `cost.py`.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::sessions::folder;
use crate::Failure;

/// What `cost.py` prints about other systems, where `ENFOLD_EVAL` names its folder and `ENFOLD_PYTHON` a Python that has their
/// packages. `ENFOLD_PEER_SESSIONS` is how many sessions: all of them take hours.
pub(super) fn table() -> Result<String, Failure> {
    let named = |name: &str| std::env::var(name).ok();
    let (Some(eval), Some(python)) = (named("ENFOLD_EVAL"), named("ENFOLD_PYTHON")) else {
        eprintln!(
            "SKIPPED: peers; set ENFOLD_EVAL (a folder with cost.py) and ENFOLD_PYTHON (one with their packages)"
        );
        return Ok(String::new());
    };
    let sessions = named("ENFOLD_PEER_SESSIONS").unwrap_or_else(|| "8".into());
    let eval = PathBuf::from(eval);
    let start = Instant::now();
    let mut cost = Command::new(python);
    cost.arg(eval.join("cost.py"))
        .arg("--data")
        .arg(folder()?.join("dev"))
        .arg("--peers")
        .arg(eval.join("peers.py"));
    cost.args(["--window", "32000", "--most", &sessions]);
    let answer = cost.stderr(Stdio::inherit()).output()?;
    if !answer.status.success() {
        return Err(format!("cost.py stopped: {}", answer.status).into());
    }
    Ok(format!(
        "### Peers\n\nThe first {sessions} of these sessions by `cost.py`, from outside, in {:.0} minutes.\n\n```text\n{}\n```\n\n",
        start.elapsed().as_secs_f64() / 60.0,
        String::from_utf8(answer.stdout)?.trim()
    ))
}
