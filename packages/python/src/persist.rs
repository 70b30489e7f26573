//! A function of the host's that keeps originals. Called with the interpreter's lock, on the thread that folds.

use enfold_bindings::Persister;
use pyo3::prelude::*;

/// A persister that calls what `_persist.py` made of the host's function. What it raises is printed as Python prints what nobody
/// can catch: the fold then names its handle alone.
pub(crate) fn persister(keep: Py<PyAny>) -> Persister {
    Persister::new(move |original, from| {
        Python::attach(|py| {
            let kept = keep.call1(py, (original, from)).and_then(|path| path.extract::<Option<String>>(py));
            kept.unwrap_or_else(|error| {
                error.write_unraisable(py, Some(keep.bind(py)));
                None
            })
        })
    })
}
