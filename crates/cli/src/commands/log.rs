//! `enfold log`: what happened to a stored session, newest last.

use std::collections::BTreeMap;
use std::time::Duration;

use enfold::document::Usage;
use enfold_store::{Answer, Epoch, Event, FoldRecord, Records, Sqlite, StoredSession};
use serde_json::{Value, json};

use crate::args::LogArgs;
use crate::commands::sessions::said;
use crate::failure::Failure;
use crate::inspect::first_words;
use crate::report::{Stream, Table, number, times};
use crate::stored::{self, Origin, failed};
use crate::{moment, output};

/// Tells.
pub fn run(args: LogArgs) -> Result<(), Failure> {
    let store = stored::open(&args.store)?;
    let session = stored::find(&store, &args.id)?;
    let entries = entries(&store, &session)?;
    if args.json {
        let lines = entries.iter().map(|(at, entry)| entry.as_json(*at).to_string() + "\n");
        return output::print(&lines.collect::<String>());
    }
    output::print(&timeline(&entries))
}

/// Something that happened.
enum Entry {
    Created(StoredSession),
    Epoch(Epoch),
    Answer(Answer),
    Usage(Usage),
    Event(Event),
}

fn entries(store: &Sqlite, session: &StoredSession) -> Result<Vec<(Duration, Entry)>, Failure> {
    let id = &session.session.id;
    let mut entries = vec![(session.created, Entry::Created(session.clone()))];
    let events = store.events(id).map_err(failed)?.into_iter();
    entries.extend(events.map(|event| (event.at, Entry::Event(event))));
    let epochs = store.epochs(id).map_err(failed)?.into_iter();
    entries.extend(epochs.map(|epoch| (epoch.at, Entry::Epoch(epoch))));
    let answers = store.answers(id).map_err(failed)?.into_iter();
    entries.extend(answers.map(|answer| (answer.at, Entry::Answer(answer.what))));
    let usage = store.usage(id).map_err(failed)?.into_iter();
    entries.extend(usage.map(|usage| (usage.at, Entry::Usage(usage.what))));
    entries.sort_by_key(|(at, _)| *at);
    Ok(entries)
}

/// The folds of an epoch that one pass made in one way.
#[derive(Default)]
struct Group {
    folds: usize,
    before: u64,
    saved: u64,
}

fn groups(folds: &[FoldRecord]) -> BTreeMap<(&str, &str), Group> {
    let mut groups: BTreeMap<(&str, &str), Group> = BTreeMap::new();
    for fold in folds {
        let group = groups.entry((&fold.pass, &fold.kind)).or_default();
        group.folds += 1;
        group.before = group.before.saturating_add(fold.before.unwrap_or(fold.saved));
        group.saved = group.saved.saturating_add(fold.saved);
    }
    groups
}

impl Group {
    fn after(&self) -> u64 {
        self.before.saturating_sub(self.saved)
    }
}

impl Entry {
    fn as_json(&self, at: Duration) -> Value {
        let mut json = match self {
            Entry::Created(session) => {
                json!({ "kind": "created", "session": session.session.id, "messages": session.messages })
            }
            Entry::Epoch(epoch) => epoch_json(epoch),
            Entry::Answer(answer) => {
                json!({ "kind": "answer", "question": answer.question, "text": answer.text })
            }
            Entry::Usage(usage) => json!({
                "kind": "usage", "messages": usage.messages, "input": usage.input,
                "cache_read": usage.cache_read, "cache_write": usage.cache_write, "output": usage.output,
            }),
            Entry::Event(event) => {
                let about: Value = serde_json::from_str(&event.json).unwrap_or_else(|_| json!(event.json));
                json!({ "kind": "event", "event": event.kind, "about": about })
            }
        };
        json["at"] = json!(moment::rfc3339(at));
        json
    }
}

fn epoch_json(epoch: &Epoch) -> Value {
    let folds = groups(&epoch.folds).into_iter().map(|((pass, kind), group)| {
        json!({ "pass": pass, "kind": kind, "folds": group.folds, "before": group.before, "after": group.after() })
    });
    json!({
        "kind": "epoch", "epoch": epoch.epoch, "opened": epoch.opened, "policy": epoch.policy,
        "messages": epoch.messages, "before": epoch.before, "after": epoch.after, "limit": epoch.limit,
        "folds": folds.collect::<Vec<_>>(),
    })
}

fn timeline(entries: &[(Duration, Entry)]) -> String {
    let mut table = Table::new(Stream::Stdout, &["!when (UTC)", "!what", ""]);
    // A log that was imported brings hundreds of reports at once; one line says as much.
    let is_usage = |(_, entry): &(Duration, Entry)| matches!(entry, Entry::Usage(_));
    for run in entries.chunk_by(|one, two| is_usage(one) && is_usage(two)) {
        let Some((at, first)) = run.first() else { continue };
        let when = moment::stamp(*at);
        match first {
            Entry::Created(session) => {
                let messages = times(session.messages as u64, "message");
                let about = format!("{}, {messages} so far", session.session.wire);
                table.row([when, "created".into(), about]);
            }
            Entry::Epoch(epoch) => epoch_rows(&mut table, when, epoch),
            Entry::Answer(answer) => table.row([when, "answer".into(), first_words(&answer.text)]),
            Entry::Usage(_) => table.row([when, "usage".into(), said(run.len(), &sum(run))]),
            Entry::Event(event) => {
                let about = Origin::from_event(event)
                    .map_or_else(|| first_words(&event.json), |from| imported(&from));
                table.row([when, event.kind.clone(), about]);
            }
        }
    }
    table.render()
}

fn imported(from: &Origin) -> String {
    format!("{}, {}, {}", from.file, from.format, times(from.messages as u64, "message"))
}

fn sum(run: &[(Duration, Entry)]) -> Usage {
    let mut sum = Usage::default();
    for (_, entry) in run {
        if let Entry::Usage(usage) = entry {
            sum.input = sum.input.saturating_add(usage.input);
            sum.cache_read = sum.cache_read.saturating_add(usage.cache_read);
            sum.output = sum.output.saturating_add(usage.output);
        }
    }
    sum
}

fn epoch_rows(table: &mut Table, when: String, epoch: &Epoch) {
    let opened = epoch.opened.as_deref().map_or(String::new(), |reason| format!("{}, ", words(reason)));
    let about = format!(
        "{opened}policy {}: {} messages from {} to {} tokens, {} allowed",
        epoch.policy,
        number(epoch.messages as u64),
        number(epoch.before),
        number(epoch.after),
        number(epoch.limit)
    );
    table.row([when, format!("epoch {}", epoch.epoch), about]);
    for ((pass, kind), group) in groups(&epoch.folds) {
        let folds = times(group.folds as u64, "fold");
        let (before, after) = (number(group.before), number(group.after()));
        table.row([
            String::new(),
            format!("  {pass}"),
            format!("{kind}: {folds}, {before} → {after} tokens"),
        ]);
    }
}

/// Why an epoch was opened, for people.
fn words(reason: &str) -> &str {
    match reason {
        "asked" => "on request",
        "over" => "over the limit",
        "cold" => "the cache was cold",
        "unpaired" => "a call and its result were apart",
        "rewritten" => "the past was rewritten",
        other => other,
    }
}
