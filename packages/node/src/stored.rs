//! A session that is kept in a database. Every call may wait for a disk, another process or a model: all of them are promises.

use std::sync::{Arc, Mutex, PoisonError};

use enfold_bindings::{Error, Listener, Message, OneAtATime, Options, StoredSession as Kept, Synced};
use napi::Result;
use napi::bindgen_prelude::{AsyncTask, Function};
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi_derive::napi;

use crate::persist::{Keep, persister};
use crate::texts::Texts;
use crate::view::View;
use crate::work::{Work, later, now};

/// A session in a database.
#[napi]
pub struct StoredSession {
    kept: Arc<OneAtATime<Kept>>,
    heard: Heard,
}

/// Events that JavaScript has not been told yet.
type Heard = Arc<Mutex<Vec<String>>>;

/// Opens a session. `on_event` is called, without words, when there is something to [`StoredSession::hear`].
#[napi]
pub fn open_stored(
    path: String,
    id: String,
    options: String,
    on_event: Option<Function<(), ()>>,
    keep: Option<Keep>,
) -> Result<AsyncTask<Work<StoredSession>>> {
    let heard = Heard::default();
    let listener = on_event.map(|on_event| listener(&on_event, heard.clone())).transpose()?;
    let persister = persister(keep)?;
    Ok(later(move || {
        let options = Options { persister, ..Options::parse(&options)? };
        let kept = Kept::open(&path, &id, &options, listener)?;
        Ok(StoredSession { kept: Arc::new(OneAtATime::new(kept)), heard })
    }))
}

/// Keeps what happens and wakes JavaScript up, which the work need not wait for.
fn listener(on_event: &Function<(), ()>, heard: Heard) -> Result<Listener> {
    let wake = on_event.build_threadsafe_function::<()>().weak::<true>().build()?;
    Ok(Arc::new(move |event: &str| {
        heard.lock().unwrap_or_else(PoisonError::into_inner).push(event.into());
        wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
    }))
}

#[napi]
impl StoredSession {
    /// Events since the last time, as JSON.
    #[napi]
    pub fn hear(&self) -> Vec<String> {
        std::mem::take(&mut *self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What the host's clock says, in milliseconds since 1970.
    #[napi]
    pub fn at(&self, now: f64) -> Result<()> {
        self.call(|session| {
            session.at(now);
            Ok(())
        })
    }

    /// Appends one message. When this is done, it is stored.
    #[napi]
    pub fn push(&self, text: String) -> AsyncTask<Work<()>> {
        self.later(move |session| session.push(Message::written(text)))
    }

    /// Takes over the list: so many of the messages that are there, then these. True if it only grew.
    #[napi]
    pub fn sync(&self, kept: u32, new: &Texts) -> AsyncTask<Work<bool>> {
        let new = new.clone();
        self.later(move |session| synced(session, kept, &new))
    }

    /// What to send now; of this list, if one is given.
    #[napi]
    pub fn prepare(&self, kept: u32, new: Option<&Texts>) -> AsyncTask<Work<View>> {
        let new = new.cloned();
        self.later(move |session| {
            if let Some(new) = &new {
                synced(session, kept, new)?;
            }
            Ok(session.prepare()?.into())
        })
    }

    /// Folds what the next request need not hold, if that saves much.
    #[napi]
    pub fn settle(&self) -> AsyncTask<Work<Option<View>>> {
        self.later(|session| Ok(session.settle()?.map(View::from)))
    }

    /// The original behind a handle of any view there ever was.
    #[napi]
    pub fn recall(&self, handle: String) -> AsyncTask<Work<Option<String>>> {
        self.later(move |session| Ok(session.recall(&handle)?.map(String::from)))
    }

    /// Messages that hold all words of a query, as JSON.
    #[napi]
    pub fn search(&self, query: String, limit: u32) -> AsyncTask<Work<String>> {
        self.later(move |session| session.search(&query, limit as usize))
    }

    /// The messages as they are stored.
    #[napi]
    pub fn texts(&self) -> AsyncTask<Work<Vec<String>>> {
        self.later(|session| Ok(session.texts().into_iter().map(String::from).collect()))
    }

    /// What clearing old outputs would bring, as JSON.
    #[napi]
    pub fn pruning(&self) -> AsyncTask<Work<String>> {
        self.later(|session| Ok(session.pruning()))
    }

    /// The messages of the view that was sent last.
    #[napi]
    pub fn last_texts(&self) -> AsyncTask<Work<Vec<String>>> {
        self.later(|session| Ok(session.last_view().into_iter().map(String::from).collect()))
    }

    /// The session in figures, as JSON.
    #[napi]
    pub fn figures(&self) -> AsyncTask<Work<String>> {
        self.later(|session| session.about())
    }

    /// What became of each message, as JSON.
    #[napi]
    pub fn fates(&self, since_compaction: bool) -> AsyncTask<Work<String>> {
        self.later(move |session| session.messages_told(since_compaction))
    }

    /// Takes in what the provider charged for the last request.
    #[napi]
    pub fn report(&self, input: u32, cache_read: u32, cache_write: u32, output: u32) -> Result<()> {
        self.call(|session| {
            session.report(input.into(), cache_read.into(), cache_write.into(), output.into());
            Ok(())
        })
    }

    /// The provider refused the last view as too long.
    #[napi]
    pub fn overflowed(&self, counted: Option<u32>) -> Result<()> {
        self.call(|session| {
            session.overflowed(counted.map(|counted| counted as usize));
            Ok(())
        })
    }

    /// The wire format.
    #[napi(getter)]
    pub fn format(&self) -> Result<&'static str> {
        self.call(|session| Ok(session.format()))
    }

    /// The epoch of the last view.
    #[napi(getter)]
    pub fn epoch(&self) -> Result<u32> {
        self.call(|session| Ok(session.epoch()))
    }

    /// How many messages of the host's list the session has.
    #[napi(getter)]
    pub fn length(&self) -> Result<u32> {
        self.call(|session| Ok(session.messages() as u32))
    }
}

impl StoredSession {
    fn later<T>(
        &self,
        call: impl FnOnce(&mut Kept) -> std::result::Result<T, Error> + Send + 'static,
    ) -> AsyncTask<Work<T>>
    where
        T: Send + 'static + napi::bindgen_prelude::ToNapiValue + napi::bindgen_prelude::TypeName,
    {
        let kept = self.kept.clone();
        later(move || kept.call(call))
    }

    fn call<R>(&self, call: impl FnOnce(&mut Kept) -> std::result::Result<R, Error>) -> Result<R> {
        now(|| self.kept.call(call))
    }
}

fn synced(session: &mut Kept, kept: u32, new: &Texts) -> std::result::Result<bool, Error> {
    let synced = session.sync_tail(kept as usize, &new.messages)?;
    Ok(matches!(synced, Synced::Grown(_)))
}
