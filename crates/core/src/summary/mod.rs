//! Summaries: what a model is asked to tell, how its answer is checked, and what stands in the view.
//!
//! ```text
//! messages that leave ─► Question ─► transcript() or instruction() ─► a model ─► check() ─► Block ─► the view
//!                            ▲                                                                │
//!                            └──────────────── find(): the narrative of the round before ◄────┘
//! ```
//!
//! | module | what it knows |
//! |---|---|
//! | `question` | what is asked: [`Question::transcript`], [`Question::instruction`] |
//! | `message`, `fit`, `defuse` | the messages as a summarizer reads them, fitted to its window |
//! | `check`, `sections`, `headings`, `degenerate`, `mentions` | [`check`]: whether an answer may be used, and what of it |
//! | `block` | [`Block`], [`find`]: the text of the summary message |
//! | `told` | [`Told`]: the summaries of a session so far |
//! | `template` | [`Template`]: which sections, and how they are asked for |
//!
//! Nothing here talks to a model: the question goes out, the answer comes in.

mod block;
mod check;
mod defuse;
mod degenerate;
mod fit;
mod headings;
mod mentions;
mod message;
mod question;
mod sections;
mod template;
mod told;

pub use crate::text::summary_mark::{Found, find};
pub use block::Block;
pub use check::{Finish, Rejected, check};
pub use question::{Question, Transcript};
pub use template::{Section, TEMPLATES, Template, TemplateError};
pub(crate) use told::Summaries;
pub use told::{Asked, Summary, Told};
