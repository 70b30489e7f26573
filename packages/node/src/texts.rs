//! Messages on their way in.

use enfold_bindings::{Given, Message};
use napi::bindgen_prelude::{Buffer, Either};
use napi_derive::napi;

/// Messages as JSON, or the bytes of a whole session. Filled a few at a time, so that nobody waits for the whole list.
#[napi]
#[derive(Clone)]
pub struct Texts {
    pub(crate) messages: Vec<Message>,
    pub(crate) bytes: Option<Vec<u8>>,
}

#[napi]
impl Texts {
    /// Of messages; or of a whole session, if one is given.
    #[napi(constructor)]
    pub fn new(whole: Option<Either<String, Buffer>>) -> Texts {
        let bytes = whole.map(|whole| match whole {
            Either::A(text) => text.into_bytes(),
            Either::B(bytes) => bytes.to_vec(),
        });
        Texts { messages: Vec::new(), bytes }
    }

    /// Appends a message that `written.js` wrote.
    #[napi]
    pub fn push(&mut self, text: String) {
        self.messages.push(Message::written(text));
    }
}

impl Texts {
    pub(crate) fn given(&self) -> Given<'_> {
        match &self.bytes {
            Some(bytes) => Given::Bytes(bytes),
            None => Given::Messages(&self.messages),
        }
    }
}
