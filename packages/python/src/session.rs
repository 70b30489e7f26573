//! Sessions. The interpreter's lock is never held while one works, and no lock of ours while Python runs.

use std::sync::{Arc, Mutex, PoisonError};

use bytestring::ByteString;
use enfold_bindings::{
    Cache, Error, Listener, Message, OneAtATime, Options, Session as Live, StoredSession as Kept, Synced,
    View as Folded,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::failure::raise;
use crate::known::Known;
use crate::persist::persister;
use crate::view::{Converted, Objects, View, convert, read_options};
use crate::walk::Writer;

/// A session and the host's objects that it was given.
struct Running<S> {
    session: S,
    given: Objects,
}

/// What was converted before. Taken while it is used and put back afterwards: who finds nothing converts everything.
#[derive(Default)]
struct Memory {
    known: Mutex<Vec<Known>>,
    made: Mutex<Vec<Option<Known>>>,
}

impl Memory {
    fn take<T: Default>(of: &Mutex<T>) -> T {
        std::mem::take(&mut *of.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put<T>(of: &Mutex<T>, value: T) {
        // What stood there is dropped outside the lock: dropping Python's objects may run Python.
        let old = std::mem::replace(&mut *of.lock().unwrap_or_else(PoisonError::into_inner), value);
        drop(old);
    }

    /// A host's list as objects and texts.
    fn convert(&self, list: &Bound<'_, PyAny>) -> PyResult<(Objects, Vec<Message>)> {
        let mut known = Memory::take(&self.known);
        match convert(list, &known) {
            Ok(Converted { objects, texts, same, new }) => {
                known.truncate(same);
                known.extend(new);
                Memory::put(&self.known, known);
                Ok((objects, texts))
            }
            Err(error) => {
                Memory::put(&self.known, known);
                Err(error)
            }
        }
    }

    fn view(&self, py: Python<'_>, folded: Folded, given: &Objects) -> PyResult<View> {
        let mut made = Memory::take(&self.made);
        let view = View::new(py, folded, given, &mut made)?;
        Memory::put(&self.made, made);
        Ok(view)
    }
}

/// A running session in memory.
#[pyclass(frozen, subclass, module = "enfold._native")]
pub(crate) struct Session {
    running: OneAtATime<Running<Live>>,
    memory: Memory,
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (options, keep=None))]
    fn new(py: Python<'_>, options: &Bound<'_, PyDict>, keep: Option<Py<PyAny>>) -> PyResult<Session> {
        let options = Options { persister: keep.map(persister), ..read_options(options)? };
        let session = Live::new(options).map_err(|error| raise(py, &error))?;
        Ok(Session { running: running(session), memory: Memory::default() })
    }

    /// Appends one message.
    fn push(&self, py: Python<'_>, message: &Bound<'_, PyAny>) -> PyResult<()> {
        let place = self.call(py, |running| Ok(running.given.len()))?;
        let (object, text) = one(message, place)?;
        self.call(py, |running| {
            running.session.push(text)?;
            running.given.push(object);
            Ok(())
        })
    }

    /// Takes over the whole list. True if it only grew, False if the past was changed.
    fn sync(&self, py: Python<'_>, messages: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (objects, texts) = self.memory.convert(messages)?;
        self.call(py, |running| {
            let synced = running.session.sync(&texts)?;
            running.given = objects;
            Ok(matches!(synced, Synced::Grown(_)))
        })
    }

    /// Says what stands beside the messages from the next sync on.
    fn surround(&self, py: Python<'_>, system: &Bound<'_, PyAny>, tools: &Bound<'_, PyAny>) -> PyResult<()> {
        let (system, tools) = (json_of(system)?, json_of(tools)?);
        self.call(py, |running| running.session.surround(system, tools))
    }

    /// What to send now; of this list, if one is given.
    #[pyo3(signature = (messages=None, cold=false))]
    fn prepare(&self, py: Python<'_>, messages: Option<&Bound<'_, PyAny>>, cold: bool) -> PyResult<View> {
        let converted = messages.map(|messages| self.memory.convert(messages)).transpose()?;
        let cache = if cold { Cache::Cold } else { Cache::Warm };
        let (folded, given) = self.call(py, |running| {
            if let Some((objects, texts)) = converted {
                running.session.sync(&texts)?;
                running.given = objects;
            }
            Ok((running.session.prepare(cache)?, running.given.clone()))
        })?;
        self.memory.view(py, folded, &given)
    }

    /// Folds what the next request need not hold, if that saves much.
    fn settle(&self, py: Python<'_>) -> PyResult<Option<View>> {
        let settled = self.call(py, |running| Ok((running.session.settle(), running.given.clone())))?;
        let (Some(folded), given) = settled else { return Ok(None) };
        self.memory.view(py, folded, &given).map(Some)
    }

    /// The original behind a handle.
    fn recall(&self, py: Python<'_>, handle: &str) -> PyResult<Option<String>> {
        self.call(py, |running| Ok(running.session.recall(handle)?.map(String::from)))
    }

    /// How long the provider keeps a request in its cache.
    #[getter]
    fn cache_seconds(&self, py: Python<'_>) -> PyResult<f64> {
        self.call(py, |running| Ok(running.session.cache_lifetime()?.as_secs_f64()))
    }

    /// Takes in how many input tokens the provider counted for the last view.
    fn report(&self, py: Python<'_>, input_tokens: usize) -> PyResult<()> {
        self.call(py, |running| {
            running.session.report(input_tokens);
            Ok(())
        })
    }

    /// The provider refused the last view as too long.
    #[pyo3(signature = (counted=None))]
    fn overflowed(&self, py: Python<'_>, counted: Option<usize>) -> PyResult<()> {
        self.call(py, |running| {
            running.session.overflowed(counted);
            Ok(())
        })
    }

    /// The waiting question, as JSON.
    fn question(&self, py: Python<'_>, key: &str, window: usize) -> PyResult<Option<String>> {
        self.call(py, |running| Ok(running.session.question(key, window)))
    }

    /// The key of a question whose answer will be needed soon.
    fn question_ahead(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.call(py, |running| Ok(running.session.question_ahead()))
    }

    /// Takes in what a model answered.
    #[pyo3(signature = (key, text, finish="stop"))]
    fn answer(&self, py: Python<'_>, key: &str, text: &str, finish: &str) -> PyResult<()> {
        self.call(py, |running| running.session.answer(key, text, finish))
    }

    /// Nobody will answer the question.
    fn give_up(&self, py: Python<'_>, key: &str) -> PyResult<()> {
        self.call(py, |running| {
            running.session.give_up(key);
            Ok(())
        })
    }

    /// What another process needs beside the messages to go on with the same view.
    fn checkpoint(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.call(py, |running| Ok(running.session.checkpoint()))
    }

    /// Goes on as another process did.
    fn reopen(&self, py: Python<'_>, checkpoint: &str) -> PyResult<()> {
        self.call(py, |running| running.session.reopen(checkpoint))
    }

    /// What clearing old outputs would bring, as JSON.
    fn pruning_json(&self, py: Python<'_>) -> PyResult<String> {
        self.call(py, |running| Ok(running.session.pruning()))
    }

    /// Notes a file as changed by the session.
    fn mark_modified(&self, py: Python<'_>, path: &str) -> PyResult<()> {
        self.call(py, |running| {
            running.session.mark_modified(path);
            Ok(())
        })
    }

    /// Whether the next view will have to be folded anew.
    fn is_full(&self, py: Python<'_>) -> PyResult<bool> {
        self.call(py, |running| Ok(running.session.is_full()))
    }

    /// The wire format.
    #[getter]
    fn format(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.call(py, |running| Ok(running.session.format()))
    }

    /// The epoch of the last view.
    #[getter]
    fn epoch(&self, py: Python<'_>) -> PyResult<u32> {
        self.call(py, |running| Ok(running.session.epoch()))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.call(py, |running| Ok(running.session.messages()))
    }
}

impl Session {
    fn call<R: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut Running<Live>) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        py.detach(|| self.running.call(call)).map_err(|error| raise(py, &error))
    }
}

