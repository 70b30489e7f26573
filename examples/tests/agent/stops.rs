//! How a run ends early, and what is kept of it; what commands may not do.

use std::fs;
use std::time::{Duration, Instant};

use enfold_script::{Model, Reply};

use crate::{KEY, run, text};

#[test]
fn a_failure_of_the_model_is_told_with_its_remedy_and_the_session_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let save = folder.path().join("kept.jsonl");
    let model = Model::start(|request| match request.nth {
        0 => Reply::call("write_file", r#"{"path":"a.txt","content":"one\n"}"#),
        _ => Reply::status(401, r#"{"error":{"message":"no such key"}}"#),
    });
    let output = run("chat", &model, folder.path(), &["--save", save.to_str().unwrap()], "Write a file.");
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), ""));
    let said = text(&output.stderr);
    for part in ["no such key", "remedy: check the key", "4 messages", save.to_str().unwrap()] {
        assert!(said.contains(part), "{part:?} is not in {said}");
    }
    assert!(!said.contains(KEY));
    // All that was sent last.
    let requests = model.requests();
    let sent: String = requests[1].messages().iter().map(|message| format!("{message}\n")).collect();
    assert_eq!(fs::read_to_string(&save).unwrap(), sent);
    assert_eq!(requests.len(), 2, "what fails for good is not tried again");
}

#[test]
fn an_answer_that_is_cut_off_or_refused_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    for (reply, part) in [
        (Reply::CutOff("I was about to".into()), "did not finish (Length): I was about to"),
        (Reply::Refusal("I will not.".into()), "did not finish (Refusal): I will not."),
    ] {
        let model = Model::start(move |_| reply.clone());
        let save = folder.path().join("kept.jsonl");
        let output = run("anthropic", &model, folder.path(), &["--save", save.to_str().unwrap()], "Go.");
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains(part), "{said}");
        assert_eq!(fs::read_to_string(save).unwrap().lines().count(), 2);
    }
}

#[test]
fn a_model_that_never_ends_is_left_after_so_many_steps() {
    let folder = tempfile::tempdir().unwrap();
    let save = folder.path().join("kept.jsonl");
    let model = Model::start(|_| Reply::call("list_files", "{}"));
    let options = ["--max-steps", "5", "--save", save.to_str().unwrap()];
    let output = run("responses", &model, folder.path(), &options, "Go.");
    let said = text(&output.stderr);
    assert!(!output.status.success() && said.contains("not done after 5 steps"), "{said}");
    assert_eq!(model.requests().len(), 5);
    assert_eq!(fs::read_to_string(save).unwrap().lines().count(), 11);
}

/// What the agent tells the model about a command.
fn told(command: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let arguments = serde_json::json!({"command": command}).to_string();
    let model = Model::start(move |request| match request.nth {
        0 => Reply::call("run", arguments.clone()),
        _ => Reply::Text("done".into()),
    });
    let options = ["--command-seconds", "1", "--window", "1M"];
    let output = run("chat", &model, folder.path(), &options, "Go.");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let requests = model.requests();
    let result: serde_json::Value = serde_json::from_str(requests[1].messages().last().unwrap()).unwrap();
    result["content"].as_str().unwrap().to_string()
}

#[test]
fn a_command_that_takes_too_long_is_stopped_with_all_that_it_started() {
    let start = Instant::now();
    let result = told("sleep 60 & echo $!; sleep 60; echo ended");
    let child =
        result.strip_prefix("error: the command was stopped after 1 s\nOutput:\n").unwrap().trim_end();
    assert!(start.elapsed() < Duration::from_secs(30));
    // Where there is no such list of processes, this says nothing.
    let command = fs::read(format!("/proc/{child}/cmdline")).unwrap_or_default();
    assert!(child.parse::<u32>().is_ok() && command.is_empty(), "{child} still runs");
}

#[test]
fn a_command_that_leaves_something_running_is_not_waited_for() {
    assert_eq!(told("sleep 3 & echo done"), "Exit code: 0\nOutput:\ndone\n");
}

#[test]
fn a_command_that_says_too_much_keeps_its_start_and_its_end() {
    let result = told("echo first; head -c 300000 /dev/zero | tr '\\0' x; echo; echo last");
    assert!(result.starts_with("Exit code: 0\nOutput:\nfirst\n"));
    assert!(
        result.ends_with("xxx\nlast\n") && result.contains("\n[100012 bytes left out]\n"),
        "{}",
        result.len()
    );
}

#[test]
fn a_command_does_not_see_the_key() {
    let result = told("env");
    assert!(result.contains("PATH=") && !result.contains(KEY), "{result}");
}
