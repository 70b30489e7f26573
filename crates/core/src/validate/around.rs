//! What stands around the messages of a request.

use bytestring::ByteString;

use super::Request;
use crate::json::Raw;

/// Everything of a request that is no message: the fields of its object, its tools, its model. Kept apart from the
/// messages, because a view changes those alone and is judged in the request that it will be part of.
#[derive(Clone, Debug, Default)]
pub struct Around {
    root: Option<ByteString>,
    tools: Option<ByteString>,
    model: Option<ByteString>,
}

/// A list of messages that nothing is known about.
pub(crate) static NOTHING_AROUND: Around = Around { root: None, tools: None, model: None };

impl Around {
    /// What stands around the messages of a request object. `is_list` tells which value is the list itself: it is left
    /// empty, so that looking at the object does not cost a walk over all messages.
    pub fn of(root: Raw, is_list: impl Fn(Raw) -> bool) -> Around {
        let members = root.members_with_keys().map(|(key, value)| {
            let value = if is_list(value) { "[]" } else { value.text() };
            format!("{}:{value}", key.text())
        });
        let fields = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
        Around { root: Some(fields.into()), tools: None, model: None }
    }

    /// Adds the tool definitions: a JSON array.
    ///
    /// # Errors
    /// If it is no JSON.
    pub fn with_tools(self, tools: Option<ByteString>) -> Result<Around, crate::json::NotJson> {
        tools.as_deref().map(Raw::parse).transpose()?;
        Ok(Around { tools, ..self })
    }

    /// Adds the model's id.
    pub fn with_model(self, model: Option<ByteString>) -> Around {
        Around { model, ..self }
    }

    /// The request object, without its messages.
    pub fn root(&self) -> Option<Raw<'_>> {
        self.root.as_deref().map(Raw::trusted)
    }

    /// The tool definitions.
    pub fn tools(&self) -> Option<Raw<'_>> {
        self.tools.as_deref().map(Raw::trusted)
    }

    /// The request with these messages.
    pub fn request<'a>(&'a self, head: Option<Raw<'a>>, messages: Vec<Raw<'a>>) -> Request<'a> {
        Request { root: self.root(), head, messages, tools: self.tools(), model: self.model.as_deref() }
    }
}
