//! What a session cost, against what the same requests would have cost unfolded.
//!
//! Paid is what providers reported, at their prices: the rewriting of a cache when an epoch opens is in it. Unfolded, every
//! request would have held what was not sent as well, and the provider's cache would have held all of the request before it,
//! unless it was too long ago: the best that caching can do. So the difference is rather too small than too large.

use std::time::Duration;

use enfold::count::Usage;
use enfold::count::models::Prices;
use enfold::count::money::Money;
use enfold_store::Event;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The name of the event that is told and stored with every answer.
pub(crate) const USAGE: &str = "usage";

/// A request that was answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Answered {
    /// Milliseconds since 1970.
    #[serde(skip)]
    pub(crate) at: u64,
    pub(crate) input: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
    pub(crate) output: u64,
    /// Tokens of the history and of what was sent of it, by our count.
    pub(crate) tokens_before: u64,
    pub(crate) tokens_after: u64,
    /// Whether the view was sent, or only looked at.
    pub(crate) sent: bool,
    /// Whether the provider said that this is all.
    pub(crate) ended: bool,
}

impl Answered {
    pub(crate) fn usage(&self) -> Usage {
        let Answered { input, cache_read, cache_write, output, .. } = *self;
        Usage { messages: 0, input, cache_read, cache_write, output }
    }

    /// Tokens that were not sent, or would not have been.
    pub(crate) fn saved(&self) -> u64 {
        self.tokens_before.saturating_sub(self.tokens_after)
    }

    /// As listeners hear it and the store keeps it.
    pub(crate) fn data(&self) -> serde_json::Value {
        json!({
            "input": self.input, "cacheRead": self.cache_read, "cacheWrite": self.cache_write,
            "output": self.output, "tokensBefore": self.tokens_before, "tokensAfter": self.tokens_after,
            "saved": self.saved(), "sent": self.sent, "ended": self.ended,
        })
    }

    /// Those of a session, oldest first.
    pub(crate) fn all(events: &[Event]) -> Vec<Answered> {
        let told = events.iter().filter(|event| event.kind == USAGE);
        let read = |event: &Event| {
            let at = u64::try_from(event.at.as_millis()).unwrap_or(u64::MAX);
            serde_json::from_str(&event.json).ok().map(|answered| Answered { at, ..answered })
        };
        told.filter_map(read).collect()
    }
}

/// Dollars of a session. `None` where the model has no known price.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Compared {
    /// What providers charged.
    pub(crate) paid: Option<f64>,
    /// What the same requests would have cost unfolded.
    pub(crate) without: Option<f64>,
    /// Tokens that were not sent.
    pub(crate) saved: u64,
    /// Requests that, unfolded, would have been longer than the window.
    pub(crate) beyond: usize,
    /// Whether views were only looked at: then nothing was saved, and `saved` is what could have been.
    pub(crate) observed: bool,
    /// Request by request.
    pub(crate) responses: Vec<Response>,
}

/// Dollars of one response.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Response {
    pub(crate) at: u64,
    pub(crate) input: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
    pub(crate) output: u64,
    pub(crate) saved: u64,
    pub(crate) paid: Option<f64>,
    pub(crate) without: Option<f64>,
}

