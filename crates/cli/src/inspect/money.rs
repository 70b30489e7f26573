//! What a session cost, as far as providers reported tokens and prices are known.

use enfold::count::Usage;
use enfold::count::models::Prices;
use enfold::count::money::Money;
use enfold::file::document::Document;
use serde::Serialize;

use crate::counting::Counted;
use crate::report::dollars;

/// US dollars at list prices. A session of several models is priced as if all of it were the last one's.
#[derive(Debug, Serialize)]
pub struct Paid {
    /// Whose prices.
    pub model: String,
    pub total: f64,
    pub input: f64,
    pub cache_read: f64,
    pub cache_write: f64,
    pub output: f64,
    /// What the same requests cost if nothing is read from a cache or written to one.
    pub without_cache: f64,
    pub responses: Vec<Response>,
}

/// One response.
#[derive(Debug, Serialize)]
pub struct Response {
    /// The messages that were sent: it follows them.
    pub sent: usize,
    pub dollars: f64,
}

/// The sum of what was reported; `None` without reports or prices.
pub fn paid(document: &Document, counted: &Counted) -> Option<Paid> {
    let model = &counted.model.as_ref()?.model;
    let prices = model.prices.filter(|_| !document.usage.is_empty())?;
    let money = Money::of_all(&document.usage, &prices);
    let uncached = |usage: &Usage| Usage { cache_read: 0, cache_write: 0, ..*usage };
    let without: Vec<Usage> = document.usage.iter().map(uncached).collect();
    Some(Paid {
        model: model.id.clone(),
        total: money.total(),
        input: money.input,
        cache_read: money.cache_read,
        cache_write: money.cache_write,
        output: money.output,
        without_cache: Money::of_all(&without, &prices).total(),
        responses: document.usage.iter().map(|usage| response(usage, &prices)).collect(),
    })
}

fn response(usage: &Usage, prices: &Prices) -> Response {
    Response { sent: usage.messages, dollars: Money::of(usage, prices).total() }
}

impl Paid {
    /// For people.
    pub fn in_a_line(&self) -> String {
        format!(
            "{} at list prices: {} read from the cache, {} written to it, {} other input, {} output",
            dollars(self.total),
            dollars(self.cache_read),
            dollars(self.cache_write),
            dollars(self.input),
            dollars(self.output),
        )
    }
}
