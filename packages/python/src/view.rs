//! A view as Python objects: the host's own where nothing changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use enfold_bindings::{Message, Options, Origin, View as Folded};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::failure::raise;
use crate::known::Known;
use crate::persist::persister;
use crate::walk::Writer;

/// The host's objects, in the order of its list. Shared, so that they can be handed about without the interpreter's lock.
pub(crate) type Objects = Vec<Arc<Py<PyAny>>>;

/// What to send. `messages` holds the caller's own objects where nothing changed.
#[pyclass(frozen, module = "enfold._native")]
pub(crate) struct View {
    folded: Folded,
    messages: Py<PyList>,
}

/// Folds a list of messages, or the bytes of a session.
#[pyfunction]
#[pyo3(signature = (messages, options, keep=None))]
pub(crate) fn fold(
    py: Python<'_>,
    messages: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
    keep: Option<Py<PyAny>>,
) -> PyResult<View> {
    let options = Options { persister: keep.map(persister), ..read_options(options)? };
    if let Some(bytes) = whole(messages)? {
        let folded = py.detach(|| enfold_bindings::fold_bytes(bytes, &options));
        let folded = folded.map_err(|error| raise(py, &error))?;
        return View::new(py, folded, &Vec::new(), &mut Vec::new());
    }
    let Converted { objects, texts, .. } = convert(messages, &[])?;
    let folded = py.detach(|| enfold_bindings::fold(&texts, &options)).map_err(|error| raise(py, &error))?;
    View::new(py, folded, &objects, &mut Vec::new())
}

#[pymethods]
impl View {
    /// The messages: the caller's own objects where nothing changed, new dicts elsewhere.
    #[getter]
    fn messages(&self, py: Python<'_>) -> Py<PyList> {
        self.messages.clone_ref(py)
    }

    /// Where each message comes from: `("same", i)`, `("changed", i)` or `("new", None)`.
    #[getter]
    fn origins(&self) -> Vec<(&'static str, Option<usize>)> {
        let named = self.folded.origins.iter().map(|origin| match origin {
            Origin::Same(nth) => ("same", Some(*nth)),
            Origin::Changed(nth) => ("changed", Some(*nth)),
            Origin::New => ("new", None),
        });
        named.collect()
    }

    /// The messages as JSON texts, byte for byte as they would be sent.
    #[getter]
    fn texts(&self) -> Vec<&str> {
        self.folded.messages.iter().map(|message| &**message).collect()
    }

    /// The system prompt, where the format keeps it beside the list.
    #[getter]
    fn system<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.folded.system.as_ref().map(|system| loads(py, system)).transpose()
    }

    /// The wire format.
    #[getter]
    fn format(&self) -> &'static str {
        self.folded.format
    }

    /// Tokens of the view.
    #[getter]
    fn tokens(&self) -> usize {
        self.folded.tokens
    }

    /// How many messages, from the first on, are those of the view before, byte for byte.
    #[getter]
    fn unchanged(&self) -> usize {
        self.folded.unchanged
    }

    /// The epoch it belongs to; 0 outside a session.
    #[getter]
    fn epoch(&self) -> u32 {
        self.folded.epoch
    }

    /// Why this view opened a new epoch, if it did.
    #[getter]
    fn opened(&self) -> Option<&'static str> {
        self.folded.opened()
    }

    /// The key of the question that a model may be asked before this view is sent.
    #[getter]
    fn question(&self) -> Option<&str> {
        self.folded.question()
    }

    /// What it hides that no view before did, by handle.
    #[getter]
    fn originals(&self) -> BTreeMap<&str, &str> {
        self.folded.originals.iter().map(|(handle, text)| (&**handle, &**text)).collect()
    }

    /// Messages of the host's list that are not in the view.
    #[getter]
    fn dropped<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.folded.account())?.get_item("dropped")
    }

    /// What stands shortened in the view.
    #[getter]
    fn shortened<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.folded.account())?.get_item("shortened")
    }

    /// What was done and why, pass by pass.
    #[getter]
    fn trace<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.folded.trace())
    }

    /// Everything about the view apart from its messages and originals.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.folded.report())
    }

    fn __len__(&self) -> usize {
        self.folded.messages.len()
    }

    fn __repr__(&self) -> String {
        let (messages, tokens, epoch) = (self.folded.messages.len(), self.folded.tokens, self.folded.epoch);
        format!("<enfold.View of {messages} messages, {tokens} tokens, epoch {epoch}>")
    }
}

