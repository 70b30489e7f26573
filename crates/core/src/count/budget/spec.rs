//! Budgets and shares as people write them: `16k`, `80%`.

use std::fmt;
use std::str::FromStr;

use super::BudgetError;

/// A share of something, in millionths, so that the same budget comes out on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Share(u32);

/// A budget as a user writes it: `16000`, `16k`, `1.5M`, `0.8`, `80%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetSpec {
    /// So many tokens.
    Tokens(usize),
    /// A share of the model's usable window.
    OfWindow(Share),
}

impl BudgetSpec {
    /// The budget in tokens; shares are of `usable`.
    pub fn tokens(self, usable: usize) -> usize {
        match self {
            BudgetSpec::Tokens(tokens) => tokens,
            BudgetSpec::OfWindow(share) => share.of(usable),
        }
    }
}

impl Share {
    const UNIT: u32 = 1_000_000;

    /// A share in hundredths.
    pub const fn percent(percent: u32) -> Share {
        Share(percent * (Share::UNIT / 100))
    }

    /// A share of one: 0.8. What is no number, or out of range, is the nearest that is.
    pub(crate) fn of_one(share: f64) -> Share {
        Share((share.clamp(0.0, 1.0) * f64::from(Share::UNIT)).round() as u32)
    }

    /// Whether `part` has reached this share of `whole`. All of it is reached only when there is more.
    pub fn is_reached(self, part: usize, whole: usize) -> bool {
        part > whole || (self.0 < Share::UNIT && part >= self.of(whole))
    }

    /// So many hundredths of the whole less; nothing at the least.
    pub fn less(self, percent: u32) -> Share {
        Share(self.0.saturating_sub(Share::percent(percent).0))
    }

    /// This share of `whole`, rounded down.
    pub fn of(self, whole: usize) -> usize {
        let part = whole as u128 * u128::from(self.0) / u128::from(Share::UNIT);
        usize::try_from(part).unwrap_or(usize::MAX)
    }
}

impl FromStr for BudgetSpec {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<BudgetSpec, BudgetError> {
        let error = || BudgetError::NotABudget(text.to_string());
        let written: String = text.trim().chars().filter(|c| !matches!(c, '_' | ',')).collect();
        if written.ends_with('%') {
            return Ok(BudgetSpec::OfWindow(text.trim().parse()?));
        }
        let (digits, unit) = match written.char_indices().next_back() {
            Some((at, 'k' | 'K')) => (&written[..at], 1_000),
            Some((at, 'm' | 'M')) => (&written[..at], 1_000_000),
            _ => (written.as_str(), 1),
        };
        if unit == 1 && digits.contains('.') {
            return Ok(BudgetSpec::OfWindow(digits.parse()?));
        }
        let millionths = millionths(digits).ok_or_else(error)?;
        let tokens = usize::try_from(millionths * unit / 1_000_000).map_err(|_| error())?;
        if tokens == 0 { Err(error()) } else { Ok(BudgetSpec::Tokens(tokens)) }
    }
}

impl FromStr for Share {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Share, BudgetError> {
        let error = || BudgetError::NotAShare(text.to_string());
        let (digits, divisor) = text.strip_suffix('%').map_or((text, 1), |digits| (digits, 100));
        let value = millionths(digits).ok_or_else(error)? / divisor;
        match u32::try_from(value) {
            Ok(value) if (1..=Share::UNIT).contains(&value) => Ok(Share(value)),
            _ => Err(error()),
        }
    }
}

/// `1.5` → 1,500,000. Up to six decimals.
fn millionths(digits: &str) -> Option<u128> {
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let too_long = whole.len() > 18 || decimals.len() > 6;
    if too_long || !is_digits(whole) || !is_digits(decimals) || whole.len() + decimals.len() == 0 {
        return None;
    }
    format!("{whole}{decimals:0<6}").parse().ok()
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:06}", self.0 % Share::UNIT);
        write!(f, "{}.{:0<2}", self.0 / Share::UNIT, decimals.trim_end_matches('0'))
    }
}

impl fmt::Display for BudgetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BudgetSpec::Tokens(tokens) => write!(f, "{tokens}"),
            BudgetSpec::OfWindow(share) => write!(f, "{share}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read_as_people_write_them() {
        let read = |text: &str| text.parse::<BudgetSpec>().map(|spec| spec.tokens(100_000));
        for (text, tokens) in [
            ("16000", 16_000),
            ("16k", 16_000),
            ("16K", 16_000),
            ("1.5M", 1_500_000),
            ("0.8", 80_000),
            ("80%", 80_000),
            ("1.0", 100_000),
            (".5", 50_000),
            ("16_000", 16_000),
            ("128,000", 128_000),
            (" 64k ", 64_000),
            ("2.5k", 2_500),
            ("1", 1),
        ] {
            assert_eq!(read(text), Ok(tokens), "{text}");
        }
    }

    #[test]
    fn what_is_no_budget_is_refused_with_an_example() {
        for text in [
            "",
            "k",
            "-5",
            "1e3",
            "16kb",
            "abc",
            "0",
            "0k",
            "1.5",
            "0.0",
            "150%",
            "99999999999999999999",
            "٣",
        ] {
            let error = text.parse::<BudgetSpec>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")) && error.contains("write for example"), "{error}");
        }
    }
}
