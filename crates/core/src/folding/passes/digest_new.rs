//! Shrinks large results before they are first sent, to the lines that the agent is after.
//!
//! # What it does
//! A result that was never sent and is more than a quarter over its limit is brought down to it: the lines with names that
//! the last messages use, failures and totals, runs of lines rather than crumbs; what is left over goes to its beginning and
//! its end. What stands in the view already leaves first. A shell's output, a listing, a search gets `max_tokens`; a file that
//! is read, and any look at a file that the session has changed, `max_file`: the agent is at work there. Lines of another file
//! that were asked for by number get `max_range`: who reads by pages reads many of them.
//!
//! A call that asks once more for a file whose lines were left out says that they are needed: its result stays whole. So does
//! any other call with the same arguments, where it brings the same text again: a test that is run once more after a change is
//! no request for what the last run printed.
//!
//! # When it fires
//! On what arrives, once the view takes more than `above` of its limit. Changing what was never sent costs no cache, so this
//! is the cheapest fold there is, and each token saved is saved again with every request until the next epoch. An epoch
//! chooses anew from the whole results.
//!
//! # What is lost and how to recall it
//! Lines of the result. Its first marker has the handle that opens all of it.
//!
//! # Example
//! ```before
//! user: Why does the build fail?
//! assistant
//!   call c1 bash {"command":"make"}
//! result c1: compile unit_01.c: ok
//!   | compile unit_02.c: ok
//!   | compile unit_03.c: ok
//!   | compile unit_04.c: ok
//!   | compile unit_05.c: ok
//!   | compile unit_06.c: ok
//!   | compile unit_07.c: ok
//!   | compile unit_08.c: ok
//!   | compile unit_09.c: ok
//!   | compile unit_10.c: ok
//!   | compile unit_11.c: ok
//!   | compile unit_12.c: ok
//!   | link: undefined reference to parse_header
//!   | make: *** [all] Error 1
//! ```
//! ```options
//! sent = 1
//! budget = 400
//! max_tokens = 60
//! ```
//! ```after
//! user: Why does the build fail?
//! assistant
//!   call c1 bash {"command":"make"}
//! result c1: compile unit_01.c: ok
//!   | compile unit_02.c: ok
//!   | compile unit_03.c: ok
//!   | compile unit_04.c: ok
//!   | [8 lines like this #803327846]
//!   | link: undefined reference to parse_header
//!   | make: *** [all] Error 1
//! ```
//!
//! # Options
//! - `max_tokens`: tokens that a result is brought down to, from a quarter more on (600)
//! - `max_file`: the same for a file that is read, and for any look at a file that the session has changed (2,200)
//! - `max_range`: the same for lines of another file that were asked for by number (1,200)
//! - `max_other`: the same for a tool that nobody knows, a share of the limit: what it was asked for cannot be told (0.1)
//! - `above`: share of the limit up to which everything stays whole (0.15)

use serde::{Deserialize, Serialize};

use super::fold_by_value::{Large, digests};
use super::{Cx, Outcome, Pass, PassError, asked_again};
use crate::history::{ItemId, MessageId};
use crate::understand::calls::CallRecord;
use crate::understand::operation::{Operation, Verb};
use crate::view::View;

/// See the manual page above.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DigestNew {
    /// Tokens that a result is brought down to, from a quarter more on.
    pub max_tokens: usize,
    /// The same for a file that is read, and for any look at a file that the session has changed.
    pub max_file: usize,
    /// The same for lines of another file that were asked for by number.
    pub max_range: usize,
    /// The same for a tool that nobody knows, a share of the limit: what it was asked for cannot be told.
    pub max_other: f64,
    /// Share of the limit up to which everything stays whole.
    pub above: f64,
}

impl Default for DigestNew {
    fn default() -> DigestNew {
        DigestNew { max_tokens: 600, max_file: 2_200, max_range: 1_200, max_other: 0.1, above: 0.15 }
    }
}

impl Pass for DigestNew {
    fn name(&self) -> &str {
        "digest_new"
    }

    fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError> {
        if cx.first_unsent == MessageId::FIRST {
            return Ok(Outcome::Unchanged("nothing was sent yet".into()));
        }
        let room = (self.above * cx.limit as f64) as usize;
        if view.tokens() <= room {
            return Ok(Outcome::Unchanged(format!("the view takes no more than {room} tokens")));
        }
        let results =
            view.items_from(cx.first_unsent).filter(|(id, item)| item.result().is_some() && cx.is_open(*id));
        let large: Vec<Large> = results.filter_map(|(id, _)| self.large(view, cx, id)).collect();
        if large.is_empty() {
            return Ok(Outcome::Unchanged("no new result is a quarter over its limit".into()));
        }
        Ok(Outcome::Folds(digests(view, cx, &large)))
    }
}

impl DigestNew {
    /// A result that is to be brought down. A quarter over its limit is not worth a gap.
    fn large(&self, view: &View, cx: &Cx, result: ItemId) -> Option<Large> {
        let tokens = view.item_tokens(result);
        let record = cx.facts.tracker().call(result);
        let most = record.map_or(self.max_tokens, |record| self.most(cx, record));
        let is_asked_again = || record.is_some_and(|record| asked_again::asks_for_hidden(view, cx, record));
        if tokens <= most + most / 4 || is_asked_again() {
            return None;
        }
        Some(Large { result, most, why: format!("{tokens} tokens, over {most}, and never sent before") })
    }

    fn most(&self, cx: &Cx, record: &CallRecord) -> usize {
        let tracker = cx.facts.tracker();
        let is_changed = |path: &str| tracker.file(path).is_some_and(|file| file.is_modified);
        let reads = record.operations.iter().filter(|operation| operation.verb == Verb::Read);
        let is_page =
            |read: &Operation| read.lines.is_some() && !read.path.as_deref().is_some_and(is_changed);
        let most = reads.map(|read| if is_page(read) { self.max_range } else { self.max_file }).max();
        // A page of a site, rows of a database: the next call is about something in it.
        let is_known = record.verbs().any(|verb| verb != Verb::Other);
        let other = if is_known { 0 } else { (self.max_other * cx.limit as f64) as usize };
        most.unwrap_or(self.max_tokens).max(other)
    }
}
