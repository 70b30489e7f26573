//! A stored session as a document, so that every command that reads a file reads it too.

use std::ops::Range;

use bytestring::ByteString;
use enfold::file::document::{Document, Frame, Layout};
use enfold::history::History;
use enfold::history::{ItemKind, MessageId, Slot};
use enfold::json::{Kind, Raw};
use enfold::wire;
use enfold::wire::Wire;
use enfold_store::{Records, Sessions, Sqlite, StoredMessage, StoredSession};

use super::{Origin, failed};
use crate::failure::Failure;
use crate::progress::Progress;

/// The session as a request, or as a message per line where nothing stands beside the messages. Each message of the
/// document has the number that it has in the store.
pub fn document(store: &Sqlite, session: &StoredSession) -> Result<Document, Failure> {
    let _progress = Progress::spinner("reading the store");
    let about = &session.session;
    let wire = wire::named(&about.wire).ok_or_else(|| {
        let cause = format!("it is in the format `{}`, which this Enfold does not know", about.wire);
        Failure::new(format!("session:{}", about.id), cause, "update Enfold")
    })?;
    let messages = store.messages(&about.id, MessageId::ALL).map_err(failed)?;
    let events = store.events(&about.id).map_err(failed)?;
    // What stood in a file need not hold any more once the host has rewritten the past.
    let origin = Origin::newest(&events).filter(|_| session.revision == 0).unwrap_or_default();
    let mut history = History::new();
    for message in &messages {
        let mut parsed = parsed(wire, message, &about.id)?;
        if origin.summaries.contains(&message.number) {
            for item in parsed.items.iter_mut().filter(|item| item.kind == ItemKind::Text) {
                item.kind = ItemKind::Summary;
            }
        }
        history.push(message.raw.clone(), parsed);
    }
    let tools = origin.tools.filter(|tools| Raw::parse(tools).is_ok_and(|tools| tools.kind() == Kind::Array));
    let written = Written::of(wire, about.model.as_deref(), tools.as_deref(), &messages);
    let usage = store.usage(&about.id).map_err(failed)?;
    Ok(Document {
        format: wire.name(),
        wire,
        source: written.text.into(),
        layout: Layout::InPlace { spans: written.spans, frame: written.frame },
        history,
        tools: tools.map(ByteString::from),
        model: about.model.as_deref().map(ByteString::from),
        usage: usage.into_iter().map(|usage| usage.what).collect(),
        times: Vec::new(),
        is_kept_long: false,
        findings: Vec::new(),
    })
}

fn parsed(wire: &dyn Wire, message: &StoredMessage, id: &str) -> Result<enfold::history::Parsed, Failure> {
    let read = match (Raw::parse(&message.raw), message.slot) {
        (Err(error), _) => Err(error.to_string()),
        (Ok(_), Slot::List) => Ok(wire.read_any(&message.raw).0),
        (Ok(_), Slot::Head) => wire.read_head(&message.raw).map_err(|error| error.to_string()),
    };
    read.map_err(|error| {
        let cause = format!("message {} is none of {}: {error}", message.number.number(), wire.title());
        Failure::new(format!("session:{id}"), cause, "`enfold sessions export` still writes what is stored")
    })
}

/// The text of a session, and where its messages stand in it.
struct Written {
    text: String,
    spans: Vec<Range<usize>>,
    frame: Frame,
}

impl Written {
    fn of(wire: &dyn Wire, model: Option<&str>, tools: Option<&str>, messages: &[StoredMessage]) -> Written {
        let is_line =
            |message: &StoredMessage| message.slot == Slot::List && !message.raw.contains(['\n', '\r']);
        let frame =
            if tools.is_none() && messages.iter().all(is_line) { Frame::Lines } else { Frame::Request };
        let mut written = Written { text: String::new(), spans: vec![0..0; messages.len()], frame };
        match frame {
            Frame::Lines => {
                for placed in messages.iter().enumerate() {
                    written.put(placed);
                    written.text.push('\n');
                }
            }
            Frame::Request | Frame::Array => written.request(wire, model, tools, messages),
        }
        written
    }

    fn request(
        &mut self,
        wire: &dyn Wire,
        model: Option<&str>,
        tools: Option<&str>,
        messages: &[StoredMessage],
    ) {
        self.text.push('{');
        if let Some(model) = model {
            self.text += &format!("\"model\":{},", serde_json::Value::from(model));
        }
        let of = |slot| messages.iter().enumerate().filter(move |(_, message)| message.slot == slot);
        if let Some((key, head)) = wire.shape().head.zip(of(Slot::Head).next()) {
            self.text += &format!("\"{key}\":");
            self.put(head);
            self.text.push(',');
        }
        if let Some(tools) = tools {
            self.text += &format!("\"tools\":{tools},");
        }
        self.text += &format!("\"{}\":[", wire.shape().list);
        for (nth, placed) in of(Slot::List).enumerate() {
            self.text += if nth == 0 { "" } else { "," };
            self.put(placed);
        }
        self.text += "]}\n";
    }

    fn put(&mut self, (nth, message): (usize, &StoredMessage)) {
        let start = self.text.len();
        self.text += &message.raw;
        self.spans[nth] = start..self.text.len();
    }
}
