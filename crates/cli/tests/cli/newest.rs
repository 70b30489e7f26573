//! The first five minutes: the sessions on this machine, and the newest of them.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::support::{arg, enfold, enfold_at, example};

/// A home folder in which agents have worked; the later ones later.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        let home = Home(tempfile::tempdir().unwrap());
        home.put(".claude/projects/-home-ann-shelf/11111111.jsonl", "claude-code.jsonl", 9);
        home.put(".claude/projects/-home-ann-shelf/agent-22222222.jsonl", "claude-code.jsonl", 1);
        home.put(".codex/sessions/2026/05/01/rollout-2026-05-01T10-00-00-33.jsonl", "codex.jsonl", 8);
        home.put(".copilot/session-state/44/events.jsonl", "copilot-cli.jsonl", 7);
        home.put(".gemini/tmp/shelf/chats/session-55.json", "gemini-cli.json", 6);
        home.put(".pi/agent/sessions/--home-ann--/66.jsonl", "pi.jsonl", 5);
        home
    }

    fn put(&self, place: &str, session: &str, hours_ago: u64) -> PathBuf {
        let path = self.0.path().join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(example(session), &path).unwrap();
        self.age(&path, hours_ago);
        path
    }

    fn age(&self, path: &Path, hours: u64) {
        let then = SystemTime::now() - Duration::from_secs(hours * 3600 + 60);
        File::options().append(true).open(path).unwrap().set_modified(then).unwrap();
    }

    fn run(&self, args: &[&str]) -> crate::support::Ran {
        enfold_at(self.0.path(), args, "")
    }
}

