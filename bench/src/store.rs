//! The store: how fast it takes messages, how little room it needs for them, how fast it gives them back.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use enfold::count::{Encoding, Tally};
use enfold::file;
use enfold::file::document::Document;
use enfold::history::Slot;
use enfold::history::{History, MessageId};
use enfold::wire;
use enfold_store::{Durability, Entry, NewMessage, NewSession, Options, Sessions, Sqlite, Upkeep};

use crate::long_session::Material;
use crate::{Failure, report};

const NOW: Duration = Duration::from_secs(1_700_000_000);
/// Messages whose appending is timed.
const APPENDED: usize = 2_000;
/// Messages per transaction.
const BATCHES: [usize; 3] = [1, 10, 100];
const TOKENS: usize = 200_000;
const READS: usize = 20;

/// A session's messages in the order in which they came.
struct Session {
    wire: &'static str,
    messages: Vec<(Slot, String)>,
}

impl Session {
    fn of(document: &Document) -> Session {
        let messages = document.history.messages().iter();
        let messages = messages.map(|message| (message.slot, message.raw.to_string())).collect();
        Session { wire: document.wire.name(), messages }
    }
}

/// The whole measurement.
pub(crate) fn run() -> Result<(), Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let scratch = root.join("target/bench/store");
    let _ = fs::remove_dir_all(&scratch);
    fs::create_dir_all(&scratch)?;
    let mut sets = vec![("this repository's examples", read(&root.join("examples/sessions"))?)];
    match std::env::var("ENFOLD_SESSIONS") {
        Ok(folder) => {
            sets.push(("real sessions, chat messages", read(&Path::new(&folder).join("dev"))?));
            sets.push(("real sessions, as agents wrote them", read(&Path::new(&folder).join("native"))?));
        }
        Err(_) => eprintln!("SKIPPED: real sessions; set ENFOLD_SESSIONS to a folder of them"),
    }
    let mut body = String::from(
        "Every message appended in a transaction of its own; the size of the file beside that of the messages as they came. \
         The search index is made when a session is first searched.\n\n\
         | | sessions | messages | originals | database | | with a search index | |\n|---|---|---|---|---|---|---|---|\n",
    );
    for (nth, (name, sessions)) in sets.iter().enumerate() {
        body += &room(name, sessions, &scratch.join(format!("{nth}.db")))?;
    }
    for (nth, material) in Material::all()?.iter().enumerate() {
        let document = file::read_bytes(material.session(TOKENS)?.into_bytes())?;
        let name = format!("one session of {TOKENS} tokens: {}", material.name);
        body += &room(&name, &[Session::of(&document)], &scratch.join(format!("long-{nth}.db")))?;
    }
    let largest = &sets[sets.len().min(2) - 1].1;
    body += &appending(largest, &scratch)?;
    body += &reading(largest, &scratch.join("reading.db"))?;
    report::write("Store", &body)
}

fn room(name: &str, sessions: &[Session], path: &Path) -> Result<String, Failure> {
    let relaxed = Options { durability: Durability::Relaxed, ..Options::default() };
    let store = Sqlite::open_with(path, relaxed)?;
    let (mut originals, mut messages) = (0, 0);
    for (nth, session) in sessions.iter().enumerate() {
        append(&store, &nth.to_string(), session, 1)?;
        messages += session.messages.len();
        originals += session.messages.iter().map(|(_, raw)| raw.len() as u64).sum::<u64>();
    }
    drop(store);
    let size = fs::metadata(path)?.len();
    let store = Sqlite::open(path)?;
    for nth in 0..sessions.len() {
        store.search(&nth.to_string(), "anything", 1)?;
    }
    drop(store);
    let indexed = fs::metadata(path)?.len();
    let [mb, database, index] = [originals, size, indexed].map(|bytes| bytes as f64 / 1e6);
    Ok(format!(
        "| {name} | {} | {messages} | {mb:.1} MB | {database:.1} MB | {:.2} × | {index:.1} MB | {:.2} × |\n",
        sessions.len(),
        database / mb,
        index / mb
    ))
}

