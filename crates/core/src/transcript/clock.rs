//! When an entry of a log was written.

use std::time::UNIX_EPOCH;

use crate::json::{Kind, Raw};

/// Larger numbers are no seconds of this age but milliseconds.
const MILLISECONDS: u64 = 100_000_000_000;

/// Seconds since 1970, from a date with a time (`2026-07-01T00:46:44.069Z`) or a number of seconds or milliseconds.
pub(super) fn seconds(stamp: Option<Raw>) -> Option<u64> {
    let stamp = stamp?;
    match stamp.kind() {
        Kind::String => {
            let time = humantime::parse_rfc3339_weak(&stamp.str()?).ok()?;
            Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs())
        }
        _ => stamp.u64().map(|number| if number > MILLISECONDS { number / 1_000 } else { number }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(stamp: &str) -> Option<u64> {
        seconds(Raw::parse(stamp).ok())
    }

    #[test]
    fn dates_and_numbers_are_seconds() {
        assert_eq!(read("\"2026-07-01T00:46:44.069Z\""), Some(1_782_866_804));
        assert_eq!(
            read("\"2026-07-01T00:46:44.123456\""),
            Some(1_782_866_804),
            "some agents leave the zone out"
        );
        assert_eq!((read("1782866804"), read("1782866804069")), (Some(1_782_866_804), Some(1_782_866_804)));
    }

    #[test]
    fn what_is_no_time_says_nothing() {
        assert_eq!((read("\"t\""), read("null"), read("\"\""), seconds(None)), (None, None, None, None));
    }
}