#[test]
fn alone_it_lists_the_newest_sessions_of_every_agent_with_task_place_size_and_cost() {
    let ran = Home::new().run(&[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn last_takes_the_newest_and_a_number_another_of_the_list() {
    let home = Home::new();
    let file = |args: &[&str]| -> String {
        let ran = home.run(args);
        let seen: serde_json::Value =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
        seen["file"].as_str().unwrap().rsplit('/').next().unwrap().to_string()
    };
    assert_eq!(file(&["inspect", "--last", "--json"]), "66.jsonl");
    assert_eq!(file(&["inspect", "--last=5", "--json"]), "11111111.jsonl");
    assert_eq!(file(&["explain", "--last=2", "--json", "--budget", "16k"]), "session-55.json");
    for command in ["ledger", "changelog", "validate"] {
        assert!(matches!(home.run(&[command, "--last"]).code, 0 | 4), "{command}");
    }
    let view = home.run(&["fold", "--last", "--budget", "16k", "--report", "none"]);
    assert_eq!((view.code, view.stdout.lines().count() > 3), (0, true), "{}", view.stderr);
    let counted = home.run(&["count", "--last=2", "--json"]);
    assert!(counted.stdout.contains("session-55.json"), "{}{}", counted.stdout, counted.stderr);
    let late = home.run(&["inspect", "--last=9"]);
    assert_eq!(late.code, 2);
    assert!(late.stderr.contains("--last=9: there are 5 sessions, the newest is 1"), "{}", late.stderr);
}

#[test]
fn last_stands_in_place_of_the_session_also_where_more_words_follow() {
    let home = Home::new();
    home.put(".claude/projects/-home-ann-shelf/99.jsonl", "long.jsonl", 0);
    let view = home.run(&["fold", "--last", "--budget", "8k", "--report", "none"]).stdout;
    let digits = |text: &str| text.get(..9).filter(|text| text.parse::<u32>().is_ok()).map(str::to_string);
    let handle = view.split('#').find_map(digits).unwrap();
    let opened = home.run(&["unfold", &handle, "--last"]);
    assert!(opened.code == 0 && !opened.stdout.is_empty(), "{}", opened.stderr);
    let held = home.run(&["file-at", "--last", "src/limits.c", "--step", "60"]);
    assert!(held.code == 0 && !held.stdout.is_empty(), "{}", held.stderr);
    let listed = home.run(&["count", "--last", "--json"]);
    assert!(listed.stdout.contains("99.jsonl"), "{}{}", listed.stdout, listed.stderr);
}

#[test]
fn two_commands_lead_from_nothing_to_a_page_of_ones_own_session() {
    let home = Home::new();
    let page = home.0.path().join("session.html");
    let ran = home.run(&["explain", "--last=5", "--html", arg(&page)]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("session.html: the page; "), "{}", ran.stderr);
    assert!(fs::read_to_string(page).unwrap().contains("11111111.jsonl"));
}

#[test]
fn agents_whose_folder_was_moved_are_found_there() {
    let home = Home::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let mut command = assert_cmd::Command::cargo_bin("enfold").unwrap();
    command.env("HOME", home.0.path()).env("CODEX_HOME", elsewhere.path());
    let listed = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(listed.contains("claude-code") && !listed.contains("codex"), "{listed}");
}

#[test]
fn where_no_agent_has_worked_it_says_where_it_looked() {
    let ran = enfold(&[], "");
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.stderr);
    let last = enfold(&["inspect", "--last"], "");
    assert!(last.stderr.contains("--last: no agent has left a session on this machine"), "{}", last.stderr);
}

#[test]
fn a_huge_log_is_listed_by_its_beginning_and_not_read() {
    let home = Home::new();
    let path = home.put(".claude/projects/-home-ann-huge/77.jsonl", "claude-code.jsonl", 0);
    let mut file = File::options().append(true).open(&path).unwrap();
    // Sparse: two gigabytes of nothing, which would take seconds and memory to read.
    file.set_len(2 << 30).unwrap();
    file.write_all(b"\n").unwrap();
    home.age(&path, 0);
    let listed = home.run(&[]).stdout;
    let row: Vec<&str> = listed.lines().skip(1).take(2).collect();
    assert!(row[1].contains("2.1 GB · $ ?"), "{listed}");
    assert!(!row[0].contains("nothing asked"), "{listed}");
    assert!(listed.contains("too large to be read for a list"), "{listed}");
}

#[test]
fn hundreds_of_sessions_are_counted_and_the_newest_shown() {
    let home = Home::new();
    for nth in 0..300 {
        home.put(&format!(".claude/projects/-home-ann-many/{nth:03}.jsonl"), "claude-code.jsonl", 100 + nth);
    }
    let listed = home.run(&[]).stdout;
    assert!(listed.contains("and 293 older ones"), "{listed}");
    assert!(listed.lines().nth(1).unwrap().starts_with("  1  "), "{listed}");
}

#[test]
fn a_session_full_of_tricks_is_listed_harmlessly() {
    let home = Home::new();
    let trick = r#"{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","cwd":"/x/\u001b[31mred","message":{"role":"user","content":"\u001b]0;title\u0007 hello\nworld"}}"#;
    let path = home.put(".claude/projects/-t/88.jsonl", "claude-code.jsonl", 0);
    fs::write(&path, format!("{trick}\n")).unwrap();
    let listed = home.run(&[]).stdout;
    assert!(!listed.contains('\u{1b}') && listed.contains("hello world"), "{listed}");
}

#[test]
fn at_a_terminal_inspect_without_a_file_lists_them() {
    let home = Home::new();
    let enfold = assert_cmd::cargo::cargo_bin("enfold");
    // `script` gives a command a terminal.
    let typed = format!("{} inspect", enfold.display());
    let ran = std::process::Command::new("script")
        .args(["-qec", &typed, "/dev/null"])
        .env("HOME", home.0.path())
        .env("XDG_DATA_HOME", "/nonexistent/data")
        .output();
    let Ok(ran) = ran else {
        eprintln!("SKIPPED: a terminal; there is no `script`");
        return;
    };
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(said.contains("The newest sessions on this machine"), "{said}");
}
