//! For tests: a model that answers as a script says, over real HTTP on loopback.
//!
//! ```
//! use enfold_script::{Model, Reply};
//!
//! let model = Model::start(|request| match request.nth {
//!     0 => Reply::status(500, r#"{"error":{"message":"oops"}}"#),
//!     1 => Reply::call("read_file", r#"{"path":"a.txt"}"#),
//!     _ => Reply::Text("done".into()),
//! });
//! // Let the code under test ask `model.url()`, then:
//! assert_eq!(model.refused(), Vec::<String>::new());
//! ```
//!
//! | module | what it knows |
//! |---|---|
//! | [`model`](Model) | what was asked, what a provider would have refused, what to reply |
//! | [`agent`] | calls that a real agent understands |
//! | `speak` | replies in the words of the four APIs, whole and as events |
//! | [`server`] | sockets: bytes, silence, crashes |

pub mod agent;
mod model;
pub mod server;
mod speak;

pub use model::{Call, Model, Reply, Request};
