//! What came of a replay, and sums of many.

use std::fmt;

use serde::Serialize;

/// A mean over places where there was something to find.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    sum: f64,
    count: usize,
}

impl Share {
    pub(crate) fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// The mean; nothing where nothing was looked for.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    fn merge(&mut self, other: &Share) {
        self.sum += other.sum;
        self.count += other.count;
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mean() {
            Some(mean) => write!(f, "{mean:.3}"),
            None => f.write_str("–"),
        }
    }
}

impl Serialize for Share {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.mean().serialize(serializer)
    }
}

/// One request.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Point {
    /// Messages of the session before it.
    pub at: usize,
    /// Its tokens.
    pub tokens: usize,
    /// Those that the cache held.
    pub read: usize,
    /// What all requests cost up to this one, in tokens of plain input.
    pub cost: f64,
    /// It opened an epoch.
    pub opened: bool,
    /// The cache had forgotten the request before.
    pub cold: bool,
    /// There was no view, and everything was sent.
    pub failed: bool,
}

/// What the requests of a session came to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Figures {
    /// How many there were.
    pub requests: usize,
    /// Tokens that the model read, cached or not.
    pub input: u64,
    /// Those that the cache held.
    pub cache_read: u64,
    /// Those that were written to the cache: what was sent anew, but for requests that are too small to be cached.
    pub cache_write: u64,
    /// What the input cost, in tokens of plain input.
    pub cost: f64,
    /// US dollars, answers included, where prices are known.
    pub dollars: Option<f64>,
    /// Sessions of which that says something: of one by itself 1, or 0 where its prices are not known.
    pub priced_sessions: usize,
    /// Epochs that were opened.
    pub epochs: usize,
    /// Requests that do not go on from the one before.
    pub breaks: usize,
    /// Requests, but the first, before which the cache had forgotten everything.
    pub cold: usize,
    /// Requests whose past changed although no epoch was opened. Must be 0.
    pub changed_within_an_epoch: usize,
    /// Requests over the window.
    pub over: usize,
    /// Requests for which there was no view, because what must stay does not fit. They are charged as sending everything, and
    /// not judged.
    pub failed: usize,
    /// Times that the agent would have had to look something up: what it does next uses a rare name that does not stand in the
    /// view, and a handle in the view leads there.
    pub lookups: usize,
    /// Times that nothing in the view leads there: the agent has to do again what it did.
    pub repeats: usize,
    /// What both cost: a request more each, and what was opened in every request until the next epoch. Not in `cost`.
    pub lookup_cost: f64,
    /// Requests whose views were judged: every fifth whose history is over the window. The shares below are means over these.
    pub judged: usize,
    /// Sessions that have such requests.
    pub judged_sessions: usize,
    /// Of the rare names that the next answers use and that stood in the history: the share that stands in the view.
    pub recall: Share,
    /// Requests whose very next answer finds every name it uses.
    pub steps: Share,
    /// Of the lines that the next answers repeat.
    pub lines: Share,
    /// Of what the user said.
    pub asked: Share,
    /// Each request, where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<Point>,
}

impl Figures {
    /// So many of the requests, as a number of a hundred.
    pub fn of_hundred(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.requests.max(1) as f64
    }

    /// Adds those of another session.
    pub fn merge(&mut self, other: &Figures) {
        self.requests += other.requests;
        self.input += other.input;
        self.cache_read += other.cache_read;
        self.cache_write += other.cache_write;
        self.cost += other.cost;
        self.dollars = match (self.dollars, other.dollars) {
            (Some(sum), Some(more)) => Some(sum + more),
            (one, other) => one.or(other),
        };
        self.priced_sessions += other.priced_sessions;
        self.epochs += other.epochs;
        self.breaks += other.breaks;
        self.cold += other.cold;
        self.changed_within_an_epoch += other.changed_within_an_epoch;
        self.over += other.over;
        self.failed += other.failed;
        self.lookups += other.lookups;
        self.repeats += other.repeats;
        self.lookup_cost += other.lookup_cost;
        self.judged += other.judged;
        self.judged_sessions += other.judged_sessions;
        self.recall.merge(&other.recall);
        self.steps.merge(&other.steps);
        self.lines.merge(&other.lines);
        self.asked.merge(&other.asked);
    }
}
