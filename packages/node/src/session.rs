//! A session in memory.

use std::sync::Arc;

use enfold_bindings::{Cache, Error, Message, OneAtATime, Options, Session as Live, Synced};
use napi::Result;
use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;

use crate::persist::{Keep, persister};
use crate::texts::Texts;
use crate::view::View;
use crate::work::{Work, later, now};

/// A running session in memory. `lib/session.js` sees to it that calls come one after the other.
#[napi]
pub struct Session {
    live: Arc<OneAtATime<Live>>,
}

#[napi]
impl Session {
    /// Options are JSON.
    #[napi(constructor)]
    pub fn new(options: String, keep: Option<Keep>) -> Result<Session> {
        let persister = persister(keep)?;
        now(|| {
            let options = Options { persister, ..Options::parse(&options)? };
            Ok(Session { live: Arc::new(OneAtATime::new(Live::new(options)?)) })
        })
    }

    /// Appends one message.
    #[napi]
    pub fn push(&self, text: String) -> Result<()> {
        self.call(|live| live.push(Message::written(text)))
    }

    /// Takes over the list: so many of the messages that are there, then these. True if it only grew.
    #[napi]
    pub fn sync(&self, kept: u32, new: &Texts) -> Result<bool> {
        self.call(|live| synced(live, kept, new))
    }

    /// Says what stands beside the messages from the next sync on, as JSON.
    #[napi]
    pub fn surround(&self, system: Option<String>, tools: Option<String>) -> Result<()> {
        self.call(|live| live.surround(system.map(Into::into), tools.map(Into::into)))
    }

    /// What to send now; of this list, if one is given.
    #[napi]
    pub fn prepare(&self, kept: u32, new: Option<&Texts>, cold: bool) -> AsyncTask<Work<View>> {
        let (live, new) = (self.live.clone(), new.cloned());
        later(move || live.call(|live| prepared(live, kept, new.as_ref(), cold)))
    }

    /// The same, here and now.
    #[napi]
    pub fn prepare_sync(&self, kept: u32, new: Option<&Texts>, cold: bool) -> Result<View> {
        self.call(|live| prepared(live, kept, new, cold))
    }

    /// Folds what the next request need not hold, if that saves much.
    #[napi]
    pub fn settle(&self) -> AsyncTask<Work<Option<View>>> {
        let live = self.live.clone();
        later(move || live.call(|live| Ok(live.settle().map(View::from))))
    }

    /// The same, here and now.
    #[napi]
    pub fn settle_sync(&self) -> Result<Option<View>> {
        self.call(|live| Ok(live.settle().map(View::from)))
    }

    /// The original behind a handle.
    #[napi]
    pub fn recall(&self, handle: String) -> Result<Option<String>> {
        self.call(|live| Ok(live.recall(&handle)?.map(String::from)))
    }

    /// Takes in how many input tokens the provider counted for the last view.
    #[napi]
    pub fn report(&self, input_tokens: u32) -> Result<()> {
        self.call(|live| {
            live.report(input_tokens as usize);
            Ok(())
        })
    }

    /// The provider refused the last view as too long.
    #[napi]
    pub fn overflowed(&self, counted: Option<u32>) -> Result<()> {
        self.call(|live| {
            live.overflowed(counted.map(|counted| counted as usize));
            Ok(())
        })
    }

    /// The waiting question, as JSON.
    #[napi]
    pub fn question(&self, key: String, window: u32) -> Result<Option<String>> {
        self.call(|live| Ok(live.question(&key, window as usize)))
    }

    /// The key of a question whose answer will be needed soon.
    #[napi]
    pub fn question_ahead(&self) -> Result<Option<String>> {
        self.call(|live| Ok(live.question_ahead()))
    }

    /// Takes in what a model answered.
    #[napi]
    pub fn answer(&self, key: String, text: String, finish: String) -> Result<()> {
        self.call(|live| live.answer(&key, &text, &finish))
    }

    /// Nobody will answer the question.
    #[napi]
    pub fn give_up(&self, key: String) -> Result<()> {
        self.call(|live| {
            live.give_up(&key);
            Ok(())
        })
    }

    /// What another process needs beside the messages to go on with the same view.
    #[napi]
    pub fn checkpoint(&self) -> Result<Option<String>> {
        self.call(|live| Ok(live.checkpoint()))
    }

    /// Goes on as another process did.
    #[napi]
    pub fn reopen(&self, checkpoint: String) -> Result<()> {
        self.call(|live| live.reopen(&checkpoint))
    }

    /// What clearing old outputs would bring, as JSON.
    #[napi]
    pub fn pruning(&self) -> Result<String> {
        self.call(|live| Ok(live.pruning()))
    }

    /// Notes a file as changed by the session.
    #[napi]
    pub fn mark_modified(&self, path: String) -> Result<()> {
        self.call(|live| {
            live.mark_modified(&path);
            Ok(())
        })
    }

    /// Whether the next view will have to be folded anew.
    #[napi]
    pub fn is_full(&self) -> Result<bool> {
        self.call(|live| Ok(live.is_full()))
    }

    /// How long the provider keeps a request in its cache.
    #[napi(getter)]
    pub fn cache_seconds(&self) -> Result<f64> {
        self.call(|live| Ok(live.cache_lifetime()?.as_secs_f64()))
    }

    /// The wire format.
    #[napi(getter)]
    pub fn format(&self) -> Result<&'static str> {
        self.call(|live| Ok(live.format()))
    }

    /// The epoch of the last view.
    #[napi(getter)]
    pub fn epoch(&self) -> Result<u32> {
        self.call(|live| Ok(live.epoch()))
    }

    /// How many messages of the host's list the session has.
    #[napi(getter)]
    pub fn length(&self) -> Result<u32> {
        self.call(|live| Ok(live.messages() as u32))
    }
}

impl Session {
    fn call<R>(&self, call: impl FnOnce(&mut Live) -> std::result::Result<R, Error>) -> Result<R> {
        now(|| self.live.call(call))
    }
}

fn synced(live: &mut Live, kept: u32, new: &Texts) -> std::result::Result<bool, Error> {
    let synced = live.sync_tail(kept as usize, &new.messages)?;
    Ok(matches!(synced, Synced::Grown(_)))
}

fn prepared(live: &mut Live, kept: u32, new: Option<&Texts>, cold: bool) -> std::result::Result<View, Error> {
    if let Some(new) = new {
        synced(live, kept, new)?;
    }
    Ok(live.prepare(if cold { Cache::Cold } else { Cache::Warm })?.into())
}