/// A session in a database.
#[pyclass(frozen, subclass, module = "enfold._native")]
pub(crate) struct StoredSession {
    running: OneAtATime<Running<Kept>>,
    memory: Memory,
}

#[pymethods]
impl StoredSession {
    #[new]
    #[pyo3(signature = (path, id, options, on_event=None, keep=None))]
    fn new(
        py: Python<'_>,
        path: &str,
        id: &str,
        options: &Bound<'_, PyDict>,
        on_event: Option<Py<PyAny>>,
        keep: Option<Py<PyAny>>,
    ) -> PyResult<StoredSession> {
        let options = Options { persister: keep.map(persister), ..read_options(options)? };
        let listener = on_event.map(listener);
        let session = py.detach(|| Kept::open(path, id, &options, listener));
        let mut running = Running { session: session.map_err(|error| raise(py, &error))?, given: Vec::new() };
        // What is stored has no objects of the host's yet: those of the texts stand in for them.
        running.given = stored_objects(py, &running.session)?;
        Ok(StoredSession { running: OneAtATime::new(running), memory: Memory::default() })
    }

    /// Appends one message. When this returns, it is stored.
    fn push(&self, py: Python<'_>, message: &Bound<'_, PyAny>) -> PyResult<()> {
        let place = self.call(py, |running| Ok(running.given.len()))?;
        let (object, text) = one(message, place)?;
        self.call(py, |running| {
            running.session.push(text)?;
            running.given.push(object);
            Ok(())
        })
    }

