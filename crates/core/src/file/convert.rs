//! From one format into another, with a report of what the target cannot express.

use std::collections::BTreeSet;

use bytestring::ByteString;

use crate::file;
use crate::file::document::{Document, Frame, Layout};
use crate::file::notation;
use crate::finding::{Finding, Place, Severity};
use crate::history::History;
use crate::history::{Role, Slot};
use crate::json::{ObjectWriter, Raw};
use crate::view::changes::Changes;
use crate::wire::{Messages, ToolDefinition, Wire};

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
        && is_the_providers(document, *own)
    {
        let text = document.render(&Changes::new()).unwrap_or_else(|| document.source.clone());
        return Converted { text, losses: Vec::new() };
    }
    write(document, to, frame, document.wire.name() == to.name())
}

/// The same, except that a document in an older spelling of its own format is written as the format is today.
pub fn convert_to_current(document: &Document, to: &'static dyn Wire, frame: Option<Frame>) -> Converted {
    match document.wire.name() != to.name() || is_current(document) {
        true => convert(document, to, frame),
        false => write(document, to, frame, false),
    }
}

fn write(document: &Document, to: &'static dyn Wire, frame: Option<Frame>, same_wire: bool) -> Converted {
    let history = &document.history;
    let mut losses = Vec::new();
    let (head, messages) = if same_wire {
        let (head, list): (Vec<_>, Vec<_>) =
            history.messages().iter().partition(|message| message.slot == Slot::Head);
        (
            head.first().map(|message| message.raw.to_string()),
            list.iter().map(|message| &message.raw).collect(),
        )
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
        losses.extend(lost_tools(document.wire, Raw::trusted(tools)));
        to.write_tools(&document.wire.read_tools(Raw::trusted(tools)))
    });
    let tools = tools.filter(|tools| tools != "[]");
    let frame = frame.unwrap_or_else(|| frame_for(document, head.is_some() || tools.is_some()));
    let tools = match tools {
        None if frame == Frame::Request && to.shape().needs_tools && !same_wire => {
            called_tools(history, to, &mut losses)
        }
        tools => tools,
    };
    losses.extend(lost_around(document, frame, head.is_some(), tools.is_some()));
    losses.sort_by_key(|loss| loss.place.message);
    Converted { text: framed(document, to, frame, head, messages, tools).into(), losses }
}

/// Whether every message is spelt as its format is today.
fn is_current(document: &Document) -> bool {
    let mut spelt = document.history.listed().filter_map(|(_, message)| Raw::parse(&message.raw).ok());
    spelt.all(|message| document.wire.is_current(message))
}

/// Whether what surrounds the messages is what the provider takes, and not a record that somebody else put around them.
fn is_the_providers(document: &Document, frame: Frame) -> bool {
    frame != Frame::Request || Raw::trusted(document.source.trim()).get(document.wire.shape().list).is_some()
}

/// Writes a document in the text notation, which has no place for what is not an item.
pub fn to_notation(document: &Document) -> Converted {
    if document.format == file::NOTATION {
        return Converted { text: document.source.clone(), losses: Vec::new() };
    }
    Converted { text: notation::print(&document.history).into(), losses: lost_fields(document) }
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
    messages: Messages,
    tools: Option<String>,
) -> String {
    match frame {
        Frame::Lines => messages.into_lines(),
        Frame::Array => {
            let mut text = String::from("[");
            for (nth, message) in messages.iter().enumerate() {
                text.push_str(if nth == 0 { "" } else { ",\n" });
                text.push_str(message);
            }
            text + "]\n"
        }
        Frame::Request => {
            let mut request = ObjectWriter::new();
            if let Some(model) = &document.model {
                request = request.string("model", model);
            }
            if let Some((key, head)) = to.shape().head.zip(head) {
                request = request.json(key, &head);
            }
            if let Some(tools) = tools {
                request = request.json("tools", &tools);
            }
            request.array(to.shape().list, messages.iter()).finish() + "\n"
        }
    }
}

fn lost_fields(document: &Document) -> Vec<Finding> {
    let mut lost = Vec::new();
    for (id, message) in document.history.message_ids().zip(document.history.messages()) {
        for field in &message.extras {
            lost.push(Finding::new(
                Severity::Warning,
                Place::message(id.number()),
                format!("lost: the field `{field}`"),
            ));
        }
    }
    lost
}

/// Definitions of the tools that were called, where nobody recorded the real ones and the provider insists on some.
fn called_tools(history: &History, to: &dyn Wire, losses: &mut Vec<Finding>) -> Option<String> {
    let names: BTreeSet<&str> =
        history.items().iter().filter_map(|item| item.call()).map(|call| &*call.name).collect();
    if names.is_empty() {
        return None;
    }
    let what = format!("added: definitions of {} tools, of which only the names are known", names.len());
    losses.push(Finding::new(Severity::Note, Place::default().field("tools"), what));
    let define = |name: &str| ToolDefinition { name: name.to_string(), description: None, schema: None };
    Some(to.write_tools(&names.into_iter().map(define).collect::<Vec<_>>()))
}

/// The provider's own tools (web search, code execution) mean nothing to others.
fn lost_tools(wire: &dyn Wire, tools: Raw) -> Vec<Finding> {
    let is_lost = |tool: &Raw| wire.read_tools(Raw::trusted(&format!("[{}]", tool.text()))).is_empty();
    let name = |tool: Raw| {
        let name = tool.str_at("name").or(tool.str_at("type")).map(|name| name.into_owned());
        name.or_else(|| tool.members().next().map(|(key, _)| key.into_owned())).unwrap_or_default()
    };
    let lost = tools.elements().filter(is_lost).map(|tool| {
        let what = format!("lost: the tool definition `{}`", name(tool));
        Finding::new(Severity::Warning, Place::default().field("tools"), what)
    });
    lost.collect()
}

/// What stood around the messages and has no place around them any more.
fn lost_around(document: &Document, frame: Frame, head: bool, tools: bool) -> Vec<Finding> {
    let lost = |field: &str, what: String| {
        Finding::new(Severity::Warning, Place::default().field(field), format!("lost: {what}"))
    };
    let mut losses = Vec::new();
    if frame != Frame::Request {
        if head {
            let heads =
                document.history.messages().iter().take_while(|message| message.role <= Role::Developer);
            // Each system message that would have gone into the head is named, so that none goes unnoticed.
            losses.extend((1..=heads.count()).map(|message| {
                let what = "lost: the system prompt (a list of messages has no place for it)";
                Finding::new(Severity::Warning, Place::message(message), what)
            }));
        }
        if tools {
            losses.push(lost(
                "tools",
                "the tool definitions (a list of messages has no place for them)".into(),
            ));
        }
    }
    if !matches!(document.layout, Layout::InPlace { frame: Frame::Request, .. }) {
        return losses;
    }
    let shape = document.wire.shape();
    // Gemini's head field has two spellings.
    let is_head = |key: &str| shape.head.is_some_and(|head| head.eq_ignore_ascii_case(&key.replace('_', "")));
    let kept = |key: &str| {
        key == shape.list || frame == Frame::Request && (key == "model" || key == "tools" || is_head(key))
    };
    let Ok(root) = Raw::parse(document.source.trim_start_matches('\u{feff}')) else { return losses };
    for (key, value) in root.members() {
        let is_list = value.elements().next().is_some_and(|first| first.get("role").is_some());
        if !kept(&key) && !is_list && !value.is_null() {
            losses.push(lost(&key, format!("the field `{key}` beside the messages")));
        }
    }
    losses
}
