//! Work on another thread, and how its errors become exceptions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use enfold_bindings::{Code, Error};
use napi::bindgen_prelude::{AsyncTask, ToNapiValue, TypeName};
use napi::{Env, Result, Status, Task};

/// Something to be done on a thread of Node's pool.
pub struct Work<T>(Option<Box<dyn FnOnce() -> Outcome<T> + Send>>);

type Outcome<T> = std::result::Result<T, Error>;

/// Does it there; the promise of it.
pub(crate) fn later<T: Send + 'static + ToNapiValue + TypeName>(
    work: impl FnOnce() -> Outcome<T> + Send + 'static,
) -> AsyncTask<Work<T>> {
    AsyncTask::new(Work(Some(Box::new(work))))
}

/// Does it here.
pub(crate) fn now<T>(work: impl FnOnce() -> Outcome<T>) -> Result<T> {
    // A panic must not cross into C, where it ends the process.
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Error::new(Code::Broken, "Enfold failed in itself; please report what was given"))
    });
    done.map_err(|error| exception(&error))
}

/// An error on its way to `lib/errors.js`, which makes an exception of it: code, place of the message and text, by lines.
pub(crate) fn exception(error: &Error) -> napi::Error {
    let place = error.message.map_or(String::new(), |nth| nth.to_string());
    napi::Error::new(Status::GenericFailure, format!("enfold\n{}\n{place}\n{error}", error.code.name()))
}

impl<T: Send + 'static + ToNapiValue + TypeName> Task for Work<T> {
    type Output = T;
    type JsValue = T;

    fn compute(&mut self) -> Result<T> {
        match self.0.take() {
            Some(work) => now(work),
            None => Err(exception(&Error::new(Code::Broken, "the work was done before"))),
        }
    }

    fn resolve(&mut self, _: Env, done: T) -> Result<T> {
        Ok(done)
    }
}
