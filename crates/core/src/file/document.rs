//! A file that was read: its history, and how to write it back.

use std::ops::Range;

use bytestring::ByteString;

use crate::count::Usage;
use crate::finding::Finding;
use crate::history::History;
use crate::history::Slot;
use crate::json::{Edit, Raw, splice};
use crate::validate::{Around, Request};
use crate::view::changes::Changes;
use crate::wire::Wire;

/// A session as it was read from a file.
#[derive(Clone)]
pub struct Document {
    /// Name of the format the file is in.
    pub format: &'static str,
    /// The wire format of the history's messages. For a transcript this is the format its agent speaks.
    pub wire: &'static dyn Wire,
    /// The file's text, byte for byte.
    pub source: ByteString,
    /// How the messages stand in the text.
    pub layout: Layout,
    /// What happened.
    pub history: History,
    /// The tool definitions, as the JSON array that was sent.
    pub tools: Option<ByteString>,
    /// The model's id, where the file names one (the last one, if several).
    pub model: Option<ByteString>,
    /// What the provider reported, in order.
    pub usage: Vec<Usage>,
    /// What was noticed while reading.
    pub findings: Vec<Finding>,
}

/// How the messages of a history stand in the source text.
#[derive(Clone, Debug)]
pub enum Layout {
    /// Each message is a piece of the text: its spans, in the order of the messages.
    InPlace {
        /// Where each message stands.
        spans: Vec<Range<usize>>,
        /// What surrounds them.
        frame: Frame,
    },
    /// The messages were put together from a transcript's entries.
    Extracted,
}

/// What surrounds the messages of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A request object with the messages under a key.
    Request,
    /// An array of messages.
    Array,
    /// A message per line.
    Lines,
}

impl Document {
    /// What the document would be sent as.
    pub fn request(&self) -> Request<'_> {
        let slot = |slot: Slot| {
            let messages = self.history.messages().iter().filter(move |message| message.slot == slot);
            messages.map(|message| Raw::trusted(&message.raw))
        };
        Request {
            root: self.root(),
            head: slot(Slot::Head).next(),
            messages: slot(Slot::List).collect(),
            tools: self.tools.as_ref().map(|tools| Raw::trusted(tools)),
            model: self.model.as_deref(),
        }
    }

    /// What stands around its messages. O(source).
    pub fn around(&self) -> Around {
        let list = match &self.layout {
            Layout::InPlace { spans, .. } => {
                let messages = spans.iter().zip(self.history.messages());
                messages.into_iter().find(|(_, message)| message.slot == Slot::List).map(|(span, _)| span.start)
            }
            Layout::Extracted => None,
        };
        let holds = |value: Raw| list.is_some_and(|start| value.span_in(&self.source).contains(&start));
        let around = self.root().map_or_else(Around::default, |root| Around::of(root, holds));
        let around = around.with_model(self.model.clone());
        around.with_tools(self.tools.clone()).unwrap_or_default()
    }

    /// The request object, where the file is one.
    fn root(&self) -> Option<Raw<'_>> {
        let is_request = matches!(&self.layout, Layout::InPlace { frame: Frame::Request, .. });
        let text = self.source.trim_start_matches('\u{feff}');
        is_request.then(|| Raw::parse(text).ok()).flatten()
    }

    /// The source with changes spliced in; the very same bytes where there are none.
    ///
    /// `None` for transcripts with changes: an agent's log is not a place to fold.
    pub fn render(&self, changes: &Changes) -> Option<ByteString> {
        if changes.is_unchanged() {
            return Some(self.source.clone());
        }
        match &self.layout {
            Layout::InPlace { spans, .. } => Some(self.splice_messages(changes, spans).into()),
            Layout::Extracted => None,
        }
    }

    fn splice_messages(&self, changes: &Changes, spans: &[Range<usize>]) -> String {
        let mut edits = Vec::new();
        let mut inserted = changes.inserted();
        let mut previous: Option<(&Range<usize>, bool)> = None;
        for (message, span) in spans.iter().enumerate() {
            if self.history.messages()[message].slot == Slot::Head {
                if let Some(text) =
                    changes.message(&self.history, message).filter(|text| **text != self.source[span.clone()])
                {
                    edits.push(Edit { span: span.clone(), with: text.to_string() });
                }
                continue;
            }
            // Each message but the first kept one brings the text between it and its neighbour (a comma, a line
            // end, white space), so that what is kept stays separated exactly as it was.
            let text = changes.message(&self.history, message);
            let gap = previous.map_or(span.start..span.start, |(before, _)| before.end..span.start);
            let kept_before = previous.is_some_and(|(_, kept)| kept);
            match text {
                Some(text) => {
                    if previous.is_some() && !kept_before {
                        edits.push(Edit { span: gap, with: String::new() });
                    }
                    if let Some(inserted) = inserted.take_if(|inserted| inserted.before <= message) {
                        let with = format!("{}{}{text}", inserted.raw, self.separator());
                        edits.push(Edit { span: span.clone(), with });
                    } else if text != self.source[span.clone()] {
                        edits.push(Edit { span: span.clone(), with: text.to_string() });
                    }
                }
                None => {
                    edits.push(Edit { span: gap.start..span.end, with: String::new() });
                }
            }
            previous = Some((span, kept_before || changes.message(&self.history, message).is_some()));
        }
        splice(&self.source, edits)
    }

    /// What stands between two messages.
    fn separator(&self) -> char {
        match self.layout {
            Layout::InPlace { frame: Frame::Lines, .. } => '\n',
            Layout::InPlace { frame: Frame::Request | Frame::Array, .. } | Layout::Extracted => ',',
        }
    }
}
