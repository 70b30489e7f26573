//! One message as JSON, checked.

use bytestring::ByteString;
use enfold::json::{Kind, Raw};

use crate::Error;

/// A message as JSON text: surely an object. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message(ByteString);

impl Message {
    /// Checks a text that came from outside; `nth` is its place in the host's list, for the error.
    pub fn parse(nth: usize, text: impl Into<ByteString>) -> Result<Message, Error> {
        let text = text.into();
        let raw = Raw::parse(&text).map_err(|error| Error::of_message(nth, format!("not JSON: {error}")))?;
        match raw.kind() {
            // White space around a value is no part of it.
            Kind::Object => Ok(Message(text.slice_ref(raw.text()))),
            other => {
                Err(Error::of_message(nth, format!("a message is a JSON object, not {}", described(other))))
            }
        }
    }

    /// A text that a walk over a host's object has just written: an object by construction.
    pub fn written(text: impl Into<ByteString>) -> Message {
        let message = Message(text.into());
        debug_assert!(Message::parse(0, message.0.clone()).is_ok(), "{}", message.0);
        message
    }

    /// Its text.
    pub fn text(&self) -> &ByteString {
        &self.0
    }
}

/// What detection looks at.
pub(crate) fn raws(messages: &[Message]) -> Vec<Raw<'_>> {
    /// Detection looks at no more.
    const SAMPLE: usize = 400;
    messages.iter().take(SAMPLE).filter_map(|message| Raw::parse(&message.0).ok()).collect()
}

impl From<Message> for ByteString {
    fn from(message: Message) -> ByteString {
        message.0
    }
}

fn described(kind: Kind) -> &'static str {
    match kind {
        Kind::Object => "an object",
        Kind::Array => "a list",
        Kind::String => "a text",
        Kind::Number => "a number",
        Kind::Bool => "true or false",
        Kind::Null => "null",
    }
}
