//! Which facts a successor must know still stand in a view, beside peers.

use std::process::Stdio;

use crate::peers::FoldPeers;
use crate::{Failure, eval, report};

const BUDGETS: [&str; 3] = ["8000", "16000", "32000"];

/// Folds the sessions that have facts and writes down which are kept.
pub(crate) fn run() -> Result<(), Failure> {
    let folder = eval::named("ENFOLD_EVAL", "a folder with judge.py and peers.py")?;
    let (data, enfold) = (eval::sessions()?, eval::enfold()?);
    let peers = FoldPeers::install(&eval::root()?.join("target/bench"))?;
    let mut facts = peers.python();
    facts.arg(eval::root()?.join("bench/facts/run.py")).arg(data).arg("--peers").arg(folder.join("peers.py"));
    facts.args(BUDGETS.iter().flat_map(|budget| ["--budget", budget]));
    let answer = facts.arg("--system").arg(enfold).stderr(Stdio::inherit()).output()?;
    if !answer.status.success() {
        return Err(format!("the facts stopped: {}", answer.status).into());
    }
    let table = String::from_utf8(answer.stdout)?;
    let body = format!(
        "Facts that a successor must know, written by hand before any view was looked at: the share that stands in a view, in all, in \
         the sessions that were looked at while Enfold was tuned and in those held out, and by kind. `enfold` is `enfold fold - --budget N`; \
         the peers are asked where the history is over the budget; a view over it keeps nothing (`over`). A fact counts as kept where \
         its names and phrases stand in the view: no model was asked whether it understands them. {}\n\n```text\n{}\n```\n",
        report::machine(),
        table.trim()
    );
    report::write("Facts", &body)
}
