//! What a provider charges for what its cache holds.

use enfold::count::models::Model;

/// Prices as multiples of that of a token of input, and what a cache holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// A token that the cache held.
    pub read: f64,
    /// A token that was sent anew.
    pub write: f64,
    /// Beginnings of fewer tokens are not cached.
    pub min_tokens: usize,
    /// Beginnings are cached in blocks of so many tokens.
    pub block: usize,
    /// Seconds after which what was sent is forgotten.
    pub ttl: Option<u32>,
}

impl Default for Rates {
    /// A tenth for what was held, a quarter more for what is new, nothing forgotten.
    fn default() -> Rates {
        Rates { read: 0.1, write: 1.25, min_tokens: 0, block: 1, ttl: None }
    }
}

impl Rates {
    /// Those of a model. What its provider does not say is as everywhere: nothing taken off, nothing added.
    pub fn of(model: &Model) -> Rates {
        let priced = |price: fn(&enfold::count::models::Prices) -> f64| {
            model.prices.filter(|prices| prices.input > 0.0).map(|prices| price(&prices) / prices.input)
        };
        Rates {
            read: priced(|prices| prices.cache_read).or(model.cache.read).unwrap_or(1.0),
            write: priced(|prices| prices.cache_write).or(model.cache.write).unwrap_or(1.0),
            min_tokens: model.cache.min_tokens.unwrap_or(0),
            block: if model.provider == "openai" { 128 } else { 1 },
            ttl: model.cache.ttl,
        }
    }

    /// How much of a beginning of so many tokens a cache gives back.
    pub(crate) fn held(&self, same: usize) -> usize {
        let whole = same / self.block * self.block;
        if whole < self.min_tokens { 0 } else { whole }
    }
}