    /// Takes over the whole list. When this returns, what is new is stored.
    fn sync(&self, py: Python<'_>, messages: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (objects, texts) = self.memory.convert(messages)?;
        self.call(py, |running| {
            let synced = running.session.sync(&texts)?;
            running.given = objects;
            Ok(matches!(synced, Synced::Grown(_)))
        })
    }

    /// What to send now; of this list, if one is given. What it hides is stored when this returns.
    #[pyo3(signature = (messages=None))]
    fn prepare(&self, py: Python<'_>, messages: Option<&Bound<'_, PyAny>>) -> PyResult<View> {
        let converted = messages.map(|messages| self.memory.convert(messages)).transpose()?;
        let (folded, given) = self.call(py, |running| {
            if let Some((objects, texts)) = converted {
                running.session.sync(&texts)?;
                running.given = objects;
            }
            Ok((running.session.prepare()?, running.given.clone()))
        })?;
        self.memory.view(py, folded, &given)
    }

    /// Folds what the next request need not hold, if that saves much.
    fn settle(&self, py: Python<'_>) -> PyResult<Option<View>> {
        let settled = self.call(py, |running| Ok((running.session.settle()?, running.given.clone())))?;
        let (Some(folded), given) = settled else { return Ok(None) };
        self.memory.view(py, folded, &given).map(Some)
    }

    /// The original behind a handle of any view there ever was.
    fn recall(&self, py: Python<'_>, handle: &str) -> PyResult<Option<String>> {
        self.call(py, |running| Ok(running.session.recall(handle)?.map(String::from)))
    }

    /// Takes in what the provider charged for the last request.
    #[pyo3(signature = (input_tokens, cache_read=0, cache_write=0, output_tokens=0))]
    fn report(
        &self,
        py: Python<'_>,
        input_tokens: u64,
        cache_read: u64,
        cache_write: u64,
        output_tokens: u64,
    ) -> PyResult<()> {
        self.call(py, |running| {
            running.session.report(input_tokens, cache_read, cache_write, output_tokens);
            Ok(())
        })
    }

