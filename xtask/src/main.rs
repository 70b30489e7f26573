//! Chores of the repository: `cargo xtask ready` is everything a change must pass.

// A chore talks to the person at the terminal.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod agents;
mod browser;
mod layers;
mod new_pass;
mod packages;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "\
usage: cargo xtask CHORE

  ready      all that CI does: lint, test, docs
  lint       formatting, the core's layers, and clippy; warnings are errors
  test       every test, with what they need installed first
  agents     real agents and the official libraries through `enfold run`, installed by npm and pip into target/agents: no
             body refused, several epochs each (some minutes, 1 GB of disk); `test` runs pi and the Python libraries
  heavy      200 MB inputs of hostile shapes: no panic, no hang, at most 6 times the input in memory (10 minutes)
  new-pass NAME  the file of a pass, and its lines in the table of passes
  screenshots    the pictures of the README, made anew in a browser (look at each)
  packages [python | node]  the packages for other languages: built as users build them, installed into empty
             environments, tested there and with every framework (a quarter of an hour); --quick: what `test` runs of it
  docs       API documentation, broken links are errors
  bench [NAME…]  measurements against peers, written to bench/RESULTS.md: tokens, reading, startup, folding, store,
                 prepare, ledger, epochs; cost, replay and facts (only by name: minutes); judge (only by name: a quarter of an hour); lm (only by
                 name: an hour and more); proxy (only by name: some minutes); packages (only by name, after `packages`)
  second-opinion [--every N]  whether the official SDKs' own types accept every view of real sessions, in every wire
                 format (a quarter of an hour; two minutes with --every 10)

Tests over real sessions run where ENFOLD_SESSIONS names a folder of them, and say so where it does not.";

/// What went wrong, in words.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["ready"] => ready(),
        ["lint"] => lint(),
        ["test"] => test(),
        ["agents"] => agents::all(),
        ["heavy"] => heavy(),
        ["new-pass", name] => new_pass::new_pass(&root(), name),
        ["screenshots"] => screenshots(),
        ["docs"] => docs(),
        ["packages"] => packages::packages(),
        ["packages", "python"] => packages::python(),
        ["packages", "node"] => packages::node(),
        ["packages", "--quick"] => packages::quick(),
        ["bench", names @ ..] => bench(names),
        ["second-opinion", options @ ..] => second_opinion(options),
        _ => Err(USAGE.to_string()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn ready() -> Outcome {
    lint()?;
    test()?;
    docs()?;
    println!("ready");
    Ok(())
}

/// The command with what its default build leaves out.
const WITH_FEATURES: [&str; 6] =
    ["--package", "enfold", "--package", "enfold-cli", "--features", "enfold-cli/tokenizer-json"];

fn lint() -> Outcome {
    cargo(&["fmt", "--all", "--check"])?;
    layers::check(&root())?;
    cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])?;
    let clippy = ["clippy", "--all-targets", "--quiet"];
    cargo(&[&clippy[..], &WITH_FEATURES, &["--", "-D", "warnings"]].concat())
}

fn test() -> Outcome {
    if std::env::var_os("ENFOLD_SESSIONS").is_none() {
        println!(
            "SKIPPED: tests over real sessions; set ENFOLD_SESSIONS to a folder of them to run these too"
        );
    }
    let mut tests = Command::new(env!("CARGO"));
    tests.args(["test", "--workspace"]);
    if browser::is_there() {
        tests.env("ENFOLD_BROWSER", "must");
    }
    run(&mut tests)?;
    packages::quick()?;
    agents::few()?;
    cargo(&[&["test", "--lib", "--test", "cli"], &WITH_FEATURES[..], &["tokenizer"]].concat())
}

fn heavy() -> Outcome {
    let tests = ["test", "--release", "--package", "enfold-cli", "huge", "--", "--test-threads=2"];
    run(Command::new(env!("CARGO")).args(tests).env("ENFOLD_HEAVY", "1"))?;
    let tests = ["test", "--release", "--package", "enfold", "--test", "summaries"];
    run(Command::new(env!("CARGO")).args(tests).env("ENFOLD_HEAVY", "1"))
}

fn screenshots() -> Outcome {
    if !browser::is_there() {
        return Err("no browser, no pictures".into());
    }
    for (package, pages) in [("enfold-cli", "pages"), ("enfold-server", "dashboard")] {
        let tests = ["test", "--package", package, "--test", pages];
        run(Command::new(env!("CARGO"))
            .args(tests)
            .env("ENFOLD_BROWSER", "must")
            .env("ENFOLD_SCREENSHOTS", "1"))?;
    }
    Ok(())
}

fn docs() -> Outcome {
    run(Command::new(env!("CARGO"))
        .args(["doc", "--workspace", "--no-deps", "--quiet"])
        .env("RUSTDOCFLAGS", "-D warnings"))
}

fn bench(names: &[&str]) -> Outcome {
    let all = ["tokens", "reading", "startup", "folding", "store", "prepare", "ledger", "epochs"];
    let names = if names.is_empty() { &all[..] } else { names };
    cargo(&["build", "--release", "--package", "enfold-cli"])?;
    for name in names {
        cargo(&["run", "--release", "--quiet", "--package", "enfold-bench", "--", name])?;
    }
    Ok(())
}

fn second_opinion(options: &[&str]) -> Outcome {
    cargo(&["build", "--release", "--package", "enfold-cli"])?;
    run(Command::new("python3")
        .args(["bench/sdk/run.py", "target/release/enfold", "target/sdk"])
        .args(options))
}

fn cargo(arguments: &[&str]) -> Outcome {
    run(Command::new(env!("CARGO")).args(arguments))
}

/// Runs a command at the root of the repository and says how long it took.
fn run(command: &mut Command) -> Outcome {
    let shown = format!("{command:?}").replace(env!("CARGO"), "cargo").replace('"', "");
    println!("$ {shown}");
    let start = Instant::now();
    let status = command.current_dir(root()).status().map_err(|error| format!("{shown}: {error}"))?;
    println!("  {:.1} s", start.elapsed().as_secs_f64());
    if status.success() { Ok(()) } else { Err(format!("failed: {shown}")) }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask stands one level below the root")
        .to_path_buf()
}
