//! The native part of the Node package `enfold`: texts in, texts out, and nothing else. What it calls is `enfold-bindings`; what
//! people call is in `lib`.
//!
//! Objects do not cross: `lib/written.js` writes each message once as JSON, and texts cross faster than objects do. Whatever may
//! take long is a promise; its work is done on a thread of Node's pool.
//!
//! | module | what it knows |
//! |---|---|
//! | `texts` | messages on their way in, handed over a few at a time |
//! | `view` | a view, of which JavaScript takes only what is new |
//! | `session`, `stored` | sessions, in memory and kept in a database |
//! | `persist` | a function of the host's that keeps originals |
//! | `look` | functions that look without folding, and the command |
//! | `work` | work on another thread, and errors |

// Under test napi exports nothing, so that nothing is used; clippy builds that too.
#![cfg_attr(test, allow(dead_code, unused_imports))]

mod look;
mod persist;
mod session;
mod stored;
mod texts;
mod view;
mod work;
