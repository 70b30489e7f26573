//! A file that was read: its history, and how to write it back.

use std::ops::Range;

use bytestring::ByteString;

use crate::count::{Counter, Usage, weigh};
use crate::finding::Finding;
use crate::history::{History, MessageId, Slot};
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
    /// When messages came, in seconds since 1970, in their order; only those of which the file says when.
    pub times: Vec<(MessageId, u64)>,
    /// Whether the provider was asked to keep prompts for the longer of two lifetimes, as far as the file says.
    pub is_kept_long: bool,
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
            let messages = self.history.message_ids().zip(self.history.messages());
            let messages = messages.filter(move |(id, it)| it.slot == slot && !self.history.is_rubble(*id));
            messages.map(|(_, message)| Raw::trusted(&message.raw))
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
                messages
                    .into_iter()
                    .find(|(_, message)| message.slot == Slot::List)
                    .map(|(span, _)| span.start)
            }
            Layout::Extracted => None,
        };
        let holds = |value: Raw| list.is_some_and(|start| value.span_in(&self.source).contains(&start));
        let around = self.root().map_or_else(Around::default, |root| Around::of(root, holds));
        let around = around.with_model(self.model.clone());
        around.with_tools(self.tools.clone()).unwrap_or_default()
    }

    /// What the model reads beside messages and tools: schemas of its answer, and their like.
    pub fn schemas<'a>(&self, around: &'a Around) -> impl Iterator<Item = Raw<'a>> + use<'a> {
        let root = around.root();
        let paths = self.wire.shape().schemas.iter();
        paths.filter_map(move |path| root?.at(path)).filter(|schema| !schema.is_null())
    }

    /// Tokens of what the model reads beside the messages: tool definitions, schemas of its answer.
    pub fn count_beside(&self, around: &Around, counter: &dyn Counter) -> usize {
        let tools = self.tools.as_ref().map_or(0, |tools| weigh::count_tools(counter, Raw::trusted(tools)));
        tools + self.schemas(around).map(|schema| weigh::count_tools(counter, schema)).sum::<usize>()
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

    /// Only what the view dropped or changed is touched: every element of the list and every line of the file is a
    /// message of the history, so that between two of them stand separators and nothing else.
    fn splice_messages(&self, changes: &Changes, spans: &[Range<usize>]) -> String {
        let history = &self.history;
        let mut edits = Vec::new();
        let mut inserted = changes.inserted();
        let mut previous: Option<(&Range<usize>, bool)> = None;
        for (message, span) in history.message_ids().zip(spans) {
            let text = changes.message(history, message);
            let is_changed = text.as_ref().is_some_and(|text| *text != history.message(message).raw);
            if history.message(message).slot == Slot::Head {
                let changed = text.filter(|_| is_changed);
                edits.extend(changed.map(|text| Edit { span: span.clone(), with: text.to_string() }));
                continue;
            }
            // Each message but the first kept one brings the text between it and its neighbour (a comma, a line
            // end, white space), so that what is kept stays separated exactly as it was.
            let gap = previous.map_or(span.start..span.start, |(before, _)| before.end..span.start);
            debug_assert!(is_separator(&self.source[gap.clone()]), "what is between messages is no message");
            let kept_before = previous.is_some_and(|(_, kept)| kept);
            let put_in = inserted.take_if(|inserted| inserted.before <= message && text.is_some());
            match text {
                Some(text) => {
                    if previous.is_some() && !kept_before {
                        edits.push(Edit { span: gap, with: String::new() });
                    }
                    if let Some(put_in) = put_in {
                        let with = format!("{}{}", put_in.raw, self.separator());
                        edits.push(Edit { span: span.start..span.start, with });
                    }
                    if is_changed {
                        edits.push(Edit { span: span.clone(), with: text.to_string() });
                    }
                    previous = Some((span, true));
                }
                None => {
                    edits.push(Edit { span: gap.start..span.end, with: String::new() });
                    previous = Some((span, kept_before));
                }
            }
        }
        // Everything behind its place has left: it stands behind the last message that is kept.
        if let (Some(put_in), Some((last, kept))) = (inserted, previous) {
            let before = if kept { self.separator().to_string() } else { String::new() };
            edits.push(Edit { span: last.end..last.end, with: format!("{before}{}", put_in.raw) });
        }
        splice(&self.source, edits)
    }

    /// What stands between two messages.
    fn separator(&self) -> &'static str {
        match self.layout {
            Layout::InPlace { frame, .. } => frame.separator(),
            Layout::Extracted => Frame::Request.separator(),
        }
    }
}

impl Frame {
    /// What stands between two messages.
    pub(crate) fn separator(self) -> &'static str {
        match self {
            Frame::Lines => "\n",
            Frame::Request | Frame::Array => ",",
        }
    }
}

/// Whether a text is what stands between two elements of an array, or two lines.
fn is_separator(text: &str) -> bool {
    text.chars().all(|letter| letter == ',' || letter.is_whitespace())
}