impl View {
    /// Makes the objects of a view. `made` are those that were made for the view before; afterwards, for this one.
    pub(crate) fn new(
        py: Python<'_>,
        folded: Folded,
        given: &Objects,
        made: &mut Vec<Option<Known>>,
    ) -> PyResult<View> {
        let messages = PyList::empty(py);
        let mut before = std::mem::take(made).into_iter();
        for (nth, (text, origin)) in folded.messages.iter().zip(folded.origins.iter()).enumerate() {
            // What was made for the view before serves again, unless the host has changed it.
            let again = before.next().flatten().filter(|known| known.message().text() == text);
            let own = match origin {
                Origin::Same(place) => given.get(*place),
                Origin::Changed(_) | Origin::New => None,
            };
            if let Some(own) = own {
                messages.append(own.bind(py))?;
                made.push(None);
                continue;
            }
            let again = again.filter(|known| known.of(&known.object(py)).is_some());
            let known = match again {
                Some(known) => known,
                None => {
                    let object = loads(py, text)?;
                    Known::read(&object, nth, text).map_err(|error| raise(py, &error))?
                }
            };
            messages.append(known.object(py))?;
            made.push(Some(known));
        }
        Ok(View { folded, messages: messages.unbind() })
    }
}

/// A session's whole bytes, if that is what was given.
pub(crate) fn whole(messages: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
    if let Ok(bytes) = messages.cast::<PyBytes>() {
        return Ok(Some(bytes.as_bytes().to_vec()));
    }
    match messages.cast::<PyString>() {
        Ok(text) => Ok(Some(text.to_cow()?.as_bytes().to_vec())),
        Err(_) => Ok(None),
    }
}

/// A host's list, converted.
pub(crate) struct Converted {
    /// The host's objects.
    pub(crate) objects: Objects,
    /// Their texts.
    pub(crate) texts: Vec<Message>,
    /// How many, from the first on, were known and have not changed.
    pub(crate) same: usize,
    /// The others, to be known next time.
    pub(crate) new: Vec<Known>,
}

/// Converts a list of messages. What stands in `known` at the same place and has not changed is not written again.
pub(crate) fn convert(list: &Bound<'_, PyAny>, known: &[Known]) -> PyResult<Converted> {
    let py = list.py();
    if list.cast::<PyDict>().is_ok() || list.cast::<PyString>().is_ok() {
        let what = "messages: expected a list of dicts; a single one goes into a list of its own";
        return Err(PyTypeError::new_err(what));
    }
    // A copy: whatever happens to the host's list from here on, this one stays.
    let items: Vec<Bound<'_, PyAny>> = list.try_iter()?.collect::<PyResult<_>>()?;
    let mut texts = Vec::with_capacity(items.len());
    let same = items.iter().zip(known).map_while(|(item, known)| known.of(item));
    texts.extend(same.cloned());
    let same = texts.len();
    let mut new = Vec::new();
    for (nth, item) in items.iter().enumerate().skip(same) {
        let written = Known::write(item, nth).map_err(|error| raise(py, &error))?;
        texts.push(written.message().clone());
        new.push(written);
    }
    let objects = items.into_iter().map(|item| Arc::new(item.unbind())).collect();
    Ok(Converted { objects, texts, same, new })
}

/// Options as people write them: those that are None are not said.
pub(crate) fn read_options(options: &Bound<'_, PyDict>) -> PyResult<Options> {
    let py = options.py();
    let said = PyDict::new(py);
    for (key, value) in options.iter().filter(|(_, value)| !value.is_none()) {
        said.set_item(key, value)?;
    }
    let json = Writer::option(&said).map_err(|error| raise(py, &error))?;
    let read = Options::parse(&json).map_err(|error| raise(py, &error))?;
    for warning in read.warnings() {
        py.import("enfold._errors")?.getattr("warn")?.call1((warning,))?;
    }
    Ok(read)
}

/// A JSON text as Python objects.
pub(crate) fn loads<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}
