//! Two processes, one database.

// Helpers of tests fail as tests do.
#![allow(clippy::unwrap_used)]

use enfold::history::MessageId;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use enfold_store::{Acquired, Entry, Leases, NewSession, Sessions, Sqlite};

const DATABASE: &str = "ENFOLD_STORE_SHARED_DATABASE";
const NAME: &str = "ENFOLD_STORE_PROCESS";
const ROUNDS: u64 = 30;

/// In every round each process asks for the same lease; the clock is the round's.
#[test]
fn of_two_processes_exactly_one_gets_each_lease() {
    if env::var_os(DATABASE).is_some() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let session = NewSession { id: "s".into(), wire: "openai-chat".into(), ..NewSession::default() };
    Sqlite::open(&path).unwrap().create(&session, round(0)).unwrap();
    let mut children = ["one", "two"].map(|name| start(&path, name));
    let mut to = children.each_mut().map(|child| child.stdin.take().unwrap());
    let mut from = children.each_mut().map(|child| BufReader::new(child.stdout.take().unwrap()).lines());
    for nth in 0..ROUNDS {
        for to in &mut to {
            writeln!(to, "{nth}").unwrap();
        }
        let got = from.each_mut().map(|lines| {
            let mut told = lines.map(Result::unwrap);
            told.find_map(|line| Some(line.split("got ").nth(1)? == "true")).unwrap()
        });
        assert_eq!(got.iter().filter(|got| **got).count(), 1, "round {nth}: {got:?}");
    }
    drop(to);
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let store = Sqlite::open(&path).unwrap();
    let written = store.messages("s", MessageId::ALL).unwrap().len();
    assert_eq!(written as u64, 2 * ROUNDS, "both processes append in every round");
}

#[test]
fn many_processes_may_create_the_same_database() {
    if env::var_os(DATABASE).is_some() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let children: Vec<Child> =
        (0..4).map(|nth| start(&folder.path().join("new/store.db"), &nth.to_string())).collect();
    for mut child in children {
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
    }
}

/// The other process. Does nothing when the tests are run.
#[test]
fn child() {
    let (Some(path), Ok(name)) = (env::var_os(DATABASE), env::var(NAME)) else { return };
    let store = Sqlite::open(path).unwrap();
    let mut out = std::io::stdout();
    for line in std::io::stdin().lines() {
        let now = round(line.unwrap().parse().unwrap());
        let got = store.acquire("s", &name, now, Duration::from_millis(500)).unwrap();
        store.append("s", &Entry::messages([&*name]), now).unwrap();
        writeln!(out, "got {}", matches!(got, Acquired::Lease(_))).unwrap();
        out.flush().unwrap();
    }
}

fn round(nth: u64) -> Duration {
    Duration::from_secs(1_700_000_000 + nth)
}

fn start(path: &std::path::Path, name: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["child", "--exact", "--nocapture", "--test-threads=1"])
        .envs([(DATABASE, path.as_os_str()), (NAME, name.as_ref())])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}
