//! A host's function that keeps originals where its agent can read them.

use std::fmt;
use std::sync::Arc;

use enfold::folding::persist::{CameFrom, Persist};
use enfold::view::fold::Handle;
use serde_json::json;

/// Keeps an original and returns its path, if it could. It is given the text, and where that comes from as JSON:
/// `{"tool_name", "category", "message_index"}`, each of them `null` where it is not known.
///
/// It is called while a view is made, on the thread that makes it, once for each original. It may wait.
#[derive(Clone)]
pub struct Persister(Arc<Keep>);

type Keep = dyn Fn(&str, &str) -> Option<String> + Send + Sync;

impl Persister {
    /// One that calls this.
    pub fn new(keep: impl Fn(&str, &str) -> Option<String> + Send + Sync + 'static) -> Persister {
        Persister(Arc::new(keep))
    }
}

impl Persist for Persister {
    fn persist(&self, handle: Handle, original: &str) -> Option<String> {
        self.persist_from(handle, original, &CameFrom::default())
    }

    fn persist_from(&self, _: Handle, original: &str, from: &CameFrom) -> Option<String> {
        let category = from.category.map(|category| category.name());
        let from = json!({ "tool_name": from.tool, "category": category, "message_index": from.message });
        (self.0)(original, &from.to_string())
    }
}

impl fmt::Debug for Persister {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Persister")
    }
}