    /// The provider refused the last view as too long.
    #[pyo3(signature = (counted=None))]
    fn overflowed(&self, py: Python<'_>, counted: Option<usize>) -> PyResult<()> {
        self.call(py, |running| {
            running.session.overflowed(counted);
            Ok(())
        })
    }

    /// Messages that hold all words of a query, as JSON.
    fn search(&self, py: Python<'_>, query: &str, limit: usize) -> PyResult<String> {
        self.call(py, |running| running.session.search(query, limit))
    }

    /// What clearing old outputs would bring, as JSON.
    fn pruning_json(&self, py: Python<'_>) -> PyResult<String> {
        self.call(py, |running| Ok(running.session.pruning()))
    }

    /// The messages of the view that was sent last, as JSON.
    fn last_texts(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.call(py, |running| Ok(running.session.last_view().into_iter().map(String::from).collect()))
    }

    /// The session in figures, as JSON.
    fn figures(&self, py: Python<'_>) -> PyResult<String> {
        self.call(py, |running| running.session.about())
    }

    /// What became of each message, as JSON.
    fn fates(&self, py: Python<'_>, since_compaction: bool) -> PyResult<String> {
        self.call(py, |running| running.session.messages_told(since_compaction))
    }

    /// What the host's clock says, in milliseconds since 1970.
    fn at(&self, py: Python<'_>, now: f64) -> PyResult<()> {
        self.call(py, |running| {
            running.session.at(now);
            Ok(())
        })
    }

    /// Its id.
    #[getter]
    fn id(&self, py: Python<'_>) -> PyResult<String> {
        self.call(py, |running| Ok(running.session.id().to_string()))
    }

    /// The wire format.
    #[getter]
    fn format(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.call(py, |running| Ok(running.session.format()))
    }

    /// The epoch of the last view.
    #[getter]
    fn epoch(&self, py: Python<'_>) -> PyResult<u32> {
        self.call(py, |running| Ok(running.session.epoch()))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.call(py, |running| Ok(running.session.messages()))
    }
}

impl StoredSession {
    fn call<R: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut Running<Kept>) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        py.detach(|| self.running.call(call)).map_err(|error| raise(py, &error))
    }
}

fn running(session: Live) -> OneAtATime<Running<Live>> {
    OneAtATime::new(Running { session, given: Vec::new() })
}

/// One message as object and text.
fn one(message: &Bound<'_, PyAny>, place: usize) -> PyResult<(Arc<Py<PyAny>>, Message)> {
    let known = Known::write(message, place).map_err(|error| raise(message.py(), &error))?;
    Ok((Arc::new(message.clone().unbind()), known.message().clone()))
}

fn stored_objects(py: Python<'_>, session: &Kept) -> PyResult<Objects> {
    let json = py.import("json")?;
    let texts = session.texts();
    let list = PyList::empty(py);
    for text in texts {
        list.append(json.call_method1("loads", (&*text,))?)?;
    }
    Ok(list.iter().map(|object| Arc::new(object.unbind())).collect())
}

/// A value as JSON; None is nothing.
fn json_of(value: &Bound<'_, PyAny>) -> PyResult<Option<ByteString>> {
    if value.is_none() {
        return Ok(None);
    }
    let text = Writer::option(value).map_err(|error| raise(value.py(), &error))?;
    if text.is_empty() {
        return Err(PyValueError::new_err("nothing was written"));
    }
    Ok(Some(text.into()))
}

/// Calls a Python function with each event. What it raises is printed as Python prints what nobody can catch: the session goes
/// on.
fn listener(on_event: Py<PyAny>) -> Listener {
    Arc::new(move |event: &str| {
        Python::attach(|py| {
            let told = crate::view::loads(py, event).and_then(|event| on_event.call1(py, (event,)));
            if let Err(error) = told {
                error.write_unraisable(py, Some(on_event.bind(py)));
            }
        });
    })
}
