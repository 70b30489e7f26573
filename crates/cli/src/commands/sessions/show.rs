//! `enfold sessions show`: one session, in figures.

use std::collections::BTreeMap;

use enfold::count::Usage;
use enfold::file::document::Document;
use enfold::understand::ledger::FileEntry;
use enfold_store::{Epoch, Event, FailedSummary, Records, ShownSummary, Sqlite, StoredSession};
use serde_json::{Value, json};

use super::list;
use crate::args::ShowArgs;
use crate::commands::ledger;
use crate::counting::{Counted, Counting};
use crate::failure::Failure;
use crate::report::{self, Stream, Table, number, times};
use crate::stored::{self, failed};
use crate::{moment, output};

/// Shows.
pub fn run(args: &ShowArgs) -> Result<(), Failure> {
    let store = stored::open(&args.store)?;
    let session = stored::find(&store, &args.id)?;
    let shown = Shown::of(&store, session, &Counting::new(&args.counting)?)?;
    match args.json {
        true => output::print(&format!("{:#}\n", shown.as_json())),
        false => output::print(&shown.text()),
    }
}

/// The same as JSON.
pub fn told(store: &Sqlite, session: StoredSession, counting: &Counting) -> Result<Value, Failure> {
    Ok(Shown::of(store, session, counting)?.as_json())
}

struct Shown {
    session: StoredSession,
    document: Document,
    counted: Counted,
    epochs: Vec<Epoch>,
    events: Vec<Event>,
    files: Vec<FileEntry>,
}

/// The files that it changed, the latest first.
fn files(document: &Document) -> Vec<FileEntry> {
    ledger::of(document).files.into_iter().filter(|file| file.changes > 0).collect()
}

impl Shown {
    fn of(store: &Sqlite, session: StoredSession, counting: &Counting) -> Result<Shown, Failure> {
        let document = stored::document(store, &session)?;
        Ok(Shown {
            epochs: store.epochs(&session.session.id).map_err(failed)?,
            events: store.events(&session.session.id).map_err(failed)?,
            counted: counting.count(&document),
            files: files(&document),
            document,
            session,
        })
    }

    fn roles(&self) -> Vec<(&'static str, usize)> {
        let mut roles = BTreeMap::new();
        for message in self.document.history.messages() {
            *roles.entry(message.role).or_insert(0) += 1;
        }
        roles.into_iter().map(|(role, count)| (role.name(), count)).collect()
    }

    fn folds(&self) -> usize {
        self.epochs.iter().map(|epoch| epoch.folds.len()).sum()
    }

    fn summaries(&self) -> Vec<ShownSummary> {
        self.events.iter().filter_map(ShownSummary::from_event).collect()
    }

    /// How often a model was asked for a summary in vain.
    fn failed_summaries(&self) -> usize {
        self.events.iter().filter_map(FailedSummary::from_event).count()
    }

    fn usage(&self) -> Usage {
        self.document.usage.iter().fold(Usage::default(), |sum, usage| Usage {
            messages: 0,
            input: sum.input.saturating_add(usage.input),
            cache_read: sum.cache_read.saturating_add(usage.cache_read),
            cache_write: sum.cache_write.saturating_add(usage.cache_write),
            output: sum.output.saturating_add(usage.output),
        })
    }

    fn text(&self) -> String {
        let mut text = Table::facts(Stream::Stdout, &self.facts());
        if !self.epochs.is_empty() {
            text += &format!("\n{}", self.epoch_table());
        }
        if !self.files.is_empty() {
            text += &format!("\n{}", self.file_table());
        }
        text
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let (now, stored) = (moment::now(), &self.session);
        let when = |time| format!("{} UTC, {}", moment::stamp(time), moment::ago(now, time));
        let history = &self.document.history;
        let roles: Vec<String> =
            self.roles().iter().map(|(role, count)| format!("{} {role}", number(*count as u64))).collect();
        let mut facts = vec![("session", stored.session.id.clone())];
        facts.extend(Some(("about", stored.session.name.clone())).filter(|(_, name)| !name.is_empty()));
        facts.push(("format", self.document.wire.title().to_string()));
        facts.extend(stored.session.model.clone().map(|model| ("model", model)));
        facts.push(("created", when(stored.created)));
        facts.push(("last use", when(stored.updated)));
        facts.push(("messages", format!("{} ({})", number(stored.messages as u64), roles.join(", "))));
        let steps = times(history.steps().into(), "step");
        facts.push(("turns", format!("{} with {steps}", number(history.turns().into()))));
        let tokens = number(self.counted.total() as u64);
        facts.push(("tokens", format!("{tokens} ({})", self.counted.label())));
        facts.push(("originals", report::size(stored.bytes)));
        facts.push(("compactions", compactions(stored, self.folds(), when)));
        facts.extend(self.summaries_said().map(|said| ("summaries", said)));
        if stored.revision > 0 {
            facts.push((
                "rewritten",
                format!("{}; what stood there is kept", times(stored.revision.into(), "time")),
            ));
        }
        if !self.document.usage.is_empty() {
            facts.push(("usage", said(self.document.usage.len(), &self.usage())));
        }
        facts.push(("lease", lease(stored, now)));
        facts
    }

