//! Messages of a provider's format, for reading: an agent that opens a run of steps wants what was said, called and
//! returned, with line breaks, not JSON in one line.

use std::fmt::Write as _;

use bytestring::ByteString;
use enfold::history::{History, Item, ItemKind, Parsed, Slot};
use enfold::wire::{self, Wire};
use enfold_store::{StoredMessage, StoredSession};

/// A session as the store has it. A message that cannot be read stands in it all the same.
pub(crate) fn history(session: &StoredSession, messages: &[StoredMessage]) -> History {
    let wire = wire::named(&session.session.wire);
    let mut history = History::new();
    for message in messages {
        let parsed = wire.and_then(|wire| read(wire, message));
        let parsed = parsed.unwrap_or_else(|| Parsed::unknown(&message.raw, message.slot, "not understood"));
        history.push(message.raw.clone(), parsed);
    }
    history
}

fn read(wire: &dyn Wire, message: &StoredMessage) -> Option<Parsed> {
    enfold::json::Raw::parse(&message.raw).ok()?;
    match message.slot {
        Slot::List => wire.read_message(&message.raw).ok(),
        Slot::Head => wire.read_head(&message.raw).ok(),
    }
}

/// An original for reading: whole messages of the session as text, anything else as it is.
pub(crate) fn original(session: &StoredSession, messages: &[StoredMessage], original: &ByteString) -> String {
    match stretch(messages, original) {
        Some(stretch) => text(&history(session, &stretch)),
        None => original.to_string(),
    }
}

/// The messages that a text is made of, one after the other; `None` if it is made of anything else. O(messages).
fn stretch(messages: &[StoredMessage], original: &str) -> Option<Vec<StoredMessage>> {
    let (mut rest, mut found, mut all) = (original, Vec::new(), messages.iter());
    while !rest.is_empty() {
        let behind = |message: &StoredMessage| {
            let rest = rest.strip_prefix(&*message.raw)?;
            if rest.is_empty() { Some(rest) } else { rest.strip_prefix('\n') }
        };
        let (message, behind) = all.find_map(|message| Some((message, behind(message)?)))?;
        found.push(message.clone());
        rest = behind;
    }
    Some(found).filter(|found| !found.is_empty())
}

/// Every message, its items one after the other.
pub(crate) fn text(history: &History) -> String {
    let mut out = String::new();
    for id in history.message_ids() {
        let role = history.message(id).role.name();
        for item in history.items_of(id) {
            let _ = writeln!(out, "── {}", head(role, item));
            let text = item.text();
            out += &text;
            if !text.is_empty() && !text.ends_with('\n') {
                out.push('\n');
            }
        }
    }
    out
}

fn head(role: &str, item: &Item) -> String {
    match &item.kind {
        ItemKind::Call(call) => format!("{role} calls {}", call.name),
        ItemKind::Result(result) if result.is_error => "result, an error".to_string(),
        ItemKind::Result(_) => "result".to_string(),
        ItemKind::Text => role.to_string(),
        other => format!("{role}, {}", other.name()),
    }
}
