//! Real agents and the libraries of the providers, through the proxy.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Outcome, root, run};

/// The agents, at the versions that were tried.
const AGENTS: [&str; 6] = [
    "@anthropic-ai/claude-code@2.1.325",
    "@openai/codex@0.166.0",
    "opencode-ai@1.18.33",
    PI,
    "@qwen-code/qwen-code@0.24.4",
    "@github/copilot@1.0.102",
];
/// The smallest of them, which speaks three protocols.
const PI: &str = "@earendil-works/pi-coding-agent@0.87.1";

/// The libraries of the providers, and what is built on them.
const NODE_LIBRARIES: [&str; 5] =
    ["openai", "@anthropic-ai/sdk", "ai", "@ai-sdk/anthropic", "@ai-sdk/openai"];
const PYTHON_LIBRARIES: [&str; 4] = ["anthropic", "openai", "google-genai", "mcp"];

/// All of them: some minutes, 1 GB of disk.
pub(crate) fn all() -> Outcome {
    let folder = folder()?;
    node(&folder, &AGENTS)?;
    npm(&folder, &NODE_LIBRARIES)?;
    python(&folder)?;
    tests(&folder, &[])
}

/// Those that take seconds: what `cargo xtask test` runs. What a machine lacks is skipped, and said so.
pub(crate) fn few() -> Outcome {
    let folder = folder()?;
    let mut which = Vec::new();
    match is_there("npm") {
        true => {
            node(&folder, &[PI])?;
            which.push("pi_works");
        }
        false => println!("SKIPPED: a real agent (pi) through the proxy; npm is not there to install it"),
    }
    match is_there("python3") {
        true => {
            python(&folder)?;
            which.push("python");
        }
        false => println!("SKIPPED: the official Python libraries through the proxy; python3 is not there"),
    }
    if which.is_empty() { Ok(()) } else { tests(&folder, &which) }
}

fn folder() -> Result<PathBuf, String> {
    let folder = root().join("target/agents");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A Node that all agents take, and these packages. npm picks a version that fits the running Node, and an old one is
/// silently old: so Node comes first.
fn node(folder: &Path, packages: &[&str]) -> Outcome {
    npm(folder, &["node@22"])?;
    npm(folder, packages)
}

fn npm(folder: &Path, packages: &[&str]) -> Outcome {
    let path = std::env::var("PATH").unwrap_or_default();
    run(Command::new("npm")
        .args(["install", "--no-fund", "--no-audit", "--prefix"])
        .arg(folder)
        .args(packages)
        .env("PATH", format!("{}:{path}", folder.join("node_modules/.bin").display())))
}

fn python(folder: &Path) -> Outcome {
    run(Command::new("python3").args(["-m", "venv"]).arg(folder.join("sdk")))?;
    run(Command::new(folder.join("sdk/bin/pip")).args(["install", "--quiet"]).args(PYTHON_LIBRARIES))
}

/// All of the workspace, so that features and with them the compiled crates are those of `cargo test --workspace`.
fn tests(folder: &Path, which: &[&str]) -> Outcome {
    run(Command::new(env!("CARGO"))
        .args(["test", "--workspace", "--test", "agents", "--", "--ignored", "--nocapture"])
        .args(which)
        .env("ENFOLD_AGENTS", folder))
}
