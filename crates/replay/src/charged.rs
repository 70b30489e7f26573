//! What a provider charged for a session, beside what would have been predicted.
//!
//! Everything was sent with each request, so each reads from the cache what the one before had, unless too much time passed.
//! What that is in tokens is said twice: by the sizes that the provider reported, which leaves only the rules of the cache to
//! be wrong about, and by counting the messages. A log seldom has the system prompt and the tools: what the first request
//! was larger than its messages is taken to stand before all of them.

use enfold::count::{Tally, Usage};
use serde::Serialize;

use crate::recorded::Recorded;
use crate::setting::Setting;

/// Cache reads of a session, in tokens. The first request is not among them: what it reads, other sessions wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Charged {
    /// Requests with a report.
    pub requests: usize,
    /// Input that was reported.
    pub input: u64,
    /// What was read, as reported.
    pub charged: u64,
    /// What the rules of the cache say, by the sizes that were reported.
    pub predicted: u64,
    /// The same by counting the messages.
    pub counted: u64,
    /// How far the prediction by sizes was off, request by request: too much and too little do not make up for each other.
    pub off: u64,
    /// Requests before which the cache had forgotten everything, by the clock.
    pub cold: usize,
}

/// Smaller than this share of the one before, in percent, a request does not go on from it: the agent compacted.
const GOES_ON: u64 = 90;

/// Compares; nothing where fewer than two requests have a report, or none ever read anything: that client asked for no cache.
pub fn charged(recorded: &Recorded, setting: &Setting) -> Option<Charged> {
    let document = &recorded.document;
    let tally = Tally::of(&document.history, setting.counter.clone(), setting.image);
    let mut reports = document.usage.iter().filter(|usage| usage.input > 0).peekable();
    let mut sum = Charged::default();
    // The report of the request before, and what was counted of it.
    let mut before: Option<(&Usage, i64)> = None;
    // What stood before the messages: as found at the first request, and since the last compaction.
    let (mut prefix, mut beside) = (None, 0);
    let (mut past, mut total) = (0, 0);
    for (nth, answer) in recorded.requests().iter().enumerate() {
        total += tally.messages()[past..answer.index()].iter().sum::<usize>();
        past = answer.index();
        while reports.next_if(|usage| usage.messages < past).is_some() {}
        let Some(usage) = reports.next_if(|usage| usage.messages == past) else { continue };
        let counted = total as i64;
        let goes_on = before.is_some_and(|(last, _)| usage.input * 100 >= last.input * GOES_ON);
        if !goes_on {
            beside = usage.input as i64 - counted;
            prefix.get_or_insert(beside);
        }
        if let Some((last, last_counted)) = before {
            let is_cold = setting.is_cold(recorded, nth);
            let held = |tokens: i64| {
                let tokens = if goes_on { tokens } else { prefix.unwrap_or(0) };
                let held = setting.rates.held(usize::try_from(tokens).unwrap_or(0));
                if is_cold { 0 } else { held as u64 }
            };
            sum.requests += 1;
            sum.input += usage.input;
            sum.charged += usage.cache_read;
            let predicted = held(last.input.min(usage.input) as i64);
            sum.predicted += predicted;
            sum.off += predicted.abs_diff(usage.cache_read);
            sum.counted += held(last_counted + beside);
            sum.cold += usize::from(is_cold);
        }
        before = Some((usage, counted));
    }
    (sum.charged > 0).then_some(sum)
}

impl Charged {
    /// Adds those of another session.
    pub fn merge(&mut self, other: &Charged) {
        self.requests += other.requests;
        self.input += other.input;
        self.charged += other.charged;
        self.predicted += other.predicted;
        self.counted += other.counted;
        self.off += other.off;
        self.cold += other.cold;
    }

    /// How much more or less was predicted than charged, as a share of the input: by reported sizes, by counting, and by
    /// sizes request by request.
    pub fn errors(&self) -> [f64; 3] {
        let share = |tokens: f64| tokens / self.input.max(1) as f64;
        let error = |predicted: u64| share(predicted as f64 - self.charged as f64);
        [error(self.predicted), error(self.counted), share(self.off as f64)]
    }
}
