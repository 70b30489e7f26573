//! What it costs that an agent looks up what a view does not show.
//!
//! ```text
//!  request ──► the next action uses a rare name that is not in the view
//!                 │          a handle leads there: it is looked up; none does: the agent does again what it did
//!                 │
//!                 └──► a request more: the view read from the cache, call and opened text written
//!  every request until the next epoch carries the opened text
//! ```
//!
//! This is a model: no agent is run. What it leaves out: that an agent may guess right, or not know what to look for.

use std::collections::BTreeSet;

use enfold::count::Tally;
use enfold::history::MessageId;

use crate::figures::Figures;
use crate::held::{Held, Sent};
use crate::needed::Needed;
use crate::setting::Setting;

/// Tokens of a call that opens something.
const CALL: usize = 40;
/// Longer originals are opened in part.
const MOST_OPENED: usize = 4_000;

/// What was looked up in this epoch.
#[derive(Default)]
pub(crate) struct Lookups {
    opened: BTreeSet<usize>,
    /// Tokens of it.
    carried: usize,
}

/// A request in the eyes of who looks things up.
pub(crate) struct Seen<'a> {
    pub(crate) sent: &'a Sent,
    /// Tokens that the cache held.
    pub(crate) read: usize,
    pub(crate) is_cold: bool,
    pub(crate) opened_epoch: bool,
}

impl Lookups {
    /// What the last request costs more because of what was opened before, and what has to be looked up now.
    /// `reaches` says whether a handle in the view leads to a message.
    pub(crate) fn charge(
        &mut self,
        seen: &Seen,
        (needed, held, tally): (&Needed, &Held, &Tally),
        reaches: impl Fn(usize) -> bool,
        setting: &Setting,
        figures: &mut Figures,
    ) {
        let rates = &setting.rates;
        if seen.opened_epoch {
            *self = Lookups::default();
        }
        if seen.sent.tokens + self.carried > setting.limit {
            // With what was opened the view does not fit: an epoch opens here, and what the cache held is written anew.
            figures.lookup_cost += (rates.write - rates.read) * seen.read as f64;
            *self = Lookups::default();
        }
        let with_carried = seen.sent.tokens + self.carried;
        let carried = match (with_carried < rates.min_tokens, seen.is_cold) {
            (true, _) => 1.0,
            (false, true) => rates.write,
            (false, false) => rates.read,
        };
        figures.lookup_cost += carried * self.carried as f64;
        let mut sources = BTreeSet::new();
        for (name, source) in needed.missing(held) {
            let mut known = self.opened.iter().chain(&sources);
            if !known.any(|message| needed.is_in(name, *message)) {
                sources.insert(source);
            }
        }
        if sources.is_empty() {
            return;
        }
        let opened = |message: &usize| CALL + tally.message(MessageId::new(*message)).min(MOST_OPENED);
        let written: usize = sources.iter().map(opened).sum();
        match sources.iter().all(|message| reaches(*message)) {
            true => figures.lookups += 1,
            false => figures.repeats += 1,
        }
        let read = rates.held(with_carried);
        figures.lookup_cost += rates.cost(rates.input(with_carried + written, read));
        self.carried += written;
        self.opened.append(&mut sources);
    }
}
