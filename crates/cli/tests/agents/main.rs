//! Real agents through `enfold run`, against a scripted model that checks every body as a provider would.
//!
//! `cargo xtask agents` installs what this needs and runs it; by hand, `ENFOLD_AGENTS` names the folder into which npm and
//! pip have installed.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod epochs;
mod libraries;
mod recall;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use enfold_script::{Model, Reply, Request, agent};
use tempfile::TempDir;

/// Commands that an agent is made to run: each shows some 1,500 tokens.
const STEPS: usize = 30;

/// A folder in which an agent may do what it likes, and its home.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "work", "data"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        for nth in 0..STEPS {
            let lines = (0..60)
                .map(|line| format!("src/part{nth}.rs:{line}: warning: value_{nth}_{line} is never used\n"));
            std::fs::write(folder.path().join(format!("work/part{nth}.log")), lines.collect::<String>())
                .unwrap();
        }
        let git = Command::new("git").args(["init", "-q"]).current_dir(folder.path().join("work")).status();
        assert!(git.is_ok_and(|status| status.success()), "git is needed");
        Place { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `enfold run OPTIONS -- AGENT`, with nothing of this machine's own.
    fn run(&self, options: &[&str], variables: &[(&str, &str)], agent: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_enfold"));
        command.arg("run").args(options).arg("--").args(agent);
        command.current_dir(self.path("work")).stdin(Stdio::null()).env_clear();
        command.env("HOME", self.path("home")).env("XDG_DATA_HOME", self.path("data"));
        // Some agents want a newer Node than the machine has.
        let newer = std::env::var("ENFOLD_AGENTS").map(|folder| format!("{folder}/node_modules/.bin:"));
        let path = newer.unwrap_or_default() + &std::env::var("PATH").unwrap_or_default();
        command.env("PATH", path).env("IS_SANDBOX", "1");
        command.envs(variables.iter().copied());
        command.output().unwrap()
    }
}

/// Where agents were installed; says loudly if nowhere.
fn installed(what: &str) -> Option<String> {
    let folder = std::env::var_os("ENFOLD_AGENTS").map(PathBuf::from);
    let found = folder.map(|folder| folder.join(what)).filter(|path| path.exists());
    if found.is_none() {
        eprintln!("SKIPPED: {what} is not installed; `cargo xtask agents` installs it");
    }
    found.map(|path| path.to_str().unwrap().to_string())
}

/// A model that makes an agent look at one file after the other, and then says that it is done.
fn model() -> Model {
    let mut nth = 0;
    Model::start(move |request: &Request| {
        let Some(reply) = agent::shell(request, &format!("cat part{nth}.log")) else {
            return Reply::Text("Scripted session".into());
        };
        nth += 1;
        if nth <= STEPS { reply } else { Reply::Text("All is done.".into()) }
    })
}

/// A session of several epochs: nothing was refused, and what was sent changed only with an epoch.
#[track_caller]
fn check(model: &Model, output: &Output, place: &Place, epochs_at_least: usize) {
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    assert!(said.contains("All is done."), "{said}");
    assert_eq!(model.refused(), Vec::<String>::new());
    let requests = model.requests();
    assert!(requests.len() > STEPS, "{} requests: {said}", requests.len());
    let line = said.lines().find(|line| line.starts_with("enfold: ")).expect("the line at the end");
    eprintln!("{line}");
    let epochs: usize = line.split(" epochs").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    assert!(epochs >= epochs_at_least, "{line}");
    assert!(!line.contains("unfolded after a failure"), "{line}");
    let ours: Vec<String> = files(&place.path("data")).collect();
    assert!(ours.iter().any(|name| name.ends_with("enfold.db")), "{ours:?}");
    nothing_elsewhere(place);
}

/// Nothing of ours is in the agent's home. It may write down by itself which servers of tools it has talked to.
#[track_caller]
fn nothing_elsewhere(place: &Place) {
    let is_ours = |name: &String| name.contains("enfold") && !name.contains("/mcp-logs-enfold/");
    assert_eq!(files(&place.path("home")).filter(is_ours).collect::<Vec<_>>(), Vec::<String>::new());
}

fn files(folder: &Path) -> Box<dyn Iterator<Item = String>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    Box::new(entries.flat_map(|entry| match entry.path().is_dir() {
        true => files(&entry.path()),
        false => Box::new(std::iter::once(entry.path().display().to_string())),
    }))
}
