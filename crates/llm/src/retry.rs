//! How long to wait before the next attempt.

use std::time::{Duration, SystemTime};

use hyper::header::{HeaderMap, RETRY_AFTER};

/// The wait before attempt number `attempt` + 1: at random between nothing and twice as much as the last time ("full
/// jitter", so that many clients do not come back at once), but no less than the provider asks for.
pub(crate) fn wait(
    random: &mut fastrand::Rng,
    first: Duration,
    longest: Duration,
    attempt: u32,
    retry_after: Option<Duration>,
) -> Duration {
    let doubled = first.saturating_mul(1u32.checked_shl(attempt).unwrap_or(u32::MAX));
    let backoff = doubled.min(longest).mul_f64(random.f64());
    backoff.max(retry_after.unwrap_or_default())
}

/// How long the headers ask to wait: `retry-after-ms`, or `retry-after` in seconds or as a date.
pub(crate) fn asked_for(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let milliseconds = text("retry-after-ms").and_then(|text| seconds(text, 1e-3));
    milliseconds.or_else(|| {
        let text = text(RETRY_AFTER.as_str())?;
        seconds(text, 1.0).or_else(|| {
            let date = httpdate::parse_http_date(text).ok()?;
            Some(date.duration_since(now).unwrap_or_default())
        })
    })
}

fn seconds(text: &str, unit: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse::<f64>().ok()? * unit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn asked(pairs: &[(&'static str, &'static str)]) -> Option<Duration> {
        let headers =
            pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        // Sun, 06 Nov 1994 08:49:37 GMT
        asked_for(&headers, SystemTime::UNIX_EPOCH + SECOND * 784_111_777)
    }

    #[test]
    fn reads_seconds_milliseconds_and_dates() {
        assert_eq!(asked(&[("retry-after", "7")]), Some(SECOND * 7));
        assert_eq!(asked(&[("retry-after", "1.5")]), Some(SECOND * 3 / 2));
        assert_eq!(asked(&[("retry-after-ms", "250"), ("retry-after", "1")]), Some(SECOND / 4));
        assert_eq!(asked(&[("retry-after", "Sun, 06 Nov 1994 08:49:57 GMT")]), Some(SECOND * 20));
        assert_eq!(asked(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")]), Some(Duration::ZERO));
    }

    #[test]
    fn nonsense_is_no_wish() {
        for value in ["", "soon", "-3", "NaN", "inf", "1e300"] {
            assert_eq!(asked(&[("retry-after", value)]), None, "{value:?}");
        }
        assert_eq!(asked(&[]), None);
    }

    #[test]
    fn waits_grow_and_stay_below_the_longest() {
        let mut random = fastrand::Rng::with_seed(7);
        for (attempt, most) in [(0, 1), (1, 2), (2, 4), (3, 8), (4, 8), (40, 8), (u32::MAX, 8)] {
            let waits: Vec<Duration> =
                (0..200).map(|_| wait(&mut random, SECOND, SECOND * 8, attempt, None)).collect();
            assert!(waits.iter().all(|wait| *wait <= SECOND * most), "attempt {attempt}");
            assert!(
                waits.iter().any(|wait| *wait > SECOND * most * 3 / 4),
                "attempt {attempt} uses the whole range"
            );
            assert!(
                waits.iter().any(|wait| *wait < SECOND * most / 4),
                "attempt {attempt} uses the whole range"
            );
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_waits_and_a_wish_is_the_least() {
        let waits = |seed| {
            let mut random = fastrand::Rng::with_seed(seed);
            [0, 1, 2].map(|attempt| wait(&mut random, SECOND, SECOND * 8, attempt, None))
        };
        assert_eq!(waits(1), waits(1));
        assert_ne!(waits(1), waits(2));
        let mut random = fastrand::Rng::with_seed(7);
        assert_eq!(wait(&mut random, SECOND, SECOND * 8, 0, Some(SECOND * 5)), SECOND * 5);
    }
}
