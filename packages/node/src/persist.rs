//! A function of the host's that keeps originals: asked from the thread that folds, answered from JavaScript's own.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use enfold_bindings::Persister;
use napi::Result;
use napi::bindgen_prelude::{FnArgs, Function};
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi_derive::napi;

/// What `lib/persist.js` makes of the host's function: an original, where it comes from as JSON, and whom to tell the path.
pub(crate) type Keep<'f> = Function<'f, FnArgs<(String, String, Reply)>, ()>;

/// Waits for the path of one original.
#[napi]
pub struct Reply {
    to: Mutex<Option<Sender<Option<String>>>>,
}

#[napi]
impl Reply {
    /// The path, if it was kept. Said once; later words are not heard.
    #[napi]
    pub fn path(&self, path: Option<String>) {
        if let Some(to) = self.to.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // Nobody waits any more where the process ends.
            let _ = to.send(path);
        }
    }
}

/// A persister that asks JavaScript and waits. JavaScript's own thread cannot wait for itself: what is folded there (a summary
/// that was just answered) names its handle alone.
pub(crate) fn persister(keep: Option<Keep>) -> Result<Option<Persister>> {
    let Some(keep) = keep else { return Ok(None) };
    let ask = keep.build_threadsafe_function().weak::<true>().build()?;
    let here = thread::current().id();
    Ok(Some(Persister::new(move |original, from| {
        if thread::current().id() == here {
            return None;
        }
        let (to, path) = channel();
        let reply = Reply { to: Mutex::new(Some(to)) };
        let words = (original.to_string(), from.to_string(), reply).into();
        ask.call(words, ThreadsafeFunctionCallMode::NonBlocking);
        path.recv().ok().flatten()
    })))
}
