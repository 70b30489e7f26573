//! The Python package: by pip, in virtual environments.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::folder;
use crate::{Outcome, root, run};

/// Frameworks that the Python package has a hook for, with what is installed to try it. Their dependencies exclude each other:
/// each has an environment of its own.
const FRAMEWORKS: [(&str, &[&str]); 7] = [
    ("langchain", &["langchain==1.4.7", "langgraph==1.2.20"]),
    ("openai-agents", &["openai-agents==0.24.0"]),
    ("pydantic-ai", &["pydantic-ai-slim==2.66.0"]),
    ("litellm", &["litellm==1.106.2"]),
    ("anthropic", &["anthropic==2.8.0"]),
    ("google-adk", &["google-adk==2.13.0"]),
    ("strands", &["strands-agents==1.62.0"]),
];

/// Everything: `pip install` from the checkout into an empty environment, its tests, types and pages; then each framework.
pub(crate) fn packages() -> Outcome {
    let python = Environment::empty("python")?;
    python.install(&["packages/python", "pytest==9.2.0", "mypy==2.4.1"])?;
    python.test(&["packages/python/tests", "--ignore=packages/python/tests/adapters"], None)?;
    for (name, needed) in FRAMEWORKS {
        let environment = Environment::empty(name)?;
        environment.install(needed)?;
        environment.install(&["packages/python", "pytest==9.2.0"])?;
        let test = format!("packages/python/tests/adapters/test_{}.py", name.replace('-', "_"));
        environment.test(&[&test, "packages/python/tests/adapters/test_pages.py"], None)?;
    }
    Ok(())
}

/// What cargo has built, in an environment with pytest alone. Skipped, and said so, where there is no Python.
pub(crate) fn quick() -> Outcome {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("SKIPPED: the Python package; there is no python3");
        return Ok(());
    }
    let staged = staged()?;
    let python = Environment::kept("pytest")?;
    python.install(&["pytest==9.2.0"])?;
    python.test(&["packages/python/tests", "--ignore=packages/python/tests/adapters"], Some(&staged))
}

/// The package's Python files beside the library that cargo built: what `PYTHONPATH` names.
fn staged() -> Result<PathBuf, String> {
    let failed = |error: std::io::Error| format!("staging the Python package: {error}");
    let folder = folder("staged");
    let package = folder.join("enfold");
    std::fs::create_dir_all(&package).map_err(failed)?;
    for file in std::fs::read_dir(root().join("packages/python/python/enfold")).map_err(failed)? {
        let file = file.map_err(failed)?.path();
        let is_source = file.extension().is_some_and(|extension| extension != "so");
        if let (true, Some(name)) = (is_source && file.is_file(), file.file_name()) {
            std::fs::copy(&file, package.join(name)).map_err(failed)?;
        }
    }
    let built = root().join("target/debug/lib_native.so");
    std::fs::copy(&built, package.join("_native.abi3.so")).map_err(|error| {
        format!("{}: {error}; the package is tried this way on Linux only", built.display())
    })?;
    Ok(folder)
}

/// A virtual environment of Python.
struct Environment(PathBuf);

impl Environment {
    /// A new one, in place of any that is there.
    fn empty(name: &str) -> Result<Environment, String> {
        Environment::make(name, &["--clear"])
    }

    /// The one that is there, or a new one.
    fn kept(name: &str) -> Result<Environment, String> {
        Environment::make(name, &[])
    }

    fn make(name: &str, options: &[&str]) -> Result<Environment, String> {
        let folder = folder(name);
        run(Command::new("python3").args(["-m", "venv"]).args(options).arg(&folder))?;
        Ok(Environment(folder))
    }

    fn python(&self) -> Command {
        Command::new(self.0.join("bin/python"))
    }

    fn install(&self, packages: &[&str]) -> Outcome {
        run(self
            .python()
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            .args(packages))
    }

    fn test(&self, tests: &[&str], path: Option<&Path>) -> Outcome {
        let mut pytest = self.python();
        pytest.args(["-m", "pytest", "--quiet", "--no-header", "-p", "no:cacheprovider"]).args(tests);
        if let Some(path) = path {
            pytest.env("PYTHONPATH", path);
        }
        run(&mut pytest)
    }
}
