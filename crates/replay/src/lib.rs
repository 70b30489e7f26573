//! Sends a recorded session through a policy once more, request by request, as a provider would see it: what it reads from
//! its cache, what it has to write anew, what that costs, and whether the agent still finds in each view what it used next.
//!
//! ```text
//!  recorded session ──► requests ──► way (policy, everything, compaction) ──► views
//!                          │                                                    │
//!                          └──► what the next steps used ──► found in view? ◄───┤
//!                                                                               └──► cache ──► tokens, money
//! ```
//!
//! Pure, as the core is: no file, no clock, no thread.
//!
//! | module | what it knows |
//! |---|---|
//! | `recorded` | a session as the requests it was made of |
//! | `way` | how the requests could have been managed |
//! | `rates` | what a provider charges for what its cache holds |
//! | `held` | what a provider's cache holds of the last request |
//! | `words` | the names and lines of a message |
//! | `needed` | what the agent used next, and whether it stood in the view |
//! | `run` | one session one way |
//! | `figures` | what came of it, and sums of many |

mod figures;
mod held;
mod needed;
mod rates;
mod recorded;
mod run;
mod way;
mod words;

pub use figures::{Figures, Point, Share};
pub use rates::Rates;
pub use recorded::Recorded;
pub use run::{Request, Setting, replay};
pub use way::Way;
