//! A session message by message: what became of each, and original beside view.

use std::collections::BTreeSet;

use enfold::Session;
use enfold::history::{ItemId, MessageId};
use enfold::view::View;
use enfold::view::fold::{FoldKind, Handle};
use enfold_page::{Part, said, said_by};
use enfold_store::{Epoch, Event, FoldRecord, Store, StoredSession};
use serde_json::{Value, json};

use super::failed;
use crate::answer::Refusal;
use crate::thread::State;

/// Letters of a message in the list.
const WORDS: usize = 160;

/// The messages from `from` on. Within an epoch what was told of the others stays true, so a page asks for new ones only.
pub(super) fn strip(
    store: &dyn Store,
    stored: &StoredSession,
    state: &State,
    from: usize,
) -> Result<Value, Refusal> {
    let session = state.session();
    let view = session.look();
    let epochs = store.epochs(&stored.session.id).map_err(failed)?;
    let told = told(session, &epochs);
    let asked: BTreeSet<MessageId> =
        session.ledger().requests.iter().map(|request| request.message).collect();
    let row = |id: MessageId| {
        let history = session.history();
        let message = history.message(id);
        let words = said(history, id);
        json!({
            "number": id.index(),
            "role": message.role.name(),
            "part": part(session, id),
            "step": history.items_of(id).iter().find_map(|item| item.step),
            "tool": message.item_ids().find_map(|item| history.tool(item)),
            "tokens": session.tally().message(id),
            "now": view.message_tokens(id),
            "fate": fate(&view, id, &told),
            "asks": asked.contains(&id),
            "words": first(&words),
        })
    };
    let opened = match from {
        0 => marks(&store.events(&stored.session.id).map_err(failed)?),
        _ => Vec::new(),
    };
    Ok(json!({
        "revision": stored.revision,
        "epoch": session.epoch(),
        "total": session.history().messages().len(),
        "tokens": view.tokens(),
        "history": session.tally().total(),
        "inserted": view.changes().inserted().map(|inserted| json!({
            "before": inserted.before.index(), "tokens": view.inserted_tokens(), "text": inserted.text,
        })),
        "opened": opened,
        "messages": session.history().message_ids().skip(from).map(row).collect::<Vec<_>>(),
    }))
}

/// A message as it was and as the model reads it, and the folds that made the difference.
pub(super) fn message(
    store: &dyn Store,
    stored: &StoredSession,
    state: &State,
    number: usize,
) -> Result<Option<Value>, Refusal> {
    let session = state.session();
    let (history, view) = (session.history(), session.look());
    let Some(id) = history.message_ids().nth(number) else { return Ok(None) };
    let epochs = store.epochs(&stored.session.id).map_err(failed)?;
    let items: BTreeSet<ItemId> = history.message(id).item_ids().collect();
    let touches = |fold: &&FoldRecord| fold.items.iter().any(|item| items.contains(item));
    let folds = epochs.last().map(|epoch| epoch.folds.iter().filter(touches).map(about).collect::<Vec<_>>());
    let fate = fate(&view, id, &told(session, &epochs));
    let is_same = items.iter().all(|item| !view.is_changed(*item));
    let now = || {
        let stands = items.iter().filter(|item| view.has(**item));
        let text = stands.map(|item| {
            let texts = 0..history.item(*item).texts.len();
            said_by(history.item(*item), texts.map(|nth| view.text(*item, nth)))
        });
        text.collect::<Vec<_>>().join("\n")
    };
    Ok(Some(json!({
        "number": number,
        "fate": fate,
        "tokens": session.tally().message(id),
        "now_tokens": view.message_tokens(id),
        "was": said(history, id),
        "now": (!is_same).then(now),
        "folds": folds.unwrap_or_default(),
    })))
}

fn about(fold: &FoldRecord) -> Value {
    let handles = fold.handles.iter().filter_map(|digits| Handle::parse(&format!("{digits:09}")));
    json!({
        "pass": fold.pass, "kind": fold.kind, "why": fold.why, "saved": fold.saved,
        "handles": handles.map(|handle| handle.to_string()).collect::<Vec<_>>(),
    })
}

/// kept, thinned, told in a line, or gone.
fn fate(view: &View, id: MessageId, told: &BTreeSet<MessageId>) -> &'static str {
    let mut items = view.history().message(id).item_ids().peekable();
    let is_empty = items.peek().is_none();
    let (mut stands, mut changed) = (is_empty, false);
    for item in items {
        stands |= view.has(item);
        changed |= view.is_changed(item);
    }
    match (stands, changed) {
        (true, false) => "kept",
        // What tells of others stands in it too.
        (true, true) if view.message_tokens(id) >= view.tally().message(id) => "kept",
        (true, true) => "thinned",
        (false, _) if told.contains(&id) => "told",
        (false, _) => "gone",
    }
}

/// Messages that left and are told of.
fn told(session: &Session, epochs: &[Epoch]) -> BTreeSet<MessageId> {
    let tells =
        |fold: &&FoldRecord| [FoldKind::Told, FoldKind::Summary].iter().any(|kind| kind.name() == fold.kind);
    let folds = epochs.last().into_iter().flat_map(|epoch| epoch.folds.iter().filter(tells));
    let items = folds.flat_map(|fold| fold.items.iter());
    items.filter_map(|item| session.history().get_item(*item)).map(|item| item.message).collect()
}

/// Where epochs were opened: how many messages there were, and why.
fn marks(events: &[Event]) -> Vec<Value> {
    let mut reason = Value::Null;
    let mut marks = Vec::new();
    for event in events {
        let data: Value = serde_json::from_str(&event.json).unwrap_or_default();
        match event.kind.as_str() {
            "compaction:start" => reason = data["reason"].clone(),
            "compaction:complete" => marks.push(json!({
                "at": u64::try_from(event.at.as_millis()).unwrap_or(u64::MAX), "reason": reason.take(),
                "messages": data["messages"], "before": data["tokensBefore"], "after": data["tokensAfter"],
            })),
            _ => {}
        }
    }
    marks
}

fn part(session: &Session, id: MessageId) -> Option<&'static str> {
    let first = session.history().message(id).item_ids().next();
    first.map_or(Part::Other, |item| Part::of(session.history(), item)).name().split(' ').next()
}

/// The first words of a text, on one line.
fn first(text: &str) -> String {
    let mut short = String::new();
    for word in text.split_whitespace() {
        if !short.is_empty() {
            short.push(' ');
        }
        short.extend(word.chars().take(WORDS));
        if short.chars().count() >= WORDS {
            return short.chars().take(WORDS).chain(['…']).collect();
        }
    }
    short
}
