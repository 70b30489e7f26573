//! `kill -9` at random moments: whatever was acknowledged is there, whole, and nothing else is half there.
//!
//! The test starts its own binary again as the process to be killed.

// Helpers of tests fail as tests do.
#![allow(clippy::unwrap_used)]

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use enfold::count::Usage;
use enfold::history::{MessageId, Spelling};
use enfold::view::fold::Handle;
use enfold_store::{
    Acquired, At, Entry, Event, FoldRecord, Leases, NewSession, Original, Recording, Records, Sessions,
    Sqlite,
};

/// Where the child finds the database.
const DATABASE: &str = "ENFOLD_STORE_CRASH_DATABASE";
const CYCLES: usize = 500;
const LEASE: Duration = Duration::from_millis(300);

#[test]
fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    if env::var_os(DATABASE).is_some() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    Sqlite::open(&path).unwrap().create(&session(), clock()).unwrap();
    let mut random = Random(42);
    let (mut cycles, mut kills, mut killed_while_writing) = (0, 0, 0);
    while cycles < CYCLES {
        let mut child = start(&path);
        let patience = random.below(30);
        let acknowledged = read_acknowledged(&mut child, patience, || {
            sleep(Duration::from_micros(random.below(4_000) as u64));
        });
        kills += 1;
        let written = verify(&path, acknowledged);
        killed_while_writing += usize::from(written > acknowledged);
        cycles = written / 2;
    }
    eprintln!(
        "{cycles} cycles, {kills} kills, {killed_while_writing} between a write and its acknowledgement"
    );
    assert!(kills >= 10);
}

/// Reads acknowledgements until there are so many, waits, kills, and reads what was still on its way.
fn read_acknowledged(child: &mut Child, patience: usize, wait: impl FnOnce()) -> usize {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut acknowledged = 0;
    let mut take = |line: String| -> bool {
        let Some(number) = line.split("ack ").nth(1) else { return false };
        acknowledged = number.parse().unwrap();
        true
    };
    let mut seen = 0;
    while seen < patience {
        let Some(Ok(line)) = lines.next() else { break };
        seen += usize::from(take(line));
    }
    wait();
    child.kill().unwrap();
    for line in lines.map_while(Result::ok) {
        take(line);
    }
    child.wait().unwrap();
    acknowledged
}

/// Opens the database and compares all of it with what it must be. Returns how many messages there are.
fn verify(path: &std::path::Path, acknowledged: usize) -> usize {
    let store = Sqlite::open(path).unwrap();
    store.check().unwrap();
    let messages = store.messages("s", MessageId::ALL).unwrap();
    assert!(messages.len() >= acknowledged, "{} of {acknowledged} messages are there", messages.len());
    assert!(messages.len().is_multiple_of(2), "half an entry");
    for message in &messages {
        assert_eq!(*message.raw, raw(message.number.index()));
    }
    let cycles = messages.len() / 2;
    let epochs = store.epochs("s").unwrap();
    assert_eq!((epochs.len(), store.usage("s").unwrap().len()), (cycles, cycles));
    assert_eq!(store.events("s").unwrap().len(), cycles);
    for (cycle, epoch) in epochs.iter().enumerate() {
        assert_eq!(epoch.folds.len(), 2);
        for (number, fold) in (2 * cycle..).zip(&epoch.folds) {
            let handle = Handle::parse(&format!("{:09}", fold.handles[0])).unwrap();
            assert_eq!(*store.original("s", handle).unwrap().unwrap(), text(number));
        }
    }
    let later = clock() + LEASE;
    match store.acquire("s", "parent", later, LEASE).unwrap() {
        Acquired::Lease(lease) => store.release(&lease).unwrap(),
        Acquired::Held { until, .. } => panic!("locked until {until:?}, after {later:?}"),
    }
    messages.len()
}

/// The process that is killed. Does nothing when the tests are run.
#[test]
fn child() {
    let Some(path) = env::var_os(DATABASE) else { return };
    let store = Sqlite::open(path).unwrap();
    let mut out = std::io::stdout();
    loop {
        let lease = loop {
            match store.acquire("s", "child", clock(), LEASE).unwrap() {
                Acquired::Lease(lease) => break lease,
                Acquired::Held { .. } => sleep(Duration::from_millis(5)),
            }
        };
        let first = store.session("s").unwrap().unwrap().messages;
        let raw = [raw(first), raw(first + 1)];
        let entry = Entry {
            at: At::Number(MessageId::new(first)),
            recording: Some(recording(first)),
            usage: vec![Usage { messages: first, ..Usage::default() }],
            events: vec![Event { at: clock(), kind: "fold".into(), json: "{}".into() }],
            ..Entry::messages(raw.iter().map(String::as_str))
        };
        store.append("s", &entry, clock()).unwrap();
        writeln!(out, "ack {}", first + 2).unwrap();
        out.flush().unwrap();
        store.release(&lease).unwrap();
    }
}

fn start(path: &std::path::Path) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["child", "--exact", "--nocapture", "--test-threads=1"])
        .env(DATABASE, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn session() -> NewSession {
    NewSession { id: "s".into(), wire: "openai-chat".into(), ..NewSession::default() }
}

/// One epoch per cycle, a fold per message: one as a piece, one as text.
fn recording(first: usize) -> Recording {
    let fold = |number: usize| FoldRecord { handles: vec![number as u32], ..FoldRecord::default() };
    let raw = raw(first);
    let start = raw.find(r#"t":""#).unwrap() + 3;
    let span = start..raw.len() - 1;
    let piece = Original::Piece { message: MessageId::new(first), span, spelling: Spelling::Quoted };
    Recording {
        epoch: first as u32 / 2,
        folds: vec![fold(first), fold(first + 1)],
        originals: vec![(first as u32, piece), (first as u32 + 1, Original::Text(text(first + 1)))],
        ..Recording::default()
    }
}

fn raw(number: usize) -> String {
    format!(r#"{{"role":"user","content":{}}}"#, serde_json::to_string(&text(number)).unwrap())
}

/// Some hundred to some thousand letters, in lines that come again.
fn text(number: usize) -> String {
    let mut random = Random(number as u64 + 1);
    let lines = 1 + random.below(40);
    (0..lines).map(|_| format!("{number} line {} of \"it\"\n", random.below(1_000))).collect()
}

fn clock() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap()
}

/// A generator with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}
