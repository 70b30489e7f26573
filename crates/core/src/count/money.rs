//! What responses cost: the tokens that a provider reported, at the prices that are known.

use std::ops::AddAssign;

use super::Usage;
use super::models::Prices;

/// US dollars, by what they were paid for.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Money {
    /// Input that no cache held.
    pub input: f64,
    /// Input read from the cache.
    pub cache_read: f64,
    /// Input written to the cache.
    pub cache_write: f64,
    /// Output, reasoning included.
    pub output: f64,
}

impl Money {
    /// One response. Beyond the price cliff all of its input is dearer, cached or not, in proportion, and its output.
    pub fn of(usage: &Usage, prices: &Prices) -> Money {
        let cliff = prices.cliff.filter(|cliff| usage.input > cliff.over as u64 && prices.input > 0.0);
        let dearer = cliff.map_or(1.0, |cliff| cliff.input / prices.input);
        let dollars = |tokens: u64, per_million: f64| tokens as f64 * per_million / 1e6;
        let plain = usage.input.saturating_sub(usage.cache_read).saturating_sub(usage.cache_write);
        Money {
            input: dollars(plain, prices.input * dearer),
            cache_read: dollars(usage.cache_read, prices.cache_read * dearer),
            cache_write: dollars(usage.cache_write, prices.cache_write * dearer),
            output: dollars(usage.output, cliff.map_or(prices.output, |cliff| cliff.output)),
        }
    }

    /// Many responses.
    pub fn of_all(usage: &[Usage], prices: &Prices) -> Money {
        let mut sum = Money::default();
        for usage in usage {
            sum += Money::of(usage, prices);
        }
        sum
    }

    /// All of it.
    pub fn total(&self) -> f64 {
        self.input + self.cache_read + self.cache_write + self.output
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Money) {
        self.input += other.input;
        self.cache_read += other.cache_read;
        self.cache_write += other.cache_write;
        self.output += other.output;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::models::Cliff;

    const PRICES: Prices = Prices {
        input: 3.0,
        output: 15.0,
        cache_read: 0.3,
        cache_write: 3.75,
        cliff: Some(Cliff { over: 200_000, input: 6.0, output: 22.5 }),
    };

    fn usage(input: u64) -> Usage {
        Usage { messages: 0, input, cache_read: 80_000, cache_write: 10_000, output: 1_000 }
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let money = Money::of(&usage(100_000), &PRICES);
        assert_eq!(
            [money.input, money.cache_read, money.cache_write, money.output],
            [0.03, 0.024, 0.0375, 0.015]
        );
    }

    #[test]
    fn beyond_the_cliff_all_input_is_dearer_and_so_is_the_answer() {
        let money = Money::of(&usage(200_001), &PRICES);
        assert_eq!((money.cache_read, money.output), (0.048, 0.0225));
    }

    #[test]
    fn a_report_whose_cache_is_larger_than_its_input_costs_nothing_below_zero() {
        assert_eq!(Money::of(&usage(5), &PRICES).input, 0.0);
    }
}
