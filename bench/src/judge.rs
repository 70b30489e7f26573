//! What a view keeps of what the agent needs next: a judge from outside, with `enfold fold` among its peers.

use std::process::Stdio;

use crate::peers::FoldPeers;
use crate::{Failure, eval, report};

const BUDGETS: [&str; 3] = ["8000", "16000", "32000"];

/// The same sessions as agents of other providers have them, with results as their tools return them: a name, the format, the shape.
const WAYS: [(&str, &str, &str); 8] = [
    ("anthropic", "anthropic", "text"),
    ("responses", "openai-responses", "text"),
    ("gemini", "gemini", "text"),
    ("gemini objects", "gemini", "object"),
    ("gemini rows", "gemini", "rows"),
    ("ai-sdk", "ai-sdk", "text"),
    ("ai-sdk objects", "ai-sdk", "object"),
    ("ai-sdk rows", "ai-sdk", "rows"),
];

/// Runs the judge and writes down what it printed.
pub(crate) fn run() -> Result<(), Failure> {
    let folder = eval::named("ENFOLD_EVAL", "a folder with judge.py and peers.py")?;
    let (data, enfold) = (eval::sessions()?, eval::enfold()?);
    let peers = FoldPeers::install(&eval::root()?.join("target/bench"))?;
    let mut judge = peers.python();
    judge.arg(folder.join("judge.py")).arg("--data").arg(data).arg("--peers").arg(folder.join("peers.py"));
    judge.args(BUDGETS.iter().flat_map(|budget| ["--budget", budget]));
    judge.arg("--system").arg(&enfold);
    for (name, format, shape) in WAYS {
        judge.arg("--system").arg(eval::through(&folder, name, format, shape)?);
    }
    let answer = judge.stderr(Stdio::inherit()).output()?;
    if !answer.status.success() {
        return Err(format!("the judge stopped: {}", answer.status).into());
    }
    let table = String::from_utf8(answer.stdout)?;
    let body = format!(
        "Real sessions, cut where they are over the budget; what the agent used in its next steps says what it needed. \
         `enfold` is `enfold fold - --budget N` of chat messages; below it the same sessions in other formats, with what tools returned as \
         text, as an object or as rows, folded there and brought back (`via.py` of the judge's folder). \
         No column says whether a model works better from such a view: no model was asked. The ms column compares a \
         process start with calls in a running process.\n\n```text\n{}\n```\n",
        table.trim()
    );
    report::write("Judge", &body)
}
