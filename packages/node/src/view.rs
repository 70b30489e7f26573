//! A view. Its texts stay here; JavaScript asks for those that it has no object for.

use enfold_bindings::{Options, Origin, View as Folded};
use napi::bindgen_prelude::{AsyncTask, Int32Array};
use napi::{Error, Result, Status};
use napi_derive::napi;

use crate::persist::{Keep, persister};
use crate::texts::Texts;
use crate::work::{Work, later, now};

/// What to send.
#[napi]
pub struct View {
    folded: Folded,
}

impl From<Folded> for View {
    fn from(folded: Folded) -> View {
        View { folded }
    }
}

/// Folds messages or a whole session.
#[napi]
pub fn fold(texts: &Texts, options: String, keep: Option<Keep>) -> Result<AsyncTask<Work<View>>> {
    let (texts, persister) = (texts.clone(), persister(keep)?);
    Ok(later(move || folded(texts, Options { persister, ..Options::parse(&options)? })))
}

/// The same, here and now.
#[napi]
pub fn fold_sync(texts: &Texts, options: String) -> Result<View> {
    now(|| folded(texts.clone(), Options::parse(&options)?))
}

fn folded(texts: Texts, options: Options) -> std::result::Result<View, enfold_bindings::Error> {
    let folded = match texts.bytes {
        Some(bytes) => enfold_bindings::fold_bytes(bytes, &options)?,
        None => enfold_bindings::fold(&texts.messages, &options)?,
    };
    Ok(folded.into())
}

#[napi]
impl View {
    /// Where each message comes from: twice the place in the host's list, and one more if something is folded in it; -1 for
    /// none of the host's.
    #[napi]
    pub fn origins(&self) -> Int32Array {
        let coded = self.folded.origins.iter().map(|origin| match origin {
            Origin::Same(nth) => 2 * *nth as i32,
            Origin::Changed(nth) => 2 * *nth as i32 + 1,
            Origin::New => -1,
        });
        Int32Array::new(coded.collect())
    }

    /// One message as JSON.
    #[napi]
    pub fn text(&self, nth: u32) -> Result<&str> {
        let message = self.folded.messages.get(nth as usize);
        let message = message.map(|message| &**message);
        message.ok_or_else(|| Error::new(Status::InvalidArg, format!("the view has no message {nth}")))
    }

    /// How many messages there are.
    #[napi(getter)]
    pub fn length(&self) -> u32 {
        self.folded.messages.len() as u32
    }

    /// The system prompt as JSON.
    #[napi(getter)]
    pub fn system(&self) -> Option<&str> {
        self.folded.system.as_deref()
    }

    /// The wire format.
    #[napi(getter)]
    pub fn format(&self) -> &'static str {
        self.folded.format
    }

    /// Tokens of the view.
    #[napi(getter)]
    pub fn tokens(&self) -> u32 {
        self.folded.tokens as u32
    }

    /// How many messages, from the first on, are those of the view before, byte for byte.
    #[napi(getter)]
    pub fn unchanged(&self) -> u32 {
        self.folded.unchanged as u32
    }

    /// The epoch it belongs to.
    #[napi(getter)]
    pub fn epoch(&self) -> u32 {
        self.folded.epoch
    }

    /// Why this view opened a new epoch.
    #[napi(getter)]
    pub fn opened(&self) -> Option<&'static str> {
        self.folded.opened()
    }

    /// The key of the question that a model may be asked.
    #[napi(getter)]
    pub fn question(&self) -> Option<&str> {
        self.folded.question()
    }

    /// What it hides that no view before did: handle and original by turns.
    #[napi]
    pub fn originals(&self) -> Vec<&str> {
        self.folded.originals.iter().flat_map(|(handle, text)| [&**handle, &**text]).collect()
    }

    /// What is not whole in it, as JSON.
    #[napi]
    pub fn account(&self) -> String {
        self.folded.account()
    }

    /// What was done and why, as JSON.
    #[napi]
    pub fn trace(&self) -> String {
        self.folded.trace()
    }

    /// Everything about the view apart from its messages and originals, as JSON.
    #[napi]
    pub fn report(&self) -> String {
        self.folded.report()
    }
}
