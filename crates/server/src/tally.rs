//! Numbers for people and Prometheus: what was read, written, saved and paid.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use enfold::count::Usage;
use enfold::count::models::Prices;
use enfold::count::money::Money;
use serde::Serialize;

/// Sums since the server was started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Requests to models.
    pub requests: u64,
    /// Of these, with another body than the client's.
    pub folded: u64,
    /// Of these, sent as they came because something failed.
    pub failed_open: u64,
    /// Bodies that a provider would have refused and that were not sent.
    pub refused: u64,
    /// Requests refused by an upstream as too long.
    pub overflows: u64,
    /// Epochs that were opened.
    pub epochs: u64,
    /// Folds that were made.
    pub folds: u64,
    /// Tokens that providers say they have read.
    pub input: u64,
    /// Of these, from their caches.
    pub cache_read: u64,
    /// Of these, into their caches.
    pub cache_write: u64,
    /// Tokens that they wrote.
    pub output: u64,
    /// Tokens that were not sent, by our count; in observe mode those that would not have been.
    pub saved: u64,
    /// What providers charged, in dollars, where prices are known.
    pub paid: f64,
    /// What the saved tokens would have cost if the provider had had every one of them in its cache: the least they can cost.
    pub saved_at_least: f64,
}

/// The sums, shared.
#[derive(Default)]
pub(crate) struct Tally(Mutex<Totals>);

impl Tally {
    pub(crate) fn add(&self, change: impl FnOnce(&mut Totals)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn totals(&self) -> Totals {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Totals {
    /// Adds what a provider reported for a request from which so many tokens were saved.
    pub(crate) fn charge(&mut self, usage: &Usage, saved: usize, prices: Option<&Prices>) {
        self.input += usage.input;
        self.cache_read += usage.cache_read;
        self.cache_write += usage.cache_write;
        self.output += usage.output;
        if let Some(prices) = prices {
            self.paid += Money::of(usage, prices).total();
            self.saved_at_least += saved as f64 * prices.cache_read / 1e6;
        }
    }

    /// As Prometheus reads it.
    pub(crate) fn prometheus(&self) -> String {
        let counts = [
            ("requests", "Requests to models.", self.requests),
            ("requests_folded", "Requests sent with another body than the client's.", self.folded),
            (
                "requests_failed_open",
                "Requests sent as they came because something failed.",
                self.failed_open,
            ),
            (
                "bodies_refused",
                "Bodies that a provider would have refused and that were not sent.",
                self.refused,
            ),
            ("overflows", "Requests refused by an upstream as too long.", self.overflows),
            ("epochs", "Epochs opened.", self.epochs),
            ("folds", "Folds made.", self.folds),
            ("tokens_input", "Tokens that providers say they have read.", self.input),
            ("tokens_cache_read", "Of these, read from a cache.", self.cache_read),
            ("tokens_cache_write", "Of these, written to a cache.", self.cache_write),
            ("tokens_output", "Tokens that models wrote.", self.output),
            ("tokens_saved", "Tokens not sent, by our count.", self.saved),
        ];
        let mut text = String::new();
        let mut put = |name: &str, help: &str, value: &dyn std::fmt::Display| {
            let _ = writeln!(
                text,
                "# HELP enfold_{name}_total {help}\n# TYPE enfold_{name}_total counter\nenfold_{name}_total {value}"
            );
        };
        for (name, help, value) in counts {
            put(name, help, &value);
        }
        put("dollars_paid", "What providers charged, where prices are known.", &self.paid);
        put(
            "dollars_saved_at_least",
            "What saved tokens would have cost as cache reads.",
            &self.saved_at_least,
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use enfold::count::models::Cliff;

    use super::*;

    #[test]
    fn money_is_what_the_provider_reported_at_its_prices() {
        let prices = Prices { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75, cliff: None };
        let usage = Usage {
            input: 1_000_000,
            cache_read: 800_000,
            cache_write: 100_000,
            output: 10_000,
            ..Usage::default()
        };
        let mut totals = Totals::default();
        totals.charge(&usage, 500_000, Some(&prices));
        assert!((totals.paid - (0.3 + 0.24 + 0.375 + 0.15)).abs() < 1e-9, "{totals:?}");
        assert!((totals.saved_at_least - 0.15).abs() < 1e-9, "{totals:?}");
    }

    /// A model whose input is free but dear beyond a cliff once cost `NaN`, and with it everything that was added to.
    #[test]
    fn free_input_is_free_beyond_a_cliff_too() {
        let cliff = Some(Cliff { over: 100, input: 6.0, output: 20.0 });
        let prices = Prices { input: 0.0, output: 15.0, cache_read: 0.0, cache_write: 0.0, cliff };
        let mut totals = Totals::default();
        totals.charge(&Usage { input: 1_000, output: 1_000, ..Usage::default() }, 0, Some(&prices));
        assert!((totals.paid - 0.015).abs() < 1e-9, "{totals:?}");
    }

    #[test]
    fn prometheus_reads_a_name_a_type_and_a_value() {
        let text = Totals { requests: 3, ..Totals::default() }.prometheus();
        assert!(text.contains("# TYPE enfold_requests_total counter\nenfold_requests_total 3\n"), "{text}");
        assert!(text.lines().all(|line| line.starts_with('#') || line.split(' ').count() == 2), "{text}");
    }
}
