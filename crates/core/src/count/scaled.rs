//! Estimates where no vocabulary is public.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use super::{Counter, LineCounts};

/// A rational factor, so that the same text gives the same estimate on every machine. Kept in ten-thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factor(u32);

/// A factor that is not a number between 0.01 and 100.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("factor `{0}` is not a number between 0.01 and 100 with up to four decimals; write one such as 1.25")]
pub struct FactorError(String);

/// Another counter's numbers times a factor, rounded up.
#[derive(Clone, Debug)]
pub struct Scaled<C> {
    counter: C,
    factor: Factor,
}

/// A quarter of the characters, rounded up: needs no vocabulary, may be wrong by a factor of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heuristic;

impl Factor {
    const UNIT: u32 = 10_000;

    /// The factor that changes nothing.
    pub const ONE: Factor = Factor(Factor::UNIT);

    /// A factor in hundredths: `Factor::percent(125)` is 1.25.
    pub const fn percent(percent: u32) -> Factor {
        Factor(percent * (Factor::UNIT / 100))
    }

    /// `count` times the factor, rounded up.
    pub fn of(self, count: usize) -> usize {
        let scaled = (count as u128 * u128::from(self.0)).div_ceil(u128::from(Factor::UNIT));
        usize::try_from(scaled).unwrap_or(usize::MAX)
    }

    /// The largest count whose product with the factor is at most `scaled`.
    fn inverse(self, scaled: usize) -> usize {
        let count = scaled as u128 * u128::from(Factor::UNIT) / u128::from(self.0);
        usize::try_from(count).unwrap_or(usize::MAX)
    }
}

impl<C: Counter> Scaled<C> {
    /// `counter` times `factor`.
    pub fn new(counter: C, factor: Factor) -> Scaled<C> {
        Scaled { counter, factor }
    }
}

impl<C: Counter> Counter for Scaled<C> {
    fn name(&self) -> String {
        format!("{} x {}", self.counter.name(), self.factor)
    }

    fn count(&self, text: &str) -> usize {
        self.factor.of(self.counter.count(text))
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        self.counter.count_up_to(text, self.factor.inverse(limit)).map(|count| self.factor.of(count))
    }

    fn count_lines(&self, text: &str, lines: &[Range<usize>]) -> LineCounts {
        let counts = self.counter.count_lines(text, lines);
        let scaled = |count: u32| u32::try_from(self.factor.of(count as usize)).unwrap_or(u32::MAX);
        LineCounts {
            text: self.factor.of(counts.text),
            lines: counts.lines.into_iter().map(scaled).collect(),
        }
    }

    fn is_exact(&self) -> bool {
        false
    }
}

impl Counter for Heuristic {
    fn name(&self) -> String {
        "heuristic".into()
    }

    fn count(&self, text: &str) -> usize {
        text.chars().count().div_ceil(4)
    }

    fn is_exact(&self) -> bool {
        false
    }
}

impl FromStr for Factor {
    type Err = FactorError;

    fn from_str(text: &str) -> Result<Factor, FactorError> {
        let error = || FactorError(text.to_string());
        let (whole, decimals) = text.trim().split_once('.').unwrap_or((text.trim(), "0"));
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(whole) || !is_digits(decimals) || whole.len() > 3 || decimals.len() > 4 {
            return Err(error());
        }
        let value: u32 = format!("{whole}{decimals:0<4}").parse().map_err(|_| error())?;
        if (Factor::UNIT / 100..=Factor::UNIT * 100).contains(&value) {
            Ok(Factor(value))
        } else {
            Err(error())
        }
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:04}", self.0 % Factor::UNIT);
        match decimals.trim_end_matches('0') {
            "" => write!(f, "{}", self.0 / Factor::UNIT),
            decimals => write!(f, "{}.{decimals}", self.0 / Factor::UNIT),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_rounds_up_and_reads_as_it_prints() {
        for text in ["1", "1.1", "1.25", "1.6", "0.8", "1.0625"] {
            assert_eq!(text.parse::<Factor>().unwrap().to_string(), text);
        }
        assert_eq!(Factor::percent(110).of(1), 2);
        assert_eq!(Factor::percent(110).of(10), 11);
        assert_eq!(Factor::percent(160).of(0), 0);
    }

    #[test]
    fn a_factor_that_makes_no_sense_is_refused_with_a_remedy() {
        for text in ["", "0", "-1", "1e3", "1.23456", "nan", "101", "1,5"] {
            let error = text.parse::<Factor>().unwrap_err().to_string();
            assert!(error.contains("such as 1.25"), "{error}");
        }
    }

    #[test]
    fn a_scaled_count_up_to_a_limit_agrees_with_the_scaled_count() {
        let scaled = Scaled::new(Heuristic, Factor::percent(160));
        let text = "x".repeat(40);
        assert_eq!(scaled.count(&text), 16);
        assert_eq!(scaled.count_up_to(&text, 16), Some(16));
        assert_eq!(scaled.count_up_to(&text, 15), None);
    }

    #[test]
    fn the_heuristic_counts_characters_not_bytes() {
        assert_eq!(Heuristic.count("äöüß"), 1);
        assert_eq!(Heuristic.count("hello"), 2);
        assert_eq!(Heuristic.count(""), 0);
    }
}
