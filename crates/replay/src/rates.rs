//! What a provider charges for what its cache holds. All of it is read from the model table.

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
    /// A request of more tokens than these pays so many times as much for all of them.
    pub cliff: Option<(usize, f64)>,
}

/// How long a client asks the provider to keep what it sends, where there is a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lifetime {
    /// As long as everybody gets.
    #[default]
    Short,
    /// The longer one, whose writes are dearer.
    Long,
}

impl Default for Rates {
    /// A tenth for what was held, a quarter more for what is new, nothing forgotten.
    fn default() -> Rates {
        Rates { read: 0.1, write: 1.25, min_tokens: 0, block: 1, ttl: None, cliff: None }
    }
}

impl Rates {
    /// Those of a model. What its provider does not say is as everywhere: nothing taken off, nothing added. Of a model whose
    /// prices nobody knows, reads and writes are priced as they mostly are.
    pub fn of(model: &Model, lifetime: Lifetime) -> Rates {
        let rules = &model.cache;
        let long = rules.long_ttl.zip(rules.long_write).filter(|_| lifetime == Lifetime::Long);
        let usual = match model.prices {
            Some(_) => Rates { read: 1.0, write: 1.0, ..Rates::default() },
            None => Rates::default(),
        };
        let prices = model.prices.filter(|prices| prices.input > 0.0);
        let cliff = prices.and_then(|prices| Some((prices.cliff?, prices.input)));
        Rates {
            read: rules.read.unwrap_or(usual.read),
            write: long.map(|(_, write)| write).or(rules.write).unwrap_or(usual.write),
            min_tokens: rules.min_tokens.unwrap_or(0),
            block: rules.block.unwrap_or(1),
            ttl: long.map(|(ttl, _)| ttl).or(rules.ttl),
            cliff: cliff.map(|(cliff, input)| (cliff.over, cliff.input / input)),
        }
    }

    /// How much of a beginning of so many tokens a cache gives back.
    pub(crate) fn held(&self, same: usize) -> usize {
        let whole = same / self.block * self.block;
        if whole < self.min_tokens { 0 } else { whole }
    }

    /// Whether what was sent is forgotten after so many seconds. Where nobody says how long it stays, only a pause that
    /// somebody put in is long enough.
    pub(crate) fn forgets(&self, waited: u64, put_in: u64) -> bool {
        match self.ttl {
            Some(ttl) => waited + put_in > u64::from(ttl),
            None => put_in > 0,
        }
    }

    /// What is charged for a request of so many tokens, of which the cache gives back `read`. A request that is too small to be
    /// cached pays for plain input.
    pub(crate) fn input(&self, tokens: usize, read: usize) -> Input {
        let written = if tokens < self.min_tokens { 0 } else { tokens - read };
        Input { tokens: tokens as u64, read: read as u64, written: written as u64 }
    }

    /// What it costs, in tokens of plain input.
    pub(crate) fn cost(&self, input: Input) -> f64 {
        let Input { tokens, read, written } = input;
        let dearer = self.cliff.filter(|(over, _)| tokens > *over as u64).map_or(1.0, |(_, times)| times);
        let plain = tokens - read - written;
        dearer * (self.read * read as f64 + self.write * written as f64 + plain as f64)
    }
}

/// The input of a request, by what is charged for it. What is neither read from the cache nor written to it is plain input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) tokens: u64,
    pub(crate) read: u64,
    pub(crate) written: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use enfold::count::models::Table;

    fn rates(id: &str, lifetime: Lifetime) -> Rates {
        Rates::of(&Table::shipped().resolve(id).model, lifetime)
    }

    #[test]
    fn all_rules_are_those_of_the_table() {
        let opus = rates("claude-opus-4-5", Lifetime::Short);
        assert_eq!(
            (opus.read, opus.write, opus.ttl, opus.min_tokens, opus.block),
            (0.1, 1.25, Some(300), 4_096, 1)
        );
        let long = rates("claude-opus-4-5", Lifetime::Long);
        assert_eq!((long.write, long.ttl), (2.0, Some(3_600)));
        let gpt = rates("gpt-5.5", Lifetime::Long);
        assert_eq!((gpt.write, gpt.ttl, gpt.block, gpt.cliff), (1.0, Some(300), 128, Some((272_000, 2.0))));
    }

    #[test]
    fn a_users_own_entry_says_otherwise() {
        let toml = "[\"gpt-5.5\"]\ncache_ttl = 86400\ncache_block = 512\ncache_min = 2048\n";
        let table = Table::shipped().with_toml(toml).unwrap();
        let rates = Rates::of(&table.resolve("gpt-5.5").model, Lifetime::Short);
        assert_eq!((rates.ttl, rates.block, rates.min_tokens), (Some(86_400), 512, 2_048));
        assert_eq!((rates.held(2_047), rates.held(2_600)), (0, 2_560));
    }

    #[test]
    fn beyond_a_cliff_every_token_is_dearer() {
        let rates = Rates { cliff: Some((1_000, 2.0)), ..Rates::default() };
        assert_eq!(rates.cost(rates.input(1_000, 800)), 80.0 + 250.0);
        assert_eq!(rates.cost(rates.input(1_001, 801)), 2.0 * (80.1 + 250.0));
    }

    #[test]
    fn what_is_too_small_to_be_cached_is_plain_input() {
        let rates = Rates { min_tokens: 1_024, ..Rates::default() };
        assert_eq!(rates.cost(rates.input(1_023, 0)), 1_023.0);
        assert_eq!(rates.cost(rates.input(1_024, 0)), 1_280.0);
    }

    /// The cache of such a model once forgot nothing and held everything.
    #[test]
    fn a_model_without_prices_keeps_the_rules_of_its_cache() {
        let table = Table::shipped()
            .with_toml("[\"mine\"]\ncontext = 64000\ncache_ttl = 60\ncache_min = 512\n")
            .unwrap();
        let rates = Rates::of(&table.resolve("mine").model, Lifetime::Short);
        assert_eq!(rates, Rates { ttl: Some(60), min_tokens: 512, ..Rates::default() });
    }

    #[test]
    fn what_was_sent_is_forgotten_when_its_time_is_over_and_a_pause_adds_to_the_clock() {
        let rates = Rates { ttl: Some(300), ..Rates::default() };
        assert!(!rates.forgets(300, 0) && rates.forgets(301, 0) && rates.forgets(200, 101));
        assert!(
            !Rates::default().forgets(9_999, 0) && Rates::default().forgets(0, 1),
            "nobody says how long it stays"
        );
    }
}