fn appending(sessions: &[Session], scratch: &Path) -> Result<String, Failure> {
    let mut text = String::from(
        "\n| appending | messages per transaction | messages a second | ÷ one by one | transaction, median | 99 % |\n\
         |---|---|---|---|---|---|\n",
    );
    let kinds =
        [("waiting for the disk each time", Durability::Full), ("without waiting", Durability::Relaxed)];
    for (nth, (name, durability)) in kinds.into_iter().enumerate() {
        let mut one_by_one = None;
        for batch in BATCHES {
            let path = scratch.join(format!("append-{nth}-{batch}.db"));
            let store = Sqlite::open_with(&path, Options { durability, ..Options::default() })?;
            let (mut times, mut appended) = (Vec::new(), 0);
            for (nth, session) in sessions.iter().enumerate() {
                if appended < APPENDED {
                    times.extend(append(&store, &nth.to_string(), session, batch)?);
                    appended += session.messages.len();
                }
            }
            let rate = appended as f64 / times.iter().sum::<f64>();
            let faster = rate / *one_by_one.get_or_insert(rate);
            times.sort_by(f64::total_cmp);
            let [median, late] = [0.5, 0.99].map(|share| times[(times.len() as f64 * share) as usize] * 1e3);
            text += &format!(
                "| {name} | {batch} | {rate:.0} | {faster:.1} × | {median:.2} ms | {late:.2} ms |\n"
            );
        }
    }
    Ok(text)
}

/// Appends a session, so many messages at a time; seconds for each transaction.
fn append(store: &Sqlite, id: &str, session: &Session, batch: usize) -> Result<Vec<f64>, Failure> {
    store.create(&NewSession { id: id.into(), wire: session.wire.into(), ..NewSession::default() }, NOW)?;
    let mut times = Vec::new();
    for messages in session.messages.chunks(batch) {
        let messages = messages.iter().map(|(slot, raw)| NewMessage { slot: *slot, raw }).collect();
        let entry = Entry { messages, ..Entry::default() };
        let start = Instant::now();
        store.append(id, &entry, NOW)?;
        times.push(start.elapsed().as_secs_f64());
    }
    Ok(times)
}

fn reading(sessions: &[Session], path: &Path) -> Result<String, Failure> {
    let mut history = History::new();
    let mut long = Session { wire: "openai-chat", messages: Vec::new() };
    let wire = wire::named(long.wire).ok_or("no such format")?;
    Encoding::O200k.load();
    let mut tally = Tally::new(Arc::new(Encoding::O200k), Default::default());
    let chat = sessions.iter().filter(|session| session.wire == long.wire);
    for (slot, raw) in chat.flat_map(|session| &session.messages) {
        if tally.total() < TOKENS {
            let text = bytestring::ByteString::from(raw.as_str());
            history.push(text.clone(), wire.read_message(&text)?);
            tally.update(&history);
            long.messages.push((*slot, raw.clone()));
        }
    }
    append(&Sqlite::open(path)?, "long", &long, 1)?;
    let (mut opening, mut all, mut last, mut searching) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..READS {
        let start = Instant::now();
        let store = Sqlite::open(path)?;
        opening.push(start.elapsed().as_secs_f64() * 1e3);
        let newest = MessageId::new(long.messages.len() - 1);
        let start = Instant::now();
        store.messages("long", newest..newest.next())?;
        last.push(start.elapsed().as_secs_f64() * 1e3);
        let fresh = Sqlite::open(path)?;
        let start = Instant::now();
        let read = fresh.messages("long", MessageId::ALL)?;
        all.push(start.elapsed().as_secs_f64() * 1e3);
        if read.len() != long.messages.len() {
            return Err("not all messages came back".into());
        }
        let start = Instant::now();
        store.search("long", "error test", 10)?;
        searching.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let first = searching[0];
    let [opening, last, all, searching] = [opening, last, all, searching].map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[READS / 2]
    });
    Ok(format!(
        "\nA session of {} tokens in {} messages ({:.2} MB), median of {READS}: opening the database {opening:.1} ms, the newest message \
         alone {last:.1} ms, all messages {all:.1} ms; searching {searching:.1} ms, the first time {first:.0} ms.\n",
        tally.total(),
        long.messages.len(),
        long.messages.iter().map(|(_, raw)| raw.len()).sum::<usize>() as f64 / 1e6
    ))
}

/// Every session below a folder that can be read.
fn read(folder: &Path) -> Result<Vec<Session>, Failure> {
    let mut sessions = Vec::new();
    for file in files(folder)? {
        let Ok(document) = file::read_bytes(fs::read(&file)?) else { continue };
        sessions.push(Session::of(&document));
    }
    Ok(sessions)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
