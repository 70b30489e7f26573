//! Reading what a caller gives, as a document.

use enfold::file::document::Document;
use enfold::file::{self};

use crate::fold::{body, guess};
use crate::{Error, Message, Options};

/// A session as a caller has it.
#[derive(Clone, Copy)]
pub enum Given<'a> {
    /// Its messages, one by one.
    Messages(&'a [Message]),
    /// The bytes of a file: a request, a list, JSON lines, an agent's log, the notation.
    Bytes(&'a [u8]),
}

impl Given<'_> {
    pub(crate) fn document(self, options: &Options) -> Result<Document, Error> {
        match self {
            Given::Bytes(bytes) => read(bytes, options),
            Given::Messages(messages) => {
                let wire = match options.wire()? {
                    Some(wire) => wire,
                    None => guess(messages)?,
                };
                let body = body(wire, messages, &options.beside(wire)?);
                Ok(file::read_bytes_as(wire.name(), body)?)
            }
        }
    }
}

pub(crate) fn read(bytes: &[u8], options: &Options) -> Result<Document, Error> {
    Ok(match options.format.as_deref() {
        Some(format) => file::read_bytes_as(format, bytes.to_vec())?,
        None => file::read_bytes(bytes.to_vec())?,
    })
}
