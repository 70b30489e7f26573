//! Items: the smallest things a history is made of, and the wire messages they stand in.

use std::borrow::Cow;
use std::ops::Range;

use bytestring::ByteString;
use serde::{Deserialize, Serialize};

use super::{Ids, ItemId, MessageId, Span, Texts};

/// Who speaks in a wire message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The operator's instructions.
    System,
    /// Instructions below the system's, above the user's.
    Developer,
    /// The person, or the harness on their behalf.
    User,
    /// The model.
    Assistant,
    /// A tool's answer, in formats that give it a message of its own.
    Tool,
    /// Nobody the format knows: a role it has not, no role at all, no message at all. It is carried along and counted.
    Unknown,
}

/// One message as the wire format knows it (in OpenAI Responses: one input item).
#[derive(Clone, Debug)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The message exactly as it was written.
    pub raw: ByteString,
    /// Where the format puts it.
    pub slot: Slot,
    /// Its items.
    pub items: Range<ItemId>,
    /// Names of fields that no item carries (`cache_control`, `name`, provider extensions). They survive splicing;
    /// a conversion to another format reports them as lost.
    pub extras: Box<[ByteString]>,
}

/// Where in a request a message stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// An element of the list of messages.
    List,
    /// A field of its own beside the list: Anthropic `system`, Responses `instructions`, Gemini `systemInstruction`.
    Head,
}

/// The smallest thing that can be folded.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// The message it stands in.
    pub message: MessageId,
    /// The turn it belongs to; 0 is what stands before the first user message.
    pub turn: u32,
    /// The step it belongs to, counted from 1; `None` outside steps.
    pub step: Option<u32>,
    /// Where the whole item stands in the message's raw text.
    pub span: Span,
    /// What the model reads of it, piece by piece.
    pub texts: Texts,
    /// The result this item is part of, for media inside a tool result.
    pub within: Option<ItemId>,
}

/// A piece of text the model reads, and where it stands in its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The decoded text.
    pub value: ByteString,
    /// The JSON value that carries it, in the message's raw text.
    pub span: Span,
    /// How `value` is spelled at `span`.
    pub spelling: Spelling,
}

/// How a text is spelled in its wire message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spelling {
    /// As a JSON string literal.
    Quoted,
    /// As JSON itself: an arguments object, a structured result. The text is the JSON.
    #[serde(rename = "plain")]
    Json,
}

/// What an item is. What is larger than a pointer stands elsewhere: most items are plain text, and each would take the
/// room of the largest kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// Plain text.
    Text,
    /// The model's thinking.
    Reasoning(Reasoning),
    /// A call of a tool; its one text is the arguments.
    Call(Box<Call>),
    /// A tool's answer.
    Result(Box<CallResult>),
    /// An image, a document, a sound.
    Media(Box<Media>),
    /// A summary that stands for older messages.
    Summary,
    /// Anything else. It is carried along byte for byte and counted by its JSON.
    Other(Box<ByteString>),
}

/// The model's thinking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reasoning {
    /// Size in bytes of the opaque part: a signature or encrypted content. 0 where there is none.
    pub opaque: usize,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The provider's id; empty where the format has none.
    pub id: ByteString,
    /// The tool's name.
    pub name: ByteString,
    /// Free text instead of a JSON object as input.
    pub freeform: bool,
}

/// A tool's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    /// Id of the call it answers; empty where the format has none.
    pub call: ByteString,
    /// The tool's name, where the result carries it.
    pub name: Option<ByteString>,
    /// Whether the format marks it as an error.
    pub is_error: bool,
    /// Where the value stands that the tool returned, if that is an object or a list with the item's texts inside. What stands around
    /// them (keys, numbers, short strings) is never folded; the model reads all of it, so all of it is counted.
    pub structure: Option<Span>,
}

/// An image, a document, a sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Media {
    /// What kind it is.
    pub kind: MediaKind,
    /// Its media type, where stated.
    pub mime: Option<ByteString>,
    /// Where its bytes are.
    pub source: MediaSource,
}

/// The kinds of media that models count differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaKind {
    /// A picture.
    Image,
    /// A document such as a PDF.
    Document,
    /// A sound.
    Audio,
}

/// Where the bytes of a media item are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediaSource {
    /// In the message, as base64 at this span of the raw text (of the JSON string literal).
    Inline(Span),
    /// Somewhere else: a URL or a file id.
    Remote(ByteString),
}

/// What [`ItemKind::Other`] calls lines of a file that are no JSON. Their message holds them as a JSON string, because
/// a message is JSON wherever it goes; in the file they stand as they came.
pub const NOT_JSON: &str = "not JSON";

impl Message {
    /// The ids of its items, in order.
    pub fn item_ids(&self) -> Ids<ItemId> {
        ItemId::each(self.items.clone())
    }
}

impl Item {
    /// An item without text, as a format reads it: the history gives it its place.
    pub fn new(kind: ItemKind, span: impl Into<Span>) -> Item {
        Item {
            kind,
            message: MessageId::FIRST,
            turn: 0,
            step: None,
            span: span.into(),
            texts: Texts::new(),
            within: None,
        }
    }

    /// All text of the item, piece after piece, joined by line feeds. Borrowed where there is one piece, as nearly always.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.texts[..] {
            [] => Cow::Borrowed(""),
            [text] => Cow::Borrowed(&text.value),
            texts => texts.iter().map(|text| &*text.value).collect::<Vec<_>>().join("\n").into(),
        }
    }

    /// The call, if this is one.
    pub fn call(&self) -> Option<&Call> {
        match &self.kind {
            ItemKind::Call(call) => Some(call),
            _ => None,
        }
    }

    /// The result, if this is one.
    pub fn result(&self) -> Option<&CallResult> {
        match &self.kind {
            ItemKind::Result(result) => Some(result),
            _ => None,
        }
    }
}

impl Role {
    /// The word for it, in Enfold's notation and tables.
    pub fn name(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::Developer => "developer",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
            Role::Unknown => "unknown",
        }
    }
}

impl ItemKind {
    /// The word for it, in Enfold's notation and tables.
    pub fn name(&self) -> &'static str {
        match self {
            ItemKind::Text => "text",
            ItemKind::Reasoning(_) => "reasoning",
            ItemKind::Call(_) => "call",
            ItemKind::Result(_) => "result",
            ItemKind::Media(_) => "media",
            ItemKind::Summary => "summary",
            ItemKind::Other(_) => "other",
        }
    }
}