    fn summaries_said(&self) -> Option<String> {
        let (shown, failed) = (self.summaries(), self.failed_summaries());
        if shown.is_empty() && failed == 0 {
            return None;
        }
        let by_model = shown.iter().filter(|one| one.by_model).count();
        let mut said =
            format!("{}, {} written by a model", number(shown.len() as u64), number(by_model as u64));
        if failed > 0 {
            said += &format!(", {} that came to nothing", times(failed as u64, "attempt"));
        }
        Some(said)
    }

    fn epoch_table(&self) -> String {
        let columns = ["#epoch", "!opened", "!policy", "#messages", "#before", "#after", "#limit", "#folds"];
        let mut table = Table::new(Stream::Stdout, &columns);
        for epoch in &self.epochs {
            table.line([
                epoch.epoch.to_string(),
                epoch.opened.clone().unwrap_or_default(),
                epoch.policy.clone(),
                number(epoch.messages as u64),
                number(epoch.before),
                number(epoch.after),
                number(epoch.limit),
                number(epoch.folds.len() as u64),
            ]);
        }
        table.render()
    }

    fn file_table(&self) -> String {
        let mut table = Table::new(Stream::Stdout, &["changed file", "#changes", "#added", "#removed"]);
        for file in &self.files {
            let [added, removed] = [file.added, file.removed].map(|lines| counted(file, lines));
            table.line([file.path.clone(), number(file.changes as u64), added, removed]);
        }
        table.render()
    }

    fn as_json(&self) -> Value {
        let history = &self.document.history;
        let usage = self.usage();
        let roles = self.roles().into_iter().map(|(role, count)| json!({ "role": role, "messages": count }));
        let files = self.files.iter().map(|file| {
            json!({
                "path": file.path, "changes": file.changes, "added": file.added, "removed": file.removed,
                "uncounted": file.uncounted,
            })
        });
        let epochs = self.epochs.iter().map(|epoch| {
            json!({
                "epoch": epoch.epoch, "at": moment::rfc3339(epoch.at), "opened": epoch.opened,
                "policy": epoch.policy, "messages": epoch.messages, "before": epoch.before,
                "after": epoch.after, "limit": epoch.limit, "folds": epoch.folds.len(),
            })
        });
        let summaries = self
            .summaries()
            .into_iter()
            .map(|shown| json!({ "epoch": shown.epoch, "round": shown.round, "by_model": shown.by_model }));
        let mut shown = list::as_json(&self.session);
        let more = json!({
            "tokens": self.counted.total(),
            "counter": self.counted.counter_name(),
            "roles": roles.collect::<Vec<_>>(),
            "turns": history.turns(),
            "steps": history.steps(),
            "folds": self.folds(),
            "epochs": epochs.collect::<Vec<_>>(),
            "summaries": summaries.collect::<Vec<_>>(),
            "failed_summaries": self.failed_summaries(),
            "usage": {
                "responses": self.document.usage.len(), "input": usage.input, "cache_read": usage.cache_read,
                "cache_write": usage.cache_write, "output": usage.output,
            },
            "files": files.collect::<Vec<_>>(),
        });
        if let (Value::Object(shown), Value::Object(more)) = (&mut shown, more) {
            shown.extend(more);
        }
        shown
    }
}

/// Lines that came or went, as far as the session tells.
fn counted(file: &FileEntry, lines: usize) -> String {
    match (file.uncounted, file.added + file.removed) {
        (false, _) => number(lines as u64),
        (true, 0) => "?".into(),
        (true, _) => format!("≥ {}", number(lines as u64)),
    }
}

fn compactions(stored: &StoredSession, folds: usize, when: impl Fn(std::time::Duration) -> String) -> String {
    match stored.compacted {
        None => "none".into(),
        Some(last) => {
            let folds = times(folds as u64, "fold");
            format!("{} with {folds}, last {}", number(stored.compactions.into()), when(last))
        }
    }
}

fn lease(stored: &StoredSession, now: std::time::Duration) -> String {
    match &stored.lease {
        Some((owner, until)) if *until > now => {
            format!("held by {owner} for {} s more, unless renewed", (*until - now).as_secs() + 1)
        }
        _ => "free".into(),
    }
}

/// What providers reported, in a line.
pub fn said(responses: usize, usage: &Usage) -> String {
    format!(
        "{}: {} tokens read ({} from the cache), {} written",
        times(responses as u64, "response"),
        number(usage.input),
        number(usage.cache_read),
        number(usage.output)
    )
}
