//! A process that begins with a stored session. Each run is a process of its own.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use enfold::Cache;
use enfold::count::Encoding;
use enfold_coordinator::Coordinator;
use enfold_store::Sqlite;
use serde_json::{Value, json};

use super::parts::{self, Rows, timed};
use super::{Stored, config, median, message};
use crate::Failure;

const RUNS: usize = 15;

/// The parts, in the order of time, and what the table calls them.
const PARTS: [(&str, &str); 9] = [
    ("database", "opening the database"),
    ("reading", "reading from SQLite: messages unpacked and checked, events"),
    ("vocabulary", "loading the vocabulary"),
    ("taking in", "parsing, counting and understanding the messages"),
    ("view", "the view again, as it was"),
    ("storing", "storing the new message"),
    ("pushing", "taking in the new message"),
    ("preparing", "preparing the request"),
    ("asking", "asking the store whether others wrote"),
];

pub(super) fn table(name: &str, limit: usize, stored: &Stored) -> Result<String, Failure> {
    let mut times: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut opened = 0;
    for _ in 0..RUNS {
        let whole = start("whole", limit, stored)?;
        let parts = start("parts", limit, stored)?;
        if whole["view"] != parts["view"] {
            return Err("the parts do not make the view that the whole makes".into());
        }
        opened += usize::from(whole["opened"] == true);
        for (key, value) in [&whole, &parts].into_iter().filter_map(|run| run["ms"].as_object()).flatten() {
            times.entry(key.clone()).or_default().push(value.as_f64().unwrap_or(f64::NAN));
        }
    }
    let mut ms = |key: &str| times.get_mut(key).map_or(f64::NAN, |times| median(times));
    let whole = ms("whole");
    let size = stored.size()? as f64;
    let mut text = format!(
        "**Cold, {name}.** {} tokens in {} messages, {:.2} MB, stored in {:.2} MB ({:.2} ×) with {} epochs and all their folds; medians of \
         {RUNS} processes. From the start of the process to its end: {:.0} ms; from opening the store to the request: {whole:.0} ms. \
         {opened} of them opened a new epoch.\n\n| part | ms | |\n|---|---|---|\n",
        stored.tokens,
        stored.messages,
        stored.originals as f64 / 1e6,
        size / 1e6,
        size / stored.originals as f64,
        stored.epochs,
        ms("process"),
    );
    for (key, name) in PARTS {
        text += &format!("| {name} | {:.1} | {:.0} % |\n", ms(key), 100.0 * ms(key) / whole);
    }
    text += &format!(
        "\nOf parsing, counting and understanding, each alone: {:.1}, {:.1} and {:.1} ms.\n\n",
        ms("parsing"),
        ms("counting"),
        ms("understanding")
    );
    Ok(text)
}

fn start(what: &str, limit: usize, stored: &Stored) -> Result<Value, Failure> {
    let path = stored.copy()?;
    let start = Instant::now();
    let mut process = Command::new(std::env::current_exe()?);
    let answer = process.args(["prepare-once", what, &limit.to_string()]).arg(path).output()?;
    let ms = start.elapsed().as_secs_f64() * 1e3;
    let mut run: Value = serde_json::from_slice(&answer.stdout)
        .map_err(|_| format!("prepare: {}", String::from_utf8_lossy(&answer.stderr)))?;
    if what == "whole" {
        run["ms"]["process"] = ms.into();
    }
    Ok(run)
}

/// What the started process does; prints what it took.
pub(crate) fn in_this_process(arguments: &[&str]) -> Result<(), Failure> {
    let (run, limit, path) = match arguments {
        ["whole", limit, path] => (whole as fn(usize, &str) -> Result<Value, Failure>, limit, path),
        ["parts", limit, path] => (in_parts as _, limit, path),
        _ => return Err("usage: bench prepare-once whole | parts LIMIT DATABASE".into()),
    };
    println!("{}", run(limit.parse()?, path)?);
    Ok(())
}

fn whole(limit: usize, path: &str) -> Result<Value, Failure> {
    let work = || {
        let mut session = Coordinator::open(Arc::new(Sqlite::open(path)?), super::ID, config(limit)?)?;
        session.push(message(0))?;
        Ok(session.prepare()?)
    };
    let (ready, ms) = timed(work)?;
    let view: usize = ready.messages.iter().map(|message| message.len()).sum();
    Ok(json!({ "ms": { "whole": ms }, "view": view, "opened": ready.opened.is_some() }))
}

fn in_parts(limit: usize, path: &str) -> Result<Value, Failure> {
    let (store, database) = timed(|| Ok(Sqlite::open(path)?))?;
    let (rows, reading) = timed(|| Rows::read(&store))?;
    let ((), vocabulary) = timed(|| {
        Encoding::O200k.load();
        Ok(())
    })?;
    let (mut session, before) = timed(|| rows.begin(limit))?;
    let ((), view) = timed(|| rows.reopen(&mut session))?;
    let ((), storing) = timed(|| parts::store_message(&store, rows.messages.len(), &message(0)))?;
    let (_, pushing) = timed(|| Ok(session.push(message(0))?))?;
    let (_, asking) = timed(|| Ok(enfold_store::Sessions::session(&store, super::ID)?))?;
    let (bytes, preparing) = timed(|| {
        let prepared = session.prepare(Cache::Warm)?;
        Ok(prepared.messages.iter().map(|message| message.len()).sum::<usize>())
    })?;
    let [parsing, counting, understanding] = rows.stages()?;
    let ms = json!({
        "database": database, "reading": reading, "vocabulary": vocabulary, "taking in": before, "view": view,
        "storing": storing, "pushing": pushing, "asking": asking, "preparing": preparing,
        "parsing": parsing, "counting": counting, "understanding": understanding,
    });
    Ok(json!({ "ms": ms, "view": bytes }))
}
