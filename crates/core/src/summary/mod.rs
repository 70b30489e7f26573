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
//! | `rounds` | [`Summaries`]: those of a session so far; [`Asked`]: what the next one is asked for |
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
mod rounds;
mod sections;
mod template;

pub use crate::text::summary_mark::{Found, find};
pub use block::Block;
pub use check::{ASKS, Finish, Rejected, asked_again, check};
pub use question::{Question, SMALLER, Transcript};
pub(crate) use rounds::SummaryCx;
pub use rounds::{Asked, Summaries, Summary};
pub use template::{Section, TEMPLATES, Template, TemplateError};
