//! `kill -9` at random moments of a session's life: what was acknowledged is there, and the session goes on.
//!
//! The test starts its own binary again as the process to be killed.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use enfold::history::MessageId;
use enfold::view::fold::Handle;
use enfold_coordinator::Config;
use enfold_store::{Acquired, Leases, Records, Sessions, Sqlite};

use crate::support::{TASK, begin, config, faults, history, open, step};

const FOLDER: &str = "ENFOLD_COORDINATOR_CRASH";
const CYCLES: usize = 500;
const LEASE: Duration = Duration::from_millis(300);

fn quick() -> Config {
    Config { lease: LEASE, patience: Duration::from_secs(5), ..config("summarize") }
}

#[test]
fn nothing_is_lost_when_the_agent_is_killed() {
    if env::var_os(FOLDER).is_some() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(7);
    let (mut cycles, mut kills) = (0, 0);
    while cycles < CYCLES {
        let mut child = start(folder.path());
        let acknowledged = kill(&mut child, random.below(45), random.below(6_000));
        kills += 1;
        cycles = verify(folder.path(), acknowledged);
    }
    eprintln!("{cycles} cycles, {kills} kills");
    assert!(kills >= 10, "{kills} kills");
}

/// Waits for so many acknowledged cycles and so many microseconds more, then kills. Returns the last one acknowledged.
fn kill(child: &mut Child, cycles: usize, micros: usize) -> usize {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut acknowledged = 0;
    let mut take = |line: &str| match line.split("ack ").nth(1) {
        Some(number) => {
            acknowledged = number.parse().unwrap();
            true
        }
        None => false,
    };
    let mut seen = 0;
    while seen < cycles {
        let Some(line) = lines.next() else { break };
        seen += usize::from(take(&line));
    }
    sleep(Duration::from_micros(micros as u64));
    child.kill().unwrap();
    for line in lines {
        take(&line);
    }
    child.wait().unwrap();
    acknowledged
}

/// Opens the database and compares all of it with what it must be. Returns how many steps there are.
fn verify(folder: &Path, acknowledged: usize) -> usize {
    let store = Sqlite::open(folder.join("enfold.db")).unwrap();
    store.check().unwrap();
    let Ok(messages) = store.messages("a session", MessageId::ALL) else { return 0 };
    let steps = messages.len().saturating_sub(2) / 2;
    assert!(steps >= acknowledged, "{steps} of {acknowledged} steps are there");
    let expected = history(steps + 1);
    for message in &messages {
        assert_eq!(*message.raw, *expected[message.number.index()]);
    }
    for epoch in store.epochs("a session").unwrap() {
        for handle in epoch.folds.iter().flat_map(|fold| &fold.handles) {
            let handle = Handle::parse(&format!("{handle:09}")).unwrap();
            let original = store.original("a session", handle).unwrap().expect("it opens");
            assert!(
                original.lines().all(|line| expected.iter().any(|message| message == line)),
                "{original}"
            );
        }
    }
    let now = (quick().clock)() + LEASE;
    match store.acquire("a session", "the parent", now, LEASE).unwrap() {
        Acquired::Lease(lease) => store.release(&lease).unwrap(),
        Acquired::Held { until, .. } => panic!("locked until {until:?}, after {now:?}"),
    }
    steps
}

/// The process that is killed. Does nothing when the tests are run.
#[test]
fn killed() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let mut out = std::io::stdout();
    let mut session = open(folder.as_ref(), quick());
    let stored = session.session().history().messages().len();
    if stored < 2 {
        let first = history(0).into_iter().skip(stored);
        first.for_each(|message| session.push(message).unwrap());
    }
    // Killed between a call and its result: the result comes now.
    let mut nth = session.session().history().messages().len().saturating_sub(2) / 2;
    if session.session().history().messages().len() % 2 == 1 {
        session.push(step(nth)[1].clone()).unwrap();
        nth += 1;
    }
    loop {
        step(nth).into_iter().for_each(|message| session.push(message).unwrap());
        let ready = session.prepare().unwrap();
        assert!(ready.tokens <= 6_000 && faults(&ready.messages).is_empty());
        assert!(ready.messages.iter().any(|message| message.contains(TASK)));
        if nth.is_multiple_of(5) {
            session.settle().unwrap();
        }
        nth += 1;
        writeln!(out, "ack {nth}").unwrap();
        out.flush().unwrap();
    }
}

fn start(folder: &Path) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["crash::killed", "--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

#[test]
fn a_session_can_be_begun_twice_in_a_row() {
    let folder = tempfile::tempdir().unwrap();
    begin(&mut open(folder.path(), quick()));
    assert_eq!(open(folder.path(), quick()).session().history().messages().len(), 2);
}
