//! Originals that somebody keeps where the agent can read them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::history::{History, Item, ItemId};
use crate::understand::categories::Category;
use crate::understand::facts::Facts;
use crate::view::fold::Handle;

/// Keeps originals, and says where. A function does: `|handle, original| Some(path)`.
///
/// It is asked before a view leaves that hides the original, once for each. Where it fails and returns `None`, the fold
/// names its handle alone. The same original must always get the same path: views are compared byte for byte.
pub trait Persist: Send + Sync {
    /// Keeps an original. Returns its path, as the agent would name it.
    fn persist(&self, handle: Handle, original: &str) -> Option<String>;

    /// The same for one that also wants to know where the original comes from.
    fn persist_from(&self, handle: Handle, original: &str, _from: &CameFrom) -> Option<String> {
        self.persist(handle, original)
    }
}

impl<F> Persist for F
where
    F: Fn(Handle, &str) -> Option<String> + Send + Sync,
{
    fn persist(&self, handle: Handle, original: &str) -> Option<String> {
        self(handle, original)
    }
}

/// Where an original comes from: the first place in the history that says the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CameFrom<'a> {
    /// The tool that was called.
    pub tool: Option<&'a str>,
    /// The category of what was called, where it has one.
    pub category: Option<Category>,
    /// The place of its message in the host's list, from 0.
    pub message: Option<usize>,
}

impl<'a> CameFrom<'a> {
    /// O(items), and asked once for each original.
    fn find(history: &'a History, facts: &Facts, original: &str) -> CameFrom<'a> {
        let says = |item: &Item| {
            let mut texts = item.texts.iter();
            texts.any(|text| *text.value == *original) || history.structure_of(item) == Some(original)
        };
        let Some((id, item)) = history.items_from(ItemId::FIRST).find(|(_, item)| says(item)) else {
            return CameFrom::default();
        };
        CameFrom {
            tool: history.tool(id),
            category: facts.tracker().call(id).and_then(|record| record.category),
            message: history.listed().position(|(message, _)| message == item.message),
        }
    }
}

/// Who keeps originals, with the history they are of.
#[derive(Clone, Copy)]
pub struct Persister<'a> {
    remembered: &'a Remembered,
    history: &'a History,
}

impl<'a> Persister<'a> {
    pub(crate) fn of(remembered: &'a Remembered, history: &'a History) -> Persister<'a> {
        Persister { remembered, history }
    }

    /// Where an original is kept; asked once for each: passes look at what a fold would save before they make it.
    pub(crate) fn path(&self, facts: &Facts, handle: Handle, original: &str) -> Option<String> {
        let Remembered { persist, paths } = self.remembered;
        let mut paths = paths.lock().unwrap_or_else(PoisonError::into_inner);
        let ask = || persist.persist_from(handle, original, &CameFrom::find(self.history, facts, original));
        paths.entry(handle).or_insert_with(ask).clone()
    }
}

/// What was kept, and where.
pub(crate) struct Remembered {
    persist: Arc<dyn Persist>,
    paths: Mutex<BTreeMap<Handle, Option<String>>>,
}

impl Remembered {
    pub(crate) fn new(persist: Arc<dyn Persist>) -> Remembered {
        Remembered { persist, paths: Mutex::default() }
    }
}
