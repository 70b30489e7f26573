//! The Node package: by npm, in projects that hold nothing else.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{copy_all, folder};
use crate::{Outcome, root, run};

/// A framework that the package has a hook for.
struct Framework {
    /// The project's name.
    name: &'static str,
    /// What is installed to try it.
    needed: &'static [&'static str],
    /// The tests of its hook.
    tests: &'static [&'static str],
    /// Examples that run there.
    examples: &'static [&'static str],
    /// What is read by the type checker beside them.
    types: &'static [&'static str],
}

/// Versions that were seen to work. What LangChain depends on is named, because npm finds no set of newest ones that fits.
const FRAMEWORKS: [Framework; 7] = [
    // None: what the package does by itself.
    Framework { name: "documents", needed: &[], tests: &[], examples: &[], types: &[] },
    Framework {
        name: "ai-7",
        needed: &["ai@7.0.169", "zod@4"],
        tests: &["ai-sdk", "structured", "newest"],
        examples: &["agent.mjs", "ai-sdk-agent.mjs"],
        types: &["enfold.cts", "ai-sdk.mts"],
    },
    Framework {
        name: "ai-6",
        needed: &["ai@6.0.326", "zod@4"],
        tests: &["ai-sdk", "structured", "newest"],
        examples: &[],
        types: &["ai-sdk-6.mts"],
    },
    Framework {
        name: "langchain",
        needed: &[
            "langchain@1.5.14",
            "@langchain/core@1.2.13",
            "@langchain/langgraph@1.4.17",
            "@langchain/langgraph-checkpoint@1.1.5",
        ],
        tests: &["langchain"],
        examples: &[],
        types: &["langchain.mts"],
    },
    Framework {
        name: "mastra",
        needed: &["@mastra/core@1.71.0", "ai@7.0.169", "zod@4"],
        tests: &["mastra"],
        examples: &[],
        types: &["mastra.mts"],
    },
    Framework {
        name: "openai-agents",
        needed: &["@openai/agents@0.20.0", "zod@4"],
        tests: &["openai-agents"],
        examples: &[],
        types: &["openai-agents.mts"],
    },
    Framework {
        name: "pi-agent-core",
        needed: &["@mariozechner/pi-agent-core@0.73.1", "@mariozechner/pi-ai@0.73.1"],
        tests: &["pi-agent-core"],
        examples: &["pi-agent.mjs"],
        types: &["pi-agent-core.mts"],
    },
];

/// What checks types.
const TYPESCRIPT: [&str; 2] = ["typescript@7.0.2", "@types/node@20"];

/// Everything: packed as it would be published, installed into empty projects, with its tests and pages; then each framework.
pub(crate) fn packages() -> Outcome {
    let packed = packed()?;
    let plain = Project::empty("plain")?;
    plain.install(&packed, &[])?;
    plain.test(&["tests"])?;
    for Framework { name, needed, tests, examples, types } in FRAMEWORKS {
        let project = Project::empty(name)?;
        project.install(&packed, &[needed, &TYPESCRIPT].concat())?;
        let tests =
            tests.iter().chain(&["pages", "documents"]).map(|test| format!("tests/hooks/{test}.test.mjs"));
        project.test(&tests.collect::<Vec<_>>())?;
        let examples: Vec<PathBuf> = examples.iter().map(|example| project.0.join(example)).collect();
        for example in &examples {
            run(project.node().arg(example))?;
        }
        let types = types.iter().map(|types| project.0.join("tests/types").join(types));
        let checked: Vec<PathBuf> = types.chain(examples).collect();
        if !checked.is_empty() {
            project.check_types(&checked)?;
        }
    }
    Ok(())
}

/// What cargo has built, beside the package's JavaScript, in a project without frameworks; npm is not needed. Skipped, and said
/// so, where there is no Node.
pub(crate) fn quick() -> Outcome {
    if Command::new("node").arg("--version").output().is_err() {
        println!("SKIPPED: the Node package; there is no node");
        return Ok(());
    }
    let project = Project::empty("quick")?;
    project.stage()?;
    project.test(&["tests"])?;
    println!(
        "SKIPPED: the Node package's hooks with their frameworks, and its types; `cargo xtask packages` runs them"
    );
    Ok(())
}

