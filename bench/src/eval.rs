//! What the measurements from outside share: their scripts, the sessions, and Enfold as a command.

use std::path::{Path, PathBuf};

use crate::Failure;

/// What an environment variable names.
pub(crate) fn named(name: &str, what: &str) -> Result<PathBuf, Failure> {
    Ok(std::env::var(name).map_err(|_| format!("set {name} to {what}"))?.into())
}

/// The sessions that systems fold.
pub(crate) fn sessions() -> Result<PathBuf, Failure> {
    Ok(named("ENFOLD_SESSIONS", "a folder of real sessions")?.join("dev"))
}

/// The repository.
pub(crate) fn root() -> Result<PathBuf, Failure> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?)
}

/// Enfold as a system with a name: a command that reads a history and writes a view.
pub(crate) fn enfold() -> Result<String, Failure> {
    let enfold = root()?.join("target/release/enfold");
    if !enfold.exists() {
        return Err("build it first: cargo build --release -p enfold-cli".into());
    }
    Ok(format!("enfold={} fold - --budget {{budget}} --report none", enfold.display()))
}

/// Enfold as a system that is given the same sessions in another wire format, with results of a shape.
pub(crate) fn through(scripts: &Path, name: &str, format: &str, shape: &str) -> Result<String, Failure> {
    let (enfold, via) = (root()?.join("target/release/enfold"), scripts.join("via.py"));
    Ok(format!("{name}=python3 {} {} {format} {{budget}} --results {shape}", via.display(), enfold.display()))
}
