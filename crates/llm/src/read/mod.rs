//! Reading answers: whole ones and streams of events, in the shapes of the three APIs.

mod anthropic;
mod chat;
mod responses;

use bytestring::ByteString;
use enfold::json::{Kind, Raw};

use crate::{Answer, Api, Error, Finish, Usage, classify};

/// An answer of which parts have been read.
#[derive(Debug, Default)]
pub(crate) struct Partial {
    pub(crate) text: String,
    message: Vec<ByteString>,
    finish: Option<Finish>,
    usage: Option<Usage>,
    has_calls: bool,
    is_refused: bool,
    /// Nothing more will come, whatever the connection does.
    pub(crate) is_ended: bool,
}

impl Partial {
    /// Reads the body of an answer that came in one piece.
    pub(crate) fn read_whole(&mut self, api: Api, body: &str) -> Result<(), Error> {
        let root = parse(body)?;
        check_for_error(root)?;
        match api {
            Api::Anthropic => anthropic::whole(root, self),
            Api::Chat => chat::whole(root, self),
            Api::Responses => responses::whole(root, self),
        }
    }

    /// Reads the data of one event.
    pub(crate) fn read_event(&mut self, api: Api, data: &str) -> Result<(), Error> {
        if data.trim() == "[DONE]" {
            self.is_ended = true;
            return Ok(());
        }
        let event = parse(data)?;
        check_for_error(event)?;
        match api {
            Api::Anthropic => anthropic::event(event, self),
            Api::Chat => chat::event(event, self),
            Api::Responses => responses::event(event, self),
        }
    }

    /// True once the model has said why it stopped: from then on a broken connection loses at most the token numbers.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_ended || self.finish.is_some()
    }

    /// The answer, if [`Partial::is_complete`].
    pub(crate) fn into_answer(self) -> Answer {
        let finish = match self.finish {
            _ if self.is_refused => Finish::Refusal,
            // Some servers say `stop` for an answer that is nothing but calls.
            Some(Finish::Stop) | None if self.has_calls && self.text.trim().is_empty() => Finish::ToolCall,
            Some(finish) => finish,
            None => Finish::Other("not stated".into()),
        };
        Answer { text: self.text, message: self.message, finish, usage: self.usage, retried: Vec::new() }
    }
}

/// The error for an answer that is not what this API answers with.
pub(crate) fn unreadable(why: impl Into<String>, text: &str) -> Error {
    // Long enough that a key in it is whole when it is searched for.
    Error::NotJson { why: why.into(), excerpt: text.chars().take(4_000).collect() }
}

fn parse(text: &str) -> Result<Raw<'_>, Error> {
    Raw::parse(text).map_err(|why| unreadable(why.to_string(), text))
}

/// Errors also come with status 200: inside streams, and from servers that relay another's.
fn check_for_error(root: Raw) -> Result<(), Error> {
    let has_error = root.get("error").is_some_and(|error| !error.is_null());
    match has_error || root.str_at("type").as_deref() == Some("error") {
        true => Err(classify::inside(root)),
        false => Ok(()),
    }
}

/// Text that is a string, or a list of parts of which some are text.
fn push_text(content: Raw, out: &mut String) {
    match content.kind() {
        Kind::String => out.push_str(&content.str().unwrap_or_default()),
        Kind::Array => {
            for part in content.elements().filter(|part| is_text(part.str_at("type").as_deref())) {
                out.push_str(&part.str_at("text").unwrap_or_default());
            }
        }
        _ => {}
    }
}

fn is_text(kind: Option<&str>) -> bool {
    matches!(kind, Some("text" | "output_text"))
}