/// The package and the one with the native part, packed.
fn packed() -> Result<Vec<PathBuf>, String> {
    let to = folder("node-packed");
    let native = to.join("native");
    std::fs::create_dir_all(&native).map_err(|error| format!("{}: {error}", native.display()))?;
    run(Command::new("node").arg("packages/node/scripts/build.js").arg("--pack").arg(&native))?;
    for package in [&root().join("packages/node"), &native] {
        run(npm().arg("pack").arg("--quiet").arg("--pack-destination").arg(&to).arg(package))?;
    }
    let files = std::fs::read_dir(&to).map_err(|error| format!("{}: {error}", to.display()))?;
    let files = files.filter_map(|file| Some(file.ok()?.path()));
    Ok(files.filter(|file| file.extension().is_some_and(|extension| extension == "tgz")).collect())
}

fn npm() -> Command {
    Command::new("npm")
}

/// A project of Node: a folder with what is installed into it, and the tests.
struct Project(PathBuf);

impl Project {
    /// A new one, in place of any that is there.
    fn empty(name: &str) -> Result<Project, String> {
        // Python's environments have the same names.
        let folder = folder(&format!("node-{name}"));
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(failed)?;
        }
        std::fs::create_dir_all(&folder).map_err(failed)?;
        std::fs::write(folder.join("package.json"), "{ \"private\": true }\n").map_err(failed)?;
        let package = root().join("packages/node");
        copy_all(&package.join("tests"), &folder.join("tests"))?;
        copy_all(&package.join("examples"), &folder)?;
        Ok(Project(folder))
    }

    /// Installs the packed package and others as a user does. Without peers that nobody asked for.
    fn install(&self, packed: &[PathBuf], others: &[&str]) -> Outcome {
        let options = ["install", "--quiet", "--no-audit", "--no-fund", "--legacy-peer-deps", "--prefix"];
        run(npm().args(options).arg(&self.0).args(packed).args(others))
    }

    /// Puts the package together from the checkout and what cargo built.
    fn stage(&self) -> Outcome {
        let package = root().join("packages/node");
        let to = self.0.join("node_modules/enfold");
        for part in ["bin", "hooks", "lib"] {
            copy_all(&package.join(part), &to.join(part))?;
        }
        let built = root().join("target/debug/libenfold_node.so");
        let copies = [(package.join("package.json"), "package.json"), (built, "enfold.node")];
        for (from, name) in copies {
            std::fs::copy(&from, to.join(name)).map_err(|error| {
                format!("{}: {error}; the package is tried this way on Linux only", from.display())
            })?;
        }
        Ok(())
    }

    fn node(&self) -> Command {
        let mut node = Command::new("node");
        node.env("ENFOLD_REPOSITORY", root());
        node
    }

    /// Runs tests: files, or those directly in a folder.
    fn test(&self, tests: &[impl AsRef<str>]) -> Outcome {
        let mut files = Vec::new();
        for test in tests {
            let path = self.0.join(test.as_ref());
            if path.is_dir() { files.extend(tests_in(&path)?) } else { files.push(path) }
        }
        run(self.node().args(["--test", "--test-reporter", "dot"]).args(files))
    }

    fn check_types(&self, files: &[PathBuf]) -> Outcome {
        let tsc = self.0.join("node_modules/typescript/bin/tsc");
        let how = ["--strict", "--noEmit", "--allowJs", "--checkJs", "--skipLibCheck", "--types", "node"];
        let module = ["--module", "nodenext", "--target", "es2023", "--typeRoots"];
        run(self.node().arg(tsc).args(how).args(module).arg(self.0.join("node_modules/@types")).args(files))
    }
}

fn tests_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let files = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    files.retain(|file| file.to_string_lossy().ends_with(".test.js"));
    files.sort();
    Ok(files)
}
