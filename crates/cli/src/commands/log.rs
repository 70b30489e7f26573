//! `enfold log`: what happened to a stored session, newest last.

use std::collections::BTreeMap;
use std::time::Duration;

use enfold::count::Usage;
use enfold_store::{
    Answer, Epoch, Event, FailedSummary, FoldRecord, Records, ShownSummary, Sqlite, StoredSession,
};
use serde_json::{Value, json};

use crate::args::LogArgs;
use crate::commands::sessions::said;
use crate::explain::author;
use crate::failure::Failure;
use crate::inspect::first_words;
use crate::report::{self, Stream, Table, number, times};
use crate::stored::{self, Origin, failed};
use crate::{moment, output};

/// Tells.
pub fn run(args: LogArgs) -> Result<(), Failure> {
    let store = stored::open(&args.store)?;
    let session = stored::find(&store, &args.id)?;
    let mut entries = entries(&store, &session)?;
    if args.summaries {
        entries.retain(|(_, entry)| matches!(entry, Entry::Shown(_)));
    }
    if args.json {
        let lines = entries.iter().map(|(at, entry)| entry.as_json(*at).to_string() + "\n");
        return output::print(&lines.collect::<String>());
    }
    output::print(&match args.summaries {
        true => summaries(&entries),
        false => timeline(&session.session.id, &entries),
    })
}

/// Something that happened.
enum Entry {
    Created(StoredSession),
    Epoch(Epoch),
    Answer(Answer),
    Usage(Usage),
    Shown(ShownSummary),
    Event(Event),
}

/// What the rows of an epoch say as well.
const SAID_BY_EPOCH: [&str; 3] = ["compaction:start", "prune:complete", "compaction:complete"];

fn entries(store: &Sqlite, session: &StoredSession) -> Result<Vec<(Duration, Entry)>, Failure> {
    let id = &session.session.id;
    let mut entries = vec![(session.created, Entry::Created(session.clone()))];
    // Of what is written at once, the epoch stands first.
    let epochs = store.epochs(id).map_err(failed)?.into_iter();
    entries.extend(epochs.map(|epoch| (epoch.at, Entry::Epoch(epoch))));
    // What a proxy notes about an answer stands in its row of usage.
    let events = store.events(id).map_err(failed)?.into_iter().filter(|event| event.kind != "usage");
    entries.extend(events.map(|event| (event.at, Entry::of_event(event))));
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
    fn of_event(event: Event) -> Entry {
        ShownSummary::from_event(&event).map_or(Entry::Event(event), Entry::Shown)
    }

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
            Entry::Shown(shown) => json!({
                "kind": "summary", "epoch": shown.epoch, "round": shown.round, "by_model": shown.by_model,
                "text": shown.text,
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

/// What the agent was told, round by round.
fn summaries(entries: &[(Duration, Entry)]) -> String {
    let told = entries.iter().filter_map(|(at, entry)| match entry {
        Entry::Shown(shown) => Some((moment::stamp(*at), shown)),
        _ => None,
    });
    let told = told.map(|(when, shown)| {
        let title = format!("round {}, {}", shown.round, author(shown.by_model));
        let heading = report::heading(Stream::Stdout, &format!("{when} · epoch {} · {title}", shown.epoch));
        format!("{heading}{}", report::clean_lines(&shown.text))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { "There is no summary yet.\n".into() } else { told.join("\n") }
}

fn timeline(id: &str, entries: &[(Duration, Entry)]) -> String {
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
            // The summary that it became part of has a row.
            Entry::Answer(answer) if answer.question.starts_with("summary:") => {}
            Entry::Answer(answer) => table.row([when, "answer".into(), first_words(&answer.text)]),
            Entry::Usage(_) => table.row([when, "usage".into(), said(run.len(), &sum(run))]),
            Entry::Shown(shown) => {
                let about = format!("round {}, {}", shown.round, author(shown.by_model));
                table.row([String::new(), "  told".into(), about]);
            }
            Entry::Event(event) => {
                if let Some((what, about)) = happened(event) {
                    table.row([when, what, about]);
                }
            }
        }
    }
    let has_summary = entries.iter().any(|(_, entry)| matches!(entry, Entry::Shown(_)));
    let hint = match has_summary {
        true => format!("\n`enfold log {} --summaries` prints what was told.\n", report::clean(id)),
        false => String::new(),
    };
    table.render() + &hint
}

/// An event for people; `None` if other rows say it.
fn happened(event: &Event) -> Option<(String, String)> {
    if let Some(from) = Origin::from_event(event) {
        return Some((event.kind.clone(), imported(&from)));
    }
    if let Some(failed) = FailedSummary::from_event(event) {
        let about = format!("round {}: {}: {}", failed.round, failed.class, failed.why);
        return Some(("summary failed".into(), about));
    }
    if event.kind == "marker:returned" {
        let about: Value = serde_json::from_str(&event.json).ok()?;
        let [tool, call, handle] = ["tool", "callId", "handle"].map(|key| about[key].as_str().unwrap_or("?"));
        let about = format!("the call of {tool} ({call}) holds the marker {handle} where text was meant");
        return Some(("marker returned".into(), about));
    }
    if SAID_BY_EPOCH.contains(&event.kind.as_str()) {
        let about: Value = serde_json::from_str(&event.json).ok()?;
        if about["reachedTarget"] == false {
            return Some((
                "too large".into(),
                "folding did not get the view as small as it should be".into(),
            ));
        }
        if about.get("tokensBefore").is_some() {
            return None;
        }
    }
    Some((event.kind.clone(), first_words(&event.json)))
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
    let opened =
        epoch.opened.as_deref().map_or(String::new(), |reason| format!("{}, ", words(reason, epoch)));
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
        let tokens = match kind {
            // What it stands for may have been folded before, in part.
            "summary" => format!("{} tokens saved", number(group.saved)),
            _ => format!("{} → {} tokens", number(group.before), number(group.after())),
        };
        table.row([String::new(), format!("  {pass}"), format!("{kind}: {folds}, {tokens}")]);
    }
}

/// Why an epoch was opened, for people.
fn words<'a>(reason: &'a str, epoch: &Epoch) -> &'a str {
    match reason {
        // A policy may begin before a view is too large.
        "over" | "overflow" if epoch.before <= epoch.limit => "near the limit",
        "asked" => "on request",
        "over" | "overflow" => "over the limit",
        "cold" => "the cache was cold",
        "unpaired" => "a call and its result were apart",
        "refused" => "a provider would have refused it",
        "rewritten" => "the past was rewritten",
        "settled" => "the agent was done",
        other => other,
    }
}
