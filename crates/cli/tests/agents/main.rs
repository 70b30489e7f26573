//! Real agents through `enfold run`, against a scripted model that checks every body as a provider would.
//!
//! `cargo xtask agents` installs what this needs and runs it; by hand, `ENFOLD_AGENTS` names the folder into which npm and
//! pip have installed.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

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
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("IS_SANDBOX", "1");
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
    let others: Vec<String> = files(&place.path("home")).filter(|name| name.contains("enfold")).collect();
    assert_eq!(others, Vec::<String>::new(), "nothing of ours elsewhere");
}

fn files(folder: &Path) -> Box<dyn Iterator<Item = String>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    Box::new(entries.flat_map(|entry| match entry.path().is_dir() {
        true => files(&entry.path()),
        false => Box::new(std::iter::once(entry.path().display().to_string())),
    }))
}

#[test]
#[ignore = "needs Claude Code: cargo xtask agents"]
fn claude_code_works_through_several_epochs() {
    let Some(claude) = installed("node_modules/.bin/claude") else { return };
    for (name, window) in
        [("claude-sonnet-4-5", "44k"), ("claude-opus-5-5", "40k"), ("claude-fable-5-1", "48k")]
    {
        let (place, model) = (Place::new(), model());
        let upstream = format!("anthropic={}", model.url());
        let agent = [
            &*claude,
            "-p",
            "--dangerously-skip-permissions",
            "--model",
            name,
            "Look at every log and mend what is wrong.",
        ];
        let options = ["--upstream", &upstream, "--window", window];
        let output = place.run(&options, &[("ANTHROPIC_API_KEY", "dummy-key")], &agent);
        eprintln!("{name}:");
        check(&model, &output, &place, 2);
    }
}

#[test]
#[ignore = "needs Codex: cargo xtask agents"]
fn codex_works_through_several_epochs() {
    let Some(codex) = installed("node_modules/.bin/codex") else { return };
    let (place, model) = (Place::new(), model());
    let upstream = format!("openai={}", model.url());
    let agent = [
        &*codex,
        "exec",
        "--dangerously-bypass-approvals-and-sandbox",
        "--skip-git-repo-check",
        "-m",
        "scripted-model",
        "Look at every log and mend what is wrong.",
    ];
    let options = ["--upstream", &upstream, "--window", "36k"];
    let output = place.run(&options, &[("CODEX_API_KEY", "dummy-key")], &agent);
    check(&model, &output, &place, 2);
}

/// Asks by the official libraries, streamed and not, with tools; what they read must be what they read without the proxy.
#[test]
#[ignore = "needs the official libraries: cargo xtask agents"]
fn the_official_python_libraries_see_no_difference() {
    let Some(python) = installed("sdk/bin/python") else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/libraries.py");
    let ask = |through: bool| {
        let (place, model) = (
            Place::new(),
            Model::start(|request| match request.messages().len() % 4 {
                1 => Reply::call("bash", r#"{"command":"ls"}"#),
                _ => Reply::Text("done".into()),
            }),
        );
        let (url, v1) = (model.url().to_string(), format!("{}/v1", model.url()));
        let output = match through {
            true => {
                let (one, two) = (format!("anthropic={url}"), format!("openai={url}"));
                let options = ["--upstream", &*one, "--upstream", &two, "--window", "16k"];
                place.run(&options, &[], &[&python, script.to_str().unwrap()])
            }
            false => Command::new(&python)
                .arg(&script)
                .env("ANTHROPIC_BASE_URL", &url)
                .env("OPENAI_BASE_URL", &v1)
                .output()
                .unwrap(),
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(model.refused(), Vec::<String>::new());
        let summary = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_string();
        (String::from_utf8_lossy(&output.stdout).into_owned(), summary)
    };
    let ((direct, _), (through, summary)) = (ask(false), ask(true));
    assert_eq!(direct, through);
    assert!(direct.lines().count() > 40, "{direct}");
    eprintln!("{summary}");
    assert!(!summary.contains(" 0 folds"), "{summary}");
}
