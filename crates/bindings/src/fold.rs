//! Folding once: a list of messages, or the bytes of any session.

use std::sync::Arc;

use enfold::folding::persist::Persist;
use enfold::wire::{OpenAiChat, Wire};
use enfold::{Folded, HandleKey, Options as Once, fold_once};

use crate::message::raws;
use crate::options::{Beside, wire_names};
use crate::{Code, Error, Message, Options, View, format};

/// Folds a list of messages of any wire format: what fits stays as it is, and the view says of each message whether it is
/// one of these.
pub fn fold(messages: &[Message], options: &Options) -> Result<View, Error> {
    let wire = match options.wire()? {
        Some(wire) => wire,
        None => guess(messages)?,
    };
    let beside = options.beside(wire)?;
    let first = beside.system.as_deref().or(messages.first().map(|message| &**message.text()));
    let once = once(options, Some(wire.name()), first.unwrap_or_default())?;
    let folded = fold_once(body(wire, messages, &beside), &once)?;
    Ok(View::of_folded(folded))
}

/// Folds the bytes of any session: a request, a list, JSON lines, an agent's log. Every message of the view is JSON; those of
/// a log are what its agent would send.
pub fn fold_bytes(bytes: Vec<u8>, options: &Options) -> Result<View, Error> {
    let document = format::read(&bytes, options)?;
    let first = document.history.messages().first().map_or(String::new(), |message| message.raw.to_string());
    let once = once(options, options.format.as_deref(), &first)?;
    let folded: Folded = fold_once(bytes, &once)?;
    Ok(View::of_folded(folded))
}

/// The wire format of a list, by content. A list that fits several is read as OpenAI Chat, which loses nothing.
pub(crate) fn guess(messages: &[Message]) -> Result<&'static dyn Wire, Error> {
    if messages.is_empty() {
        return Ok(&OpenAiChat);
    }
    match enfold::file::detect_messages(&raws(messages)) {
        Some((wire, _)) => Ok(wire),
        None => Err(Error::new(
            Code::BadInput,
            format!("the messages are of no format that is known; name one: format= {}", wire_names()),
        )),
    }
}

/// A request body with these messages: what [`fold_once`] reads.
pub(crate) fn body(wire: &dyn Wire, messages: &[Message], beside: &Beside) -> Vec<u8> {
    let length: usize = messages.iter().map(|message| message.text().len() + 1).sum();
    let mut body = String::with_capacity(length + 64);
    let shape = wire.shape();
    // A list without a message is none that a file would hold; a request before its first message is one.
    let is_list = beside.system.is_none() && beside.tools.is_none() && !messages.is_empty();
    if !is_list {
        body.push('{');
        if let (Some(key), Some(system)) = (shape.head, &beside.system) {
            body += &format!("\"{key}\":{system},");
        }
        if let Some(tools) = &beside.tools {
            body += &format!("\"tools\":{tools},");
        }
        body += &format!("\"{}\":", shape.list);
    }
    body.push('[');
    for (nth, message) in messages.iter().enumerate() {
        if nth > 0 {
            body.push(',');
        }
        body += message.text();
    }
    body.push(']');
    if !is_list {
        body.push('}');
    }
    body.into_bytes()
}

fn once(options: &Options, format: Option<&str>, first: &str) -> Result<Once, Error> {
    let handles = handles(options, first);
    let policy = options.policy()?;
    let room = options.room_once(&policy)?;
    let mut once = Once::budget(room.limit, handles);
    (once.starts, once.target, once.window) = (room.starts, Some(room.target), Some(room.window));
    (once.counter, once.cache) = (options.counter()?, options.cache()?);
    once.policy = policy;
    once.model = options.model.clone();
    once.format = format.map(String::from);
    once.persister = options.persister.clone().map(|keep| Arc::new(keep) as Arc<dyn Persist>);
    Ok(once)
}

/// Makes handles from the session's name, else from its first message, as the command does: so that `enfold unfold` opens
/// them from the session's file.
pub(crate) fn handles(options: &Options, first: &str) -> HandleKey {
    let name = options.name.as_deref().unwrap_or(first);
    match &options.secret {
        Some(secret) => HandleKey::new(secret.as_bytes(), name),
        None => HandleKey::guessable(name),
    }
}
