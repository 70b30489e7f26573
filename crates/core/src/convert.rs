//! From one format into another, with a report of what the target cannot express.

use bytestring::ByteString;

use crate::document::{Document, Frame, Layout};
use crate::finding::{Finding, Place, Severity};
use crate::formats::Wire;
use crate::json::{ObjectWriter, Raw};
use crate::view::View;

/// A converted document.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The text of the target.
    pub text: ByteString,
    /// What the target could not express.
    pub losses: Vec<Finding>,
}

/// Writes a document in a wire format. Into its own format it comes out byte for byte as it went in.
pub fn convert(document: &Document, to: &'static dyn Wire, frame: Option<Frame>) -> Converted {
    if let Layout::InPlace { frame: own, .. } = &document.layout
        && document.format == to.name()
        && frame.is_none_or(|frame| frame == *own)
    {
        let text = document.render(&View::new()).unwrap_or_else(|| document.source.clone());
        return Converted { text, losses: Vec::new() };
    }
    let same_wire = document.wire.name() == to.name();
    let history = &document.history;
    let mut losses = Vec::new();
    let (head, messages) = if same_wire {
        let (head, list): (Vec<_>, Vec<_>) =
            history.messages().iter().partition(|message| message.slot == crate::item::Slot::Head);
        (head.first().map(|m| m.raw.to_string()), list.iter().map(|m| m.raw.to_string()).collect())
    } else {
        losses.extend(lost_fields(document));
        let written = to.write(history);
        losses.extend(written.losses);
        (written.head, written.messages)
    };
    let tools = document.tools.as_ref().map(|tools| {
        if same_wire {
            return tools.to_string();
        }
        to.write_tools(&document.wire.read_tools(Raw::trusted(tools)))
    });
    losses.sort_by_key(|loss| loss.place.message);
    let frame = frame.unwrap_or_else(|| frame_for(document, head.is_some() || tools.is_some()));
    Converted { text: framed(document, to, frame, head, messages, tools).into(), losses }
}

/// Lists stay lists as long as there is nothing beside the messages to carry.
fn frame_for(document: &Document, beside: bool) -> Frame {
    match &document.layout {
        _ if beside => Frame::Request,
        Layout::InPlace { frame, .. } => *frame,
        Layout::Extracted => Frame::Lines,
    }
}

fn framed(
    document: &Document,
    to: &dyn Wire,
    frame: Frame,
    head: Option<String>,
    messages: Vec<String>,
    tools: Option<String>,
) -> String {
    match frame {
        Frame::Lines => messages.iter().map(|message| one_line(message) + "\n").collect(),
        Frame::Array => format!("[{}]\n", messages.join(",\n")),
        Frame::Request => {
            let mut request = ObjectWriter::new();
            if let Some(model) = &document.model {
                request = request.string("model", model);
            }
            if let Some((key, head)) = to.shape().head.zip(head) {
                request = request.json(key, &head);
            }
            if let Some(tools) = tools.filter(|tools| tools != "[]") {
                request = request.json("tools", &tools);
            }
            request.array(to.shape().list, messages).finish() + "\n"
        }
    }
}

/// A message in JSON lines has no line break of its own; inside strings JSON cannot have one anyway.
fn one_line(message: &str) -> String {
    if message.contains(['\n', '\r']) { message.replace(['\n', '\r'], " ") } else { message.to_string() }
}

fn lost_fields(document: &Document) -> Vec<Finding> {
    let mut lost = Vec::new();
    for (nth, message) in document.history.messages().iter().enumerate() {
        for field in &message.extras {
            lost.push(Finding::new(
                Severity::Warning,
                Place::message(nth + 1),
                format!("lost: the field `{field}`"),
            ));
        }
    }
    lost
}
