//! Small faults that were found by use: each was seen, and stays mended.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Store, arg, enfold, example, file, json};

fn command() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin("enfold"))
}

#[test]
fn imports_of_the_same_files_at_once_store_each_session_once() {
    // Ended in "session `long` exists already" for all but the quickest.
    let store = Store::new();
    let files: Vec<String> = ["long.jsonl", "codex.jsonl", "claude-code.jsonl", "pi.jsonl", "anthropic.json"]
        .map(example)
        .to_vec();
    let start = || {
        command()
            .args(["sessions", "import"])
            .args(&files)
            .args(["--store", arg(&store.path())])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let running: Vec<_> = (0..6).map(|_| start()).collect();
    for one in running {
        let ended = one.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
    assert_eq!(
        store.json(&["sessions", "list", "--json"])["sessions"].as_array().unwrap().len(),
        files.len()
    );
}

#[test]
fn a_fold_that_was_killed_holds_the_next_one_up_for_seconds_only() {
    // Blocked the session for a minute, with an error.
    let store = Store::with(&["long.jsonl"]);
    let database = rusqlite::Connection::open(store.path()).unwrap();
    let now = std::time::UNIX_EPOCH.elapsed().unwrap();
    let until = (now + Duration::from_secs(2)).as_millis() as i64;
    let held = "UPDATE sessions SET lease_owner = 'enfold fold, process 1', lease_until = ?1";
    database.execute(held, [until]).unwrap();
    let begin = Instant::now();
    let ran = store.run(&["fold", "session:long", "--budget", "16k"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(begin.elapsed() > Duration::from_secs(1), "it waited");
    assert!(ran.stderr.contains("recorded as epoch 1"), "{}", ran.stderr);
}

#[test]
fn a_fold_leaves_no_lease_longer_than_it_takes_to_write() {
    let store = Store::with(&["long.jsonl"]);
    let long = (std::time::UNIX_EPOCH.elapsed().unwrap() + Duration::from_secs(300)).as_millis() as i64;
    let database = rusqlite::Connection::open(store.path()).unwrap();
    let held = "UPDATE sessions SET lease_owner = 'an agent', lease_until = ?1";
    database.execute(held, [long]).unwrap();
    let refused = store.refused(&["fold", "session:long", "--budget", "16k", "--report", "none"]);
    assert!(refused.contains("`an agent` is compacting it; try again in "), "{refused}");
}

#[cfg(unix)]
#[test]
fn a_store_that_cannot_be_written_is_listed_searched_and_folded() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let store = Store::with(&["long.jsonl"]);
    let path = store.path();
    let folder = path.parent().unwrap();
    let set = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set(&path, 0o444);
    set(folder, 0o555);
    // Root may write anywhere; nobody may not.
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0);
    let run = |args: &[&str]| {
        let mut command = command();
        command.args(args).args(["--store", arg(&path)]).env("HOME", "/nonexistent");
        if is_root {
            command.uid(65534).gid(65534);
        }
        command.output()
    };
    let ran = run(&["sessions", "list"]);
    let Ok(listed) = ran.inspect_err(|error| eprintln!("SKIPPED: a read-only store; {error}")) else {
        set(folder, 0o755);
        return;
    };
    let said = |ran: std::process::Output| {
        let [stdout, stderr] =
            [&ran.stdout, &ran.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
        assert!(ran.status.success(), "{stderr}");
        (stdout, stderr)
    };
    assert!(said(listed).0.contains("long"));
    let (found, _) = said(run(&["search", "long", "money_format"]).unwrap());
    assert!(found.contains("money_format"), "{found}");
    let (found, _) = said(run(&["search", "long", "xyzzy"]).unwrap());
    assert_eq!(found, "No message holds all of these words.\n");
    let (view, report) = said(run(&["fold", "session:long", "--budget", "16k"]).unwrap());
    assert!(view.contains("enfold-told"), "{view}");
    assert!(report.contains("not recorded: the store cannot be written"), "{report}");
    let refused = run(&["sessions", "import", &example("pi.jsonl")]).unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("cannot be written"));
    set(folder, 0o755);
}

#[test]
fn the_budget_that_exit_3_names_is_enough() {
    // With `priority` what must stay is more where there is more room, and the number was too small.
    let mut wrong = Vec::new();
    let mut tried = 0;
    for policy in ["priority", "balanced", "age"] {
        for name in
            ["long.jsonl", "claude-code.jsonl", "codex.jsonl", "anthropic.json", "responses.json", "pi.jsonl"]
        {
            for budget in ["100", "400", "900", "1500", "2500"] {
                let args = ["fold", &example(name), "--policy", policy, "--report", "none", "--budget"];
                let ran = enfold(&[&args[..], &[budget]].concat(), "");
                let Some((_, least)) = ran.stderr.split_once("to at least ") else { continue };
                tried += 1;
                let least = least.trim().replace(',', "");
                if enfold(&[&args[..], &[&least]].concat(), "").code != 0 {
                    wrong.push(format!("{policy} {name} at {budget}: {least}"));
                }
            }
        }
    }
    assert!(tried > 20, "{tried}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[cfg(unix)]
#[test]
fn a_closed_output_is_an_error_and_not_silence() {
    // Exited with 0, and the view was nowhere.
    let run = |closing: &str| {
        let line = format!("\"$0\" convert \"$1\" --to anthropic {closing}");
        let enfold = assert_cmd::cargo::cargo_bin("enfold");
        Command::new("sh").args(["-c", &line, arg(&enfold), &example("pi.jsonl")]).output().unwrap()
    };
    let ran = run(">&-");
    assert_eq!(ran.status.code(), Some(2));
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(said.contains("standard output: it is closed; "), "{said}");
    assert_eq!(run(">/dev/null").status.code(), Some(0));
    assert_eq!(run("1<>/dev/null").status.code(), Some(0), "thrown away on purpose");
}

#[test]
fn a_record_around_the_messages_is_not_taken_for_a_request() {
    // `convert --to openai-chat` of one tau-bench record wrote the record again.
    let record = r#"{"task_id":7,"reward":1.0,"traj":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}"#;
    let ran = enfold(&["convert", "--to", "openai-chat", "--report", "none"], record);
    assert_eq!(
        ran.stdout,
        "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":\"ho\"}]}\n"
    );
    let told = enfold(&["convert", "--to", "openai-chat"], record).stderr;
    assert!(told.contains("`reward`") && told.contains("`task_id`"), "{told}");
}

#[test]
fn a_format_that_it_is_not_in_is_refused() {
    // `--from gemini` of an Anthropic request wrote half of it.
    for (name, wrong) in [
        ("anthropic.json", "gemini"),
        ("anthropic.json", "openai-chat"),
        ("anthropic.json", "openai-responses"),
        ("anthropic.json", "codex"),
        ("anthropic.json", "claude-code"),
        ("responses.json", "openai-chat"),
        ("gemini.json", "anthropic"),
        ("claude-code.jsonl", "openai-chat"),
        ("codex.jsonl", "openai-responses"),
        ("codex.jsonl", "pi"),
        // Rows with a role are what the first versions of Codex wrote: 110 of them were read as another wire format.
        ("long.jsonl", "codex"),
    ] {
        let ran = enfold(&["convert", &example(name), "--from", wrong, "--to", "openai-chat"], "");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name} as {wrong}: {}", ran.stderr);
        assert!(ran.stderr.contains("it looks like "), "{name} as {wrong}: {}", ran.stderr);
    }
}

#[test]
fn the_format_that_it_is_in_may_be_named() {
    for path in crate::support::examples() {
        let format = json(&["inspect", "--json", arg(&path)])["format"].as_str().unwrap().to_string();
        let ran = enfold(&["count", arg(&path), "--from", &format], "");
        assert_eq!(ran.code, 0, "{} as {format}: {}", path.display(), ran.stderr);
    }
}

#[test]
fn only_what_can_be_written_is_offered() {
    for said in [enfold(&["convert", "--help"], "").stdout, enfold(&["convert", "--to", "x"], "").stderr] {
        let offered =
            said.split("[possible values: ").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
        assert!(offered.contains("openai-chat") && offered.contains("notation"), "{said}");
        assert!(!offered.contains("claude-code") && !offered.contains("tau-bench"), "{said}");
    }
}

#[test]
fn files_of_windows_are_named_by_their_last_part() {
    let call = |nth: usize, path: &str| {
        let arguments = serde_json::json!({"path": path}).to_string();
        let call = serde_json::json!({"id": format!("c{nth}"), "type": "function", "function": {"name": "read_file", "arguments": arguments}});
        let ask = serde_json::json!({"role": "assistant", "content": null, "tool_calls": [call]});
        let answer = serde_json::json!({"role": "tool", "tool_call_id": format!("c{nth}"), "content": "fn main() {}\n"});
        format!("{ask}\n{answer}\n")
    };
    let session = "{\"role\":\"user\",\"content\":\"look\"}\n".to_string()
        + &call(1, "C:\\shop\\src\\main.rs")
        + &call(2, "C:\\shop\\src\\till.rs")
        + &call(3, "/c/shop/src/main.rs");
    let (folder, path) = file("windows.jsonl", session);
    let page = folder.path().join("page.html");
    enfold(&["inspect", arg(&path), "--html", arg(&page)], "");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("<b>main.rs</b><small><bdi>C:/shop/src</bdi>"), "the name apart from its folder");
    let table = enfold(&["inspect", arg(&path)], "").stdout;
    assert!(table.contains("Files in C:/shop/src/") && table.contains("\nmain.rs"), "{table}");
    let read = enfold(&["file-at", arg(&path), "C:\\shop\\src\\main.rs"], "");
    assert_eq!((read.code, read.stdout.as_str()), (0, "fn main() {}\n"), "{}", read.stderr);
}

#[test]
fn one_summary_is_called_a_summary() {
    // Was called a "summarie".
    let line = |kind: &str, more: serde_json::Value| {
        let mut line = serde_json::json!({"type": kind, "sessionId": "s", "isSidechain": false, "version": "2.0.0", "cwd": "/"});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line.to_string() + "\n"
    };
    let session = line(
        "user",
        serde_json::json!({"uuid": "a", "parentUuid": null, "isCompactSummary": true,
            "message": {"role": "user", "content": "This session is being continued: it was about a shelf."}}),
    ) + &line(
        "assistant",
        serde_json::json!({"uuid": "b", "parentUuid": "a",
            "message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "Going on."}]}}),
    );
    let (folder, path) = file("compacted.jsonl", session);
    let page = folder.path().join("page.html");
    let table = enfold(&["inspect", arg(&path), "--html", arg(&page), "--json"], "").stdout;
    assert!(table.contains("\"summaries\""), "{table}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("p-summaries'></i>summary</b>"), "{page}");
}

#[test]
fn a_call_without_arguments_folds() {
    // Ended in a panic.
    let mut session = String::from("{\"role\":\"user\",\"content\":\"Look\"}\n");
    for nth in 0..20 {
        let call =
            serde_json::json!({"id": format!("c{nth}"), "type": "function", "function": {"name": "look"}});
        let ask = serde_json::json!({"role": "assistant", "content": null, "tool_calls": [call]});
        let answer = serde_json::json!({"role": "tool", "tool_call_id": format!("c{nth}"), "content": format!("line {nth}\n").repeat(50)});
        session += &format!("{ask}\n{answer}\n");
    }
    let ran = enfold(&["fold", "--budget", "1000", "--report", "none"], &session);
    assert_eq!((ran.code, ran.stdout.is_empty()), (0, false), "{}", ran.stderr);
}
