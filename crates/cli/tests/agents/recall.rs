//! An agent that opens a fold by itself, by the tool that it is offered and the number in its view.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use enfold_script::{Model, Reply, Request, agent};
use serde_json::{Value, json};

use crate::{Place, STEPS, installed};

/// What was recalled: the number, the view that showed it, and the request with what came back.
#[derive(Default)]
struct Recalled {
    handle: String,
    before: String,
    after: String,
}

/// A model that looks at files until something is left out of its view, then opens that, then says that it is done.
fn model(recalled: Arc<Mutex<Recalled>>) -> Model {
    let mut nth = 0;
    Model::start(move |request: &Request| {
        let Some(look) = agent::shell(request, &format!("cat part{nth}.log")) else {
            return Reply::Text("Scripted session".into());
        };
        let mut recalled = recalled.lock().unwrap();
        if !recalled.handle.is_empty() {
            recalled.after = request.body.clone();
            return Reply::Text("All is done.".into());
        }
        let handle = request
            .messages()
            .iter()
            .find_map(|message| message.split(" #").find_map(digits).map(str::to_string));
        if let (Some(handle), Some(tool)) = (handle, unfold(request)) {
            recalled.before = request.body.clone();
            recalled.handle = handle;
            return Reply::call(tool, json!({"handle": recalled.handle}).to_string());
        }
        nth += 1;
        if nth <= STEPS { look } else { Reply::Text("Nothing was left out.".into()) }
    })
}

/// A handle, but for the one by which the tools show what a handle looks like.
fn digits(text: &str) -> Option<&str> {
    let digits = text.get(..9).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    digits.filter(|digits| *digits != "123456789")
}

/// The tool that opens folds, by the name that this request has for it.
fn unfold(request: &Request) -> Option<String> {
    let body: Value = serde_json::from_str(&request.body).ok()?;
    let mut names = body["tools"].as_array()?.iter().flat_map(|tool| {
        let name = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_string();
        match tool["tools"].as_array() {
            Some(within) => within.iter().map(|one| format!("{}.{}", name(tool), name(one))).collect(),
            None => vec![name(tool.get("function").unwrap_or(tool))],
        }
    });
    names.find(|name| name.contains("enfold") && name.ends_with("unfold"))
}

#[track_caller]
fn check(
    place: &Place,
    model: &Model,
    recalled: &Mutex<Recalled>,
    output: &std::process::Output,
    tool: &str,
) {
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("All is done."), "{said}");
    assert_eq!(model.refused(), Vec::<String>::new());
    let recalled = recalled.lock().unwrap();
    let Recalled { handle, before, after } = &*recalled;
    // A view in which steps are told says how its numbers are opened; to any other the tool itself does.
    let is_named = before.contains(&format!("which the tool {tool} shows."));
    assert_eq!(is_named, before.contains("<enfold-told>"), "the view names the way: {said}");
    // What came back was not in the view, and stands behind it in the next request.
    let came = &after[after.find(&format!("[#{handle}: ")).expect("the original came back")..];
    let lines = came.split("\\n").filter(|line| line.contains(" is never used") && !before.contains(*line));
    let lines = lines.count();
    assert!(lines >= 20, "{lines} lines came back: {came}");
    eprintln!("{tool} opened #{handle}: {lines} lines that were left out");
    crate::nothing_elsewhere(place);
}

#[test]
#[ignore = "needs Claude Code: cargo xtask agents"]
fn claude_code_opens_a_fold_by_itself() {
    let Some(claude) = installed("node_modules/.bin/claude") else { return };
    let (place, recalled) = (Place::new(), Arc::<Mutex<Recalled>>::default());
    let model = model(recalled.clone());
    let upstream = format!("anthropic={}", model.url());
    let task = "Look at every log and mend what is wrong.";
    let agent = [&*claude, "-p", "--dangerously-skip-permissions", "--model", "claude-opus-5-5", task];
    let options = ["--upstream", &upstream, "--window", "40k"];
    let output = place.run(&options, &[("ANTHROPIC_API_KEY", "dummy-key")], &agent);
    check(&place, &model, &recalled, &output, "mcp__enfold__unfold");
}

#[test]
#[ignore = "needs Codex: cargo xtask agents"]
fn codex_opens_a_fold_by_itself() {
    let Some(codex) = installed("node_modules/.bin/codex") else { return };
    let (place, recalled) = (Place::new(), Arc::<Mutex<Recalled>>::default());
    let model = model(recalled.clone());
    let upstream = format!("openai={}", model.url());
    let free = ["--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check"];
    let task = "Look at every log and mend what is wrong.";
    let agent = [&[&*codex, "exec"], &free[..], &["-m", "scripted-model", task]].concat();
    let options = ["--upstream", &upstream, "--window", "36k"];
    let output = place.run(&options, &[("CODEX_API_KEY", "dummy-key")], &agent);
    check(&place, &model, &recalled, &output, "mcp__enfold.unfold");
}

#[test]
#[ignore = "needs OpenCode: cargo xtask agents"]
fn opencode_opens_a_fold_by_itself() {
    let Some(opencode) = installed("node_modules/.bin/opencode") else { return };
    let (place, recalled) = (Place::new(), Arc::<Mutex<Recalled>>::default());
    let model = model(recalled.clone());
    let settings = place.path("data/opencode.json");
    std::fs::write(&settings, crate::epochs::OPENCODE).unwrap();
    let upstream = format!("anthropic={}", model.url());
    let variables = [("OPENCODE_CONFIG", settings.to_str().unwrap()), ("OPENCODE_DISABLE_MODELS_FETCH", "1")];
    let task = "Look at every log and mend what is wrong.";
    let agent = [&*opencode, "run", "--auto", "-m", "anthropic/claude-sonnet-5-5", task];
    let output = place.run(&["--upstream", &upstream, "--window", "30k"], &variables, &agent);
    check(&place, &model, &recalled, &output, "enfold_unfold");
}

#[test]
#[ignore = "needs the protocol's Python library: cargo xtask agents"]
fn the_python_library_of_the_protocol_calls_each_tool() {
    let Some(python) = installed("sdk/bin/python") else { return };
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("enfold.db");
    let enfold = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_enfold"));
        let done = command.args(words).env("ENFOLD_STORE", &store).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    enfold(&["sessions", "import", examples.join("sessions/long.jsonl").to_str().unwrap()]);
    let view = enfold(&["fold", "session:long", "--budget", "8k", "--report", "none"]);
    let handle = view.split(" #").find_map(digits).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/recall.py");
    let mut command = Command::new(python);
    command.arg(script).args([env!("CARGO_BIN_EXE_enfold"), store.to_str().unwrap(), handle]);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "['unfold', 'search_history', 'session_ledger', 'file_at']");
    assert!(lines[1].starts_with(&format!("unfold False [#{handle}: ")), "{said}");
    assert!(lines[2].starts_with("search_history False [session long "), "{said}");
    assert!(lines[3].starts_with("session_ledger False [session long "), "{said}");
    assert!(lines[4].starts_with("file_at False [src/limits.c after step "), "{said}");
    assert!(lines[5].starts_with("unfold True `#12`: this is no number"), "{said}");
}
