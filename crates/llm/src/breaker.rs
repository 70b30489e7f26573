//! Holds questions back after several failed in a row.
//!
//! ```text
//! closed ── failures in a row ──> open ── time ──> probing ── it worked ──> closed
//!                                  ^                  └─────── it failed ──> open
//! ```

use std::time::Duration;

use tokio::time::Instant;

/// The state of the breaker. Time is an argument.
#[derive(Debug)]
pub(crate) struct Breaker {
    after: u32,
    open_for: Duration,
    /// Questions in a row that got no answer.
    failures: u32,
    /// Answers in a row that were of no use.
    useless: u32,
    state: State,
    because: &'static str,
}

#[derive(Debug)]
enum State {
    Closed,
    Open {
        until: Instant,
    },
    /// One question is on its way; whether others follow depends on it.
    Probing,
}

/// A question was not let through.
#[derive(Debug, PartialEq)]
pub(crate) struct HeldBack {
    pub(crate) wait: Duration,
    pub(crate) because: &'static str,
}

/// How a question ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    Worked,
    Failed(&'static str),
    /// It says nothing about the provider: the caller gave up.
    Unknown,
}

impl Breaker {
    pub(crate) fn new(after: u32, open_for: Duration) -> Breaker {
        Breaker { after: after.max(1), open_for, failures: 0, useless: 0, state: State::Closed, because: "" }
    }

    /// Lets a question through, or says how long none is.
    pub(crate) fn admit(&mut self, now: Instant) -> Result<(), HeldBack> {
        match self.state {
            State::Closed => Ok(()),
            State::Open { until } if until <= now => {
                self.state = State::Probing;
                Ok(())
            }
            State::Open { .. } | State::Probing => match self.held_back(now) {
                Some(held) => Err(held),
                None => Ok(()),
            },
        }
    }

    /// How long nothing is let through, if so. Asking changes nothing.
    pub(crate) fn held_back(&self, now: Instant) -> Option<HeldBack> {
        match self.state {
            State::Open { until } if until > now => {
                Some(HeldBack { wait: until - now, because: self.because })
            }
            State::Probing => Some(HeldBack { wait: Duration::ZERO, because: self.because }),
            State::Open { .. } | State::Closed => None,
        }
    }

    /// Records whether an answer that came was of use. A model that only ever answers nonsense is as good as one that
    /// does not answer.
    pub(crate) fn judge(&mut self, now: Instant, was_useful: bool) {
        self.useless = if was_useful { 0 } else { self.useless.saturating_add(1) };
        if self.useless >= self.after {
            self.useless = 0;
            self.because = "rejected";
            self.state = State::Open { until: now + self.open_for };
        }
    }

    /// Records how an admitted question ended.
    pub(crate) fn settle(&mut self, now: Instant, outcome: Outcome) {
        match (outcome, &self.state) {
            (Outcome::Worked, _) => {
                self.failures = 0;
                self.state = State::Closed;
            }
            (Outcome::Failed(because), State::Closed | State::Probing) => {
                self.failures = self.failures.saturating_add(1);
                self.because = because;
                if self.failures >= self.after {
                    self.state = State::Open { until: now + self.open_for };
                }
            }
            (Outcome::Unknown, State::Probing) => self.state = State::Open { until: now },
            // A question from before the breaker opened, or one that was cancelled.
            (Outcome::Failed(_), State::Open { .. })
            | (Outcome::Unknown, State::Closed | State::Open { .. }) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn opened(now: Instant) -> Breaker {
        let mut breaker = Breaker::new(3, MINUTE);
        for _ in 0..3 {
            assert_eq!(breaker.admit(now), Ok(()));
            breaker.settle(now, Outcome::Failed("server"));
        }
        breaker
    }

    #[test]
    fn opens_after_three_failures_in_a_row_and_says_why() {
        let now = Instant::now();
        let held = HeldBack { wait: MINUTE / 2, because: "server" };
        assert_eq!(opened(now).admit(now + MINUTE / 2), Err(held));
    }

    #[test]
    fn a_success_in_between_starts_the_count_again() {
        let now = Instant::now();
        let mut breaker = Breaker::new(3, MINUTE);
        for outcome in [
            Outcome::Failed("x"),
            Outcome::Failed("x"),
            Outcome::Worked,
            Outcome::Failed("x"),
            Outcome::Failed("x"),
        ] {
            assert_eq!(breaker.admit(now), Ok(()));
            breaker.settle(now, outcome);
        }
        assert_eq!(breaker.admit(now), Ok(()));
    }

    #[test]
    fn answers_that_are_of_no_use_count_as_failures_though_each_came() {
        let now = Instant::now();
        let mut breaker = Breaker::new(3, MINUTE);
        let mut answer = |was_useful: bool| {
            assert_eq!(breaker.admit(now), Ok(()));
            breaker.settle(now, Outcome::Worked);
            breaker.judge(now, was_useful);
            breaker.held_back(now)
        };
        assert_eq!([false, false, true, false, false].map(&mut answer), [const { None }; 5]);
        assert_eq!(answer(false), Some(HeldBack { wait: MINUTE, because: "rejected" }));
        assert_eq!(breaker.admit(now + MINUTE), Ok(()));
    }

    #[test]
    fn one_probe_decides() {
        let start = Instant::now();
        let mut breaker = opened(start);
        let later = start + MINUTE;
        assert_eq!(breaker.admit(later), Ok(()));
        assert!(breaker.admit(later).is_err(), "a second question waits for the probe");
        breaker.settle(later, Outcome::Failed("timeout"));
        assert_eq!(breaker.admit(later), Err(HeldBack { wait: MINUTE, because: "timeout" }));
        assert_eq!(breaker.admit(later + MINUTE), Ok(()));
        breaker.settle(later + MINUTE, Outcome::Worked);
        assert_eq!(breaker.admit(later + MINUTE), Ok(()));
        breaker.settle(later + MINUTE, Outcome::Failed("server"));
        assert_eq!(breaker.admit(later + MINUTE), Ok(()), "the count starts anew");
    }

    #[test]
    fn a_probe_that_is_given_up_leaves_room_for_the_next() {
        let start = Instant::now();
        let mut breaker = opened(start);
        assert_eq!(breaker.admit(start + MINUTE), Ok(()));
        breaker.settle(start + MINUTE, Outcome::Unknown);
        assert_eq!(breaker.admit(start + MINUTE), Ok(()));
    }
}
