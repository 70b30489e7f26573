//! `enfold sessions messages`: what became of each message in the last view.

use std::collections::BTreeMap;

use enfold::file::document::Document;
use enfold::history::{History, MessageId};
use enfold_store::{Epoch, Event, FoldRecord, Records, Sqlite, StoredSession};
use serde_json::{Value, json};

use crate::args::MessagesArgs;
use crate::counting::{Counted, Counting};
use crate::failure::Failure;
use crate::inspect::first_words;
use crate::output;
use crate::report::{Stream, Table, number, times};
use crate::stored::{self, failed};

/// Lists them.
pub fn run(args: &MessagesArgs) -> Result<(), Failure> {
    let store = stored::open(&args.store)?;
    let session = stored::find(&store, &args.id)?;
    let listed = Listed::of(&store, &session, &Counting::new(&args.counting)?)?;
    let chosen: Vec<MessageId> = listed.chosen(args.hidden, args.since_compaction);
    match args.json {
        true => output::print(&format!("{:#}\n", listed.as_json(&chosen))),
        false => output::print(&listed.text(&chosen)),
    }
}

/// The same as JSON: all of them, or those since the last compaction.
pub fn told(
    store: &Sqlite,
    session: &StoredSession,
    counting: &Counting,
    since_compaction: bool,
) -> Result<Value, Failure> {
    let listed = Listed::of(store, session, counting)?;
    Ok(listed.as_json(&listed.chosen(false, since_compaction)))
}

struct Listed {
    document: Document,
    counted: Counted,
    /// What the last view changed.
    became: BTreeMap<MessageId, Became>,
    /// Messages that were there at the last compaction.
    compacted: Option<usize>,
}

/// What became of a message.
struct Became {
    is_hidden: bool,
    kind: String,
    handles: Vec<u32>,
}

/// Folds that leave nothing of their messages in place.
const HIDING: [&str; 4] = ["drop", "told", "summary", "edits"];

/// What the folds of an epoch left of its messages.
fn became(history: &History, epoch: Option<&Epoch>) -> BTreeMap<MessageId, Became> {
    let mut all = BTreeMap::new();
    for fold in epoch.iter().flat_map(|epoch| &epoch.folds) {
        let is_hidden = HIDING.contains(&fold.kind.as_str());
        for message in messages_of(history, fold) {
            let became = Became { is_hidden, kind: fold.kind.clone(), handles: fold.handles.clone() };
            // What leaves was often shortened before.
            match all.get(&message) {
                Some(Became { is_hidden: true, .. }) if !is_hidden => {}
                _ => drop(all.insert(message, became)),
            }
        }
    }
    all
}

fn messages_of<'f>(history: &'f History, fold: &'f FoldRecord) -> impl Iterator<Item = MessageId> + 'f {
    fold.items.iter().filter_map(|item| history.get_item(*item)).map(|item| item.message)
}

/// How many messages there were when an epoch was opened. An epoch goes on, and the event of its beginning remembers.
fn compacted(epoch: &Epoch, events: &[Event]) -> usize {
    let complete = events.iter().rev().find(|event| event.kind == "compaction:complete");
    let complete = complete.filter(|event| event.at >= epoch.at);
    let told =
        complete.and_then(|event| serde_json::from_str::<Value>(&event.json).ok()?["messages"].as_u64());
    told.map_or(epoch.messages, |messages| messages as usize)
}

impl Listed {
    fn of(store: &Sqlite, session: &StoredSession, counting: &Counting) -> Result<Listed, Failure> {
        let document = stored::document(store, session)?;
        let epochs = store.epochs(&session.session.id).map_err(failed)?;
        let events = store.events(&session.session.id).map_err(failed)?;
        let last = epochs.last().filter(|epoch| epoch.revision == session.revision);
        Ok(Listed {
            counted: counting.count(&document),
            became: became(&document.history, last),
            compacted: last.map(|epoch| compacted(epoch, &events)),
            document,
        })
    }

    fn chosen(&self, hidden: bool, since_compaction: bool) -> Vec<MessageId> {
        let is_hidden = |id: &MessageId| self.became.get(id).is_some_and(|became| became.is_hidden);
        let is_new = |id: &MessageId| self.compacted.is_none_or(|messages| id.index() >= messages);
        let ids = self.document.history.message_ids();
        ids.filter(|id| (!hidden || is_hidden(id)) && (!since_compaction || is_new(id))).collect()
    }

    fn text(&self, chosen: &[MessageId]) -> String {
        if chosen.is_empty() {
            return "There are none.\n".into();
        }
        let mut table = Table::new(Stream::Stdout, &["#message", "!role", "#tokens", "!in the view", "says"]);
        for id in chosen {
            table.line([
                id.number().to_string(),
                self.document.history.message(*id).role.name().into(),
                number(self.counted.tally.message(*id) as u64),
                self.state(*id),
                self.says(*id),
            ]);
        }
        let hidden = self.became.values().filter(|became| became.is_hidden).count();
        let all = self.document.history.messages().len();
        let since = self.compacted.map_or(String::new(), |messages| {
            format!(", {} since the last compaction", number(all.saturating_sub(messages) as u64))
        });
        let hidden = number(hidden as u64);
        format!("{}\n{}, {hidden} hidden{since}\n", table.render(), times(all as u64, "message"))
    }

    fn state(&self, id: MessageId) -> String {
        let Some(became) = self.became.get(&id) else { return "whole".into() };
        let what = if became.is_hidden { "hidden" } else { "shortened" };
        let handle = became.handles.first().map_or(String::new(), |handle| format!(" #{handle:09}"));
        format!("{what}: {}{handle}", became.kind)
    }

    /// How a message begins.
    fn says(&self, id: MessageId) -> String {
        let items = self.document.history.items_of(id).iter();
        let texts = items.map(|item| match item.call() {
            Some(call) => format!("{} {}", call.name, item.text()),
            None => item.text().into_owned(),
        });
        first_words(&texts.filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join(" · "))
    }

    fn as_json(&self, chosen: &[MessageId]) -> Value {
        let message = |id: &MessageId| {
            let became = self.became.get(id);
            json!({
                "number": id.number(),
                "role": self.document.history.message(*id).role.name(),
                "tokens": self.counted.tally.message(*id),
                "hidden": became.is_some_and(|became| became.is_hidden),
                "fold": became.map(|became| &became.kind),
                "handles": became.map_or(Vec::new(), |became| {
                    became.handles.iter().map(|handle| format!("#{handle:09}")).collect()
                }),
            })
        };
        json!({ "compacted": self.compacted, "messages": chosen.iter().map(message).collect::<Vec<_>>() })
    }
}
