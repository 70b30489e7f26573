//! Estimates corrected by what the provider reported.
//!
//! A provider's count differs from ours in two ways: by a **factor** (another vocabulary) and by a constant
//! **offset** (a system prompt and tool schemas that the log does not hold: Claude Code's are 36,000 to 43,000
//! tokens). So the corrected estimate is `factor × count + offset`.
//!
//! Undercounting overflows the window, overcounting folds a little early. So both rise at once and fall slowly:
//!
//! - the slope between two reports is the factor seen; a larger one is taken at once, a smaller one by an eighth;
//!   always within 0.8 and 2;
//! - the offset is at least what the remembered reports need: the estimate for content that was reported on is
//!   never below that report. It falls by an eighth of the excess with each report.
//!
//! ```text
//! our count   reported   factor  offset   estimate for 20,000
//!    10,000     52,000     1.00  42,000   62,000
//!    15,000     58,000     1.20  41,750   65,750      40,000 would do; the excess goes in eighths
//! ```

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// The correction for one model in one session. Pure: only reports change it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    factor: f64,
    offset: usize,
    reports: VecDeque<Report>,
}

/// Where a number comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// The provider reported it for exactly this content.
    Measured,
    /// We counted it.
    Estimated,
}

/// A number of tokens and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Estimate {
    /// How many.
    pub tokens: usize,
    /// Where the number comes from.
    pub label: Label,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Report {
    counted: usize,
    reported: usize,
}

/// The factor stays within these.
const FACTORS: (f64, f64) = (0.8, 2.0);

/// Reports that bind the offset. Older ones are of a different context.
const REMEMBERED: usize = 16;

/// Slopes over less than this many tokens say more about rounding than about the vocabulary.
const SLOPE_FROM: usize = 1_000;

/// Part of an excess that goes with each report.
const FALL: f64 = 1.0 / 8.0;

impl Default for Calibration {
    fn default() -> Calibration {
        Calibration { factor: 1.0, offset: 0, reports: VecDeque::new() }
    }
}

impl Calibration {
    /// No correction yet.
    pub fn new() -> Calibration {
        Calibration::default()
    }

    /// Takes in that the provider counted `reported` input tokens (cached ones included) where we counted
    /// `counted`. A report of 0 is no report.
    pub fn report(&mut self, counted: usize, reported: usize) {
        if reported == 0 || counted == 0 {
            return;
        }
        let report = Report { counted, reported };
        let seen = self.slope_to(report).clamp(FACTORS.0, FACTORS.1);
        self.factor = if seen > self.factor { seen } else { self.factor - (self.factor - seen) * FALL };
        self.reports.retain(|old| old.counted != counted);
        self.reports.push_back(report);
        if self.reports.len() > REMEMBERED {
            self.reports.pop_front();
        }
        let needed = self.reports.iter().map(|report| self.offset_for(*report)).max().unwrap_or(0);
        let excess = self.offset.saturating_sub(needed);
        self.offset = needed + excess - (excess as f64 * FALL).ceil() as usize;
    }

    /// The corrected estimate for content that we count as `counted`. Content is recognised by its count: what counts
    /// exactly as the content of the last report is taken for it.
    pub fn estimate(&self, counted: usize) -> Estimate {
        match self.reports.back() {
            Some(last) if last.counted == counted => {
                Estimate { tokens: last.reported, label: Label::Measured }
            }
            _ => {
                Estimate { tokens: self.scaled(counted).saturating_add(self.offset), label: Label::Estimated }
            }
        }
    }

    /// The largest count of ours whose corrected estimate is at most `tokens`: turns a limit in the provider's
    /// tokens into one in ours.
    pub(crate) fn counted_within(&self, tokens: usize) -> usize {
        let room = tokens.saturating_sub(self.offset);
        let mut counted = (room as f64 / self.factor).floor() as usize;
        while counted > 0 && self.scaled(counted) > room {
            counted -= 1;
        }
        counted
    }

    /// The factor in use.
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// The constant in use.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Whether any report came in.
    pub fn is_calibrated(&self) -> bool {
        !self.reports.is_empty()
    }

    /// The factor that a report shows: against the remembered report that lies farthest from it, or, when only a
    /// single size is known, its own ratio if that is below 1 (a constant cannot be negative), else no news.
    fn slope_to(&self, report: Report) -> f64 {
        let distance = |old: &&Report| old.counted.abs_diff(report.counted);
        match self.reports.iter().max_by_key(distance).filter(|old| distance(old) >= SLOPE_FROM) {
            Some(old) => {
                let rise = report.reported as f64 - old.reported as f64;
                rise / (report.counted as f64 - old.counted as f64)
            }
            None => (report.reported as f64 / report.counted as f64).min(self.factor),
        }
    }

    fn scaled(&self, counted: usize) -> usize {
        (counted as f64 * self.factor).ceil() as usize
    }

    fn offset_for(&self, report: Report) -> usize {
        report.reported.saturating_sub(self.scaled(report.counted))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn without_reports_an_estimate_is_the_count() {
        let estimate = Calibration::new().estimate(1234);
        assert_eq!(estimate, Estimate { tokens: 1234, label: Label::Estimated });
    }

    #[test]
    fn what_was_reported_is_measured_and_a_constant_is_told_from_a_factor() {
        let mut calibration = Calibration::new();
        calibration.report(10_000, 52_000);
        assert_eq!(calibration.estimate(10_000), Estimate { tokens: 52_000, label: Label::Measured });
        assert_eq!(calibration.estimate(20_000), Estimate { tokens: 62_000, label: Label::Estimated });
        calibration.report(15_000, 58_000);
        assert_eq!((calibration.factor(), calibration.offset()), (1.2, 41_750));
        assert_eq!(calibration.estimate(20_000).tokens, 65_750);
    }

    #[test]
    fn rises_at_once_and_falls_slowly() {
        let mut calibration = Calibration::new();
        calibration.report(10_000, 10_000);
        calibration.report(20_000, 26_000);
        assert_eq!(calibration.factor(), 1.6);
        calibration.report(40_000, 40_000);
        assert!(calibration.factor() > 1.45, "{}", calibration.factor());
    }

    #[test]
    fn senseless_reports_stay_within_bounds() {
        let mut calibration = Calibration::new();
        calibration.report(10_000, 0);
        assert!(!calibration.is_calibrated());
        calibration.report(1_000, 10_000);
        calibration.report(100_000, 100);
        calibration.report(10, usize::MAX / 4);
        assert!((0.8..=2.0).contains(&calibration.factor()));
    }

    proptest! {
        #[test]
        fn never_estimates_below_a_remembered_report_and_never_less_for_more(
            reports in prop::collection::vec((1usize..300_000, 1usize..600_000), 1..30),
            a in 0usize..400_000, b in 0usize..400_000,
        ) {
            let mut calibration = Calibration::new();
            for (counted, reported) in &reports {
                calibration.report(*counted, *reported);
            }
            for report in &calibration.reports {
                prop_assert!(calibration.estimate(report.counted).tokens >= report.reported);
            }
            let last = calibration.reports.back().unwrap().counted;
            prop_assume!(a != last && b != last);
            let (less, more) = (a.min(b), a.max(b));
            prop_assert!(calibration.estimate(less).tokens <= calibration.estimate(more).tokens);
            let within = calibration.counted_within(a);
            prop_assert!(within == 0 || calibration.scaled(within) + calibration.offset() <= a);
        }
    }
}
