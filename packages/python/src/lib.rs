//! The native part of the Python package `enfold`: converts, and nothing else. What it calls is `enfold-bindings`; what people
//! call is in `python/enfold`.
//!
//! | module | what it knows |
//! |---|---|
//! | `walk` | a Python object as JSON text |
//! | `known` | objects that were written before: written again only if something in them changed |
//! | `view` | a view as Python objects: the host's own where nothing changed |
//! | `session` | sessions, in memory and stored; never the interpreter's lock while they work |
//! | `look` | functions that look without folding, and the command |
//! | `persist` | a function of the host's that keeps originals |
//! | `failure` | errors as exceptions |

mod failure;
mod known;
mod look;
mod persist;
mod session;
mod view;
mod walk;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::look::{
        add_intent, check, convert, count, count_text, facts, inspect, is_overflow, ledger, model_budget, run,
    };
    #[pymodule_export]
    use crate::session::{Session, StoredSession};
    #[pymodule_export]
    use crate::view::{View, fold};
}