/// Compares. `ttl` is how long the provider keeps what it has read.
pub(crate) fn compare(all: &[Answered], prices: Option<&Prices>, ttl: Duration, window: usize) -> Compared {
    let writes = all.iter().any(|one| one.cache_write > 0);
    let caches = writes || all.iter().any(|one| one.cache_read > 0);
    let mut compared = Compared { observed: all.iter().any(|one| !one.sent), ..Compared::default() };
    let mut before: Option<(u64, u64)> = None;
    for one in all {
        let saved = if one.sent { one.saved() } else { 0 };
        let whole = one.input + saved;
        let kept = before.filter(|(at, _)| one.at.saturating_sub(*at) <= ttl.as_millis() as u64);
        let kept = kept.map_or(0, |(_, tokens)| tokens).max(one.cache_read).min(whole);
        let cache_read = if caches { kept } else { 0 };
        let plain = one.input.saturating_sub(one.cache_read).saturating_sub(one.cache_write);
        let cache_write = if writes { (whole - cache_read).saturating_sub(plain) } else { 0 };
        let unfolded = Usage { input: whole, cache_read, cache_write, ..one.usage() };
        before = Some((one.at, whole));
        let cost = |usage: &Usage| prices.map(|prices| Money::of(usage, prices).total());
        let response = Response {
            at: one.at,
            input: one.input,
            cache_read: one.cache_read,
            cache_write: one.cache_write,
            output: one.output,
            saved: one.saved(),
            paid: cost(&one.usage()),
            // What was sent is what would have been.
            without: if saved == 0 && compared.saved == 0 { cost(&one.usage()) } else { cost(&unfolded) },
        };
        compared.saved += one.saved();
        compared.beyond += usize::from(whole > window as u64);
        compared.responses.push(response);
    }
    let sum = |of: fn(&Response) -> Option<f64>| compared.responses.iter().map(of).sum::<Option<f64>>();
    let (paid, without) = (sum(|response| response.paid), sum(|response| response.without));
    let is_known = prices.is_some();
    Compared { paid: paid.filter(|_| is_known), without: without.filter(|_| is_known), ..compared }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICES: Prices =
        Prices { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75, cliff: None };
    const TTL: Duration = Duration::from_secs(300);

    fn answered(at: u64, read: u64, write: u64, saved: u64) -> Answered {
        let input = read + write;
        Answered {
            at: at * 1_000,
            input,
            cache_read: read,
            cache_write: write,
            tokens_before: input + saved,
            tokens_after: input,
            sent: true,
            ..Answered::default()
        }
    }

    #[test]
    fn without_folding_a_request_holds_all_and_the_cache_holds_the_one_before() {
        // An epoch at the second request: 60,000 tokens are written anew, and 100,000 are not sent from then on.
        let all = [
            answered(0, 0, 150_000, 0),
            answered(10, 0, 60_000, 100_000),
            answered(20, 60_000, 10_000, 100_000),
        ];
        let compared = compare(&all, Some(&PRICES), TTL, 165_000);
        let (paid, without) = (compared.paid.unwrap(), compared.without.unwrap());
        assert!((paid - (220_000.0 * 3.75 + 60_000.0 * 0.3) / 1e6).abs() < 1e-9, "{paid}");
        let written = 150_000.0 + 10_000.0 + 10_000.0;
        assert!((without - (written * 3.75 + (150_000.0 + 160_000.0) * 0.3) / 1e6).abs() < 1e-9, "{without}");
        assert!(
            paid > without,
            "rewriting is dear: two requests after an epoch it has not paid for itself yet"
        );
        assert_eq!((compared.saved, compared.beyond), (200_000, 1));
    }

    #[test]
    fn a_cache_that_was_forgotten_is_written_again_in_both_worlds() {
        let all = [answered(0, 0, 50_000, 50_000), answered(1_000, 0, 50_000, 50_000)];
        let compared = compare(&all, Some(&PRICES), TTL, 200_000);
        assert!((compared.without.unwrap() - 2.0 * compared.paid.unwrap()).abs() < 1e-9, "{compared:?}");
    }

    #[test]
    fn observing_saves_nothing_and_unknown_prices_are_not_nothing() {
        let seen = Answered { sent: false, ..answered(0, 0, 1_000, 9_000) };
        let compared = compare(&[seen], Some(&PRICES), TTL, 200_000);
        assert_eq!(compared.paid, compared.without);
        assert_eq!((compared.saved, compared.observed), (9_000, true));
        assert_eq!(compare(&[seen], None, TTL, 200_000).paid, None);
    }

    #[test]
    fn what_is_told_is_what_is_read_from_the_store() {
        let one = Answered { ended: true, output: 7, ..answered(5, 1, 2, 3) };
        let event = Event { at: Duration::from_secs(5), kind: USAGE.into(), json: one.data().to_string() };
        assert_eq!(Answered::all(&[event]), [one]);
    }
}
