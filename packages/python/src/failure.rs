//! Errors as exceptions. The classes are in `enfold/_errors.py`, where people and type checkers can see them.

use enfold_bindings::Error;
use pyo3::prelude::*;

/// The exception for an error.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let made = py.import("enfold._errors").and_then(|errors| {
        errors.getattr("of")?.call1((error.code.name(), error.message, error.to_string()))
    });
    made.map_or_else(|failed| failed, PyErr::from_value)
}
