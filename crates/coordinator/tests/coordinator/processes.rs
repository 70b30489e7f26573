//! Two processes, one session: one compacts, the other waits and uses what was made.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use enfold_coordinator::{Config, Error, Summarizer};
use enfold_llm::{Api, Client, Endpoint};
use enfold_script::{Model, Reply};
use enfold_store::{Acquired, Leases, Records, Sqlite};

use crate::support::{begin, config, narrative, open, patient, step};

const FOLDER: &str = "ENFOLD_COORDINATOR_SHARED";
const URL: &str = "ENFOLD_COORDINATOR_URL";

#[test]
fn of_two_processes_one_compacts_and_the_other_uses_it() {
    if env::var_os(FOLDER).is_some() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let model = Model::start(|request| {
        // Long enough that the other process comes while this one is asked.
        std::thread::sleep(Duration::from_millis(300));
        Reply::Text(narrative(&request.body))
    });
    let mut session = open(folder.path(), config("summarize"));
    begin(&mut session);
    for nth in 0..25 {
        step(nth).into_iter().for_each(|message| session.push(message).unwrap());
    }
    drop(session);
    let mut children = [(); 2].map(|()| start(folder.path(), model.url()));
    let views = children.each_mut().map(|child| {
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut views = lines.filter_map(|line| Some(line.split("view ").nth(1)?.to_string()));
        let view = views.next().expect("it prepares a view");
        assert!(child.wait().unwrap().success());
        view
    });
    assert_eq!(views[0], views[1]);
    assert!(views[0].contains("accepts tabs"), "the narrative is there");
    assert_eq!(model.requests().len(), 1, "one of them asked");
    let store = Sqlite::open(folder.path().join("enfold.db")).unwrap();
    assert_eq!(store.epochs("a session").unwrap().len(), 1);
    let complete = store.events("a session").unwrap();
    assert_eq!(complete.iter().filter(|event| event.kind == "compaction:complete").count(), 1);
}

/// The other process. Does nothing when the tests are run.
#[test]
fn other() {
    let (Some(folder), Ok(url)) = (env::var_os(FOLDER), env::var(URL)) else { return };
    let client = Client::new(Endpoint::at(Api::Chat, &url, None).unwrap(), patient()).unwrap();
    let summarizer = Summarizer::new(client, Api::Chat, "summarizer", 32_000).unwrap();
    let mut session = open(folder.as_ref(), config("summarize").asking(summarizer));
    let ready = session.prepare().unwrap();
    let view: Vec<String> = ready.messages.iter().map(ToString::to_string).collect();
    writeln!(std::io::stdout(), "view {}", serde_json::to_string(&view).unwrap()).unwrap();
}

fn start(folder: &Path, url: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["processes::other", "--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(URL, url)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn whoever_has_no_patience_is_told_who_compacts() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config { patience: Duration::from_millis(50), ..config("summarize") };
    let clock = config.clock.clone();
    let mut session = open(folder.path(), config);
    begin(&mut session);
    for nth in 0..25 {
        step(nth).into_iter().for_each(|message| session.push(message).unwrap());
    }
    let store = Sqlite::open(folder.path().join("enfold.db")).unwrap();
    let held = store.acquire("a session", "somebody", clock(), Duration::from_secs(60)).unwrap();
    let said = session.prepare().unwrap_err();
    assert!(matches!(&said, Error::BeingCompacted { by, .. } if by == "somebody"), "{said}");
    let Acquired::Lease(lease) = held else { panic!("nobody else wants it") };
    store.release(&lease).unwrap();
    assert!(session.prepare().unwrap().opened.is_some());
}

#[test]
fn what_others_append_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = open(folder.path(), config("summarize"));
    let mut two = open(folder.path(), config("summarize"));
    begin(&mut one);
    two.push(r#"{"role":"assistant","content":"I begin."}"#).unwrap();
    one.push(r#"{"role":"user","content":"Go on."}"#).unwrap();
    let [one, two] = [one.prepare().unwrap(), two.prepare().unwrap()];
    assert_eq!(one.messages.len(), 4);
    assert_eq!(one.messages, two.messages);
}
