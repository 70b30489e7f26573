//! The packages for other languages: built as their users build them, installed into empty environments, tested there.

mod node;
mod python;

use std::path::{Path, PathBuf};

use crate::{Outcome, cargo, root};

/// Everything, with every framework.
pub(crate) fn packages() -> Outcome {
    python::packages()?;
    node::packages()
}

/// The Python package alone.
pub(crate) fn python() -> Outcome {
    python::packages()
}

/// The Node package alone.
pub(crate) fn node() -> Outcome {
    node::packages()
}

/// The part that `cargo xtask test` runs: both packages with the crates that the tests have compiled anyway. What a machine
/// lacks is skipped, and said so.
pub(crate) fn quick() -> Outcome {
    // All of the workspace, so that features and with them the compiled crates are those of `cargo test --workspace`.
    cargo(&["build", "--workspace", "--lib"])?;
    python::quick()?;
    node::quick()
}

/// A place for what packages need, under `target`.
fn folder(name: &str) -> PathBuf {
    root().join("target/packages").join(name)
}

/// Copies a folder with everything in it.
fn copy_all(from: &Path, to: &Path) -> Outcome {
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    std::fs::create_dir_all(to).map_err(failed)?;
    for entry in std::fs::read_dir(from).map_err(failed)? {
        let from = entry.map_err(failed)?.path();
        let to = to.join(from.file_name().unwrap_or_default());
        if from.is_dir() {
            copy_all(&from, &to)?;
        } else {
            std::fs::copy(&from, &to).map_err(failed)?;
        }
    }
    Ok(())
}
