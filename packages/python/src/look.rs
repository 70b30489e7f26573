//! Functions that look without folding, and the command. What they find is JSON, which `enfold/__init__.py` reads.

use enfold_bindings::{self as bindings, Error, Given, Options};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure::raise;
use crate::view::{self, read_options, whole};

/// Calls with a session as it was given, without the interpreter's lock.
fn look<R: Send>(
    messages: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
    look: impl FnOnce(Given, &Options) -> Result<R, Error> + Send,
) -> PyResult<R> {
    let py = messages.py();
    let options = read_options(options)?;
    let seen = match whole(messages)? {
        Some(bytes) => py.detach(|| look(Given::Bytes(&bytes), &options)),
        None => {
            let texts = view::convert(messages, &[])?.texts;
            py.detach(|| look(Given::Messages(&texts), &options))
        }
    };
    seen.map_err(|error| raise(py, &error))
}

/// Where the tokens are.
#[pyfunction]
pub(crate) fn inspect(messages: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<String> {
    look(messages, options, bindings::inspect)
}

/// How many tokens, of what.
#[pyfunction]
pub(crate) fn count(messages: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<String> {
    look(messages, options, bindings::count)
}

/// Tokens of a text.
#[pyfunction]
pub(crate) fn count_text(py: Python<'_>, text: &str, options: &Bound<'_, PyDict>) -> PyResult<usize> {
    let options = read_options(options)?;
    py.detach(|| bindings::count_text(text, &options)).map_err(|error| raise(py, &error))
}

/// Files, changes, states of files, priorities, what pruning would bring.
#[pyfunction]
pub(crate) fn facts(
    what: &str,
    own: &str,
    messages: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
) -> PyResult<String> {
    look(messages, options, |given, options| bindings::facts(what, own, given, options))
}

/// A model's window and what follows from it.
#[pyfunction]
#[pyo3(signature = (options, tokens=None))]
pub(crate) fn model_budget(options: &Bound<'_, PyDict>, tokens: Option<usize>) -> PyResult<String> {
    let read = read_options(options)?;
    bindings::model_budget(&read, tokens).map_err(|error| raise(options.py(), &error))
}

/// Tool definitions that ask for reasons.
#[pyfunction]
pub(crate) fn add_intent(py: Python<'_>, definitions: &str, names: Vec<String>) -> PyResult<String> {
    bindings::add_intent(definitions, &names).map_err(|error| raise(py, &error))
}

/// Whether a provider's refusal says that the request was too long.
#[pyfunction]
pub(crate) fn is_overflow(status: u16, body: &str) -> bool {
    bindings::is_overflow(Some(status), body)
}

/// Whether a provider would take the messages.
#[pyfunction]
pub(crate) fn check(messages: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<String> {
    look(messages, options, bindings::check)
}

/// What a session is about.
#[pyfunction]
pub(crate) fn ledger(
    messages: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
    tokens: usize,
) -> PyResult<String> {
    look(messages, options, |given, options| bindings::ledger(given, options, tokens))
}

/// Another format's system prompt, tools and messages as JSON texts, the whole text, and what was lost.
type Converted = (Option<String>, Option<String>, Vec<String>, String, String);

/// A session in another wire format.
#[pyfunction]
pub(crate) fn convert(
    messages: &Bound<'_, PyAny>,
    to: &str,
    options: &Bound<'_, PyDict>,
) -> PyResult<Converted> {
    look(messages, options, |given, options| {
        let done = bindings::convert(given, to, options)?;
        let messages = done.messages.into_iter().map(String::from).collect();
        Ok((
            done.system.map(String::from),
            done.tools.map(String::from),
            messages,
            done.text.into(),
            done.losses,
        ))
    })
}

/// Does what a command line says; the exit code.
#[pyfunction]
pub(crate) fn run(py: Python<'_>, words: Vec<String>) -> u8 {
    py.detach(|| bindings::run(words))
}
