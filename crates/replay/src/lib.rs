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
//! Pure, as the core is: no file, no clock; threads only where many sessions are replayed at once (`cores`).
//!
//! | module | what it knows |
//! |---|---|
//! | `recorded` | a session as the requests it was made of |
//! | `setting` | what a session is replayed against |
//! | `way` | how the requests could have been managed |
//! | `rates` | what a provider charges for what its cache holds |
//! | `managed` | what becomes of messages on their way into requests |
//! | `held` | what a provider's cache holds of the last request |
//! | `words` | the names and lines of a message |
//! | `needed` | what the agent used next, and whether it stood in the view |
//! | `asked` | what a person said, and how much of it stands in the view |
//! | `lookups` | what it costs to look up what did not |
//! | `run` | one session one way |
//! | `charged` | what the provider charged for the session as it was, beside what would have been predicted |
//! | `halves` | which sessions choose options, and which only check |
//! | `cores` | many sessions at once |
//! | `figures` | what came of it, and sums of many |

mod asked;
mod charged;
mod cores;
mod figures;
mod halves;
mod held;
mod lookups;
mod managed;
mod needed;
mod rates;
mod recorded;
mod run;
mod setting;
mod way;
mod words;

pub use charged::{Charged, charged};
pub use cores::on_all_cores;
pub use figures::{Figures, Point, Share};
pub use halves::{Half, Origin, half_of};
pub use rates::{Lifetime, Rates};
pub use recorded::Recorded;
pub use run::{Request, replay};
pub use setting::Setting;
pub use way::Way;
