//! One call at a time: hosts call from many threads.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use crate::{Code, Error};

/// Something that many threads call. They wait for each other; a thread that would wait for itself (a session that is called
/// from inside one of its own events) is told so instead.
pub struct OneAtATime<T> {
    value: Mutex<T>,
    holder: Mutex<Option<ThreadId>>,
}

impl<T> OneAtATime<T> {
    /// Shared from now on.
    pub fn new(value: T) -> OneAtATime<T> {
        OneAtATime { value: Mutex::new(value), holder: Mutex::new(None) }
    }

    /// Calls it, alone. To be called without any lock of the host's own (Python's, for one): waiting may take long.
    pub fn call<R>(&self, call: impl FnOnce(&mut T) -> Result<R, Error>) -> Result<R, Error> {
        let me = thread::current().id();
        if *self.holder() == Some(me) {
            return Err(Error::new(
                Code::Reentered,
                "the session is at work: it was called from inside one of its own events; call it afterwards",
            ));
        }
        let mut value = self.value.lock().map_err(|_| broken())?;
        let _held = Held::by(me, &self.holder);
        call(&mut value)
    }

    fn holder(&self) -> MutexGuard<'_, Option<ThreadId>> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who is at it, until dropped, however the call ends.
struct Held<'h>(&'h Mutex<Option<ThreadId>>);

impl Held<'_> {
    fn by(thread: ThreadId, holder: &Mutex<Option<ThreadId>>) -> Held<'_> {
        *holder.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Held(holder)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

fn broken() -> Error {
    Error::new(
        Code::Broken,
        "a call before this one failed inside Enfold, and what it left cannot be trusted; begin a new session",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_does_not_wait_for_itself() {
        let shared = OneAtATime::new(1);
        let inner = shared.call(|_| Ok(shared.call(|value| Ok(*value)).unwrap_err().code)).unwrap();
        assert_eq!(inner, Code::Reentered);
        assert_eq!(shared.call(|value| Ok(*value)), Ok(1), "afterwards it answers again");
    }

    #[test]
    fn threads_wait_for_each_other() {
        let shared = OneAtATime::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        shared.call(|value| Ok(std::mem::replace(value, *value + 1))).unwrap();
                    }
                });
            }
        });
        assert_eq!(shared.call(|value| Ok(*value)), Ok(8_000));
    }

    #[test]
    fn what_panicked_is_not_trusted() {
        let shared = OneAtATime::new(0);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            shared.call(|_| -> Result<(), Error> { panic!("a fault of ours") })
        }));
        assert!(panicked.is_err());
        assert_eq!(shared.call(|value| Ok(*value)).unwrap_err().code, Code::Broken);
    }
}
