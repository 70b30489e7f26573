//! `enfold run`, `enfold serve`, `enfold doctor`: a proxy in front of a scripted model.

use enfold_script::{Model, Reply};

use crate::agent::{history, narrative};
use crate::support::{arg, enfold, file};

#[test]
fn an_agent_is_told_where_its_model_is_and_its_end_is_the_commands() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("enfold.db");
    let script = "echo $ANTHROPIC_BASE_URL $OPENAI_BASE_URL $GOOGLE_GEMINI_BASE_URL; exit 7";
    let ran = enfold(&["run", "--store", arg(&store), "--", "sh", "-c", script], "");
    assert_eq!(ran.code, 7, "{}", ran.stderr);
    let urls: Vec<&str> = ran.stdout.split_whitespace().collect();
    assert!(urls[0].starts_with("http://127.0.0.1:"), "{}", ran.stdout);
    assert_eq!((urls[1], urls[2]), (&*format!("{}/v1", urls[0]), urls[0]));
    assert!(ran.stderr.starts_with("enfold: 0 requests · 0 tokens read"), "{}", ran.stderr);
}

#[test]
fn what_an_agent_asks_goes_through_and_is_counted() {
    let model = Model::start(|_| Reply::Text(narrative()));
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("enfold.db");
    let (_session, path) = file("session.jsonl", history(40).join("\n"));
    let upstream = format!("openai={}", model.url());
    // A program that asks a model: this one.
    let agent = [
        env!("CARGO_BIN_EXE_enfold"),
        "fold",
        arg(&path),
        "--policy",
        "summarize",
        "--budget",
        "6k",
        "--summarizer",
        "openai:gpt-4o",
    ];
    let ran =
        enfold(&[&["run", "--store", arg(&store), "--upstream", &upstream, "--"], &agent[..]].concat(), "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("tabs count as one column"), "{}", ran.stdout);
    assert_eq!((model.requests().len(), model.refused()), (1, Vec::new()));
    let line = ran.stderr.lines().last().unwrap();
    assert!(line.starts_with("enfold: 1 requests · ") && line.contains(" paid"), "{line}");
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(
        left.iter().all(|name| ["enfold.db", "enfold.db-wal", "enfold.db-shm", "secret", "token"]
            .contains(&name.to_str().unwrap())),
        "{left:?}"
    );
}

#[test]
fn what_cannot_be_started_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("enfold.db");
    let ran = enfold(&["run", "--store", arg(&store), "--", "no-such-agent"], "");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("no-such-agent: ") && ran.stderr.contains("enfold run -- claude"),
        "{}",
        ran.stderr
    );
    let ran = enfold(&["serve", "--store", arg(&store), "--listen", "0.0.0.0:0"], "");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("can be reached from other machines"), "{}", ran.stderr);
    let ran = enfold(&["serve", "--store", arg(&store), "--upstream", "openai=ftp://x"], "");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("upstream `openai`"), "{}", ran.stderr);
}

#[test]
fn a_doctor_names_what_is_wrong_and_the_remedy() {
    let model = Model::start(|_| Reply::Text("fine".into()));
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("enfold.db");
    let upstreams = ["anthropic", "openai", "gemini"].map(|name| format!("{name}={}", model.url()));
    let named = upstreams.iter().flat_map(|upstream| ["--upstream", upstream]);
    let words: Vec<&str> = ["doctor", "--store", arg(&store)].into_iter().chain(named).collect();
    let ran = enfold(&words, "");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("ok     store: ") && ran.stdout.contains("ok     upstream openai: "),
        "{}",
        ran.stdout
    );
    let ran = enfold(&[&words[..], &["--upstream", "mine=http://127.0.0.1:9"]].concat(), "");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stdout.contains("WRONG  upstream mine: http://127.0.0.1:9/ does not answer; start it"),
        "{}",
        ran.stdout
    );
    std::fs::write(&store, "this is no database").unwrap();
    let ran = enfold(&words, "");
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.contains("WRONG  store: "), "{}", ran.stdout);
}
