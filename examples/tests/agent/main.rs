//! The example agent as a process of its own, driven by a scripted model on loopback.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test")]

mod keeps;
mod long;
mod stops;

use std::path::Path;
use std::process::{Command, Output};

use enfold_script::Model;

const KEY: &str = "sk-test-0123456789abcdef";

/// Lets the agent do `task` in `folder` with the model, and waits until it has ended by itself.
fn run(api: &str, model: &Model, folder: &Path, options: &[&str], task: &str) -> Output {
    let mut agent = Command::new(env!("CARGO_BIN_EXE_agent"));
    agent.args(["--api", api, "--url", model.url(), "--model", "scripted"]);
    agent.arg("--dir").arg(folder).args(options).arg(task);
    agent.env("ENFOLD_API_KEY", KEY).env("NO_PROXY", "127.0.0.1");
    agent.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
