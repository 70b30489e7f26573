//! Originals that somebody keeps where the agent can read them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::view::fold::Handle;

/// Keeps originals, and says where. A function does: `|handle, original| Some(path)`.
///
/// It is asked before a view leaves that hides the original, once for each. Where it fails and returns `None`, the fold
/// names its handle alone. The same original must always get the same path: views are compared byte for byte.
pub trait Persist: Send + Sync {
    /// Keeps an original. Returns its path, as the agent would name it.
    fn persist(&self, handle: Handle, original: &str) -> Option<String>;
}

impl<F> Persist for F
where
    F: Fn(Handle, &str) -> Option<String> + Send + Sync,
{
    fn persist(&self, handle: Handle, original: &str) -> Option<String> {
        self(handle, original)
    }
}

/// Asks once for each original: passes look at what a fold would save before they make it.
pub(crate) struct Remembered {
    persist: Arc<dyn Persist>,
    paths: Mutex<BTreeMap<Handle, Option<String>>>,
}

impl Remembered {
    pub(crate) fn new(persist: Arc<dyn Persist>) -> Remembered {
        Remembered { persist, paths: Mutex::default() }
    }
}

impl Persist for Remembered {
    fn persist(&self, handle: Handle, original: &str) -> Option<String> {
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        paths.entry(handle).or_insert_with(|| self.persist.persist(handle, original)).clone()
    }
}
